package sim

import (
	"cmp"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// pred compiles n to a truth value; a number is true when it is not 0.
func (c *compiler) pred(n *ground.Node) pred {
	f, ok := c.preds[n]
	if !ok {
		f = c.compilePred(n)
		c.preds[n] = f
	}
	return f
}

func (c *compiler) compilePred(n *ground.Node) pred {
	switch n.Op {
	case ground.Const:
		v := n.Val != 0
		return func(*machine) bool { return v }
	case ground.Ref:
		i := n.Fluent
		if n.Primed && c.p.Fluents[i].Kind == ground.State {
			return func(m *machine) bool { return m.next[i] != 0 }
		}
		return func(m *machine) bool { return m.vals[i] != 0 }
	case ground.Not:
		a := c.pred(n.Args[0])
		return func(m *machine) bool { return !a(m) }
	case ground.And, ground.Or:
		return c.connective(n)
	case ground.Implies, ground.Iff:
		a, b := c.pred(n.Args[0]), c.pred(n.Args[1])
		if n.Op == ground.Iff {
			return func(m *machine) bool { return a(m) == b(m) }
		}
		return func(m *machine) bool { return !a(m) || b(m) }
	case ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		return c.comparison(n)
	case ground.If:
		cond, then, other := c.pred(n.Args[0]), c.pred(n.Args[1]), c.pred(n.Args[2])
		return func(m *machine) bool {
			if cond(m) {
				return then(m)
			}
			return other(m)
		}
	}
	f := c.num(n)
	return func(m *machine) bool { return f(m) != 0 }
}

// connective compiles conjunctions and disjunctions. They stop at the first argument that
// decides them, since earlier arguments may guard later ones.
func (c *compiler) connective(n *ground.Node) pred {
	args := make([]pred, len(n.Args))
	for i, a := range n.Args {
		args[i] = c.pred(a)
	}
	and := n.Op == ground.And
	switch {
	case len(args) == 2 && and:
		a, b := args[0], args[1]
		return func(m *machine) bool { return a(m) && b(m) }
	case len(args) == 2:
		a, b := args[0], args[1]
		return func(m *machine) bool { return a(m) || b(m) }
	case and:
		return func(m *machine) bool {
			for _, a := range args {
				if !a(m) {
					return false
				}
			}
			return true
		}
	default:
		return func(m *machine) bool {
			for _, a := range args {
				if a(m) {
					return true
				}
			}
			return false
		}
	}
}

func (c *compiler) comparison(n *ground.Node) pred {
	a, b := c.num(n.Args[0]), c.num(n.Args[1])
	if c.near && realArgs(n) {
		relation := n.Op.Relation()
		return func(m *machine) bool {
			x := a(m)
			return relation.Holds(cmp.Compare(x, operator.Near(b(m), x)))
		}
	}
	switch n.Op {
	case ground.Eq:
		return func(m *machine) bool { return a(m) == b(m) }
	case ground.Ne:
		return func(m *machine) bool { return a(m) != b(m) }
	case ground.Lt:
		return func(m *machine) bool { return a(m) < b(m) }
	case ground.Le:
		return func(m *machine) bool { return a(m) <= b(m) }
	case ground.Gt:
		return func(m *machine) bool { return a(m) > b(m) }
	default:
		return func(m *machine) bool { return a(m) >= b(m) }
	}
}

// realArgs reports whether an argument is real. Where reals have steps, sums of them that are equal in fractions may
// differ in the last places here.
func realArgs(n *ground.Node) bool {
	return slices.ContainsFunc(n.Args, func(a *ground.Node) bool { return a.Type == ground.Real })
}
