package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// cover records in a network's file which rows it was trained on: that they are all legal
// ones, if so, or else the rows themselves. If ctx has already ended it records the rows.
func cover(ctx context.Context, p *load.Problem, f *bnn.File, rows, training *train.Examples) (legal bool, err error) {
	seen := coverage.Of(training.Inputs, training.In)
	if p.Truth != nil {
		legal, err = train.AreLegal(ctx, p.Truth.Compiled, p.Truth.Sim, training, maxLegal)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		return false, fmt.Errorf("comparing the training rows with the legal ones: %w", err)
	case legal:
		seen = coverage.Legal(training.Inputs, training.Rows())
	}
	f.Meta = append(f.Meta, [2]string{load.MetaData, rows.Digest()}, [2]string{load.MetaSeen, seen.String()})
	return legal, nil
}

// support records in a network's file which cases the rows settle. Where they have too
// many unseen pairs of input values to be listed, nothing is recorded.
func support(f *bnn.File, t *structure.Table, st *structure.Structure) {
	s := supportOf(t, st)
	lines, err := s.Lines()
	if err != nil {
		return
	}
	for _, l := range lines {
		f.Meta = append(f.Meta, [2]string{load.MetaSupport, l})
	}
}

// supportOf is what the rows that a structure was learned from settle.
func supportOf(t *structure.Table, st *structure.Structure) *coverage.Support {
	s := &coverage.Support{Inputs: t.Inputs, Outputs: t.Outputs, Tables: make([][]coverage.Table, t.Outputs), Unseen: t.Unseen()}
	noisy := noisyOf(t, st)
	for i := range st.Outputs {
		o := &st.Outputs[i]
		settled := settledBy{margin: 1, pure: true}
		if noisy[i] {
			settled = settledBy{margin: margin(share(o.Wrong, o.Rows))}
		}
		s.Tables[i] = append(s.Tables[i], settled.table(t, i, o.Inputs, o.Tree))
		for _, other := range o.Alternatives {
			s.Tables[i] = append(s.Tables[i], settled.table(t, i, other, nil))
		}
	}
	return s
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

// table lists the cells that rows settle; with a tree, on its value.
func (s settledBy) table(t *structure.Table, output int, inputs []int, tree *structure.Tree) coverage.Table {
	out := coverage.Table{Inputs: inputs}
	row := make([]uint64, bnn.Words(t.Inputs))
	for _, c := range t.Cases(output, inputs) {
		most, least := max(c.Zeros, c.Ones), min(c.Zeros, c.Ones)
		if most-least < s.margin || s.pure && least > 0 {
			continue
		}
		value := c.Ones > c.Zeros
		if tree != nil {
			clear(row)
			for i, b := range inputs {
				row[b/64] |= c.Cell >> i & 1 << (b % 64)
			}
			if tree.Eval(row) != value {
				continue
			}
		}
		if value {
			out.On = append(out.On, c.Cell)
		} else {
			out.Off = append(out.Off, c.Cell)
		}
	}
	return out
}
