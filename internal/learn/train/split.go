package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
)

// SplitMode is the unit that Split divides.
type SplitMode string

// The ways to split.
const (
	SplitRandom   SplitMode = "random"   // each occurrence of a row goes to either part
	SplitDistinct SplitMode = "distinct" // no distinct row is in both parts
	SplitTime     SplitMode = "time"     // the last rows; not by Split, which knows no order
	SplitAuto     SplitMode = "auto"     // time for logs, random for rows that are drawn
)

// Split sets one tenth of the examples aside for testing, drawn by seed, but none that has a
// weight. A part may be empty if there are few rows; Conflicts stay with the training part.
func Split(e *Examples, mode SplitMode, seed uint64) (training, testing *Examples, err error) {
	rng := rand.New(rand.NewPCG(seed, streamSplit))
	tested := make([]int32, e.Rows())
	switch mode {
	case SplitDistinct:
		free := e.unweighted()
		for _, k := range rng.Perm(len(free))[:len(free)/10] {
			tested[free[k]] = e.Count[free[k]]
		}
	case SplitRandom:
		rows := make([]int32, 0, e.Total())
		for _, i := range e.unweighted() {
			for range e.Count[i] {
				rows = append(rows, i)
			}
		}
		for k := range len(rows) / 10 {
			j := k + rng.IntN(len(rows)-k)
			rows[k], rows[j] = rows[j], rows[k]
			tested[rows[k]]++
		}
	default:
		return nil, nil, fmt.Errorf("no split %q, expected %s or %s", mode, SplitRandom, SplitDistinct)
	}
	kept := make([]int32, e.Rows())
	for i, c := range e.Count {
		kept[i] = c - tested[i]
	}
	training, testing = e.take(kept), e.take(tested)
	training.Conflicts = e.Conflicts
	return training, testing, nil
}

// Halve divides examples in two by seed: single rows, or whole distinct ones.
func (e *Examples) Halve(mode SplitMode, seed uint64) (a, b *Examples) {
	rng := rand.New(rand.NewPCG(seed, streamHalf))
	first, second := make([]int32, e.Rows()), make([]int32, e.Rows())
	for i, c := range e.Count {
		n := c // of the first half
		switch {
		case mode == SplitDistinct:
			n *= int32(rng.IntN(2))
		default:
			for range c {
				n -= int32(rng.IntN(2))
			}
		}
		first[i], second[i] = n, c-n
	}
	return e.take(first), e.take(second)
}

// Held returns whether a row, asked of all rows that the examples were made of in turn, is in the part
// testing of Split. Rows that contradict the examples are in neither; of these, a tenth is drawn or, if
// the whole distinct row was held out, all are.
func (e *Examples) Held(testing *Examples, seed uint64) func(*Row) bool {
	rng := rand.New(rand.NewPCG(seed, streamHeld))
	left := slices.Clone(testing.Count)
	return func(r *Row) bool {
		if r.Weight > 0 {
			return false
		}
		in := bnn.Pack(r.In)
		i, ok := e.find(in)
		if !ok {
			return false
		}
		k, some := testing.find(in)
		switch {
		case slices.Equal(bnn.Pack(r.Out), e.Output(i)):
			if !some || left[k] == 0 {
				return false
			}
			left[k]--
			return true
		case some && testing.Count[k] == e.Count[i]:
			return true
		}
		return rng.IntN(10) == 0
	}
}

// unweighted lists the rows without a weight.
func (e *Examples) unweighted() []int32 {
	var rows []int32
	for i := range e.Rows() {
		if e.Weight == nil || e.Weight[i] == 0 {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// take returns the rows whose count is not 0, with that count.
func (e *Examples) take(count []int32) *Examples {
	out := &Examples{Inputs: e.Inputs, Outputs: e.Outputs}
	for i, c := range count {
		if c > 0 {
			out.In = append(out.In, e.Input(i)...)
			out.Out = append(out.Out, e.Output(i)...)
			out.Count = append(out.Count, c)
			if e.Weight != nil {
				out.Weight = append(out.Weight, e.Weight[i])
			}
		}
	}
	return out
}
