package outcome

import (
	"fmt"
	"math"
	"strings"

	"github.com/fdplan/fdplan/problem/chance"
)

// Judge measures a model with chance on rows that it was not learned from.
type Judge struct {
	m    *chance.Model
	rows int
	bits float64
	// What was said of outcomes, in tenths of probability.
	said, seen [10]float64
	count      [10]int
	d          chance.Distribution
}

// NewJudge returns a judge of a model.
func NewJudge(m *chance.Model) *Judge { return &Judge{m: m} }

// Add takes the values of all variables before and after a step, and those that the deterministic transition
// predicts.
func (j *Judge) Add(now, predicted, next []int64) {
	j.rows++
	for i := range j.m.Groups {
		g := &j.m.Groups[i]
		j.bits += math.Log2(max(g.Probability(now, predicted, next), 1e-300))
		g.Outcomes(&j.d, now, predicted)
		for k, values := range j.d.Values {
			p := float64(j.d.Weights[k]) / float64(j.d.Total)
			b := min(int(10*p), 9)
			j.said[b] += p
			j.count[b]++
			same := true
			for o, v := range g.Outputs {
				same = same && values[o] == next[v]
			}
			if same {
				j.seen[b]++
			}
		}
	}
}

// Judged is how a model with chance does on rows.
type Judged struct {
	Rows int `json:"rows"`
	// Bits is the logarithm to base 2 of the probability of what was seen, noise of the recording included,
	// as a mean over the rows: 0 is certainty.
	Bits        float64  `json:"log_likelihood"`
	Calibration []Bucket `json:"calibration"`
}

// Bucket has the outcomes that were said to have a probability in one tenth of 0..1.
type Bucket struct {
	Said     float64 `json:"said"` // their mean probability
	Seen     float64 `json:"seen"` // the share of them that happened
	Outcomes int     `json:"outcomes"`
}

// Judged returns what was measured; nil for no rows.
func (j *Judge) Judged() *Judged {
	if j.rows == 0 {
		return nil
	}
	out := &Judged{Rows: j.rows, Bits: j.bits / float64(j.rows), Calibration: []Bucket{}}
	for b, n := range j.count {
		if n > 0 {
			out.Calibration = append(out.Calibration, Bucket{j.said[b] / float64(n), j.seen[b] / float64(n), n})
		}
	}
	return out
}

// Said tells how often what was said to be likely was seen.
func (j *Judged) Said() string {
	var parts []string
	for _, b := range j.Calibration {
		parts = append(parts, fmt.Sprintf("%.1f %%, seen %.1f %% (%d)", 100*b.Said, 100*b.Seen, b.Outcomes))
	}
	return "said " + strings.Join(parts, "; ")
}
