// Package draw implements the use case of drawing a plan with the known facts of its problem.
package draw

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/picture"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
)

// Picture returns the picture of a plan or a policy, read from the named file's data; of a policy with the run drawn by
// seed, nil for the most likely one. Facts that the plan
// lacks are taken from the problem that of names. If of is empty, they are taken from the
// bundled problem that has the plan's name or, for plans of the published files, its
// variables. If there is none, the picture shows the plan alone.
func Picture(ctx context.Context, of load.Ref, name string, data []byte, seed *uint64) (*picture.Picture, error) {
	if policy.Is(data) {
		d, err := policy.Parse(name, data)
		if err != nil {
			return nil, err
		}
		return Policy(d, seed)
	}
	plan, err := picture.Read(name, data)
	if err != nil {
		return nil, err
	}
	if of.Goal == "" && len(of.Range) == 0 {
		of.Goal, of.Range = plan.Question.Goal, plan.Question.Range
	}
	var facts picture.Facts
	switch {
	case of.Name == "" && of.Domain == "" && of.Files == "":
		facts, err = bundledFacts(ctx, plan, of.Question)
	case of.Files != "":
		// The published files contain the goal; walls and similar facts are only in RDDL.
		if facts, err = bundledFacts(ctx, plan, of.Question); err == nil {
			if of.Name == "" {
				of.Name = plan.Problem
			}
			var p *load.Problem
			if p, err = load.Load(ctx, of); err == nil {
				facts.Goal = goalValues(p.Problem)
			}
		}
	default:
		of.Model, of.Simulate = load.RDDL, true
		var p *load.Problem
		if p, err = load.Load(ctx, of); err == nil {
			facts = factsOf(p)
		}
	}
	if err != nil {
		return nil, err
	}
	return picture.New(plan, facts)
}

// Of returns the picture of a plan for a problem that is loaded, read from the named file's data.
func Of(p *load.Problem, name string, data []byte) (*picture.Picture, error) {
	plan, err := picture.Read(name, data)
	if err != nil {
		return nil, err
	}
	return picture.New(plan, factsOf(p))
}

// bundledFacts returns the facts of the bundled problem that a plan belongs to, with the goal that was asked for.
func bundledFacts(ctx context.Context, plan *picture.Plan, asked load.Question) (picture.Facts, error) {
	domain, _, _ := strings.Cut(plan.Problem, "/")
	var published []string
	for _, name := range bundled.Names() {
		if d, _, _ := strings.Cut(name, "/"); d != domain {
			continue
		}
		p, err := load.Load(ctx, load.Ref{Name: name, Source: load.Source{Model: load.RDDL}, Simulate: true})
		if err != nil {
			return picture.Facts{}, err
		}
		own, theirs := stateNames(p)
		if name == plan.Problem && slices.Equal(own, planNames(plan)) {
			if p, err = p.Asked(ctx, asked); err != nil {
				return picture.Facts{}, err
			}
			return factsOf(p), nil
		}
		if slices.Equal(theirs, planNames(plan)) {
			published = append(published, name)
		}
	}
	// The published instances of the inventory have other numbers; their variables identify
	// them. Those of Cellda have the same variables.
	found := ""
	switch {
	case slices.Contains(published, plan.Problem):
		found = plan.Problem
	case len(published) == 1:
		found = published[0]
	default:
		return picture.Facts{}, nil
	}
	p, err := load.Load(ctx, load.Ref{Name: found, Source: load.Source{Model: load.RDDL}, Simulate: true})
	if err != nil {
		return picture.Facts{}, err
	}
	facts := factsOf(p)
	if facts.Goal = publishedGoal(p, facts.Goal); asked.Goal != "" {
		facts.Goal = nil // in terms of the files, which the RDDL does not have
	}
	return facts, nil
}

// planNames lists a plan's state variables, sorted.
func planNames(plan *picture.Plan) []string {
	var out []string
	for _, v := range plan.States[0] {
		out = append(out, v.Name)
	}
	slices.Sort(out)
	return out
}

// stateNames lists a problem's state variables and the names of their bits in the published
// files, both sorted.
func stateNames(p *load.Problem) (own, published []string) {
	for _, v := range p.Problem.OfKind(factored.State) {
		own = append(own, v.Name)
		if bits := p.Truth.Task.BitNames[v.Name]; bits != nil {
			published = append(published, bits...)
		} else {
			published = append(published, v.Name)
		}
	}
	slices.Sort(own)
	slices.Sort(published)
	return own, published
}

// publishedGoal returns the goal's values to the published bits.
func publishedGoal(p *load.Problem, goal map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for name, x := range goal {
		bits := p.Truth.Task.BitNames[name]
		if bits == nil {
			out[name] = x
		}
		for i, b := range bits { // most significant first
			out[b] = x >> (len(bits) - 1 - i) & 1
		}
	}
	return out
}

// factsOf returns the facts of a problem that has RDDL.
func factsOf(p *load.Problem) picture.Facts {
	facts := picture.Facts{From: p.Problem.Name, Goal: goalValues(p.Problem), Limits: limits(p.Problem)}
	if p.Truth == nil || p.Truth.Compiled == nil {
		return facts
	}
	g := p.Truth.Compiled.Ground
	prog := g.Program()
	facts.Objects = func(typ string) []string { return prog.Values[typ] }
	facts.Constant = func(name string, args ...string) (float64, bool) {
		v := prog.PVars[name]
		if v == nil || v.Kind != rddl.NonFluent || len(v.Params) != len(args) {
			return 0, false
		}
		return constant(g, name, args)
	}
	return facts
}

// constant evaluates a non-fluent; false if the objects do not belong to it.
func constant(g *ground.Problem, name string, args []string) (float64, bool) {
	text := name
	if len(args) > 0 {
		text += "(" + strings.Join(args, ",") + ")"
	}
	e, err := rddl.ParseExpr(text, []byte(text))
	if err != nil {
		return 0, false
	}
	if e, err = g.Program().CheckExpr(e, rddl.InGoal, rddl.Type{}); err != nil {
		return 0, false
	}
	n, err := g.Expr(e)
	if err != nil || n.Op != ground.Const {
		return 0, false
	}
	return n.Val, true
}

// maxGoalRange bounds the integers whose values are tried against goal and rules.
const maxGoalRange = 4096

// goalValues finds the state variables for which the goal leaves one value, by its
// constraints on one variable alone.
func goalValues(p *factored.Problem) map[string]int64 {
	out := map[string]int64{}
	for v, xs := range possible(p, p.Goal) {
		if len(xs) == 1 {
			out[v.Name] = xs[0]
		}
	}
	return out
}

// limits finds the ranges that goal and rules leave to quantities, by constraints on one variable alone.
func limits(p *factored.Problem) map[string]picture.Limits {
	out := map[string]picture.Limits{}
	add := func(cs []factored.Constraint, set func(l *picture.Limits, r *picture.Range)) {
		for v, xs := range possible(p, cs) {
			if n := int64(len(xs)); !v.Fixed() || n == 0 || xs[n-1]-xs[0] != n-1 {
				continue
			}
			lo, hi := v.Inside()
			r := picture.Range{Low: math.Inf(-1), High: math.Inf(1)}
			if x := xs[0]; x > lo {
				r.Low = v.Center(x)
			}
			if x := xs[len(xs)-1]; x < hi {
				r.High = v.Center(x)
			}
			if l := out[v.Name]; !math.IsInf(r.Low, 0) || !math.IsInf(r.High, 0) {
				set(&l, &r)
				out[v.Name] = l
			}
		}
	}
	add(p.Goal, func(l *picture.Limits, r *picture.Range) { l.Goal = r })
	add(p.Global, func(l *picture.Limits, r *picture.Range) { l.Rule = r })
	return out
}

// possible lists, ascending, the values that constraints on one state variable alone leave to it.
func possible(p *factored.Problem, cs []factored.Constraint) map[*factored.Variable][]int64 {
	out := map[*factored.Variable][]int64{}
	for i := range cs {
		c := &cs[i]
		v := onlyVariable(p, c)
		if v == nil || v.Kind != factored.State || v.Hi-v.Lo > maxGoalRange {
			continue
		}
		if out[v] == nil {
			for x := v.Lo; x <= v.Hi; x++ {
				out[v] = append(out[v], x)
			}
		}
		val := make(factored.Valuation, p.NumBits())
		out[v] = slices.DeleteFunc(out[v], func(x int64) bool { return v.Set(val, x) != nil || !c.Holds(val, val) })
	}
	return out
}

// onlyVariable returns the one variable whose bits a constraint mentions, or nil if there are
// several.
func onlyVariable(p *factored.Problem, c *factored.Constraint) *factored.Variable {
	var only *factored.Variable
	for _, t := range c.Terms {
		v, _ := p.Owner(t.Lit.Bit)
		if only != nil && v != only {
			return nil
		}
		only = v
	}
	return only
}
