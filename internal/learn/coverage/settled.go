package coverage

import (
	"math"

	"github.com/fdplan/fdplan/internal/learn/structure"
)

// Settled lists the tables of each output that a structure was found for: first one over the
// inputs of its function, then one for each alternative set of inputs. Their cells are those
// that the rows settle.
func Settled(t *structure.Table, st *structure.Structure) [][]Table {
	tables := make([][]Table, t.Outputs)
	noisy := noisyOf(t, st)
	for i := range st.Outputs {
		o := &st.Outputs[i]
		settled := settledBy{margin: 1, pure: true}
		if noisy[i] {
			settled = settledBy{margin: margin(share(o.Wrong, o.Rows))}
		}
		tables[i] = append(tables[i], settled.table(t, i, o.Inputs, o.Eval))
		for _, other := range o.Alternatives {
			tables[i] = append(tables[i], settled.table(t, i, other, nil))
		}
	}
	return tables
}

// noisyOf lists the outputs whose exceptions are noise for certain. They may be rare cases
// instead where rows are few, where they gather at some values, and where rows are exceptions
// more often if most like them are 0 than if most are 1, or the reverse.
func noisyOf(t *structure.Table, st *structure.Structure) []bool {
	const few, least = 300, 5
	noisy := make([]bool, len(st.Outputs))
	if t.Rows() < few || !st.Noisy {
		return noisy
	}
	var both [2]int
	largest := 0.0 // share of exceptions among those that are noise
	for i := range st.Outputs {
		o := &st.Outputs[i]
		var wrong, all [2]int // by the value that most rows like them have
		for _, c := range t.Cases(i, o.Inputs) {
			v := 0
			if c.Ones > c.Zeros {
				v = 1
			}
			wrong[v] += min(c.Zeros, c.Ones)
			all[v] += c.Zeros + c.Ones
		}
		if all[0] == 0 || all[1] == 0 || o.Verdict == structure.Hidden {
			continue
		}
		r := share(wrong[0]+wrong[1], all[0]+all[1])
		apart := math.Abs(share(wrong[0], all[0]) - share(wrong[1], all[1]))
		if noisy[i] = apart <= 4*math.Sqrt(r*(1-r)*(1/float64(all[0])+1/float64(all[1]))); noisy[i] {
			both[0], both[1] = both[0]+wrong[0], both[1]+wrong[1]
			largest = max(largest, r)
		}
	}
	if both[0] < least || both[1] < least {
		return make([]bool, len(noisy))
	}
	// An output that most rows agree on everywhere has no more noise than others.
	for i := range st.Outputs {
		o := &st.Outputs[i]
		if len(o.Inputs) == 0 && share(o.Wrong, o.Rows) <= largest+4*math.Sqrt(largest*(1-largest)/float64(o.Rows)) {
			noisy[i] = true
		}
	}
	return noisy
}

// margin is how many rows of a cell more than the others must agree where rows are
// exceptions at a rate: the odds that the others are right are then below 1 to a million.
func margin(rate float64) int {
	const odds = 1e6
	if rate == 0 {
		return 1
	}
	if rate >= 0.45 {
		return math.MaxInt
	}
	return max(1, int(math.Ceil(math.Log(odds)/math.Log((1-rate)/rate))))
}

// settledBy says when the rows of a cell settle an output.
type settledBy struct {
	margin int
	pure   bool // no row of the cell may disagree
}

// table lists the cells that rows settle; with a function, on its value.
func (s settledBy) table(t *structure.Table, output int, inputs []int, function func(in []uint64) bool) Table {
	out := Table{Inputs: inputs}
	for _, c := range t.Cases(output, inputs) {
		most, least := max(c.Zeros, c.Ones), min(c.Zeros, c.Ones)
		if most-least < s.margin || s.pure && least > 0 {
			continue
		}
		value := c.Ones > c.Zeros
		if function != nil && function(t.Input(c.Row)) != value {
			continue
		}
		if value {
			out.On = append(out.On, c.Cell)
		} else {
			out.Off = append(out.Off, c.Cell)
		}
	}
	return out
}

// share is a part of a whole, 0 of nothing.
func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
