package coverage

import (
	"math"

	"github.com/fdplan/fdplan/internal/learn/rules"
)

// AtLeast is the probability of k or more of n events that are independent and have probability
// p each.
func AtLeast(n, k int, p float64) float64 {
	switch {
	case k <= 0 || p >= 1:
		return 1
	case k > n || p <= 0:
		return 0
	case float64(k) <= float64(n)*p:
		return 1 // a bound is enough
	}
	term := math.Exp(rules.LogChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	sum := 0.0
	for i := k; i <= n && term > sum*1e-12; i++ {
		sum += term
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return min(1, sum)
}

// Drawn is the probability that of n things drawn from all, of which some are marked, k or more
// are marked.
func Drawn(all, marked, n, k int) float64 {
	switch {
	case k <= 0 || float64(k)*float64(all) <= float64(n)*float64(marked):
		return 1 // a bound is enough
	case k > min(n, marked):
		return 0
	}
	term := math.Exp(rules.LogChoose(marked, k) + rules.LogChoose(all-marked, n-k) - rules.LogChoose(all, n))
	sum := 0.0
	for i := k; i <= min(n, marked) && term > sum*1e-12; i++ {
		sum += term
		term *= float64(marked-i) / float64(i+1) * float64(n-i) / float64(all-marked-n+i+1)
	}
	return min(1, sum)
}

// Interval bounds the rate of events of which n were tried and k happened, with the given confidence: the tails beyond
// either bound are equally likely (Clopper and Pearson, 1934).
func Interval(n, k int, confidence float64) (lower, upper float64) {
	odds := (1 - confidence) / 2
	return 1 - upperRate(n, n-k, odds), upperRate(n, k, odds)
}

// upperRate is the largest rate at which k or fewer of n events still have the given odds
// (Clopper and Pearson, 1934).
func upperRate(n, k int, odds float64) float64 {
	if k >= n {
		return 1
	}
	low, high := float64(k)/float64(n), 1.0
	for range 50 {
		p := (low + high) / 2
		if AtLeast(n, n-k, 1-p) > odds { // k or fewer events
			low = p
		} else {
			high = p
		}
	}
	return high
}
