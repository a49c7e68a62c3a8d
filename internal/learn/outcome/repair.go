package outcome

import (
	"context"
	"slices"
)

// Functions learns functions from consecutive rows of which some cells are wrong. It returns the rows that were put right, and which
// these are. Where only next values are wrong, the rows after them tell which, and functions are what rows have taught so far.
func Functions(ctx context.Context, t *Table, outputs []int, functions []*Group, nextOnly bool) (groups []*Group, rows *Table, kept []int, err error) {
	o := Options{Determined: true, Refined: true}
	if nextOnly {
		rows, kept = t.repaired(functions, false)
		groups, err = Learn(ctx, rows, outputs, o)
		return groups, rows, kept, err
	}
	// It begins with what holds for many rows, since wrong cells before steps make contexts of their own.
	bits := manyRows * float64(t.Rows())
	if groups, err = Learn(ctx, t, outputs, Options{Determined: true, Coarse: bits}); err != nil {
		return nil, nil, nil, err
	}
	for _, o.Coarse = range []float64{bits / 10, 0, 0} {
		rows, kept = t.repaired(groups, true)
		if groups, err = Learn(ctx, rows, outputs, o); err != nil {
			return nil, nil, nil, err
		}
	}
	return groups, rows, kept, nil
}

// manyRows is the share of rows, in bits, for which a context counts at first.
const manyRows = .03

// repairs is how often the states of all rows are looked at.
const repairs = 3

// repaired returns the rows with the states that were most likely before each step, if these are wrong, too, where consecutive rows tell: those with
// the fewest wrong records and next values that are not as functions, which are groups of one output, predict. A next value is what the
// following row begins with, if that is what the functions predict. A row is left out where another state is as likely as the
// one that stands there, or where neither record of a next value is as predicted.
func (t *Table) repaired(functions []*Group, states bool) (*Table, []int) {
	r := &repairer{t: t, functions: functions, states: make([][]int32, t.Rows()), doubtful: make([]bool, t.Rows())}
	for i := range r.states {
		r.states[i] = t.state(i)
	}
	r.follows = r.linked()
	if states {
		r.settle()
	}
	out := t.without()
	var kept []int
	for i, now := range r.states {
		if next, ok := r.after(i); ok && !r.doubtful[i] {
			kept = append(kept, i)
			out.add(now, next)
		}
	}
	return out, kept
}

// settle decides the states before all steps.
func (r *repairer) settle() {
	differ, wrong := 0, 0
	for i, now := range r.states {
		for o, v := range r.t.Outputs {
			if r.follows[i] && r.t.Next[o][i-1] != now[v] {
				differ++
			}
			if r.predicted(o, now) != r.t.Next[o][i] {
				wrong++
			}
		}
	}
	r.twice = 4*differ > wrong
	for range repairs {
		clear(r.doubtful)
		for i := range r.states {
			for o := range r.t.Outputs {
				r.cell(i, o)
			}
		}
	}
}

// after returns the next values of a row, and whether they are known.
func (r *repairer) after(i int) (next []int32, ok bool) {
	for o, v := range r.t.Outputs {
		x := r.t.Next[o][i]
		if i+1 < len(r.states) && r.follows[i+1] && r.states[i+1][v] != x {
			switch r.predicted(o, r.states[i]) {
			case x:
			case r.states[i+1][v]:
				x = r.states[i+1][v]
			default:
				return nil, false
			}
		}
		next = append(next, x)
	}
	return next, true
}

// repairer finds the states before steps.
type repairer struct {
	t         *Table
	functions []*Group
	states    [][]int32 // by row
	doubtful  []bool
	follows   []bool // the row before, as far as states tell
	twice     bool   // a state was recorded after a step and again before the next one
}

// cell decides what an output is before a step. Nothing tells where a run begins.
func (r *repairer) cell(i, o int) {
	if !r.follows[i] {
		return
	}
	v, now := r.t.Outputs[o], r.states[i]
	values := []int32{r.t.Now[v][i], r.t.Next[o][i-1], r.predicted(o, r.states[i-1]), r.t.Next[o][i]}
	best, fewest, tie := values[0], 0, false
	for k, x := range values {
		if slices.Contains(values[:k], x) {
			continue
		}
		now[v] = x
		switch n := r.faults(i, o); {
		case k == 0 || n < fewest:
			best, fewest, tie = x, n, false
		case n == fewest:
			tie = true
		}
	}
	now[v] = best
	r.doubtful[i] = r.doubtful[i] || tie && fewest == 1
}

// predicted is the value of an output after a step from a state.
func (r *repairer) predicted(o int, now []int32) int32 { return r.functions[o].likely(r.t, now) }

// faults counts what is wrong if an output is as the state of a row has it.
func (r *repairer) faults(i, o int) (n int) {
	t, v := r.t, r.t.Outputs[o]
	x := r.states[i][v]
	if x != t.Now[v][i] {
		n++
	}
	if x != r.predicted(o, r.states[i-1]) {
		n++
	}
	if r.twice && x != t.Next[o][i-1] {
		n++
	}
	for k, w := range t.Outputs {
		after := t.Next[k][i]
		if i+1 < t.Rows() && r.follows[i+1] {
			after = r.states[i+1][w]
		}
		if r.predicted(k, r.states[i]) != after {
			n++
		}
	}
	return n
}

// linked tells of each row whether it is the step after the row before it: most of its state is as recorded there, or as predicted.
func (r *repairer) linked() []bool {
	t := r.t
	follows := make([]bool, t.Rows())
	for i := 1; i < t.Rows(); i++ {
		recorded, predicted := 0, 0
		for o, v := range t.Outputs {
			if t.Now[v][i] != t.Next[o][i-1] {
				recorded++
			}
			if t.Now[v][i] != r.predicted(o, r.states[i-1]) {
				predicted++
			}
		}
		follows[i] = !t.Begins[i] && 2*min(recorded, predicted) <= len(t.Outputs)
	}
	return follows
}
