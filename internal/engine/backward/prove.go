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
	r := w.steps(l, next)
	for i := range l.states {
		s := &l.states[i]
		if s.value <= 0 || s.closed {
			continue
		}
		r.value = s.value
		if !l.assign(s.key) {
			return fmt.Errorf("%w: a state of step %d is refuted by propagation", ErrClaim, t)
		}
		clause := r.root()
		if r.paths = s.paths; r.paths == nil || s.value != w.need(s) {
			if err := r.refute(); err != nil {
				return err
			}
		}
		id, made := r.write(clause)
		l.lemmas, l.clauses = append(l.lemmas, id), append(l.clauses, clause)
		rows = append(rows, made...)
	}
	w.log.DeleteAll(rows)
	return w.log.Err()
}

// retire deletes what is known of the states of a layer, and gives the memory back.
func (w *writer) retire(l *layer) {
	w.log.DeleteAll(l.lemmas)
	w.log.DeleteAll(l.orders)
	l.states, l.index, l.lemmas, l.clauses, l.orders = nil, nil, nil, nil, nil
}

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
	l.lits = map[int64]model.Lit{}
	if len(l.values) == 0 {
		// Nothing is counted from here on: what was is not needed.
		w.log.DeleteAll(w.sums)
		w.sums, w.counted = w.sums[:0], l.t-1
		return nil
	}
	sum := w.row(l, next)
	if l.t == 0 {
		v := l.values[0]
		w.vars++
		l.lits[v] = w.vars
		var when proof.ID
		l.only, when = w.log.Reify(w.vars, sum, v)
		return []proof.ID{when}
	}
	x := w.thresholds(sum, l.values)
	l.lits, l.orders = x.lits, x.orders
	w.sums = append(w.sums, x.all)
	return append(x.rows, x.when...)
}

// row is C(t) + L(t+1).
func (w *writer) row(l, next *layer) (sum []proof.Term) {
	for _, c := range l.costs {
		sum = append(sum, proof.Term{Coef: c.Coef, Lit: l.global(c.Lit)})
	}
	if next != nil {
		sum = append(sum, levels(next.values, next.lits)...)
	}
	return sum
}

// global is a local literal in the model's numbers.
func (l *layer) global(x model.Lit) model.Lit { return placed(x, l.extra, l.offset) }

// placed is a literal of the one-step model at the step with that offset, or of an amount, whose bits of that step are given.
func placed(x model.Lit, amounts map[int32]model.Lit, offset int32) model.Lit {
	if y := amounts[x.Var()]; y != 0 {
		return y.If(x > 0)
	}
	return x.Shift(offset)
}

// steps is a tree over the actions of a state, which derives what its steps cost.
type steps struct {
	tree
	next  *layer
	value int64
}

// steps makes the trees of step t.
func (w *writer) steps(l, next *layer) *steps {
	r := &steps{tree: tree{w: w, l: l, st: l.st, branch: slices.Concat(l.branch, l.rest)}, next: next}
	r.closed = func() bool { return !r.settle() || r.reaches() }
	return r
}

// root is the clause: not this state, or what is claimed of it.
func (r *steps) root() (clause []model.Lit) {
	if r.value != dead {
		clause = append(clause, r.l.lits[r.value])
	}
	for _, x := range r.l.chosen {
		clause = append(clause, -r.l.global(x))
	}
	return clause
}

// settle propagates that the step costs less than the value. It returns false if
// that is refuted.
func (r *steps) settle() bool {
	_, ok := r.l.below(r.value)
	return ok
}

// reaches reports whether the clause of the next state refutes what is assigned.
func (r *steps) reaches() bool {
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
