package backward

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// prove writes the constraints of step t, those of step t+1 being there, and
// deletes what is no longer needed.
func (w *writer) prove(t int) error {
	l := w.layers[t]
	var next *layer
	if t <= w.m.Horizon {
		next = w.layers[t+1]
	}
	l.measure(next)
	rows := w.define(l, next)
	var tree []proof.ID
	for i := range l.states {
		s := &l.states[i]
		if s.value <= 0 || s.closed {
			continue
		}
		r := refutation{writer: w, l: l, next: next, value: s.value}
		if !l.assign(s.key) {
			return fmt.Errorf("%w: a state of step %d is refuted by propagation", ErrClaim, t)
		}
		r.state()
		if err := r.refute(); err != nil {
			return err
		}
		last := len(r.made) - 1
		l.lemmas = append(l.lemmas, r.made[last])
		tree = append(tree, r.made[:last]...)
	}
	w.log.DeleteAll(tree)
	w.log.DeleteAll(rows)
	if next != nil {
		w.log.DeleteAll(next.lemmas)
		w.log.DeleteAll(next.orders)
		if t > 0 {
			next.release()
		}
	}
	return w.log.Err()
}

// release gives the memory of a layer that is done back.
func (l *layer) release() { l.states, l.index, l.lemmas, l.orders = nil, nil, nil, nil }

// measure computes how much can follow as far as the literals of the next layer
// know, marks the states as dead that need more, and lists the values.
func (l *layer) measure(next *layer) {
	l.most = 0
	for _, c := range l.costs {
		l.most += c.Coef
	}
	if next != nil && len(next.values) > 0 {
		l.most += next.values[len(next.values)-1]
	}
	for i := range l.states {
		s := &l.states[i]
		switch {
		case s.value <= 0 || s.closed:
		case s.value > l.most:
			s.value = dead
		default:
			l.values = append(l.values, s.value)
		}
	}
	slices.Sort(l.values)
	l.values = slices.Compact(l.values)
}

// define defines the literals of a layer and derives their order and P(t). It
// returns the constraints that are needed only until the states are done.
func (w *writer) define(l, next *layer) (rows []proof.ID) {
	l.lits = map[int64]int32{}
	if len(l.values) == 0 {
		// Nothing is counted from here on: what was is not needed.
		w.log.DeleteAll(w.sums)
		w.sums, w.counted = w.sums[:0], l.t-1
		return nil
	}
	sum := w.row(l, next)
	var all, before proof.ID
	low := int64(0)
	for j, v := range l.values {
		w.vars++
		l.lits[v] = w.vars
		only, when := w.log.Reify(w.vars, sum, v)
		if l.t == 0 {
			l.only = only
			return append(rows, when)
		}
		rows = append(rows, only, when)
		if j == 0 {
			all = only
		} else {
			// Added up, the two definitions say that the literal implies the one before.
			w.log.BeginPol(only)
			w.log.Add(before, 1)
			w.log.Saturate()
			w.log.Divide(v - low + 1)
			l.orders = append(l.orders, w.log.EndPol())
			var made []proof.ID
			all, made = w.join(l, sum, all, only, j)
			rows = append(rows, made...)
		}
		before, low = when, v
	}
	slices.Sort(rows)
	rows = slices.Compact(rows) // the first definition is also the first P
	rows = slices.DeleteFunc(rows, func(id proof.ID) bool { return id == all })
	w.sums = append(w.sums, all)
	return rows
}

// row is C(t) + L(t+1).
func (w *writer) row(l, next *layer) (sum []proof.Term) {
	for _, c := range l.costs {
		sum = append(sum, proof.Term{Coef: c.Coef, Lit: l.global(c.Lit)})
	}
	if next != nil {
		low := int64(0)
		for _, v := range next.values {
			sum = append(sum, proof.Term{Coef: v - low, Lit: next.lits[v]})
			low = v
		}
	}
	return sum
}

// global is a local literal in the model's numbers.
func (l *layer) global(x model.Lit) int32 {
	if x < 0 {
		return int32(x) - l.offset
	}
	return int32(x) + l.offset
}

// join derives sum >= L for the first j+1 values from that for the first j, and
// from the last definition. It returns what it derives and what it made besides.
//
// With X the sum, U_i the literals, v_i the values and d_i their differences, all is
// X >= sum of d_i U_i for i < j and only is X >= v_j U_j. Where d_j is 1, dividing
// v_(j-1) all + d_j only by v_j gives the result. Else a literal z for the result
// is defined, which follows in both cases of U_j.
func (w *writer) join(l *layer, sum []proof.Term, all, only proof.ID, j int) (proof.ID, []proof.ID) {
	v, low := l.values[j], l.values[j-1]
	if v-low == 1 && l.evenly(j) {
		w.log.BeginPol(all)
		w.log.Multiply(low)
		w.log.Add(only, 1)
		w.log.Divide(v)
		return w.log.EndPol(), []proof.ID{all}
	}
	terms := slices.Clone(sum)
	before := int64(0)
	for _, v := range l.values[:j+1] {
		terms = append(terms, proof.Term{Coef: v - before, Lit: -l.lits[v]})
		before = v
	}
	w.vars++
	z := w.vars
	first, when := w.log.Reify(z, terms, v)
	made := []proof.ID{all, first, when}
	for _, id := range []proof.ID{all, only} {
		w.log.BeginPol(id)
		w.log.Add(when, 1)
		made = append(made, w.log.EndPol())
	}
	unit := w.log.Learn([]int32{z})
	w.log.BeginPol(first)
	w.log.Add(unit, v)
	return w.log.EndPol(), append(made, unit)
}

// evenly reports whether the differences of the values before j survive the
// division by value j.
func (l *layer) evenly(j int) bool {
	v, low := l.values[j], l.values[j-1]
	before := int64(0)
	for _, u := range l.values[:j] {
		d := u - before
		if d > 1<<31 || low > 1<<31 || (d*low+v-1)/v != d {
			return false
		}
		before = u
	}
	return true
}

// refutation derives that a state's steps cost what is claimed, as a tree over its
// actions. A clause is written for the branch in which a literal is true; with it,
// propagation gives the other branch.
type refutation struct {
	*writer
	l, next *layer
	value   int64
	clause  []int32
	made    []proof.ID
}

// state begins the clause: not this state, or what is claimed of it.
func (r *refutation) state() {
	if r.value != dead {
		r.clause = append(r.clause, r.l.lits[r.value])
	}
	for _, x := range r.l.chosen {
		r.clause = append(r.clause, -r.l.global(x))
	}
}

// refute writes the clause, with what it rests on before it.
func (r *refutation) refute() error {
	if err := r.interrupted(); err != nil {
		return err
	}
	st := r.l.st
	for r.settle() && !r.closed() {
		x, ok := r.open()
		if !ok {
			return fmt.Errorf("%w: a step is cheaper", ErrClaim)
		}
		mark, length := st.Mark(), len(r.clause)
		r.clause = append(r.clause, -r.l.global(x))
		if st.Assign(x) {
			if err := r.refute(); err != nil {
				return err
			}
		} else {
			r.learn()
		}
		st.Undo(mark)
		r.clause = r.clause[:length]
		if !st.Assign(-x) {
			break
		}
	}
	r.learn()
	return nil
}

func (r *refutation) learn() { r.made = append(r.made, r.log.Learn(r.clause)) }

// open is a variable to branch on.
func (r *refutation) open() (model.Lit, bool) {
	for _, lits := range [2][]model.Lit{r.l.branch, r.l.rest} {
		for _, v := range lits {
			if r.l.st.Value(v) == 0 {
				return v, true
			}
		}
	}
	return 0, false
}

// settle propagates that the step costs less than the value. It returns false if
// that is refuted.
func (r *refutation) settle() bool {
	if r.value == dead {
		return true
	}
	for again := true; again; {
		again = false
		left := r.value - r.l.paid()
		if left <= 0 {
			return false
		}
		for _, c := range r.l.costs {
			if c.Coef >= left && r.l.st.Value(c.Lit) == 0 {
				if !r.l.st.Assign(-c.Lit) {
					return false
				}
				again = true
				break
			}
		}
	}
	return true
}

// closed reports whether the clause of the next state refutes what is assigned.
func (r *refutation) closed() bool {
	if r.next == nil {
		return false
	}
	for _, v := range r.l.next {
		if r.l.st.Value(v) == 0 {
			return false
		}
	}
	i, ok := r.next.index[r.l.pack(r.l.next)]
	if !ok {
		return false
	}
	s := &r.next.states[i]
	return s.closed || s.value == dead || s.value > 0 && r.value != dead && r.l.paid()+s.value >= r.value
}
