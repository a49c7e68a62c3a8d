package ground

import (
	"context"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl"
)

// allConditions grounds the domain's conditions and sorts them.
func (g *grounder) allConditions() error {
	d := g.prog.Domain
	var err error
	collect := func(into *[]Condition, what string, list []rddl.Expr, split Op) {
		for _, e := range list {
			if err != nil {
				return
			}
			var c []Condition
			c, err = g.conditions(what, e, split)
			*into = append(*into, c...)
		}
	}
	var either []Condition
	collect(&g.p.Preconditions, "the precondition", d.Preconditions, And)
	collect(&g.p.Invariants, "the invariant", d.Invariants, And)
	collect(&either, "the constraint", d.Constraints, And)
	collect(&g.p.Termination, "the termination condition", g.prog.Termination, Or)
	if err != nil {
		return err
	}
	for _, c := range either {
		// A value drawn within the step is not determined by the state either.
		inStep := g.p.reaches(c.Expr, func(x *Node) bool {
			return x.Op == Random || x.Op == Ref && g.p.Fluents[x.Fluent].Kind == Action
		})
		if inStep {
			g.p.Preconditions = append(g.p.Preconditions, c)
		} else {
			g.p.Invariants = append(g.p.Invariants, c)
		}
	}
	return nil
}

// conditions grounds e and splits it into parts of which all must hold (And) or one must hold
// (Or). Parts that have no effect are omitted.
func (g *grounder) conditions(what string, e rddl.Expr, split Op) ([]Condition, error) {
	g.b.begin(what, startOf(e))
	s := splitter{grounder: g, op: split}
	s.split(e, false)
	return s.out, g.b.err
}

type splitter struct {
	*grounder
	op      Op
	out     []Condition
	settled bool // by a part that never holds (And) or always does (Or)
}

// split appends the parts of e, or of its negation if neg is set.
func (s *splitter) split(e rddl.Expr, neg bool) {
	if s.b.err != nil || s.settled {
		return
	}
	junction, all := rddl.And, rddl.Forall
	if (s.op == And) == neg {
		junction, all = rddl.Or, rddl.Exists
	}
	switch x := e.(type) {
	case *rddl.Unary:
		if x.Op == rddl.Not {
			s.split(x.X, !neg)
			return
		}
	case *rddl.Binary:
		if x.Op == junction {
			s.split(x.X, neg)
			s.split(x.Y, neg)
			return
		}
	case *rddl.Quant:
		if x.Op == all {
			outer := len(s.env)
			s.bind(x.Params)
			s.eachOf(x, func() bool { s.split(x.Body, neg); return !s.settled })
			s.env = s.env[:outer]
			return
		}
	}
	// As in the unsplit condition, a part is guarded by those before it.
	guards := s.b.guards
	if len(s.out) > 0 {
		s.b.guards++
	}
	n := s.expr(e)
	s.b.guards = guards
	if neg {
		n = s.b.not(Pos(e.Position()), n)
	}
	if s.b.err != nil || s.op == And && n.IsConst(1) || s.op == Or && n.IsConst(0) {
		return
	}
	s.settled = n.Op == Const
	s.out = append(s.out, Condition{Expr: n, Pos: startOf(e), Text: s.text(e, neg)})
}

// text returns e with the present bindings filled in, followed by the bindings.
func (s *splitter) text(e rddl.Expr, neg bool) string {
	if neg {
		e = &rddl.Unary{Info: rddl.Info{Pos: e.Position(), Type: e.ResultType()}, Op: rddl.Not, X: e}
	}
	if len(s.env) == 0 {
		return rddl.FormatExpr(e, nil)
	}
	bind := make(map[string]string, len(s.env))
	list := make([]string, len(s.env))
	for i, v := range s.env {
		bind[v.name] = v.list.names[v.value]
		list[i] = "?" + v.name + " = " + v.list.names[v.value]
	}
	return rddl.FormatExpr(e, bind) + " [" + strings.Join(list, ", ") + "]"
}

// startOf returns where the text of e begins; the Position of some expressions is that of the
// operator.
func startOf(e rddl.Expr) Pos {
	for {
		b, ok := e.(*rddl.Binary)
		if !ok {
			return Pos(e.Position())
		}
		e = b.X
	}
}

// Expr grounds an expression over p's fluents, such as a goal or a property. The expression
// must have been typed by the program's checker and have no free variables. Expr may be
// called concurrently.
func (p *Problem) Expr(e rddl.Expr) (*Node, error) {
	g, err := p.grounder()
	if err != nil {
		return nil, err
	}
	g.b.begin("the expression", startOf(e))
	n := g.expr(e)
	if p.Unrounded != nil {
		n = shorter(n, map[*Node]*Node{})
	}
	return n, g.b.err
}

func (p *Problem) grounder() (*grounder, error) {
	if p.tables == nil {
		return nil, errNoProgram
	}
	return newGrounder(p, newBuilder(context.Background(), maxNodes)), nil
}
