package task

import (
	"slices"

	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// binsOf returns the bins of a fluent: its own, or those of its base name.
func (t *Task) binsOf(f *ground.Fluent) (bins.Bins, bool) {
	if b, ok := t.Bins[f.Name]; ok {
		return b, true
	}
	b, ok := t.Bins[f.Base]
	return b, ok
}

// addViews gives the variables of discretised quantities their bins.
func (t *Task) addViews(c *translate.Compiled) {
	if t.Levels {
		return
	}
	for i := range c.Ground.Fluents {
		v := c.Variable(i)
		if b, ok := t.binsOf(&c.Ground.Fluents[i]); ok && v != nil {
			v.View = &factored.View{Edges: b.Edges, Unit: b.Unit}
		}
	}
}

// comparisons are the operators that compare a quantity with a number, and their mirror
// images.
var comparisons = map[ground.Op]struct{ op, mirror string }{
	ground.Lt: {"<", ">"}, ground.Le: {"<=", ">="}, ground.Gt: {">", "<"}, ground.Ge: {">=", "<="},
}

// inLevels returns the expression n, in which discretised quantities stand for themselves,
// as one over their levels.
func (t *Task) inLevels(g *ground.Problem, n *ground.Node) (*ground.Node, error) {
	fail := func(format string, args ...any) (*ground.Node, error) {
		return nil, source.Errorf(n.Pos.File, n.Pos.Line, n.Pos.Col, format, args...)
	}
	quantity := func(n *ground.Node) *factored.Variable {
		if n.Op == ground.Ref {
			if b, ok := t.binsOf(&g.Fluents[n.Fluent]); ok {
				return &factored.Variable{Name: n.Name, Hi: int64(b.Levels() - 1), View: &factored.View{Edges: b.Edges, Unit: b.Unit}}
			}
		}
		return nil
	}
	if v := quantity(n); v != nil {
		return fail("%s is a quantity in bins; expected a comparison with a number such as %s >= %v", v.Name, v.Name, v.View.Edges[1])
	}
	if len(n.Args) == 2 {
		a, b := n.Args[0], n.Args[1]
		v, mirrored := quantity(a), false
		if v == nil {
			a, b, v, mirrored = b, a, quantity(b), true
		}
		if v != nil {
			ops, ok := comparisons[n.Op]
			x, isNumber := constant(b)
			if !ok || !isNumber {
				return fail("%s is a quantity in bins; expected <, <=, > or >= with a bin edge: %s", v.Name, v.EdgesText())
			}
			op := ops.op
			if mirrored {
				op = ops.mirror
			}
			level, below, err := v.Bound(op, x)
			if err != nil {
				return fail("%s %s %v: %v", v.Name, op, x, err)
			}
			if level <= v.Lo || level > v.Hi {
				return fail("%s %s %v is %s true; the range of %s is %s", v.Name, op, x, map[bool]string{true: "always", false: "never"}[below == (level > v.Hi)], v.Name, v.RangeText())
			}
			out := &ground.Node{Op: ground.Ge, Type: ground.Bool, Pos: n.Pos, Args: []*ground.Node{a, {Op: ground.Const, Type: ground.Int, Val: float64(level), Pos: b.Pos}}}
			if below {
				out.Op = ground.Lt
			}
			return out, nil
		}
	}
	out := &ground.Node{Op: n.Op, Type: n.Type, Val: n.Val, Fluent: n.Fluent, Primed: n.Primed, Name: n.Name, Values: n.Values, Pos: n.Pos}
	out.Args = slices.Clone(n.Args)
	for i, a := range n.Args {
		if a == nil {
			continue
		}
		var err error
		if out.Args[i], err = t.inLevels(g, a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// constant evaluates a constant expression.
func constant(n *ground.Node) (float64, bool) {
	switch n.Op {
	case ground.Const:
		return n.Val, true
	case ground.Neg:
		x, ok := constant(n.Args[0])
		return -x, ok
	}
	return 0, false
}
