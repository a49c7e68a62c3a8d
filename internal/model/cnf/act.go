package cnf

import "github.com/fdplan/fdplan/internal/model"

// powerOfTwo is the smallest power of two that is at least n.
func powerOfTwo(n int) int {
	k := 1
	for k < n {
		k *= 2
	}
	return k
}

// counted pads x with false variables until its length is a multiple of k, and returns CN_k
// of them.
func counted(s Sink, x []model.Lit, k int) []model.Lit {
	padded := append(make([]model.Lit, 0, len(x)+k), x...)
	for len(padded)%k != 0 {
		l := s.NewVar()
		s.Clause(-l)
		padded = append(padded, l)
	}
	return cardinalityNetwork(s, padded, k)
}

// act is the paper's Act_p (Eq. act1) with the choice of Eqs. sat5 and sat6: a threshold
// above half is converted to "not v if and only if n-p+1 inputs are false". The paper uses
// the smallest power of two k > p. The published program uses the smallest k >= p, which
// suffices for c_p, and also flips if both thresholds are equal.
func act(s Sink, n *model.Neuron, published bool) {
	v, x, p := n.Out, n.Inputs, n.Threshold
	if flip := len(x) - p + 1; flip < p || published && flip == p {
		v, x, p = -v, negated(x), flip
	}
	k := powerOfTwo(p + 1)
	if published {
		k = powerOfTwo(p)
	}
	c := counted(s, x, k)[p-1]
	s.Clause(v, -c)
	s.Clause(-v, c)
}

// networkExactly is Exactly_p (Eq. card1), flipped if p > n/2; 0 < p < n. It reads c_{p+1},
// so k > p.
func networkExactly(s Sink, x []model.Lit, p int) {
	if 2*p > len(x) {
		x, p = negated(x), len(x)-p
	}
	c := counted(s, x, powerOfTwo(p+1))
	s.Clause(-c[p])
	s.Clause(c[p-1])
}

// networkAtMost is c_{p+1} = false by the same networks, 0 < p < n, flipped to "at least n-p
// of the negations" if p is above half.
func networkAtMost(s Sink, x []model.Lit, p int, published bool) {
	if 2*p <= len(x) {
		c := counted(s, x, powerOfTwo(p+1))
		s.Clause(-c[p])
		return
	}
	x, p = negated(x), len(x)-p
	k := powerOfTwo(p + 1)
	if published {
		k = powerOfTwo(p)
	}
	c := counted(s, x, k)
	s.Clause(c[p-1])
}
