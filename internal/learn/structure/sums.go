package structure

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/rules"
)

// others lists the kinds of functions to try for an output beside a table that was tried on rows
// held out: where it was wrong on some of them, and where its description decides about values
// that no row has. A table of which all rows together have every cell is right.
func (l *learner) others(o, wrong int, noisy bool, table *trial) (kinds []Kind) {
	if l.left(o) || wrong == 0 && (!table.open || l.t.Contradictory) || l.searchFor(o, l.t.all()).thin() {
		return nil
	}
	if l.o.Sums && !noisy && table.inputs <= wide {
		if out := l.learn(o, l.t.all(), false, ByTable); out.Wrong == 0 && out.Cells == 1<<len(out.Inputs) {
			return nil
		}
	}
	if l.whole != nil && l.whole[o] != not {
		kinds = append(kinds, ByForm)
	}
	if l.o.Sums && !noisy {
		kinds = append(kinds, ByCount, ByRules)
	}
	if wrong > 0 && table.inputs > wide {
		kinds = append(kinds, ByTree)
	}
	if wrong > 0 && l.o.Dense != nil && (table.inputs > wide || noisy) {
		kinds = append(kinds, ByDense)
	}
	return kinds
}

// ruleRows is the most rows that rules are learned from.
const ruleRows = 30_000

// sampleOf is the rows of a search as package rules has them, or some of many.
func (s *search) sampleOf() *rules.Sample {
	r := &rules.Sample{Inputs: s.t.Inputs, Groups: s.t.Groups, Sets: s.t.Sets, Own: -1}
	if s.t.Own != nil {
		r.Own = s.t.Own(s.out)
	}
	step := (len(s.rows) + ruleRows - 1) / ruleRows
	for i := 0; i < len(s.rows); i += step {
		row := s.rows[i]
		r.In, r.Out = append(r.In, s.t.Input(int(row))), append(r.Out, s.t.Output(int(row), s.out))
	}
	return r
}

// telling lists the inputs of a table and those that tell something about the output by
// themselves, in increasing order and at most MaxInputs: first those of the table.
func (s *search) telling() []int {
	inputs := s.consistent().inputs
	p := newPartition(s.t, s.rows, s.out)
	for b := range s.t.Inputs {
		if len(inputs) == MaxInputs {
			break
		}
		gain, splits := p.gain(p.col(b), s.x)
		if splits > 0 && gain > price(len(p.rows), splits)+math.Log2(float64(s.t.candidates())) && !slices.Contains(inputs, b) {
			inputs = append(inputs, b)
		}
	}
	return slices.Sorted(slices.Values(inputs))
}
