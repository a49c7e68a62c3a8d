package translation

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// inequality is the sum of coefs[v]*x_v >= bound over unnegated variables.
type inequality struct {
	coefs map[int64]int64
	bound int64
}

// term is a coefficient of a variable.
type term struct{ v, c int64 }

// row is an inequality with its terms by rising variable, each once.
type row struct {
	terms []term
	bound int64
}

// row is the inequality in the order of its variables.
func (q *inequality) row() row {
	r := row{make([]term, 0, len(q.coefs)), q.bound}
	for _, v := range slices.Sorted(maps.Keys(q.coefs)) {
		r.terms = append(r.terms, term{v, q.coefs[v]})
	}
	return r
}

// key appends bytes that two inequalities share if and only if they are equal. A variable v
// is written as v-shift.
func (r row) key(b []byte, shift int64) []byte {
	for _, t := range r.terms {
		if t.c != 0 {
			b = binary.AppendVarint(binary.AppendVarint(b, t.c), t.v-shift)
		}
	}
	return binary.AppendVarint(append(b, 0), r.bound) // no coefficient is 0
}

// empty reports whether no variable has a coefficient.
func (q *inequality) empty() bool {
	for _, c := range q.coefs {
		if c != 0 {
			return false
		}
	}
	return true
}

// add adds c times a literal of variable v, negated or not.
func (q *inequality) add(c, v int64, negated bool) {
	if negated { // c - c*x
		q.coefs[v] -= c
		q.bound -= c
		return
	}
	q.coefs[v] += c
}

// differs is the clause of the plans that do not begin as those that are excluded.
func (e *expectation) differs(x Excluded) inequality {
	q := inequality{coefs: map[int64]int64{}, bound: 1}
	add := func(step int, kind factored.Kind) {
		for b := range factored.Bit(e.p.NumBits()) {
			if e.p.Kind(b) == kind {
				q.add(1, e.block*int64(step-1)+e.place[b], x.Trace.Steps[step-1][b])
			}
		}
	}
	add(1, factored.State)
	for step := 1; step <= x.Depth; step++ {
		add(step, factored.Action)
	}
	return q
}

// reversed is the inequality with <= in place of >=.
func (q *inequality) reversed() inequality {
	r := inequality{coefs: make(map[int64]int64, len(q.coefs)), bound: -q.bound}
	for v, c := range q.coefs {
		r.coefs[v] = -c
	}
	return r
}

// expectation is what a file must have.
type expectation struct {
	p       *factored.Problem
	net     *bnn.Network
	horizon int
	block   int64   // variables of a step
	place   []int64 // of each bit in its block, from 1

	quiet, busy    []inequality // constraints of every step, and of steps 1..H only, with the network's
	first, goal    []inequality
	contradictory  bool // some constraint holds for no values
	constant, unit int64
	objective      map[int64]int64
}

// expect writes out one step.
func expect(p *factored.Problem, net *bnn.Network, horizon int) *expectation {
	e := &expectation{p: p, net: net, horizon: horizon, place: make([]int64, p.NumBits()), unit: max(p.Reward.Scale, 1)}
	for _, kind := range []factored.Kind{factored.State, factored.Auxiliary, factored.Action} {
		for b := range factored.Bit(p.NumBits()) {
			if p.Kind(b) == kind {
				e.block++
				e.place[b] = e.block
			}
		}
	}
	var hidden []int64 // before the first unit of each layer
	if net != nil {
		for _, l := range net.Layers[:len(net.Layers)-1] {
			hidden = append(hidden, e.block)
			e.block += int64(len(l.Thresholds))
		}
	}
	for i := range p.Global {
		list := &e.quiet
		for _, t := range p.Global[i].Terms {
			if p.Kind(t.Lit.Bit) == factored.Action {
				list = &e.busy
			}
		}
		e.constraint(list, &p.Global[i])
	}
	for i := range p.Transition {
		e.constraint(&e.busy, &p.Transition[i])
	}
	for i := range p.Initial {
		e.constraint(&e.first, &p.Initial[i])
	}
	for i := range p.Goal {
		e.constraint(&e.goal, &p.Goal[i])
	}
	if net != nil {
		e.network(hidden)
	}
	e.reward()
	return e
}

// variable is the local variable of a literal: those of the next step come one
// block later.
func (e *expectation) variable(l factored.Lit) int64 {
	v := e.place[l.Bit]
	if l.Next {
		v += e.block
	}
	return v
}

// constraint appends a constraint as one or two inequalities.
func (e *expectation) constraint(list *[]inequality, c *factored.Constraint) {
	q := inequality{coefs: map[int64]int64{}, bound: c.K}
	for _, t := range c.Terms {
		q.add(t.Coef, e.variable(t.Lit), t.Lit.Neg)
	}
	if c.Op != factored.LE {
		e.append(list, q)
	}
	if c.Op != factored.GE {
		e.append(list, q.reversed())
	}
}

// append leaves out what holds always, and notes what never does.
func (e *expectation) append(list *[]inequality, q inequality) {
	switch {
	case !q.empty():
		*list = append(*list, q)
	case q.bound > 0:
		e.contradictory = true
	}
}

// network appends two inequalities for each unit: with n inputs, of which at least
// p must agree with the signs of their weights,
//
//	agreeing inputs >= p out,   disagreeing inputs >= (n-p+1) (1-out).
func (e *expectation) network(hidden []int64) {
	var from []int64
	for _, b := range e.p.Inputs {
		from = append(from, e.place[b])
	}
	for i := range e.net.Layers {
		l := &e.net.Layers[i]
		var to []int64
		for j := range l.Thresholds {
			if i < len(hidden) {
				to = append(to, hidden[i]+int64(j)+1)
			} else {
				to = append(to, e.place[e.p.Outputs[j]]+e.block)
			}
		}
		for j, p := range l.Thresholds {
			e.unitRows(from, l.Weights[j*len(from):(j+1)*len(from)], int64(p), to[j])
		}
		from = to
	}
}

func (e *expectation) unitRows(from []int64, weights []int8, p, out int64) {
	n := int64(0)
	on := inequality{coefs: map[int64]int64{}}
	off := inequality{coefs: map[int64]int64{}}
	for k, w := range weights {
		if w != 0 {
			n++
			on.add(1, from[k], w < 0)
			off.add(1, from[k], w > 0)
		}
	}
	switch {
	case p <= 0:
		e.busy = append(e.busy, inequality{coefs: map[int64]int64{out: 1}, bound: 1})
	case p > n:
		e.busy = append(e.busy, inequality{coefs: map[int64]int64{out: -1}})
	default:
		on.add(-p, out, false)
		off.add(-(n - p + 1), out, true)
		e.busy = append(e.busy, on, off)
	}
}

// reward computes the objective: minus the scaled reward, with its constant apart.
func (e *expectation) reward() {
	e.objective = map[int64]int64{}
	e.constant = -e.p.Reward.Constant * int64(e.horizon)
	for t := range int64(e.horizon) {
		for _, r := range e.p.Reward.Terms {
			v := e.variable(factored.Lit{Bit: r.Lit.Bit, Next: r.Lit.Next}) + t*e.block
			if r.Lit.Neg { // -w(1-x)
				e.constant -= r.Weight
				e.objective[v] += r.Weight
			} else {
				e.objective[v] -= r.Weight
			}
		}
	}
	for v, c := range e.objective {
		if c == 0 {
			delete(e.objective, v)
		}
	}
}

// step lists the inequalities of step t, 1..H+1, in local variables.
func (e *expectation) step(t int) [][]inequality {
	lists := [][]inequality{e.quiet}
	if t == 1 {
		lists = append(lists, e.first)
	}
	if t <= e.horizon {
		lists = append(lists, e.busy)
	} else {
		lists = append(lists, e.goal)
	}
	return lists
}
