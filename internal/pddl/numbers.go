package pddl

import (
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// A function that no effect changes is a constant. One that effects only increase or decrease, and that nothing reads but the metric, is a cost: it is part of
// the reward. All others are states.

// declareNumbers finds what each function is, and makes the fluents of those that are states.
func (g *grounder) declareNumbers() error {
	for _, f := range g.Values {
		g.values[key(f.Name, g.numbersOf(f.Args))] = f.Value
	}
	for _, a := range g.Actions {
		g.reads(a.Pre)
		g.writes(a.Effect)
	}
	for _, d := range g.Derived {
		g.reads(d.Body)
	}
	g.reads(g.Goal)
	for _, f := range g.Values {
		if !g.isState(f.Name) {
			continue
		}
		k := key(f.Name, g.numbersOf(f.Args))
		if _, twice := g.functions[k]; twice {
			return f.pos.errorf("%s has two values", f.Name)
		}
		typ := ground.Int
		if !g.wholes() {
			typ = ground.Real
		}
		i := g.fluent(f.Name, g.numbersOf(f.Args), ground.State, typ, f.pos)
		g.p.Fluents[i].Initial = f.Value
		g.functions[k] = i
	}
	return nil
}

// wholes reports whether all numbers of the problem are integers.
func (g *grounder) wholes() bool {
	var in func(e *Expr) bool
	in = func(e *Expr) bool {
		return e.Op != "/" && (e.Op != "num" || whole(e.Num)) && !slices.ContainsFunc(e.Args, func(x *Expr) bool { return !in(x) })
	}
	return !slices.ContainsFunc(g.Values, func(f Fact) bool { return !whole(f.Value) }) &&
		!slices.ContainsFunc(g.Actions, func(a *Action) bool { return !in(a.Pre) || !in(a.Effect) })
}

// isState reports whether a function is a state.
func (g *grounder) isState(name string) bool { return g.written[name] && g.read[name] }

// reads notes the functions that an expression reads.
func (g *grounder) reads(e *Expr) {
	if e.Op == "fn" {
		g.read[e.Name] = true
	}
	for _, x := range e.Args {
		g.reads(x)
	}
}

// writes notes the functions that an effect changes and those that it reads.
func (g *grounder) writes(e *Expr) {
	switch e.Op {
	case "when":
		g.reads(e.Args[0])
		g.writes(e.Args[1])
	case "increase", "decrease", "assign", "scale-up", "scale-down":
		g.written[e.Args[0].Name] = true
		g.reads(e.Args[1])
		if e.Op != "increase" && e.Op != "decrease" {
			g.read[e.Args[0].Name] = true
		}
	default:
		for _, x := range e.Args {
			g.writes(x)
		}
	}
}

func constant(x float64, at pos) *ground.Node {
	n := node(ground.Const, ground.Int, at)
	if n.Val = x; !whole(x) {
		n.Type = ground.Real
	}
	return n
}

// number is a numeric expression as a node.
func (g *grounder) number(e *Expr, s scope) (*ground.Node, error) {
	switch e.Op {
	case "num":
		return constant(e.Num, e.pos), nil
	case "fn":
		k := key(e.Name, g.ground(e.Terms, s))
		if i, ok := g.functions[k]; ok {
			return g.ref(i), nil
		}
		x, ok := g.values[k]
		if !ok {
			full, _ := g.named(e.Name, g.ground(e.Terms, s))
			return nil, undefinedError{e.pos.errorf("%s has no value at first; expected (= (%s …) NUMBER) in the initial state", full, e.Name)}
		}
		return constant(x, e.pos), nil
	}
	args, err := g.numbers(e.Args, s)
	if err != nil {
		return nil, err
	}
	switch op := map[string]ground.Op{"+": ground.Add, "*": ground.Mul, "-": ground.Sub, "/": ground.Div}[e.Op]; {
	case len(args) == 1 && op == ground.Sub:
		return node(ground.Neg, args[0].Type, e.pos, args[0]), nil
	case op == ground.Div:
		return node(op, ground.Real, e.pos, args...), nil
	default:
		return node(op, wider(args), e.pos, args...), nil
	}
}

func (g *grounder) numbers(list []*Expr, s scope) (out []*ground.Node, err error) {
	for _, e := range list {
		n, err := g.number(e, s)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// compared is a comparison as a node.
func (g *grounder) compared(e *Expr, s scope) (*ground.Node, error) {
	args, err := g.numbers(e.Args, s)
	if err != nil {
		return nil, err
	}
	op := map[string]ground.Op{"=": ground.Eq, "<": ground.Lt, "<=": ground.Le, ">": ground.Gt, ">=": ground.Ge}[e.Op]
	if isConst(args[0]) && isConst(args[1]) {
		a, b := args[0].Val, args[1].Val
		return truth(map[string]bool{"=": a == b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[e.Op]), nil
	}
	return node(op, ground.Bool, e.pos, args...), nil
}

// numberCPFs makes the next values of numbers.
func (g *grounder) numberCPFs(by map[string][]change) error {
	for i, f := range g.p.OfKind(ground.State) {
		if f.Type == ground.Bool {
			continue
		}
		args := make([]int, len(f.Args))
		for j, name := range f.Args {
			args[j] = g.objects[name]
		}
		value := g.ref(i)
		parts := []*ground.Node{value}
		var set []change
		for _, c := range by[key(f.Base, args)] {
			on := all(ground.And, c.pos, []*ground.Node{g.ref(g.actions[c.by]), c.when})
			zero := &ground.Node{Op: ground.Const, Type: c.value.Type, Pos: c.value.Pos}
			switch c.op {
			case "increase":
				parts = append(parts, node(ground.If, c.value.Type, c.pos, on, c.value, zero))
			case "decrease":
				parts = append(parts, node(ground.If, c.value.Type, c.pos, on, node(ground.Neg, c.value.Type, c.pos, c.value), zero))
			default:
				c.when = on
				set = append(set, c)
			}
		}
		next := sum(pos{f.Pos.File, f.Pos.Line, f.Pos.Col}, f.Type, parts)
		for _, c := range set {
			to := c.value
			switch c.op {
			case "scale-up":
				to = node(ground.Mul, f.Type, c.pos, value, c.value)
			case "scale-down":
				to = node(ground.Div, ground.Real, c.pos, value, c.value)
			}
			next = node(ground.If, f.Type, c.pos, c.when, to, next)
		}
		f.CPF = next
	}
	return nil
}

// reward makes the reward of a step: what the metric changes by, turned around if that is a cost.
func (g *grounder) reward() error {
	weights := map[string]float64{}
	steps := 0.0
	if g.Metric == nil {
		steps = -1
	} else {
		sign := -1.0
		if g.Maximize {
			sign = 1
		}
		var err error
		if steps, err = g.weigh(g.Metric, sign, weights); err != nil {
			return err
		}
	}
	var parts []*ground.Node
	weighted := func(w float64, n *ground.Node, at pos) *ground.Node {
		k := constant(w, at)
		return node(ground.Mul, wider([]*ground.Node{k, n}), at, k, n)
	}
	for k, a := range g.actions {
		if steps != 0 {
			parts = append(parts, weighted(steps, g.ref(a), g.instances[k].rule.action.pos))
			g.ops[k].Cost = append(g.ops[k].Cost, &ground.Node{Op: ground.Const, Type: ground.Real, Val: -steps})
		}
	}
	for _, c := range g.changes {
		if c.of >= 0 || weights[c.key] == 0 {
			continue
		}
		w := weights[c.key]
		if c.op == "decrease" {
			w = -w
		}
		on := all(ground.And, c.pos, []*ground.Node{g.ref(g.actions[c.by]), c.when})
		parts = append(parts, weighted(w, node(ground.Mul, c.value.Type, c.pos, c.value, on), c.pos))
		g.ops[c.by].Cost = append(g.ops[c.by].Cost, weighted(-w, node(ground.Mul, c.value.Type, c.pos, c.value, c.when), c.pos))
	}
	zero := node(ground.Const, ground.Int, pos{})
	if g.p.Reward = zero; len(parts) > 0 {
		at := parts[0].Pos
		g.p.Reward = sum(pos{at.File, at.Line, at.Col}, wider(parts), parts)
	}
	return nil
}

// weigh adds the weights that a metric gives to functions, by their keys, and returns that of the number of steps.
func (g *grounder) weigh(e *Expr, by float64, weights map[string]float64) (steps float64, err error) {
	switch e.Op {
	case "num":
		return 0, nil // no plan changes it
	case "fn":
		if e.Name == "total-time" {
			return by, nil
		}
		if g.isState(e.Name) {
			return 0, e.pos.errorf("the metric reads %s, which conditions or effects read too; expected a function that effects only increase or decrease", e.Name)
		}
		weights[key(e.Name, g.ground(e.Terms, nil))] += by
		return 0, nil
	case "+", "-":
		for i, x := range e.Args {
			w := by
			if e.Op == "-" && (i > 0 || len(e.Args) == 1) {
				w = -by
			}
			more, err := g.weigh(x, w, weights)
			if err != nil {
				return 0, err
			}
			steps += more
		}
		return steps, nil
	case "*":
		var of *Expr
		for _, x := range e.Args {
			if x.Op == "num" {
				by *= x.Num
			} else if of != nil {
				return 0, x.pos.errorf("the metric is not linear; expected sums of functions times numbers")
			} else {
				of = x
			}
		}
		if of == nil {
			return 0, nil
		}
		return g.weigh(of, by, weights)
	}
	return 0, e.pos.errorf("the metric is not linear; expected sums of functions times numbers")
}
