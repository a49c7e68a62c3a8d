package pddl

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Grounded is a problem with its ground actions, as a system whose steps are joint actions: of at most one action or, with Parallel, of any that do not interfere.
type Grounded struct {
	*ground.Problem
	Goal      *ground.Node
	Ranges    map[string]Range // of numbers; those that may leave all bounds have none
	Operators []Operator
}

// Operator is a ground action by itself: what it needs, does and costs. The problem says the same in the next values of fluents.
type Operator struct {
	Action  int            // its fluent
	Needs   []*ground.Node // all must hold
	Effects []Effect
	Cost    []*ground.Node // summands
}

// Effect changes a state fluent where a condition holds. Op is assign, increase, decrease, scale-up or scale-down, and Value the number; assign sets truth
// values, too, and what an action adds and deletes is true.
type Effect struct {
	When   *ground.Node
	Fluent int
	Op     string
	Value  *ground.Node
}

// Ground grounds a problem by relaxed reachability. The reward of a step is minus the cost of its action; without a metric, each action costs 1. With
// Parallel, it is -1 for any actions; where the goal holds at first, that is unset, since no step is needed.
func (p *Problem) Ground(ctx context.Context) (*Grounded, error) {
	g, err := p.ground(ctx)
	if errors.As(err, new(undefinedError)) {
		if q, ok := p.defined(); ok {
			g, err = q.ground(ctx)
			p.Parallel = q.Parallel
		}
	}
	return g, err
}

func (p *Problem) ground(ctx context.Context) (*Grounded, error) {
	r, err := p.reach(ctx)
	if err != nil {
		return nil, err
	}
	g := &grounder{reached: r, p: &ground.Problem{Domain: p.Domain.Name, Instance: p.Name, ByName: map[string]int{}, MaxActions: 1, Discount: 1},
		fluents: map[atom]int{}, always: map[atom]bool{}, functions: map[string]int{}, values: map[string]float64{}, written: map[string]bool{}, read: map[string]bool{}}
	if err := g.declare(); err != nil {
		return nil, err
	}
	if err := g.cpfs(); err != nil {
		return nil, err
	}
	if err := g.order(); err != nil {
		return nil, err
	}
	if err := g.reward(); err != nil {
		return nil, err
	}
	ops := g.operators()
	done, _ := p.Start().Goal()
	if p.Parallel = p.Parallel && !done; p.Parallel {
		g.parallel(ops)
	}
	goal, err := g.cond(p.Goal, nil)
	return &Grounded{g.p, goal, g.ranges(), ops}, err
}

// operators lists what the actions need, do and cost.
func (g *grounder) operators() []Operator {
	for k := range g.ops {
		g.ops[k].Action = g.actions[k]
	}
	for _, c := range g.changes {
		e := Effect{c.when, 0, c.op, c.value}
		ok := false
		if c.of >= 0 {
			e.Fluent, ok = g.fluents[c.of]
			e.Op, e.Value = "assign", truth(c.on)
		} else {
			e.Fluent, ok = g.functions[c.key]
		}
		if ok {
			g.ops[c.by].Effects = append(g.ops[c.by].Effects, e)
		}
	}
	return g.ops
}

// grounder makes the ground problem.
type grounder struct {
	*reached
	p         *ground.Problem
	fluents   map[atom]int   // of atoms that change
	always    map[atom]bool  // that are true from the start on
	actions   []int          // fluents of the instances
	changes   []change       // by effects, in the order of the instances
	functions map[string]int // fluents of the numeric ones that are states, by key
	values    map[string]float64
	ops       []Operator
	written   map[string]bool // functions that effects change
	read      map[string]bool // functions that conditions and effects read
}

// change is an effect of an instance on an atom or a number.
type change struct {
	by    int // instance
	when  *ground.Node
	of    atom // -1 for a number
	on    bool
	op    string // of a number
	key   string
	value *ground.Node
	pos   pos
}

// node makes a node of a type.
func node(op ground.Op, typ ground.Type, at pos, args ...*ground.Node) *ground.Node {
	return &ground.Node{Op: op, Type: typ, Args: args, Pos: ground.Pos{File: at.file, Line: at.line, Col: at.col}}
}

func truth(b bool) *ground.Node {
	n := &ground.Node{Op: ground.Const, Type: ground.Bool}
	if b {
		n.Val = 1
	}
	return n
}

func isConst(n *ground.Node) bool { return n.Op == ground.Const }

// named writes an action or an atom: move(a,b).
func (g *grounder) named(name string, args []int) (full string, objects []string) {
	for _, a := range args {
		objects = append(objects, g.Objects[a].Name)
	}
	if len(args) == 0 {
		return name, nil
	}
	return name + "(" + strings.Join(objects, ",") + ")", objects
}

func (g *grounder) fluent(base string, args []int, kind ground.Kind, typ ground.Type, at pos) int {
	full, objects := g.named(base, args)
	if _, taken := g.p.ByName[full]; taken { // an action and a predicate may share a name
		base += "'"
		full, _ = g.named(base, args)
	}
	i := len(g.p.Fluents)
	g.p.ByName[full] = i
	g.p.Fluents = append(g.p.Fluents, ground.Fluent{Name: full, Base: base, Args: objects, Kind: kind, Type: typ, Pos: ground.Pos{File: at.file, Line: at.line, Col: at.col}})
	return i
}

func (g *grounder) ref(i int) *ground.Node {
	f := &g.p.Fluents[i]
	return &ground.Node{Op: ground.Ref, Type: f.Type, Fluent: i, Name: f.Name}
}

// declare makes the fluents: actions, atoms that change, derived atoms, numbers that change.
func (g *grounder) declare() error {
	for _, x := range g.instances {
		g.actions = append(g.actions, g.fluent(x.rule.action.Name, x.args, ground.Action, ground.Bool, x.rule.action.pos))
	}
	adds, deletes := map[atom]bool{}, map[atom]bool{}
	for _, x := range g.instances {
		g.parts(x.rule.action.Effect, bind(nil, x.rule.params[:x.rule.own], x.args), func(e *Expr, s scope) {
			to := adds
			if e.Op == "not" {
				e, to = e.Args[0], deletes
			}
			if e.Op != "atom" { // a number
				return
			}
			if id, ok := g.ids[key(e.Name, g.ground(e.Terms, s))]; ok {
				to[id] = true
			}
		})
	}
	derived := map[string]bool{}
	for _, d := range g.Derived {
		derived[d.Name] = true
	}
	for id := range g.names {
		a := atom(id)
		name := g.names[a]
		switch {
		case derived[name]:
			g.fluents[a] = g.fluent(name, g.args[a], ground.Interm, ground.Bool, g.Predicates[name].pos)
		case g.initial[a] && !deletes[a]:
			g.always[a] = true
		case g.initial[a] || adds[a]:
			i := g.fluent(name, g.args[a], ground.State, ground.Bool, g.Predicates[name].pos)
			g.fluents[a] = i
			if g.initial[a] {
				g.p.Fluents[i].Initial = 1
			}
		}
	}
	return g.declareNumbers()
}

// cpfs makes the next values, and the conditions of the actions.
func (g *grounder) cpfs() error {
	g.ops = make([]Operator, len(g.instances))
	for k, x := range g.instances {
		s := bind(nil, x.rule.params[:x.rule.own], x.args)
		if err := g.effects(k, x.rule.action.Effect, s, truth(true)); err != nil {
			return err
		}
		if err := g.preconditions(k, x.rule.action.Pre, s); err != nil {
			return err
		}
	}
	sets := map[int][2][]*ground.Node{} // by fluent: what makes it false, and true
	numbers := map[string][]change{}
	for _, c := range g.changes {
		if c.of < 0 {
			numbers[c.key] = append(numbers[c.key], c)
			continue
		}
		i, ok := g.fluents[c.of]
		if !ok {
			continue
		}
		at := 0
		if c.on {
			at = 1
		}
		both := sets[i]
		both[at] = append(both[at], all(ground.And, c.pos, []*ground.Node{g.ref(g.actions[c.by]), c.when}))
		sets[i] = both
	}
	for i, f := range g.p.OfKind(ground.State) {
		if f.Type != ground.Bool {
			continue
		}
		at := pos{f.Pos.File, f.Pos.Line, f.Pos.Col}
		off, on := all(ground.Or, at, sets[i][0]), all(ground.Or, at, sets[i][1])
		f.CPF = all(ground.Or, at, []*ground.Node{on, all(ground.And, at, []*ground.Node{g.ref(i), not(off, at)})})
	}
	if err := g.derivations(); err != nil {
		return err
	}
	return g.numberCPFs(numbers)
}

// effects lists the changes that an effect makes.
func (g *grounder) effects(k int, e *Expr, s scope, when *ground.Node) error {
	if isConst(when) && when.Val == 0 {
		return nil
	}
	switch e.Op {
	case "atom", "not":
		x := e
		if e.Op == "not" {
			x = e.Args[0]
		}
		if id, ok := g.ids[key(x.Name, g.ground(x.Terms, s))]; ok {
			g.changes = append(g.changes, change{by: k, when: when, of: id, on: e.Op == "atom", pos: e.pos})
		}
	case "and":
		for _, x := range e.Args {
			if err := g.effects(k, x, s, when); err != nil {
				return err
			}
		}
	case "forall":
		var failed error
		g.each(e.Vars, s, func(s scope) bool {
			failed = g.effects(k, e.Args[0], s, when)
			return failed == nil
		})
		return failed
	case "when":
		c, err := g.cond(e.Args[0], s)
		if err != nil {
			return err
		}
		return g.effects(k, e.Args[1], s, all(ground.And, e.pos, []*ground.Node{when, c}))
	default:
		value, err := g.number(e.Args[1], s)
		if err != nil {
			return err
		}
		g.changes = append(g.changes, change{by: k, when: when, of: -1, op: e.Op, key: key(e.Args[0].Name, g.ground(e.Args[0].Terms, s)), value: value, pos: e.pos})
	}
	return nil
}

// derivations makes the values of derived atoms.
func (g *grounder) derivations() error {
	bodies := map[int][]*ground.Node{}
	for _, d := range g.Derived {
		var failed error
		g.each(d.Params, nil, func(s scope) bool {
			var terms []Term
			for _, p := range d.Params {
				terms = append(terms, Term{p.Name, true})
			}
			id, ok := g.ids[key(d.Name, g.ground(terms, s))]
			if !ok {
				return true
			}
			n, err := g.cond(d.Body, s)
			bodies[g.fluents[id]] = append(bodies[g.fluents[id]], n)
			failed = err
			return err == nil
		})
		if failed != nil {
			return failed
		}
	}
	for i, f := range g.p.OfKind(ground.Interm) {
		f.CPF = all(ground.Or, pos{f.Pos.File, f.Pos.Line, f.Pos.Col}, bodies[i])
	}
	return nil
}

// order lists the fluents that are computed, each after what it reads in the same step.
func (g *grounder) order() error {
	const open, done = 1, 2
	state := make([]int, len(g.p.Fluents))
	var visit func(i int) error
	var walk func(n *ground.Node) error
	walk = func(n *ground.Node) error {
		if n.Op == ground.Ref && g.p.Fluents[n.Fluent].Kind == ground.Interm {
			return visit(n.Fluent)
		}
		for _, a := range n.Args {
			if err := walk(a); err != nil {
				return err
			}
		}
		return nil
	}
	visit = func(i int) error {
		f := &g.p.Fluents[i]
		switch state[i] {
		case open:
			return pos{f.Pos.File, f.Pos.Line, f.Pos.Col}.errorf("%s is derived from itself; expected derived predicates without cycles", f.Name)
		case done:
			return nil
		}
		state[i] = open
		if err := walk(f.CPF); err != nil {
			return err
		}
		state[i] = done
		g.p.Order = append(g.p.Order, i)
		return nil
	}
	for _, kind := range []ground.Kind{ground.Interm, ground.State} {
		for i := range g.p.OfKind(kind) {
			if err := visit(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// whole reports whether a number is an integer that is exact.
func whole(x float64) bool { return x == math.Trunc(x) && math.Abs(x) < 1<<53 }

// sum adds numbers.
func sum(at pos, typ ground.Type, parts []*ground.Node) *ground.Node {
	if len(parts) == 1 {
		return parts[0]
	}
	return node(ground.Add, typ, at, parts...)
}

// wider is the type of a result of two numbers.
func wider(list []*ground.Node) ground.Type {
	if slices.ContainsFunc(list, func(n *ground.Node) bool { return n.Type == ground.Real }) {
		return ground.Real
	}
	return ground.Int
}
