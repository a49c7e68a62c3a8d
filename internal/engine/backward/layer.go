package backward

import (
	"cmp"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/factored"
)

// layer is a step with its states. Layer 0 has one state, before the first, whose
// action is to choose the initial state.
type layer struct {
	t      int
	st     *propagate.State    // of the step's constraints, shared by equal steps; layer 0 has that of step 1
	offset int32               // from local variables to the model's
	now    []model.Lit         // state bits, local
	branch []model.Lit         // what a step is chosen by: actions, open bits of the next state, paid auxiliary bits
	rest   []model.Lit         // other auxiliary bits
	chosen []model.Lit         // bits of the present state, from which the others follow
	next   []model.Lit         // bits of the next state; none at H+1
	costs  []model.Term        // of the step, local
	unpaid []model.Lit         // scratch of below
	extra  map[int32]model.Lit // the model's numbers of local variables that are not the model's

	index  map[string]int32
	states []state

	// While the step is written:
	values  []int64             // of the literals, ascending
	lits    map[int64]model.Lit // literal of a value
	most    int64               // that the step and those after it can cost, as far as literals know
	orders  []proof.ID          // U(t,k) => U(t,j) for neighbours j < k
	lemmas  []proof.ID          // of the states
	clauses [][]model.Lit       // the lemmas
	only    proof.ID            // layer 0: the literal implies the sum
}

// state is a state at a step.
type state struct {
	key   string
	cost  int64 // of reaching it, at least
	edges []edge
	// capped is the least cost of steps that were not followed, since they alone
	// cost what is needed; dead if there is none.
	capped int64
	rest   int64 // what must follow costs at least this, dead if nothing can follow
	value  int64 // what the proof shows of that; 0 for nothing, dead for a state that no plan passes
	closed bool  // propagation refutes it; no clause is needed
	// paths are the clauses of the tree over its actions if what is needed is shown; nil if
	// they are not known.
	paths [][]model.Lit
}

// edge is a step to a state of the next layer, the cheapest.
type edge struct {
	to   int32
	cost int64
}

// prepare makes the layers, without states.
func (w *writer) prepare() {
	m := w.m
	w.layers = make([]*layer, m.Horizon+2)
	var st *propagate.State
	var paid map[model.Lit]bool
	for t := 1; t <= m.Horizon+1; t++ {
		if t == 1 || !m.Same(t) {
			st = w.system(t)
		}
		l := &layer{t: t, st: st, offset: m.Stride() * int32(t-1), index: map[string]int32{}}
		l.costs, paid = w.costs(t)
		local := func(at int, b factored.Bit) model.Lit { return m.Var(at, b) - model.Lit(l.offset) }
		for _, b := range m.Problem.Bits(factored.State) {
			l.now = append(l.now, local(t, b))
			if t <= m.Horizon {
				l.next = append(l.next, local(t+1, b))
			}
		}
		if t <= m.Horizon {
			for _, b := range m.Problem.Bits(factored.Action) {
				l.branch = append(l.branch, local(t, b))
			}
		}
		l.branch = append(l.branch, l.next...)
		for _, b := range m.Problem.Bits(factored.Auxiliary) {
			if v := local(t, b); paid[v] {
				l.branch = append(l.branch, v)
			} else {
				l.rest = append(l.rest, v)
			}
		}
		w.layers[t] = l
	}
	first := w.layers[1]
	root := &layer{st: first.st, index: map[string]int32{}, next: first.now, branch: first.now}
	for _, c := range m.Objective(1) {
		if c.Lit.Var() <= int32(len(first.now)) { // state bits come first in a block
			root.costs = append(root.costs, c)
		}
	}
	w.layers[0] = root
}

// costs lists the costs of step t in local literals: those of its action and
// auxiliary bits, and of the state bits that follow. paid has the variables of the
// former.
func (w *writer) costs(t int) (costs []model.Term, paid map[model.Lit]bool) {
	m := w.m
	paid = map[model.Lit]bool{}
	states := int32(len(m.Problem.Bits(factored.State)))
	offset := m.Stride() * int32(t-1)
	add := func(from int, state bool) {
		start := m.Stride() * int32(from-1)
		for _, c := range m.Objective(from) {
			if c.Lit.Var()-start <= states != state {
				continue
			}
			v := model.Lit(c.Lit.Var() - offset)
			paid[v] = true
			if c.Lit < 0 {
				v = -v
			}
			costs = append(costs, model.Term{Coef: c.Coef, Lit: v})
		}
	}
	add(t, false)
	if t <= m.Horizon {
		add(t+1, true)
	}
	return costs, paid
}

// system compiles the constraints of step t in local variables.
func (w *writer) system(t int) *propagate.State {
	sums, neurons := w.constraints(t)
	st := propagate.NewSystem(int(2*w.m.Stride()), sums, neurons).NewState()
	st.SetInterrupt(func() bool { return w.ctx.Err() != nil })
	return st
}

// constraints lists the constraints of step t in local variables.
func (w *writer) constraints(t int) (sums []model.Sum, neurons []model.Neuron) {
	part := w.m.Part(t)
	offset := w.m.Stride() * int32(t-1)
	width := min(2*w.m.Stride(), w.m.NumVars()-offset)
	for v := int32(1); v <= width; v++ {
		if f := w.m.Value(model.Lit(v + offset)); f != 0 {
			sums = append(sums, model.Sum{Terms: []model.Term{{Coef: 1, Lit: model.Lit(v) * model.Lit(f)}}, Op: factored.GE, K: 1})
		}
	}
	for _, group := range part.Sums {
		sums = append(sums, group...)
	}
	for _, layer := range part.Layers {
		neurons = append(neurons, layer...)
	}
	return sums, neurons
}

// pack is the key of the values of vars, all assigned.
func (l *layer) pack(vars []model.Lit) string {
	key := make([]byte, (len(vars)+7)/8)
	for i, v := range vars {
		if l.st.Value(v) > 0 {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}

// assign makes the state of a key the present one, true bits first: others may
// follow from them. It returns false if propagation refutes it.
func (l *layer) assign(key string) bool {
	if !l.st.Consistent() {
		return false
	}
	l.st.Reset()
	l.chosen = l.chosen[:0]
	if l.t == 0 {
		return true
	}
	for _, value := range [2]bool{true, false} {
		from := len(l.chosen)
		for i, v := range l.now {
			if (key[i/8]>>(i%8)&1 == 1) != value {
				continue
			}
			if !value {
				v = -v
			}
			if l.st.Value(v) <= 0 {
				l.chosen = append(l.chosen, v)
			}
		}
		if !l.st.Assign(l.chosen[from:]...) {
			return false
		}
	}
	return true
}

// paid is what the step costs as far as it is assigned.
func (l *layer) paid() int64 {
	var sum int64
	for _, c := range l.costs {
		if l.st.Value(c.Lit) > 0 {
			sum += c.Coef
		}
	}
	return sum
}

// below propagates that the step costs less than limit. It returns what it costs
// at least otherwise, dead if nothing was left out, and false if that is refuted.
func (l *layer) below(limit int64) (otherwise int64, ok bool) {
	otherwise = dead
	if limit == dead {
		return otherwise, true
	}
	for {
		paid := l.paid()
		if paid >= limit {
			return min(otherwise, paid), false
		}
		l.unpaid = l.unpaid[:0]
		for _, c := range l.costs {
			if c.Coef >= limit-paid && l.st.Value(c.Lit) == 0 {
				l.unpaid = append(l.unpaid, -c.Lit)
				otherwise = min(otherwise, paid+c.Coef)
			}
		}
		if len(l.unpaid) == 0 {
			return otherwise, true
		}
		if !l.st.Assign(l.unpaid...) {
			return otherwise, false
		}
	}
}

// add returns the number of a state, a new one if it was not there.
func (l *layer) add(key string, cost int64) int32 {
	i, ok := l.index[key]
	if !ok {
		i = int32(len(l.states))
		l.index[key] = i
		l.states = append(l.states, state{key: key, cost: cost, capped: dead})
	}
	l.states[i].cost = min(l.states[i].cost, cost)
	return i
}

// interrupted returns, from time to time, the context's error or that the proof is too large.
func (w *writer) interrupted() error {
	if w.nodes++; w.nodes%64 != 0 {
		return nil
	}
	return cmp.Or(w.ctx.Err(), w.tooLarge(0))
}
