package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrFeasible is wrapped where there is nothing to explain: all constraints can
// hold together.
var ErrFeasible = errors.New("the constraints can hold together: there is a plan")

// ErrStopped is wrapped where a limit was reached before it was known that the
// constraints cannot hold together.
var ErrStopped = errors.New("stopped before it was known that there is no plan")

// Member is a constraint of a minimal set, at the steps where it is needed.
type Member struct {
	Group  string // initial, global or goal
	What   string // what it states, as a formula
	Words  string // the same in plain English; "" if it is about hidden variables
	Origin string // where it comes from
	Steps  []int  // 1..H+1, ascending
}

// MUS is a minimal unsatisfiable subset: constraints that cannot hold together
// over the horizon, of which none can be left out.
type MUS struct {
	Horizon int
	// Members come in the order initial, global, goal, each in the problem's own
	// order. It is empty when the transition alone allows no run of this length.
	Members []Member
	// Transition reports whether the members exclude each other only because of
	// how states follow from actions; else they do so by themselves.
	Transition bool
	// Minimal reports whether no member can be left out, nor any of its steps. It
	// is false only where a limit was reached before that was shown.
	Minimal bool
	Checks  int // how often the solver was asked
}

// candidate is what can be a member: constraints that come and go together.
type candidate struct {
	group      model.Group
	constraint *factored.Constraint
	// value is the variable of which a member of I states the initial value; else nil.
	value *factored.Variable
	zero  bool // that value is false or 0
	// guards has the guard of each step, in the order of steps; members of I
	// have one for all their bits.
	guards []sat.Lit
	steps  []int
}

// extraction asks a solver which guards are needed.
type extraction struct {
	ctx        context.Context
	p          *factored.Problem
	budget     sat.Budget
	s          *sat.Solver
	candidates []candidate
	checks     int
}

// FindMUS returns a minimal set of constraints of a task that cannot hold together
// over a horizon. Of several such sets it prefers those that do not need the
// transition, then those with goals, then those with initial values other than
// false and 0. The result does not depend on threads. When ctx ends early it is
// not Minimal, or the error wraps ErrStopped.
func FindMUS(ctx context.Context, t engine.Task, horizon int, l engine.Limits) (*MUS, error) {
	checks := 0
	for _, transition := range []bool{false, true} {
		x, err := newExtraction(ctx, t, horizon, l, transition)
		if err != nil {
			return nil, err
		}
		mus, err := x.minimize()
		checks += x.checks
		switch {
		case err == nil:
			mus.Horizon, mus.Transition, mus.Checks = horizon, transition, checks
			return mus, nil
		case errors.Is(err, ErrFeasible) && !transition:
			continue
		}
		return nil, fmt.Errorf("%s over %d steps: %w", t.Problem.Name, horizon, err)
	}
	return nil, fmt.Errorf("%s over %d steps: %w", t.Problem.Name, horizon, ErrFeasible)
}

// newExtraction loads the unrolled model with a guard for each constraint of I, C
// and G at each step. Without the transition its variables are free.
func newExtraction(ctx context.Context, t engine.Task, horizon int, l engine.Limits, transition bool) (*extraction, error) {
	m, err := model.New(t.Problem, t.Network, horizon, model.Options{})
	if err != nil {
		return nil, err
	}
	x := &extraction{ctx: ctx, p: t.Problem, budget: sat.Budget{Memory: l.Memory}, s: sat.New(sat.Options{StateNogoods: true, FixedOrder: true})}
	x.s.Grow(m.NumVars())
	guards := x.list(horizon)
	err = conflict.Load(ctx, x.s, m, func(t int, g model.Group, i int) (sat.Lit, bool) {
		switch g {
		case model.Initial, model.Global, model.Goal:
			return guards[place{t, i, g}], true
		}
		return sat.NoLit, transition
	})
	if err != nil && ctx.Err() != nil {
		return nil, x.stopped()
	}
	if err != nil {
		return nil, err
	}
	conflict.Advise(x.s, m)
	return x, nil
}

// place is a constraint of the model: sum i of a group at step t.
type place struct {
	t, i int
	g    model.Group
}

// guards are the guards of constraints, NoLit for definitions.
type guards map[place]sat.Lit

// list makes the candidates with their guards.
func (x *extraction) list(horizon int) guards {
	at, p := guards{}, x.p
	x.listInitial(p, at)
	x.listGlobal(p, horizon, at)
	for i := range p.Goal {
		if c := &p.Goal[i]; !c.Defines {
			n := candidate{group: model.Goal, constraint: c}
			at[place{horizon + 1, i, model.Goal}] = x.guard(&n, horizon+1)
			x.candidates = append(x.candidates, n)
		}
	}
	return at
}

// guard adds a guard at step t to a candidate.
func (x *extraction) guard(c *candidate, t int) sat.Lit {
	g := x.s.NewVar()
	c.guards, c.steps = append(c.guards, g), append(c.steps, t)
	return g
}

// listInitial makes the candidates of I. The values that I gives to the bits of
// one variable are one candidate, unless it gives a bit several.
func (x *extraction) listInitial(p *factored.Problem, at guards) {
	values := map[factored.Bit]int{} // how many each bit is given
	for i := range p.Initial {
		if assigned(p, &p.Initial[i]) != nil {
			values[p.Initial[i].Terms[0].Lit.Bit]++
		}
	}
	byVariable := map[*factored.Variable]int{}
	for i := range p.Initial {
		c := &p.Initial[i]
		if c.Defines {
			continue
		}
		v := assigned(p, c)
		for j := 0; v != nil && j < v.Width; j++ {
			if values[v.First+factored.Bit(j)] > 1 {
				v = nil
			}
		}
		n := candidate{group: model.Initial, constraint: c}
		if v != nil {
			if k, ok := byVariable[v]; ok {
				at[place{1, i, model.Initial}] = x.candidates[k].guards[0]
				continue
			}
			byVariable[v] = len(x.candidates)
			what := initialValue(p, v, " = ")
			n.value, n.zero = v, strings.HasSuffix(what, " = false") || strings.HasSuffix(what, " = 0")
		}
		at[place{1, i, model.Initial}] = x.guard(&n, 1)
		x.candidates = append(x.candidates, n)
	}
}

// listGlobal makes the candidates of C. Those on states alone hold at step H+1
// too.
func (x *extraction) listGlobal(p *factored.Problem, horizon int, at guards) {
	last := 0 // constraints that hold at step H+1
	for i := range p.Global {
		c := &p.Global[i]
		atEnd := !p.HasAction(c)
		if !c.Defines {
			n := candidate{group: model.Global, constraint: c}
			for t := 1; t <= horizon; t++ {
				at[place{t, i, model.Global}] = x.guard(&n, t)
			}
			if atEnd {
				at[place{horizon + 1, last, model.Global}] = x.guard(&n, horizon+1)
			}
			x.candidates = append(x.candidates, n)
		}
		if atEnd {
			last++
		}
	}
}

// assigned returns the variable to a bit of which c gives a value, nil when c
// states something else.
func assigned(p *factored.Problem, c *factored.Constraint) *factored.Variable {
	if len(c.Terms) != 1 || c.Op != factored.EQ || c.Terms[0].Coef != 1 {
		return nil
	}
	v, _ := p.Owner(c.Terms[0].Lit.Bit)
	return v
}

// initialValue states the values that I gives to the bits of a variable: as one
// value after is where it gives all of them.
func initialValue(p *factored.Problem, v *factored.Variable, is string) string {
	val := make(factored.Valuation, p.NumBits())
	given := map[factored.Bit]bool{}
	var texts []string
	for i := range p.Initial {
		c := &p.Initial[i]
		if assigned(p, c) != v {
			continue
		}
		l := c.Terms[0].Lit
		given[l.Bit] = true
		val[l.Bit] = (c.K == 1) != l.Neg
		texts = append(texts, p.Format(c))
	}
	if len(given) < v.Width {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s%s%v", v.Name, is, v.Show(v.Value(val)))
}

// minimize drops candidates, then steps of those that stay.
func (x *extraction) minimize() (*MUS, error) {
	all := make([][]sat.Lit, len(x.candidates))
	for i := range x.candidates {
		all[i] = x.candidates[i].guards
	}
	status, core := x.ask(all)
	switch status {
	case sat.Satisfiable:
		return nil, ErrFeasible
	case sat.Unknown:
		return nil, x.stopped()
	}
	members := make([][]sat.Lit, len(all))
	for i, id := range x.order() {
		members[i] = all[id]
	}
	members, minimal := x.reduce(members, core)
	if minimal {
		var single [][]sat.Lit
		for _, m := range members {
			for _, g := range m {
				single = append(single, []sat.Lit{g})
			}
		}
		members, minimal = x.reduce(single, nil)
	}
	return &MUS{Members: x.members(members), Minimal: minimal}, nil
}

// order lists the candidates in the order in which they are tried; what is tried
// first is dropped first. The values false and 0 of I come first, then C, then
// the rest of I, then G. Within each the last comes first, so that of two like
// constraints the first stays.
func (x *extraction) order() []int {
	rank := func(c *candidate) int {
		switch {
		case c.zero:
			return 0
		case c.group == model.Global:
			return 1
		case c.group == model.Initial:
			return 2
		}
		return 3
	}
	var ids []int
	for i := range x.candidates {
		ids = append(ids, i)
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		return cmp.Or(rank(&x.candidates[a])-rank(&x.candidates[b]), b-a)
	})
	return ids
}

// members lists the candidates of which guards are kept, at the steps of these.
func (x *extraction) members(groups [][]sat.Lit) (members []Member) {
	kept := map[sat.Lit]bool{}
	for _, group := range groups {
		for _, g := range group {
			kept[g] = true
		}
	}
	for i := range x.candidates {
		c := &x.candidates[i]
		n := Member{Group: c.group.String(), Origin: c.constraint.Origin}
		for j, g := range c.guards {
			if kept[g] {
				n.Steps = append(n.Steps, c.steps[j])
			}
		}
		if len(n.Steps) == 0 {
			continue
		}
		if n.What, n.Words = x.p.Format(c.constraint), x.p.Words(c.constraint); c.value != nil {
			is := " is "
			if c.value.Quantity() {
				is = " is in "
			}
			n.What, n.Words = initialValue(x.p, c.value, " = "), initialValue(x.p, c.value, is)
		}
		members = append(members, n)
	}
	return members
}

// reduce drops groups of guards as long as the rest cannot hold together. core, if
// not nil, is known to be enough. It reports whether it tried
// them all: then each group that is left is needed.
func (x *extraction) reduce(groups [][]sat.Lit, core []sat.Lit) ([][]sat.Lit, bool) {
	groups = x.refine(groups, core)
	for i := 0; i < len(groups); {
		rest := slices.Delete(slices.Clone(groups), i, i+1)
		status, core := x.ask(rest)
		switch status {
		case sat.Unknown:
			return groups, false
		case sat.Satisfiable:
			i++ // needed: the groups before i are, whatever else goes
		default:
			groups = x.refine(rest, core)
		}
	}
	return groups, true
}

// refine leaves out groups that have no part in a core; nil stands for all.
func (x *extraction) refine(groups [][]sat.Lit, core []sat.Lit) [][]sat.Lit {
	if core == nil {
		return groups
	}
	in := map[sat.Lit]bool{}
	for _, l := range core {
		in[l] = true
	}
	return slices.DeleteFunc(slices.Clone(groups), func(group []sat.Lit) bool {
		return !slices.ContainsFunc(group, func(g sat.Lit) bool { return in[g] })
	})
}

// ask wants all guards of groups, and no others, to hold. core is not nil when
// that cannot be.
func (x *extraction) ask(groups [][]sat.Lit) (status sat.Status, core []sat.Lit) {
	x.checks++
	wanted := map[sat.Lit]bool{}
	var assumptions []sat.Lit
	for _, group := range groups {
		for _, g := range group {
			wanted[g] = true
			assumptions = append(assumptions, g)
		}
	}
	for i := range x.candidates {
		for _, g := range x.candidates[i].guards {
			if !wanted[g] {
				assumptions = append(assumptions, g.Not())
			}
		}
	}
	status = x.s.Solve(x.ctx, assumptions, x.budget)
	if status == sat.Unsatisfiable {
		core = append([]sat.Lit{}, x.s.Core()...)
	}
	return status, core
}

// stopped is the error for a solver that gave up, with the reason.
func (x *extraction) stopped() error {
	if x.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrStopped, context.Cause(x.ctx))
	}
	return fmt.Errorf("%w: the memory limit of %d MiB was reached", ErrStopped, x.budget.Memory>>20)
}
