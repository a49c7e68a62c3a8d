package translate

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// mostAlternatives bounds the parts of a disjunction that are followed one by one.
const mostAlternatives = 64

// refine limits the domains to where n holds, or fails. It returns false if that cannot be.
func (a *abstract) refine(n *ground.Node, holds bool) bool {
	a.in.work()
	if n.Op == ground.Const {
		return (n.Val != 0) == holds
	}
	if !a.in.relevant(n) {
		return true
	}
	switch n.Op {
	case ground.Not:
		return a.refine(n.Args[0], !holds)
	case ground.And, ground.Or:
		if (n.Op == ground.And) == holds {
			for _, x := range n.Args {
				if !a.refine(x, holds) {
					return false
				}
			}
			return true
		}
		return a.either(n.Args, func(int) bool { return holds })
	case ground.Implies:
		if !holds {
			return a.refine(n.Args[0], true) && a.refine(n.Args[1], false)
		}
		return a.either(n.Args, func(i int) bool { return i == 1 })
	case ground.Ref:
		if f := &a.in.g.Fluents[n.Fluent]; f.Kind == ground.Interm && f.CPF != nil && f.CPF.Type == ground.Bool {
			return a.refine(f.CPF, holds)
		}
	case ground.If:
		then, other := a.split(n.Args[0])
		if then != nil && then != a {
			then = then.refined(n.Args[1], holds)
		}
		if other != nil && other != a {
			other = other.refined(n.Args[2], holds)
		}
		return a.union([]*abstract{then, other})
	case ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		op := n.Op
		if !holds {
			op = op.Opposite()
		}
		return a.compared(op, n.Args[0], n.Args[1])
	}
	v, ok := a.bool(n)
	return !ok || v == holds
}

// either limits the domains to where at least one of the parts holds, or fails.
func (a *abstract) either(parts []*ground.Node, holds func(i int) bool) bool {
	if len(parts) > mostAlternatives {
		return true
	}
	var ways []*abstract
	for i, x := range parts {
		if !a.in.relevant(x) {
			if x.Op != ground.Const {
				return true // it may hold whatever the domains are
			}
			if (x.Val != 0) == holds(i) {
				return true
			}
			continue
		}
		ways = append(ways, a.refined(x, holds(i)))
	}
	return a.union(ways)
}

// union sets the domains to those of any of the ways that are not nil.
func (a *abstract) union(ways []*abstract) bool {
	var found []*abstract
	for _, w := range ways {
		if w != nil {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		return false
	}
	keys := map[int]bool{}
	for _, w := range found {
		for k := range w.vals {
			keys[k] = true
		}
	}
	for k := range keys {
		d := empty
		for _, w := range found {
			d = d.join(w.of(k))
		}
		a.set(k, d)
	}
	return true
}

func (a *abstract) set(i int, d domain) {
	a.vals[i] = d
	clear(a.memo)
}

// compared limits the domains to where x op y.
func (a *abstract) compared(op ground.Op, x, y *ground.Node) bool {
	if op == ground.Gt || op == ground.Ge {
		op, x, y = op.Mirrored(), y, x
	}
	dx, dy := a.eval(x), a.eval(y)
	if dx.isEmpty() || dy.isEmpty() {
		return false
	}
	if d := comparison(op, dx, dy); len(d.set) == 1 {
		return d.set[0].N != 0
	}
	switch op {
	case ground.Eq:
		return a.narrow(x, dy) && a.narrow(y, dx)
	case ground.Ne:
		if v, ok := dy.single(); ok {
			return a.narrow(x, dx.without(v))
		}
		if v, ok := dx.single(); ok {
			return a.narrow(y, dy.without(v))
		}
		return true
	}
	if dx.set != nil && dy.set != nil {
		most, least := dy.set[len(dy.set)-1], dx.set[0]
		return a.narrow(x, dx.keep(func(v rat) bool { return op.Relation().Holds(v.cmp(most)) })) &&
			a.narrow(y, dy.keep(func(v rat) bool { return op.Relation().Holds(least.cmp(v)) }))
	}
	gap := 0.0
	if op == ground.Lt && dx.whole && dy.whole {
		gap = 1
	}
	if v, ok := dy.single(); ok && op == ground.Lt && a.in.hasStep(x) {
		step := rat(a.in.g.Fluents[x.Fluent].Step)
		return a.narrow(x, domain{lo: math.Inf(-1), hi: above(step.mul(whole(v.div(step).ceil() - 1)))})
	}
	if v, ok := dx.single(); ok && op == ground.Lt && a.in.hasStep(y) {
		step := rat(a.in.g.Fluents[y.Fluent].Step)
		return a.narrow(y, domain{lo: below(step.mul(whole(v.div(step).floor() + 1))), hi: math.Inf(1)})
	}
	return a.narrow(x, domain{lo: math.Inf(-1), hi: dy.hi - gap}) && a.narrow(y, domain{lo: dx.lo + gap, hi: math.Inf(1)})
}

// hasStep reports whether n is a real with a step.
func (in *inference) hasStep(n *ground.Node) bool {
	return n.Op == ground.Ref && in.g.Fluents[n.Fluent].Step.Valid()
}

// narrow limits the domains to where n has a value of allowed. It returns false if that cannot
// be.
func (a *abstract) narrow(n *ground.Node, allowed domain) bool {
	a.in.work()
	d := a.eval(n).meet(allowed)
	if a.in.hasStep(n) {
		if g, ok := a.in.gridWithin(n.Fluent, d); ok {
			d = a.in.stepped(n.Fluent, g.first, g.last)
		} else if g.first > g.last {
			return false
		}
	}
	if d.isEmpty() {
		return false
	}
	if !a.in.relevant(n) {
		return true
	}
	minus := func(x, y domain) domain { return outward(x.lo-y.hi, x.hi-y.lo, x.whole && y.whole) }
	switch n.Op {
	case ground.Ref:
		f := &a.in.g.Fluents[n.Fluent]
		switch {
		case f.Kind == ground.Interm && f.CPF != nil:
			return a.narrow(f.CPF, allowed)
		case f.Kind == ground.State && n.Primed && f.Type != ground.Bool:
			a.set(^n.Fluent, d)
		case (f.Kind == ground.State || f.Kind == ground.Action) && !n.Primed && f.Type != ground.Bool:
			a.set(n.Fluent, d)
		}
	case ground.Neg:
		return a.narrow(n.Args[0], domain{lo: -d.hi, hi: -d.lo})
	case ground.Sub:
		x, y := a.eval(n.Args[0]), a.eval(n.Args[1])
		back := outward(d.lo+y.lo, d.hi+y.hi, d.whole && y.whole)
		return a.narrow(n.Args[0], back) && a.narrow(n.Args[1], minus(x, d))
	case ground.Add:
		return a.narrowSum(n, d)
	case ground.Mul:
		if v := n.Args[0]; len(n.Args) == 2 && v.Op == ground.Const && v.Val != 0 {
			lo, hi := d.lo/v.Val, d.hi/v.Val
			o := outward(min(lo, hi), max(lo, hi), false)
			return a.narrow(n.Args[1], o)
		}
	case ground.If:
		then, other := a.split(n.Args[0])
		if then != nil && then != a && !then.narrow(n.Args[1], allowed) {
			then = nil
		}
		if other != nil && other != a && !other.narrow(n.Args[2], allowed) {
			other = nil
		}
		return a.union([]*abstract{then, other})
	}
	return true
}

// narrowSum limits each term of a sum to what the others leave.
func (a *abstract) narrowSum(n *ground.Node, d domain) bool {
	if len(n.Args) > mostAlternatives {
		return true
	}
	for i, x := range n.Args {
		if !a.in.relevant(x) {
			continue
		}
		rest := setDomain([]rat{whole(0)})
		for j, y := range n.Args {
			if j != i {
				e := a.eval(y)
				rest = outward(rest.lo+e.lo, rest.hi+e.hi, rest.whole && e.whole)
			}
		}
		if !a.narrow(x, outward(d.lo-rest.hi, d.hi-rest.lo, d.whole && rest.whole)) {
			return false
		}
	}
	return true
}
