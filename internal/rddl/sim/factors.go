package sim

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Factor is a set of state fluents whose next values are drawn together: given the state and the action
// they are independent of those of all other factors. A fluent whose next value the state and the action
// decide is a factor by itself.
type Factor struct {
	Fluents []int // states, whose next values the rows have
	Reads   []int // states and actions that the rows depend on, in increasing order
	needed  []assign
	group   group
	at      []int // of Fluents, among the assigns of the group
}

// Row is what the fluents of a factor can be after a step.
type Row struct {
	P       float64
	Values  []float64 // of the factor's Fluents
	Outside bool      // one of them is a value that its fluent cannot have
}

// Term is a summand of the reward.
type Term struct {
	Reads  []int // states and actions that it depends on, in increasing order
	needed []assign
	coef   float64
	value  num
	node   *ground.Node
}

// scope finds what an expression is computed from.
type scope struct {
	s      *Simulator
	drawn  map[int]bool // fluents
	reads  []int
	seen   map[int]bool // computed fluents that decide the expression
	random bool         // it depends on what is drawn
	given  *Runner      // with what is known of fluents, which makes a part of an expression needless; nil for nothing
}

// add adds what n reads; inside a group, what is drawn there is looked through.
func (x *scope) add(n *ground.Node, inside []int) {
	n.Walk(func(n *ground.Node) bool {
		if x.given != nil {
			if lo, hi := x.given.bounds2(n); lo == hi {
				return false
			}
			if n.Op == ground.If {
				if lo, hi := x.given.truth(n.Args[0]); lo == hi {
					x.add(n.Args[2-int(lo)], inside)
					return false
				}
			}
		}
		if n.Op != ground.Ref {
			return true
		}
		f := &x.s.p.Fluents[n.Fluent]
		computed := f.Kind == ground.Interm || f.Kind == ground.Observ || f.Kind == ground.State && n.Primed
		switch {
		case !computed:
			x.reads = append(x.reads, n.Fluent)
		case x.seen[n.Fluent]:
		case x.drawn[n.Fluent] && !slices.Contains(inside, n.Fluent):
			x.random = true
		default:
			x.seen[n.Fluent] = true
			x.add(f.CPF, inside)
		}
		return true
	})
}

// close returns the states and actions that were read, and what is to be computed before.
func (x *scope) close() (reads []int, needed []assign) {
	slices.Sort(x.reads)
	for _, a := range x.s.assigns {
		if x.seen[a.fluent] && !x.drawn[a.fluent] {
			needed = append(needed, a)
		}
	}
	return slices.Compact(x.reads), needed
}

// Factors splits a step into factors, and the reward into terms. There are no terms where the reward
// depends on what is drawn.
func (o *Outcomes) Factors() (factors []*Factor, terms []*Term, err error) {
	s := o.r.s
	drawn, of := map[int]bool{}, map[int]assign{}
	for _, g := range o.groups {
		for _, a := range g.assigns {
			drawn[a.fluent] = true
		}
	}
	for _, a := range s.assigns {
		of[a.fluent] = a
	}
	scopeOf := func(inside []int, nodes ...*ground.Node) *scope {
		x := &scope{s: s, drawn: drawn, seen: map[int]bool{}}
		for _, n := range nodes {
			x.add(n, inside)
		}
		return x
	}
	add := func(assigns []assign) {
		f := &Factor{group: group{assigns: assigns}}
		var inside []int
		var nodes []*ground.Node
		for k, a := range assigns {
			inside, nodes = append(inside, a.fluent), append(nodes, s.p.Fluents[a.fluent].CPF)
			if a.next {
				f.Fluents, f.at = append(f.Fluents, a.fluent), append(f.at, k)
			}
		}
		if len(f.Fluents) > 0 {
			f.Reads, f.needed = scopeOf(inside, nodes...).close()
			factors = append(factors, f)
		}
	}
	for _, a := range o.decided {
		if a.next {
			add([]assign{a})
		}
	}
	for _, g := range o.groups {
		add(g.assigns)
	}
	c := newCompiler(s.p)
	random := false
	ground.Summands(s.p.Reward, 1, func(coef, by float64) float64 { return coef * by }, func(n *ground.Node, coef float64) {
		x := scopeOf(nil, n)
		random = random || x.random
		t := &Term{coef: coef, value: c.num(n), node: n}
		t.Reads, t.needed = x.close()
		terms = append(terms, t)
	})
	if random {
		terms = nil
	}
	return factors, terms, c.err
}

// Needs lists the states that a factor depends on where the joint action is known, in increasing order: there are no more than of Reads.
func (o *Outcomes) Needs(f *Factor, action []float64) []int {
	o.r.widenStates(action)
	x := &scope{s: o.r.s, seen: map[int]bool{}, given: o.r}
	for _, a := range f.group.assigns {
		x.add(o.r.s.p.Fluents[a.fluent].CPF, nil)
	}
	reads, _ := x.close()
	return reads
}

// Set gives the runner a state and a joint action, in the orders of Simulator.States and
// Simulator.Actions, without a look at what is legal.
func (o *Outcomes) Set(state, action []float64) {
	o.r.load(state)
	o.r.setActions(action)
}

// Rows lists what a factor can be after the step that the runner has.
func (o *Outcomes) Rows(f *Factor) ([]Row, error) {
	outside, err := o.compute(f.needed)
	if err != nil {
		return nil, err
	}
	rows, err := o.enumerate(&f.group)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, r := range rows {
		values := make([]float64, len(f.at))
		for i, k := range f.at {
			values[i] = r.values[k]
		}
		row := Row{P: r.p, Values: values, Outside: outside || r.outside}
		// Rows that differ in intermediate fluents alone are one.
		if k := slices.IndexFunc(out, func(x Row) bool { return slices.Equal(x.Values, values) }); k >= 0 {
			out[k].P += row.P
			out[k].Outside = out[k].Outside || row.Outside
			continue
		}
		out = append(out, row)
	}
	return out, nil
}

// Term computes a summand of the reward of the step that the runner has.
func (o *Outcomes) Term(t *Term) (float64, error) {
	if _, err := o.compute(t.needed); err != nil {
		return 0, err
	}
	v := t.coef * t.value(&o.r.m)
	if o.r.m.fault.node != nil {
		return 0, o.r.takeFault("reward")
	}
	return v, nil
}

// TermRange bounds a summand of the reward.
func (o *Outcomes) TermRange(t *Term) (lo, hi float64) {
	lo, hi = o.r.open(t.node)
	if t.coef < 0 {
		return t.coef * hi, t.coef * lo
	}
	return t.coef * lo, t.coef * hi
}

// Idle reports that doing nothing is surely legal in every state.
func (o *Outcomes) Idle() bool {
	r := o.r
	r.widenStates(r.s.noop)
	for i := range r.s.preconditions {
		if lo, _ := r.truth(r.s.preconditions[i].src.Expr); lo != 1 {
			return false
		}
	}
	return true
}

// Forbids reports whether joint actions that begin with some values are surely illegal in every state.
func (o *Outcomes) Forbids(action []float64) bool {
	r := o.r
	r.widenStates(action)
	return slices.ContainsFunc(r.s.preconditions, func(c condition) bool {
		_, hi := r.truth(c.src.Expr)
		return hi == 0
	})
}

// open bounds an expression of which nothing is known but the ranges of fluents.
func (r *Runner) open(n *ground.Node) (lo, hi float64) {
	r.widen()
	return r.bounds2(n)
}

// widenStates opens all fluents but the first actions, of which the values are given.
func (r *Runner) widenStates(action []float64) {
	r.widen()
	for i, x := range action {
		a := r.s.actions[i]
		r.work.lo[a], r.work.hi[a] = x, x
	}
}

// widen opens all fluents to their ranges.
func (r *Runner) widen() {
	for i := range r.s.p.Fluents {
		x, ok := r.s.ranges.Of(&r.s.p.Fluents[i])
		if !ok {
			x = Range{Lo: math.Inf(-1), Hi: math.Inf(1)}
		}
		r.work.lo[i], r.work.hi[i] = x.Lo, x.Hi
	}
}

// Reads lists the states that a condition depends on.
func (o *Outcomes) Reads(n *ground.Node) []int {
	given, _ := closure(o.r.s.p, n)
	return given
}

// LegalReads lists the states on which it depends what is legal.
func (o *Outcomes) LegalReads() (list []int) {
	for i := range o.r.s.preconditions {
		for _, f := range o.Reads(o.r.s.preconditions[i].src.Expr) {
			if o.r.s.p.Fluents[f].Kind == ground.State && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}
