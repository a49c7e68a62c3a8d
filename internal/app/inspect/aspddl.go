package inspect

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/problem/factored"
)

// AsPDDL makes a ground problem in PDDL of one that is known or learned: an action for each joint action, or for each of the ways in which it may happen,
// with what it changes where. The cost of a step is what its reward lacks to the most that a step may have. With a horizon, a plan has so many steps.
func AsPDDL(ctx context.Context, p *load.Problem, horizon int) (*pddl.Ground, error) {
	s, err := step.New(p.Task)
	if err != nil {
		return nil, err
	}
	ops, joint, gates, err := bound.Operators(ctx, p.Task, bound.Reading{Most: bound.MostJoint, Gated: true})
	if err != nil {
		return nil, err
	}
	if ops == nil {
		return nil, fmt.Errorf("%s: a step of it has no short form as actions; expected fewer joint actions, or next values that depend on less", p.Problem.Name)
	}
	most := s.MostReward()
	if horizon == 0 && most > 0 {
		return nil, fmt.Errorf("%s: a step may have a reward above 0, so that longer plans may be better; expected -H N, a number of steps", p.Problem.Name)
	}
	if horizon == 0 {
		most = 0
	}
	g := &pddl.Ground{Domain: p.Problem.Name, Name: p.Problem.Name, Steps: horizon, Comments: []string{
		fmt.Sprintf("%s as PDDL: %s, %s.", p.Problem.Name, counted.Of(len(ops), "action"), counted.Of(len(s.StateBits), "fact")),
		fmt.Sprintf("The reward of a plan is (%d - total-cost) / %d.", int64(horizon)*most, max(1, p.Problem.Reward.Scale))}}
	for _, b := range s.StateBits {
		g.Atoms = append(g.Atoms, bitName(p.Problem, b))
	}
	parts := facts{of: g}
	parts.define(gates)
	if g.Initial, err = start(s); err != nil {
		return nil, err
	}
	goal, ends, ok, err := bound.Final(ctx, p.Task)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: its goal has no short form; expected one over fewer fluents", p.Problem.Name)
	}
	last := facts{of: g}
	last.define(ends)
	for _, c := range goal {
		g.Goal = append(g.Goal, last.cases(c))
	}
	for _, o := range ops {
		a := pddl.GroundAction{Name: actionName(s, joint[o.Action]), Needs: parts.literals(o.Needs), Cost: most - o.Reward, Joint: joint[o.Action]}
		for _, e := range o.Effects {
			a.Effects = append(a.Effects, pddl.GroundEffect{Literal: parts.literals([]bound.Fact{e.Fact})[0], When: parts.literals(e.When)})
		}
		if horizon > 0 || len(a.Effects) > 0 {
			g.Actions = append(g.Actions, a)
		}
	}
	return g, nil
}

// facts writes facts about bits, and about gates that it defined.
type facts struct {
	of    *pddl.Ground
	atoms map[int32]int // by the place of a gate
}

// define makes atoms of gates.
func (f *facts) define(gates []bound.Gate) {
	f.atoms = map[int32]int{}
	for _, d := range gates {
		f.atoms[d.Place] = len(f.of.Atoms)
		f.of.Atoms = append(f.of.Atoms, fmt.Sprintf("gate %d", len(f.of.Derived)+1))
		f.of.Derived = append(f.of.Derived, pddl.GroundDerived{Atom: f.atoms[d.Place], Cases: f.cases(d.Cases)})
	}
}

func (f *facts) cases(list [][]bound.Fact) (out [][]pddl.Literal) {
	for _, c := range list {
		out = append(out, f.literals(c))
	}
	return out
}

func (f *facts) literals(list []bound.Fact) (out []pddl.Literal) {
	for _, x := range list {
		atom, gate := f.atoms[x.Place]
		if !gate {
			atom = int(x.Place)
		}
		out = append(out, pddl.Literal{Atom: atom, On: x.On})
	}
	return out
}

// bitName names a state bit: by its fluent, and where that has several, by its place from the last on.
func bitName(p *factored.Problem, b factored.Bit) string {
	v, k := p.Owner(b)
	if v.Width == 1 {
		return v.Name
	}
	return fmt.Sprintf("%s-%d", v.Name, v.Width-1-k)
}

// actionName names a joint action by the bits that are true.
func actionName(s *step.Step, places []int) string {
	if len(places) == 0 {
		return "rest"
	}
	name := ""
	for _, i := range places {
		name += " " + bitName(s.Task.Problem, s.ActionBits[i])
	}
	return name
}

// start is the initial state.
func start(s *step.Step) (out []bool, err error) {
	found := 0
	st := s.First().NewState()
	if st.Consistent() {
		st.Each(s.Now, func() bool {
			out = nil
			for _, l := range s.Now {
				out = append(out, st.Value(l) > 0)
			}
			found++
			return found < 2
		})
	}
	if found != 1 {
		return nil, fmt.Errorf("%s has %s; expected one: --set-initial", s.Task.Problem.Name, counted.Of(found, "or more initial state"))
	}
	return out, nil
}
