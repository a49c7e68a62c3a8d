package pddl

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// all is the conjunction or disjunction of conditions.
func all(op ground.Op, at pos, args []*ground.Node) *ground.Node {
	var out []*ground.Node
	for _, a := range args {
		switch {
		case isConst(a) && (a.Val == 1) == (op == ground.And): // says nothing
		case isConst(a):
			return a
		default:
			out = append(out, a)
		}
	}
	switch len(out) {
	case 0:
		return truth(op == ground.And)
	case 1:
		return out[0]
	}
	return node(op, ground.Bool, at, out...)
}

func not(n *ground.Node, at pos) *ground.Node {
	switch {
	case isConst(n):
		return truth(n.Val == 0)
	case n.Op == ground.Not:
		return n.Args[0]
	}
	return node(ground.Not, ground.Bool, at, n)
}

// cond is a condition as a node.
func (g *grounder) cond(e *Expr, s scope) (*ground.Node, error) {
	list := func() ([]*ground.Node, error) {
		var out []*ground.Node
		for _, x := range e.Args {
			n, err := g.cond(x, s)
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		return out, nil
	}
	switch e.Op {
	case "atom":
		id, ok := g.ids[key(e.Name, g.ground(e.Terms, s))]
		if i, changes := g.fluents[id]; ok && changes {
			return g.ref(i), nil
		}
		return truth(ok && g.always[id]), nil
	case "eq":
		x := g.ground(e.Terms, s)
		return truth(x[0] == x[1]), nil
	case "forall", "exists":
		var out []*ground.Node
		var failed error
		g.each(e.Vars, s, func(s scope) bool {
			n, err := g.cond(e.Args[0], s)
			out, failed = append(out, n), err
			return err == nil
		})
		if failed != nil {
			return nil, failed
		}
		return all(map[string]ground.Op{"forall": ground.And, "exists": ground.Or}[e.Op], e.pos, out), nil
	case "=", "<", "<=", ">", ">=":
		return g.compared(e, s)
	}
	args, err := list()
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "and":
		return all(ground.And, e.pos, args), nil
	case "or":
		return all(ground.Or, e.pos, args), nil
	case "imply":
		return all(ground.Or, e.pos, []*ground.Node{not(args[0], e.pos), args[1]}), nil
	}
	return not(args[0], e.pos), nil
}

// preconditions makes a condition of each part of what an action needs.
func (g *grounder) preconditions(k int, e *Expr, s scope) error {
	if e.Op == "and" {
		for _, x := range e.Args {
			if err := g.preconditions(k, x, s); err != nil {
				return err
			}
		}
		return nil
	}
	n, err := g.cond(e, s)
	if err != nil || isConst(n) && n.Val == 1 {
		return err
	}
	a := g.ref(g.actions[k])
	g.ops[k].Needs = append(g.ops[k].Needs, n)
	g.p.Preconditions = append(g.p.Preconditions, ground.Condition{
		Expr: all(ground.Or, e.pos, []*ground.Node{not(a, e.pos), n}), Pos: ground.Pos{File: e.pos.file, Line: e.pos.line, Col: e.pos.col}, Text: a.Name + " => " + g.text(e, s),
	})
	return nil
}

// text writes a condition with its objects.
func (g *grounder) text(e *Expr, s scope) string {
	var parts []string
	switch e.Op {
	case "atom", "fn":
		full, _ := g.named(e.Name, g.ground(e.Terms, s))
		return full
	case "eq":
		x := g.ground(e.Terms, s)
		return g.Objects[x[0]].Name + " == " + g.Objects[x[1]].Name
	case "num":
		return fmt.Sprint(e.Num)
	case "forall", "exists":
		var vars []string
		for _, v := range e.Vars {
			vars = append(vars, "?"+v.Name)
		}
		return e.Op + "(" + strings.Join(vars, ", ") + ")"
	}
	for _, x := range e.Args {
		parts = append(parts, g.text(x, s))
	}
	switch e.Op {
	case "not":
		return "~" + parts[0]
	case "-":
		if len(parts) == 1 {
			return "-" + parts[0]
		}
	}
	op := map[string]string{"and": "^", "or": "|", "imply": "=>", "=": "=="}[e.Op]
	if op == "" {
		op = e.Op
	}
	return "(" + strings.Join(parts, " "+op+" ") + ")"
}
