package inspect

import (
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/problem/factored"
)

// Summary is a problem as `fdplan show` prints it.
type Summary struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	// Determinized is the rule that gives each draw of a random problem one value; absent if
	// nothing is drawn.
	Determinized string           `json:"determinized,omitempty"`
	Horizon      int              `json:"horizon,omitempty"` // the problem's own
	Variables    []VariableLine   `json:"variables"`
	Initial      []ConstraintLine `json:"initial"`
	Global       []ConstraintLine `json:"global"`
	Goal         []ConstraintLine `json:"goal"`
	Transitions  []ConstraintLine `json:"transitions"`
	Reward       []RewardLine     `json:"reward"`
	Task         *TaskLine        `json:"task"`    // null without RDDL
	Network      *NetworkLine     `json:"network"` // null when nothing is learned
	Bits         map[string]int   `json:"bits"`    // by kind, and the network's inputs and outputs
}

// TaskLine is what a task adds to its RDDL.
type TaskLine struct {
	Domain   string   `json:"domain"`
	Instance string   `json:"instance,omitempty"`
	Goal     string   `json:"goal,omitempty"`
	Learned  []string `json:"learned,omitempty"` // base names of fluents
}

// VariableLine is one variable.
type VariableLine struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Bool    bool   `json:"bool"`
	Lo      int64  `json:"lo"`
	Hi      int64  `json:"hi"`
	Bits    int    `json:"bits"`
	Learned bool   `json:"learned"` // the network gives its next value
	Input   bool   `json:"input"`   // the network reads it
	// Published are the names of its bits in the published FD-SAT-Plan files, if the task
	// contains them.
	Published []string `json:"published,omitempty"`
}

// ConstraintLine is one constraint and its origin.
type ConstraintLine struct {
	Text   string `json:"text"`
	Origin string `json:"origin"`
}

// RewardLine is one term of the reward.
type RewardLine struct {
	Literal string  `json:"literal"`
	Weight  float64 `json:"weight"`
}

// NetworkLine is the size of a network.
type NetworkLine struct {
	Shape   string `json:"shape"` // as in the paper's Table 1
	Neurons int    `json:"neurons"`
	Edges   int    `json:"edges"`
	// Rows is the number of distinct rows it was trained on, AllLegal whether they are all
	// legal ones; null if unknown.
	Rows     *int  `json:"rows"`
	AllLegal *bool `json:"all_legal"`
}

// Show summarises a task.
func Show(problem *load.Problem) *Summary {
	t := problem.Task
	p := t.Problem
	s := &Summary{Schema: app.Schema, Problem: p.Name, Determinized: problem.Determinized, Horizon: p.Horizon, Reward: []RewardLine{}, Bits: map[string]int{
		"state": len(p.Bits(factored.State)), "action": len(p.Bits(factored.Action)), "auxiliary": len(p.Bits(factored.Auxiliary)),
		"inputs": len(p.Inputs), "outputs": len(p.Outputs),
	}}
	learned, input := map[*factored.Variable]bool{}, map[*factored.Variable]bool{}
	for _, b := range p.Outputs {
		v, _ := p.Owner(b)
		learned[v] = true
	}
	for _, b := range p.Inputs {
		v, _ := p.Owner(b)
		input[v] = true
	}
	for i := range p.Variables {
		v := &p.Variables[i]
		line := VariableLine{Name: v.Name, Kind: v.Kind.String(), Bool: v.Bool, Lo: v.Lo, Hi: v.Hi, Bits: v.Width, Learned: learned[v], Input: input[v]}
		if problem.Truth != nil {
			line.Published = problem.Truth.Task.BitNames[v.Name]
		}
		s.Variables = append(s.Variables, line)
	}
	if problem.Truth != nil {
		k := problem.Truth.Task
		s.Task = &TaskLine{Domain: k.Domain, Instance: k.Instance, Goal: k.Goal, Learned: k.Learned}
	}
	lines := func(cs []factored.Constraint) []ConstraintLine {
		out := []ConstraintLine{}
		for i := range cs {
			out = append(out, ConstraintLine{p.Format(&cs[i]), cs[i].Origin})
		}
		return out
	}
	s.Initial, s.Global, s.Goal, s.Transitions = lines(p.Initial), lines(p.Global), lines(p.Goal), lines(p.Transition)
	for _, r := range p.Reward.Terms {
		s.Reward = append(s.Reward, RewardLine{p.LitName(r.Lit), p.Reward.Float(r.Weight)})
	}
	if n := t.Network; n != nil {
		s.Network = &NetworkLine{Shape: n.Shape(), Neurons: n.Hidden() + n.Outputs(), Edges: n.Edges()}
		if seen := problem.Seen; seen != nil {
			rows, all := seen.Rows(), seen.AllLegal()
			s.Network.Rows, s.Network.AllLegal = &rows, &all
		}
	}
	return s
}

// Listing is a bundled problem as `fdplan list` prints it.
type Listing struct {
	Problem string `json:"problem"`
	Horizon int    `json:"horizon"`
	States  int    `json:"state_bits"`
	Actions int    `json:"action_bits"`
	Network string `json:"network"` // its shape; empty if there is none yet
}

// List summarises every bundled problem.
func List() ([]Listing, error) {
	var out []Listing
	for _, name := range bundled.Names() {
		t, err := bundled.Task(name)
		if err != nil {
			return nil, err
		}
		p, err := load.Load(load.Ref{Name: name, Known: t.Network == ""})
		if err != nil {
			return nil, err
		}
		l := Listing{name, p.Problem.Horizon, len(p.Problem.Bits(factored.State)), len(p.Problem.Bits(factored.Action)), ""}
		if p.Network != nil {
			l.Network = p.Network.Shape()
		}
		out = append(out, l)
	}
	return out, nil
}
