package bound

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// role says what a variable of the one-step model is.
type role uint8

const (
	now      role = iota // a state bit at step t
	after                // a state bit at step t+1
	action               // an action bit at step t
	internal             // an auxiliary bit at step t, or a hidden unit
	foreign              // an auxiliary bit at step t+1; no constraint of a step reads it
	quantity             // a bit of an amount at step t, which is no variable of the problem
)

// row is one constraint of a step after the bits that never change are taken
// out: a linear sum, or a neuron of the network.
type row struct {
	sum       model.Sum
	neuron    *model.Neuron // in place of sum
	vars      []int32       // its variables, ascending
	invariant bool          // over the present state alone: it holds at step H+1 too
}

// relation is the constraints between a state, a joint action and the state
// after, with what propagation over all steps fixes taken out.
type relation struct {
	*step.Step
	stop    func() bool // whether to give up: what comes of it then is of no use
	spend   func(int64) // is told of work; see engine.Limits
	horizon int
	whole   *model.Model // all steps, with what propagation fixes; nil of any step
	stride  int32
	numVars int32
	role    []role  // by variable of the step's model
	bit     []int32 // by variable: its bit; -1 of a hidden unit
	fixed   []int8  // by variable: its value at every step, 0 where that varies
	isClock []bool  // by variable: it is known at every step
	rows    []row
	final   *propagate.System
	first   *propagate.System
	// Sums that are replaced by amounts, what is left of the rows that had them, and the
	// rows that say what the amounts are.
	amounts  []amount
	derived  []Derived
	defining []int
	// definedBy has the amount of each of these rows.
	definedBy []int
	// guards says whether agents may read others by guards, which a proof does without.
	guards  bool
	guarded map[int32]class // by guard: what it stands for
	// exclusive are pairs of bits of the present state of which no state that can be reached has both.
	exclusive [][2]int32
}

// newRelation builds the constraints of a step, without amounts. It gives nil where propagation
// alone finds that there is no plan.
func newRelation(ctx context.Context, t engine.Task, horizon int, spend func(int64)) (*relation, error) {
	r, err := layOut(ctx, t, horizon)
	if err != nil {
		return nil, err
	}
	r.countWork(spend)
	r.whole, err = model.New(t.Problem, t.Network, horizon, model.Options{Propagate: true, Context: ctx})
	if err != nil || r.whole.Infeasible() || ctx.Err() != nil {
		return nil, err
	}
	r.first, r.final = r.First(), r.Final()
	r.fix()
	r.addRows(r.Here)
	r.findClocks()
	return r, nil
}

// newStepRelation builds the constraints of any step: nothing is fixed.
func newStepRelation(ctx context.Context, t engine.Task) (*relation, error) {
	r, err := layOut(ctx, t, 1)
	if err != nil {
		return nil, err
	}
	r.addRows(r.Here)
	return r, nil
}

// countWork has spend told of work, if it is not nil.
func (r *relation) countWork(spend func(int64)) {
	if spend != nil {
		r.spend = spend
	}
}

// layOut says what each variable is. There are no rows yet.
func layOut(ctx context.Context, t engine.Task, horizon int) (*relation, error) {
	one, err := step.New(t)
	if err != nil {
		return nil, err
	}
	n := one.Model.NumVars()
	r := &relation{
		Step: one, stop: func() bool { return ctx.Err() != nil }, spend: func(int64) {}, horizon: horizon, stride: one.Model.Stride(), numVars: n,
		role: make([]role, n+1), bit: make([]int32, n+1), fixed: make([]int8, n+1), isClock: make([]bool, n+1),
	}
	for v := range r.role {
		r.role[v], r.bit[v] = internal, -1
	}
	for l, b := range one.Bits {
		r.bit[l] = int32(b)
	}
	for i, l := range one.Now {
		r.role[l], r.role[one.Next[i]] = now, after
	}
	for _, l := range one.Actions {
		r.role[l] = action
	}
	for _, l := range slices.Concat(one.Aux, one.Paid) {
		v := int32(l) + r.stride
		r.role[v], r.bit[v] = foreign, r.bit[l]
	}
	return r, nil
}

// nowVar is the variable of a bit at step t.
func (r *relation) nowVar(b factored.Bit) int32 { return int32(r.Var(b)) }

// addRows adds all constraints of a step.
func (r *relation) addRows(here *model.Part) {
	p := r.Task.Problem
	for i, s := range here.Sums[model.Global] {
		// One that mentions an action holds at steps 1..H, even if the action
		// cancels out.
		r.addSum(s, !p.HasAction(&p.Global[i]))
	}
	for _, s := range slices.Concat(here.Sums[model.Transition], here.Sums[model.Network]) {
		r.addSum(s, false)
	}
	for _, layer := range here.Layers {
		for i := range layer {
			r.addNeuron(&layer[i])
		}
	}
}

// valueAt is the value that propagation gives a variable of the one-step model
// at step t, 0 for none.
func (r *relation) valueAt(t int, v int32) int8 {
	if v > r.Model.NumVars() {
		return 0 // of an amount
	}
	return r.whole.Value(model.Lit(v + r.stride*int32(t-1)))
}

// fix finds the variables that have one value at every step.
func (r *relation) fix() {
	for v := int32(1); v <= r.numVars; v++ {
		if r.role[v] == foreign {
			continue
		}
		value := r.valueAt(1, v)
		for t := 2; t <= r.horizon && value != 0; t++ {
			if r.valueAt(t, v) != value {
				value = 0
			}
		}
		r.fixed[v] = value
	}
	// A state bit varies unless it is the same at all steps, the last included.
	for v := int32(1); v <= r.numVars; v++ {
		if r.role[v] == now {
			w := v + r.stride
			if r.fixed[v] != r.fixed[w] {
				r.fixed[v], r.fixed[w] = 0, 0
			}
		}
	}
}

// value is 1 for a literal that is true at every step, -1 for one that is false, and else 0.
func (r *relation) value(l model.Lit) int8 {
	if l < 0 {
		return -r.fixed[l.Var()]
	}
	return r.fixed[l.Var()]
}

// addSum adds a linear constraint without its fixed terms. invariant is false for
// what holds at steps 1..H only, whatever it is over.
func (r *relation) addSum(s model.Sum, invariant bool) {
	for _, t := range s.Terms {
		invariant = invariant && r.role[t.Lit.Var()] == now // an auxiliary bit is fixed up to step H only
	}
	out, ok := s.Reduced(r.value)
	if !ok {
		return
	}
	n := sumRow(out)
	n.invariant = invariant
	r.add(n)
}

// copied is a copy to which variables may be added.
func (r *relation) copied() *relation {
	x := *r
	x.role, x.bit, x.fixed, x.isClock = slices.Clip(r.role), slices.Clip(r.bit), slices.Clip(r.fixed), slices.Clip(r.isClock)
	return &x
}

// newBit adds a bit of the relation's own.
func (r *relation) newBit() int32 {
	r.numVars++
	r.role, r.bit, r.fixed, r.isClock = append(r.role, quantity), append(r.bit, -1), append(r.fixed, 0), append(r.isClock, false)
	return r.numVars
}

// sumRow is the row of a sum.
func sumRow(s model.Sum) row {
	w := row{sum: s}
	for _, t := range s.Terms {
		w.vars = append(w.vars, t.Lit.Var())
	}
	slices.Sort(w.vars)
	return w
}

// clauseRow is the row that one of some literals is true.
func clauseRow(lits ...model.Lit) row { return sumRow(clauseOf(lits)) }

// add adds a row and gives its number.
func (r *relation) add(w row) int {
	r.rows = append(r.rows, w)
	return len(r.rows) - 1
}

// copyRow adds a row again, over copies of some variables, and gives its number.
func (r *relation) copyRow(i int, copies map[int32]int32) int {
	s := r.rows[i].sum
	s.Terms = slices.Clone(s.Terms)
	for k := range s.Terms {
		l := &s.Terms[k].Lit
		if c, ok := copies[l.Var()]; ok {
			*l = model.Lit(c).If(*l > 0)
		}
	}
	return r.add(sumRow(s))
}

// addNeuron adds a neuron without its fixed inputs.
func (r *relation) addNeuron(n *model.Neuron) {
	out := model.Neuron{Out: n.Out, Threshold: n.Threshold}
	for _, l := range n.Inputs {
		switch r.value(l) {
		case 0:
			out.Inputs = append(out.Inputs, l)
		case 1:
			out.Threshold--
		}
	}
	count := model.Sum{K: int64(out.Threshold), Op: factored.GE}
	for _, l := range out.Inputs {
		count.Terms = append(count.Terms, model.Term{Coef: 1, Lit: l})
	}
	value := r.value(n.Out)
	switch {
	case value > 0:
		r.addSum(count, false)
		return
	case value < 0:
		count.Op, count.K = factored.LE, count.K-1
		r.addSum(count, false)
		return
	case out.Threshold <= 0:
		r.addSum(model.Sum{Terms: []model.Term{{Coef: 1, Lit: n.Out}}, Op: factored.GE, K: 1}, false)
		return
	case out.Threshold > len(out.Inputs):
		r.addSum(model.Sum{Terms: []model.Term{{Coef: 1, Lit: -n.Out}}, Op: factored.GE, K: 1}, false)
		return
	}
	vars := []int32{n.Out.Var()}
	for _, l := range out.Inputs {
		vars = append(vars, l.Var())
	}
	slices.Sort(vars)
	r.rows = append(r.rows, row{neuron: &out, vars: vars})
}

// system compiles some of the rows, and what is fixed besides.
func (r *relation) system(rows []int, fixed ...model.Lit) *propagate.System {
	return r.systemAnd(rows, units(fixed))
}

// systemAnd compiles some of the rows, and more sums.
func (r *relation) systemAnd(rows []int, sums []model.Sum) *propagate.System {
	var neurons []model.Neuron
	for _, i := range rows {
		if n := r.rows[i].neuron; n != nil {
			neurons = append(neurons, *n)
		} else {
			sums = append(sums, r.rows[i].sum)
		}
	}
	return propagate.NewSystem(int(r.numVars), sums, neurons)
}

// units states that literals are true.
func units(lits []model.Lit) (sums []model.Sum) {
	for _, l := range lits {
		sums = append(sums, model.Sum{Terms: []model.Term{{Coef: 1, Lit: l}}, Op: factored.GE, K: 1})
	}
	return sums
}
