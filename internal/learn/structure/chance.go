package structure

import (
	"math"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/rules"
)

// chance marks the outputs that the inputs do not determine at all, as random columns are: rows
// have both values often enough to show a function, no description by inputs is shorter than
// listing the exceptions of a constant by more than the best of so many outputs has by chance,
// and rows that are alike agree no more often than any. Of an integer all bits are, or none.
func (l *learner) chance(all []int32) ([]bool, error) {
	if l.o.Complete {
		return nil, nil
	}
	found := make([]bool, l.t.Outputs)
	near := l.neighbours(all)
	err := l.each(l.t.Outputs, func(o int) { found[o] = l.random(all, near, o) })
	for o := range found {
		if !found[o] {
			continue
		}
		whole := (&search{t: l.t, out: o}).integer()
		found[o] = !slices.ContainsFunc(whole, func(other int) bool { return !found[other] })
	}
	return found, err
}

// random reports whether rows, some of which are neighbours, tell nothing about an output.
func (l *learner) random(rows []int32, near []neighbour, o int) bool {
	const (
		fewest = 40 // exceptions in which a function would show
		luck   = 10 // bits that a description of one output may gain by chance
	)
	if l.whole != nil && l.whole[o] != not {
		return false
	}
	s := l.searchFor(o, rows)
	constant := s.choice(nil)
	if constant.errors < fewest && !(s.thin() && s.moves(constant.errors)) || l.repeats(float64(constant.errors)/float64(len(s.rows))) || l.agree(near, o) || l.counted(s) {
		return false
	}
	return constant.score-s.shortest(s.path(false, true)).score < luck+math.Log2(float64(l.t.Outputs))
}

// repeats reports whether rows that were seen again never contradicted each other, though an
// output that chance gives its rarer value at this rate would have, with odds below one to a
// million corrected for the number of outputs.
func (l *learner) repeats(rate float64) bool {
	if l.t.Contradictory || l.t.Missing > 0 {
		return false
	}
	alike := rate*rate + (1-rate)*(1-rate)
	return float64(l.t.Repeated)*math.Log(alike) < -math.Log(1e6*float64(l.t.Outputs))
}

// counted reports whether the number of some literals that hold decides all rows, as of a parity or
// another symmetric function, which no input shows by itself.
func (l *learner) counted(s *search) bool {
	return !l.t.screens() && rules.Count(l.ctx, s.sampleOf(), nil) != nil
}

// neighbour is a pair of rows that are as alike as any.
type neighbour [2]int32

// neighbours finds for some rows the one that differs from it in the fewest inputs.
func (l *learner) neighbours(all []int32) []neighbour {
	const most = 2000 // rows
	step := max(1, len(all)/most)
	var found []neighbour
	for i := 0; i < len(all); i += step {
		best, least := -1, math.MaxInt
		for j := 0; j < len(all); j += step {
			if i == j {
				continue
			}
			a, b, n := l.t.Input(int(all[i])), l.t.Input(int(all[j])), 0
			for w := range a {
				n += bits.OnesCount64(a[w] ^ b[w])
			}
			if n < least {
				best, least = j, n
			}
		}
		if best >= 0 {
			found = append(found, neighbour{all[i], all[best]})
		}
	}
	return found
}

// agree reports whether neighbours have the same value of an output more often than chance makes
// them, with odds below one to a million corrected for the number of outputs.
func (l *learner) agree(near []neighbour, o int) bool {
	n, same, ones := 0.0, 0.0, 0.0
	for _, p := range near {
		if !l.t.Knows(int(p[0]), o) || !l.t.Knows(int(p[1]), o) {
			continue
		}
		a, b := l.t.Output(int(p[0]), o), l.t.Output(int(p[1]), o)
		n++
		if a == b {
			same++
		}
		if a {
			ones++
		}
	}
	if n == 0 {
		return false
	}
	rate := ones / n
	expected := rate*rate + (1-rate)*(1-rate)
	z := (same - n*expected) / math.Sqrt(max(1, 2*n*expected*(1-expected))) // a pair may count twice
	return z > math.Sqrt(2*math.Log(1e6*float64(l.t.Outputs)))
}

// determined lists the outputs that are not left to chance.
func (l *learner) determined() []int {
	var list []int
	for o := range l.t.Outputs {
		if !l.left(o) {
			list = append(list, o)
		}
	}
	return list
}

// left reports whether an output is left to chance.
func (l *learner) left(o int) bool { return l.byChance != nil && l.byChance[o] }

// constant is the value that most rows have.
func (s *search) constant() *Tree {
	return s.grow(s.rows, nil, false, true)
}
