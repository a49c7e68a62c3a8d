package translate

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// abstract evaluates expressions over domains instead of values: the result contains every
// value that an expression can have while the fluents have values of their domains. Where it
// is refined, conditions that hold limit the domains of what they read.
type abstract struct {
	in   *inference
	vals map[int]domain // of the present state and the actions, where refined; of fluent i of the next state, of ^i
	memo map[*ground.Node]domain
	path []branchOf // the conditions of the choices around, the last of them
}

// branchOf is a condition that holds, or does not, in a branch.
type branchOf struct {
	cond  *ground.Node
	holds bool
}

// mostPath bounds the conditions that are looked at again in an inner branch.
const mostPath = 6

func (a *abstract) child() *abstract {
	vals := make(map[int]domain, len(a.vals)+1)
	for k, v := range a.vals {
		vals[k] = v
	}
	return &abstract{in: a.in, vals: vals, memo: map[*ground.Node]domain{}, path: a.path}
}

// of returns the domain of a fluent of the present step; of the next, only how it is refined.
func (a *abstract) of(i int) domain {
	if d, ok := a.vals[i]; ok {
		return d
	}
	if i < 0 {
		return anything
	}
	return a.in.domains[i]
}

// eval returns the domain of n.
func (a *abstract) eval(n *ground.Node) domain {
	if n.Op == ground.Const {
		if math.IsInf(n.Val, 0) || math.Abs(n.Val) > ratLimit {
			return domain{lo: n.Val, hi: n.Val}
		}
		return setDomain([]rat{simplest(n.Val)})
	}
	if !a.in.relevant(n) {
		switch n.Type {
		case ground.Bool:
			return someBool
		case ground.Enum:
			return between(0, float64(len(n.Values)-1), true)
		}
	}
	if d, ok := a.memo[n]; ok {
		return d
	}
	a.in.work()
	d := a.newDomain(n)
	a.memo[n] = d
	return d
}

func (a *abstract) newDomain(n *ground.Node) domain {
	switch n.Op {
	case ground.Ref:
		return a.ref(n)
	case ground.Not, ground.And, ground.Or, ground.Implies, ground.Iff,
		ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		return a.truth(n)
	case ground.If:
		then, other := a.split(n.Args[0])
		out := empty
		if then != nil {
			out = then.eval(n.Args[1])
		}
		if other != nil {
			out = out.join(other.eval(n.Args[2]))
		}
		return out
	case ground.Case:
		return a.choose(n)
	case ground.Random:
		return a.draw(n)
	}
	args := make([]domain, len(n.Args))
	for i, x := range n.Args {
		if args[i] = a.eval(x); args[i].isEmpty() {
			return empty
		}
	}
	return a.in.apply(n, args)
}

// split returns the domains where a condition holds and where it does not; nil where that
// cannot be.
func (a *abstract) split(cond *ground.Node) (then, other *abstract) {
	d := a.eval(cond)
	if v, ok := d.single(); ok {
		if v.N != 0 {
			return a, nil
		}
		return nil, a
	}
	if d.isEmpty() {
		return nil, nil
	}
	if !a.in.relevant(cond) {
		return a, a
	}
	return a.refined(cond, true), a.refined(cond, false)
}

// refined returns the domains limited to where n holds, or fails; nil if that cannot be.
func (a *abstract) refined(n *ground.Node, holds bool) *abstract {
	b := a.child()
	b.path = nil
	if !b.refine(n, holds) {
		return nil
	}
	// What is known now may tell more through an outer condition.
	for _, p := range a.path {
		if !b.refine(p.cond, p.holds) {
			return nil
		}
	}
	b.path = append(a.path[max(0, len(a.path)-mostPath+1):len(a.path):len(a.path)], branchOf{n, holds})
	return b
}

func (a *abstract) ref(n *ground.Node) domain {
	f := &a.in.g.Fluents[n.Fluent]
	switch {
	case f.Kind == ground.Interm, f.Kind == ground.Observ, n.Primed && f.Kind == ground.State:
		if f.CPF == nil || n.Primed && a.in.learned(n.Fluent) {
			return a.in.unknown(n.Fluent)
		}
		d := a.eval(f.CPF)
		if n.Primed {
			d = d.meet(a.of(^n.Fluent))
		}
		if _, ok := a.in.known[n.Fluent]; ok {
			r := a.in.unknown(n.Fluent)
			d = d.within(r.lo, r.hi)
		}
		return d
	}
	return a.of(n.Fluent)
}

func (a *abstract) choose(n *ground.Node) domain {
	on := a.eval(n.Args[0])
	out := empty
	rest := a.child()
	for i := 1; i+1 < len(n.Args); i += 2 {
		v := simplest(n.Args[i].Val)
		if d := on.within(v.float(), v.float()); d.isEmpty() {
			continue
		}
		b := a.child()
		if b.narrow(n.Args[0], setDomain([]rat{v})) {
			out = out.join(b.eval(n.Args[i+1]))
		}
		on = on.without(v)
	}
	last := n.Args[len(n.Args)-1]
	if len(n.Args)%2 == 0 && last != nil && !on.isEmpty() && rest.narrow(n.Args[0], on) {
		out = out.join(rest.eval(last))
	}
	return out
}

// truth evaluates a condition.
func (a *abstract) truth(n *ground.Node) domain {
	yes, no := setDomain([]rat{whole(1)}), setDomain([]rat{whole(0)})
	switch n.Op {
	case ground.And, ground.Or:
		open := false
		for _, x := range n.Args {
			v, ok := a.bool(x)
			switch {
			case !ok:
				open = true
			case v == (n.Op == ground.Or):
				return a.known(v)
			}
		}
		if open {
			return someBool
		}
		return a.known(n.Op == ground.And)
	case ground.Not:
		if v, ok := a.bool(n.Args[0]); ok {
			return a.known(!v)
		}
		return someBool
	case ground.Implies, ground.Iff:
		x, ok := a.bool(n.Args[0])
		y, ok2 := a.bool(n.Args[1])
		switch {
		case n.Op == ground.Iff && ok && ok2:
			return a.known(x == y)
		case n.Op == ground.Implies && (ok && !x || ok2 && y):
			return yes
		case n.Op == ground.Implies && ok && ok2:
			return no
		}
		return someBool
	}
	x, y := a.eval(n.Args[0]), a.eval(n.Args[1])
	if x.isEmpty() || y.isEmpty() {
		return empty
	}
	return comparison(n.Op, x, y)
}

func (a *abstract) known(v bool) domain { return setDomain([]rat{truth(v).rat}) }

// bool evaluates a condition; ok is false if it is not decided.
func (a *abstract) bool(n *ground.Node) (v, ok bool) {
	d := a.eval(n)
	if r, one := d.single(); one {
		return r.N != 0, true
	}
	return !d.isEmpty() && (d.lo > 0 || d.hi < 0), d.isEmpty() || d.lo > 0 || d.hi < 0
}

// comparison compares domains that are not empty.
func comparison(op ground.Op, x, y domain) domain {
	decided := func(v bool) domain { return setDomain([]rat{truth(v).rat}) }
	switch op {
	case ground.Gt, ground.Ge:
		return comparison(op.Mirrored(), y, x)
	case ground.Lt, ground.Le:
		if x.set != nil && y.set != nil {
			least, most := x.set[0].cmp(y.set[len(y.set)-1]), x.set[len(x.set)-1].cmp(y.set[0])
			switch {
			case op.Relation().Holds(most):
				return decided(true)
			case !op.Relation().Holds(least):
				return decided(false)
			}
			return someBool
		}
		// Bounds that were rounded outward decide only what is strict.
		switch {
		case x.hi < y.lo:
			return decided(true)
		case x.lo > y.hi:
			return decided(false)
		case x.whole && y.whole && op == ground.Le && x.hi <= y.lo:
			return decided(true)
		case x.whole && y.whole && op == ground.Lt && x.lo >= y.hi:
			return decided(false)
		}
		return someBool
	}
	m := x.meet(y)
	v, one := x.single()
	w, other := y.single()
	switch {
	case m.isEmpty():
		return decided(op == ground.Ne)
	case one && other && v == w:
		return decided(op == ground.Eq)
	}
	return someBool
}

// draw returns what a distribution can draw.
func (a *abstract) draw(n *ground.Node) domain {
	inf := math.Inf(1)
	switch n.Name {
	case "Bernoulli":
		return someBool
	case "Discrete", "UnnormDiscrete":
		out := empty
		for i := 0; i < len(n.Args); i += 2 {
			out = out.join(a.eval(n.Args[i]))
		}
		return out
	case "Binomial":
		return between(0, a.eval(n.Args[0]).hi, true)
	case "Poisson", "NegativeBinomial":
		return between(0, inf, true)
	case "Geometric":
		return between(1, inf, true)
	case "Uniform":
		return outward(a.eval(n.Args[0]).lo, a.eval(n.Args[1]).hi, false)
	case "Beta", "Kumaraswamy":
		return domain{lo: 0, hi: 1}
	}
	return anything
}
