package prove

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine/equivalence"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/problem/factored"
)

// WrittenResult is the outcome of `fdplan test --prove` for a problem that was written as PDDL.
type WrittenResult struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	Domain  string `json:"domain"`
	Steps   int    `json:"steps"` // of its plans; 0 for any number
	Actions int    `json:"actions"`
	Equal   bool   `json:"equal"` // initial state, steps in all states, their rewards, and the states in which plans may end
	// Difference is a state, or step, that one has and not the other; null if there is none.
	Difference *WrittenDifference `json:"difference"`
}

// WrittenDifference is a state or step in which files and problem differ.
type WrittenDifference struct {
	What   string     `json:"what"`   // initial state, step, last state
	InPDDL bool       `json:"inPDDL"` // the files have it and not the problem, or give it other rewards; else the other way round
	State  app.Values `json:"state"`
	Action app.Values `json:"action"` // of a step, else empty
	Next   app.Values `json:"next"`
}

// Written decides whether a domain and a problem in PDDL, as compile writes them, are a problem: the same initial state, in every state the same
// steps with the same rewards, and the same states at the end. Each equality has a proof that the checker accepted.
func Written(ctx context.Context, p *load.Problem, read *pddl.Problem) (*WrittenResult, error) {
	out := &WrittenResult{Schema: app.Schema, Problem: p.Problem.Name, Domain: read.Domain.Name, Actions: len(read.Actions)}
	for _, f := range read.Init {
		if f.Name == "after" {
			out.Steps++
		}
	}
	g, err := inspect.AsPDDL(ctx, p, out.Steps)
	if err != nil {
		return nil, err
	}
	x := &writtenReader{p: p.Problem, read: read, g: g, steps: out.Steps}
	if x.w, err = equivalence.NewWritten(p.Task); err != nil {
		return nil, err
	}
	if out.Steps > 0 {
		s, err := step.New(p.Task)
		if err != nil {
			return nil, err
		}
		x.most = s.MostReward()
	}
	begin, steps, end, err := x.all()
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		what string
		ask  func() (*equivalence.Difference, error)
	}{
		{"initial state", func() (*equivalence.Difference, error) { return x.w.Begin(ctx, begin) }},
		{"step", func() (*equivalence.Difference, error) { return x.w.Steps(ctx, steps, out.Steps == 0) }},
		{"last state", func() (*equivalence.Difference, error) { return x.w.End(ctx, end) }},
	} {
		diff, err := c.ask()
		if err != nil {
			return nil, fmt.Errorf("comparing the %s: %w", c.what, err)
		}
		if diff != nil {
			out.Difference = &WrittenDifference{What: c.what, InPDDL: diff.Added, State: app.ValuesOf(p.Problem, factored.State, diff.Now, true)}
			if c.what == "step" {
				out.Difference.Action = app.ValuesOf(p.Problem, factored.Action, diff.Now, true)
				out.Difference.Next = app.ValuesOf(p.Problem, factored.State, diff.Next, true)
			}
			return out, nil
		}
	}
	out.Equal = true
	return out, nil
}

// writtenReader reads conditions and effects as literals of a circuit. It shares no code with grounding.
type writtenReader struct {
	p     *factored.Problem
	read  *pddl.Problem
	g     *pddl.Ground // what would be written: the meaning of names
	steps int
	most  int64 // reward of a step without cost
	w     *equivalence.Written
	atoms map[string]factored.Lit
	bits  []string        // the atoms of state bits, which effects are on
	begun map[string]bool // derived atoms that are being read
}

// all reads the initial state, the actions, and the goal.
func (x *writtenReader) all() (begin factored.Lit, steps []equivalence.Step, end factored.Lit, err error) {
	atoms, actions := x.g.Words()
	bits := x.p.Bits(factored.State)
	x.atoms, x.begun = map[string]factored.Lit{}, map[string]bool{}
	x.bits = atoms[:len(bits)]
	for i, b := range bits {
		x.atoms[atoms[i]] = factored.Lit{Bit: b}
	}
	starts := slices.ContainsFunc(x.read.Values, func(f pddl.Fact) bool { return f.Name == "total-cost" && f.Value == 0 })
	if m := x.read.Metric; m == nil || m.Op != "fn" || m.Name != "total-cost" || x.read.Maximize || !starts {
		return begin, nil, end, x.unlike("the metric is not the least (total-cost), from 0 on")
	}
	if begin, err = x.initial(); err != nil {
		return begin, nil, end, err
	}
	joint := map[string][]int{}
	for i, name := range actions {
		joint[name] = x.g.Actions[i].Joint
	}
	for _, a := range x.read.Actions {
		places, ok := joint[a.Name]
		if !ok {
			return begin, nil, end, x.unlike("there is the action " + a.Name)
		}
		s, err := x.step(a, places)
		if err != nil {
			return begin, nil, end, err
		}
		steps = append(steps, s)
	}
	goal, moments := x.split(x.read.Goal)
	want := []string{}
	if x.steps > 0 {
		want = []string{fmt.Sprintf("now t%d", x.steps)}
	}
	if !slices.Equal(moments, want) {
		return begin, nil, end, x.unlike("the goal is at another moment than the last")
	}
	end, err = x.allOf(goal)
	return begin, steps, end, err
}

func (x *writtenReader) unlike(what string) error {
	return fmt.Errorf("%s: this is not as compile --format pddl writes %s: %s", x.read.Domain.Name, x.p.Name, what)
}

// initial reads the initial state.
func (x *writtenReader) initial() (factored.Lit, error) {
	on, moments := map[string]bool{}, []string{}
	for _, f := range x.read.Init {
		if f.Name == "now" || f.Name == "after" {
			moments = append(moments, strings.Join(append([]string{f.Name}, f.Args...), " "))
		} else {
			on[f.Name] = true
		}
	}
	want := []string{}
	if x.steps > 0 {
		want = []string{"now t0"}
	}
	for t := range x.steps {
		want = append(want, fmt.Sprintf("after t%d t%d", t, t+1))
	}
	slices.Sort(moments)
	slices.Sort(want)
	if !slices.Equal(moments, want) {
		return factored.Lit{}, x.unlike("moments do not follow each other from t0 on")
	}
	var all []factored.Lit
	for _, name := range x.bits {
		l := x.atoms[name]
		l.Neg = !on[name]
		all = append(all, l)
		delete(on, name)
	}
	for name := range on {
		return factored.Lit{}, x.unlike("the initial state has " + name)
	}
	return x.w.And(all...), nil
}

// split flattens a conjunction, and takes out what it says of moments.
func (x *writtenReader) split(e *pddl.Expr) (rest []*pddl.Expr, moments []string) {
	moments = []string{}
	switch {
	case e.Op == "and":
		for _, a := range e.Args {
			r, m := x.split(a)
			rest, moments = append(rest, r...), append(moments, m...)
		}
	case e.Op == "not" && moment(e.Args[0]):
		_, m := x.split(e.Args[0])
		moments = []string{"not " + m[0]}
	case moment(e):
		name := e.Name
		for _, t := range e.Terms {
			name += " " + t.Name
		}
		moments = []string{name}
	default:
		rest = []*pddl.Expr{e}
	}
	return rest, moments
}

func moment(e *pddl.Expr) bool { return e.Op == "atom" && (e.Name == "now" || e.Name == "after") }

// step reads an action.
func (x *writtenReader) step(a *pddl.Action, places []int) (s equivalence.Step, err error) {
	for i, b := range x.p.Bits(factored.Action) {
		s.Action = append(s.Action, factored.Lit{Bit: b, Neg: !slices.Contains(places, i)})
	}
	needs, before := x.split(a.Pre)
	effects, after := x.split(a.Effect)
	wantBefore, wantAfter := []string{}, []string{}
	if x.steps > 0 && len(a.Params) == 2 {
		t, u := a.Params[0].Name, a.Params[1].Name
		wantBefore, wantAfter = []string{"now " + t, "after " + t + " " + u}, []string{"not now " + t, "now " + u}
	}
	if !slices.Equal(before, wantBefore) || !slices.Equal(after, wantAfter) || len(a.Params) != len(wantBefore) {
		return s, x.unlike("the action " + a.Name + " does not lead from a moment to the next")
	}
	if s.Needs, err = x.allOf(needs); err != nil {
		return s, err
	}
	e := effectReader{x, map[factored.Bit][]factored.Lit{}, map[factored.Bit][]factored.Lit{}, 0}
	for _, y := range effects {
		if err := e.add(y, x.w.True()); err != nil {
			return s, err
		}
	}
	s.Reward, s.Next = x.most-e.cost, map[factored.Bit]factored.Lit{}
	for _, of := range []map[factored.Bit][]factored.Lit{e.on, e.off} {
		for _, b := range slices.Sorted(maps.Keys(of)) {
			stays := x.w.And(factored.Lit{Bit: b}, x.w.Or(slices.Clone(e.off[b])...).Not())
			s.Next[b] = x.w.Or(append(slices.Clone(e.on[b]), stays)...)
		}
	}
	return s, nil
}

// effectReader collects effects: where a bit is made true, and where false. True goes first.
type effectReader struct {
	*writtenReader
	on, off map[factored.Bit][]factored.Lit
	cost    int64
}

func (e *effectReader) add(x *pddl.Expr, when factored.Lit) error {
	switch {
	case x.Op == "and":
		for _, a := range x.Args {
			if err := e.add(a, when); err != nil {
				return err
			}
		}
		return nil
	case x.Op == "when":
		c, err := e.literal(x.Args[0])
		if err != nil {
			return err
		}
		return e.add(x.Args[1], e.w.And(when, c))
	case x.Op == "increase" && x.Args[0].Name == "total-cost" && x.Args[1].Op == "num" && when == e.w.True():
		e.cost += int64(x.Args[1].Num)
		return nil
	case x.Op == "not" && x.Args[0].Op == "atom":
		l, err := e.bit(x.Args[0])
		e.off[l.Bit] = append(e.off[l.Bit], when)
		return err
	case x.Op == "atom":
		l, err := e.bit(x)
		e.on[l.Bit] = append(e.on[l.Bit], when)
		return err
	}
	return e.unlike("there is an effect " + x.Op)
}

// bit is the atom of an effect, which is not derived.
func (e *effectReader) bit(x *pddl.Expr) (factored.Lit, error) {
	if !slices.Contains(e.bits, x.Name) {
		return factored.Lit{}, e.unlike("an effect is on " + x.Name)
	}
	return e.atoms[x.Name], nil
}

func (x *writtenReader) allOf(list []*pddl.Expr) (factored.Lit, error) {
	out, err := x.literals(list)
	return x.w.And(out...), err
}

func (x *writtenReader) literals(list []*pddl.Expr) (out []factored.Lit, err error) {
	for _, e := range list {
		l, err := x.literal(e)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// literal reads a condition.
func (x *writtenReader) literal(e *pddl.Expr) (l factored.Lit, err error) {
	switch e.Op {
	case "and", "or", "not":
		args, err := x.literals(e.Args)
		switch {
		case err != nil:
			return l, err
		case e.Op == "and":
			return x.w.And(args...), nil
		case e.Op == "or":
			return x.w.Or(args...), nil
		}
		return args[0].Not(), nil
	case "atom":
		if l, ok := x.atoms[e.Name]; ok {
			return l, nil
		}
		i := slices.IndexFunc(x.read.Derived, func(d *pddl.Derived) bool { return d.Name == e.Name })
		if i < 0 || x.begun[e.Name] {
			return l, x.unlike("a condition reads " + e.Name)
		}
		x.begun[e.Name] = true
		if l, err = x.literal(x.read.Derived[i].Body); err == nil {
			x.atoms[e.Name] = l
		}
		return l, err
	}
	return l, x.unlike("there is a condition " + e.Op)
}

// WriteText writes the outcome for people.
func (p *WrittenResult) WriteText(w io.Writer) (err error) {
	d, over, idle := p.Difference, " over "+counted.Of(p.Steps, "step"), ","
	if p.Steps == 0 {
		over, idle = "", ", but for steps that change and earn nothing,"
	}
	switch {
	case p.Equal:
		_, err = fmt.Fprintf(w, "Proven: %s with its %s is %s%s: the same initial state, in every state the same steps with the same rewards%s and the same last states.\n",
			p.Domain, counted.Of(p.Actions, "action"), p.Problem, over, idle)
	case d.What != "step":
		_, err = fmt.Fprintf(w, "%s and %s differ: only %s has the %s %s\n", p.Domain, p.Problem, p.with(d), d.What, brief(d.State))
	default:
		_, err = fmt.Fprintf(w, "%s and %s differ: only %s has this step, with its reward\n  in the state %s\n  after the action %s\n  to the state %s\n",
			p.Domain, p.Problem, p.with(d), brief(d.State), brief(d.Action), brief(d.Next))
	}
	return err
}

// with says which of the two has a difference.
func (p *WrittenResult) with(d *WrittenDifference) string {
	if d.InPDDL {
		return p.Domain
	}
	return p.Problem
}
