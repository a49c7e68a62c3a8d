package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/problem/factored"
)

// Summary is a problem as `fdplan show` prints it.
type Summary struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	// About is what the RDDL or PDDL says of itself in its first comment, up to an empty line; absent if there is none.
	About string `json:"about,omitempty"`
	load.Altered
	Horizon     int              `json:"horizon,omitempty"` // the problem's own
	Variables   []VariableLine   `json:"variables"`
	Initial     []ConstraintLine `json:"initial"`
	Global      []ConstraintLine `json:"global"`
	Goal        []ConstraintLine `json:"goal"`
	Transitions []ConstraintLine `json:"transitions"`
	Reward      []RewardLine     `json:"reward"`
	Constant    float64          `json:"reward_constant"`  // added to the reward of every step
	Task        *TaskLine        `json:"task"`             // null without RDDL
	Network     *NetworkLine     `json:"network"`          // null when nothing is learned
	Chance      []ChanceLine     `json:"chance,omitempty"` // what is drawn in a step; absent if nothing is
	// Untrained reports that there is something to learn and no network yet; absent if not.
	Untrained bool           `json:"untrained,omitempty"`
	Bits      map[string]int `json:"bits"` // by kind, and the network's inputs and outputs
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
	Name string `json:"name"`
	Kind string `json:"kind"`
	Bool bool   `json:"bool"`
	Lo   int64  `json:"lo"`
	Hi   int64  `json:"hi"`
	Bits int    `json:"bits"`
	// Values are the names of an enumeration, Edges, Unit and Bins the bins of a quantity; absent
	// for other variables.
	Values []string  `json:"values,omitempty"`
	Edges  []float64 `json:"edges,omitempty"`
	Unit   string    `json:"unit,omitempty"`
	Bins   []string  `json:"bins,omitempty"` // as plans and states name them, from Lo on
	// Step is the step of a quantity of fixed decimals, in which Lo and Hi are counted; absent
	// for other variables.
	Step json.Number `json:"step,omitempty"`
	// Default is the value of an action that plans omit; absent if it is false or 0, or Listed.
	Default any  `json:"default,omitempty"`
	Listed  bool `json:"listed,omitempty"` // an action that every step of a plan has: it has no default
	// Meaning is the condition that an auxiliary variable stands for; absent if unknown.
	Meaning string `json:"meaning,omitempty"`
	Range   string `json:"range"`   // its values in the problem's own names and units
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
	Integer bool    `json:"integer,omitempty"` // the value of an integer is paid, and not a condition
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

// about is the first paragraph of the comment that a text begins with.
func about(text string) string {
	var words []string
	for line := range strings.SplitSeq(text, "\n") {
		comment := strings.TrimLeft(strings.TrimSpace(line), "/;")
		if comment == strings.TrimSpace(line) || strings.TrimSpace(comment) == "" {
			break
		}
		words = append(words, strings.TrimSpace(comment))
	}
	return strings.Join(words, " ")
}

// Show summarises a task.
func Show(problem *load.Problem) *Summary {
	t := problem.Task
	p := t.Problem
	s := &Summary{Schema: app.Schema, Problem: p.Name, Altered: problem.Altered, Horizon: p.Horizon, Reward: []RewardLine{}, Bits: map[string]int{
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
	inFunction := ofFunctions(p)
	for i := range p.Variables {
		v := &p.Variables[i]
		if v.Clock > 0 || inFunction[v] {
			continue
		}
		line := variableLine(v)
		line.Learned, line.Input = learned[v], input[v]
		if problem.Truth != nil {
			line.Published = problem.Truth.Task.BitNames[v.Name]
		}
		s.Variables = append(s.Variables, line)
	}
	if problem.Truth != nil {
		k := problem.Truth.Task
		s.Task = &TaskLine{Domain: k.Domain, Instance: k.Instance, Goal: k.Goal, Learned: k.Learned}
		if text, err := problem.Truth.Text(); err == nil {
			s.About = about(string(text))
		}
	}
	s.Initial, s.Global, s.Goal, s.Transitions = initialLines(p), lines(p, p.Global), lines(p, p.Goal), append(functionLines(p), lines(p, p.Transition)...)
	s.pay(p)
	s.Chance = chanceLines(problem.Chance)
	s.Untrained = t.Network == nil && len(p.Outputs) > 0
	if n := t.Network; n != nil {
		s.Network = &NetworkLine{Shape: n.Shape(), Neurons: n.Hidden() + n.Outputs(), Edges: n.Edges()}
		if seen := problem.One().Seen; seen != nil {
			rows, all := seen.Rows(), seen.AllLegal()
			s.Network.Rows, s.Network.AllLegal = &rows, &all
		}
	}
	return s
}

// functionLines are the functions of states.
func functionLines(p *factored.Problem) (out []ConstraintLine) {
	for i := range p.Functions {
		f := &p.Functions[i]
		v := &p.Variables[f.Variable]
		text := f.Text
		if from, err := p.Earlier(v); text == "" && err == nil {
			text = v.Name + "' = " + from.Name
		}
		out = append(out, ConstraintLine{text, "function of " + v.Name})
	}
	return out
}

// ofFunctions are the auxiliary variables of their constraints.
func ofFunctions(p *factored.Problem) map[*factored.Variable]bool {
	all := map[*factored.Variable]bool{}
	for _, cs := range [][]factored.Constraint{p.Global, p.Transition} {
		for i := range cs {
			for _, t := range cs[i].Terms {
				if v, _ := p.Owner(t.Lit.Bit); cs[i].Function && v.Kind == factored.Auxiliary {
					all[v] = true
				}
			}
		}
	}
	return all
}

// lines describes constraints. The definitions of auxiliary variables that are shown by their
// meaning are left out, as are those of the numbers of steps, and of what is shown as it was written.
func lines(p *factored.Problem, cs []factored.Constraint) []ConstraintLine {
	written := map[string]bool{"reward": p.Reward.Written != nil} // by origin
	for _, group := range [][]factored.Constraint{p.Global, p.Goal, p.Transition} {
		for i := range group {
			written[group[i].Origin] = written[group[i].Origin] || group[i].Written != nil
		}
	}
	out := []ConstraintLine{}
	for i := range cs {
		if c := &cs[i]; !c.Function && (!c.Defines || !isKnown(p, c) && !written[c.Origin]) {
			out = append(out, ConstraintLine{p.Format(c), c.Origin})
		}
	}
	return out
}

// pay describes the reward: by its terms, or, if these are bits of products and the like, as it was
// written.
func (s *Summary) pay(p *factored.Problem) {
	w := p.Reward.Written
	for _, t := range p.Reward.Terms {
		if v, _ := p.Owner(t.Lit.Bit); w != nil && v.Kind == factored.Auxiliary && v.Meaning == "" {
			s.Reward = append(s.Reward, RewardLine{"(" + w.String() + ")", true, 1})
			return
		}
	}
	s.Constant = p.Reward.Float(p.Reward.Constant)
	for _, r := range p.Payoffs() {
		weight := p.Reward.Float(r.Weight)
		if r.Of != nil {
			step, _ := r.Of.Step().Float64()
			weight /= step
		}
		s.Reward = append(s.Reward, RewardLine{r.Text, r.Of != nil, weight})
	}
}

// isKnown reports whether c is about a variable that a reader knows without it: the number of
// a step, or auxiliary variables with a meaning.
func isKnown(p *factored.Problem, c *factored.Constraint) bool {
	known := false
	for _, t := range c.Terms {
		v, _ := p.Owner(t.Lit.Bit)
		if v.Kind == factored.Auxiliary && v.Meaning == "" {
			return false
		}
		known = known || v.Kind == factored.Auxiliary || v.Clock > 0
	}
	return known
}

// initialLines describes I, with one line for the bits of an integer variable that I fixes.
func initialLines(p *factored.Problem) []ConstraintLine {
	fixed := map[*factored.Variable]map[factored.Bit]bool{}
	val := make(factored.Valuation, p.NumBits())
	single := func(c *factored.Constraint) (*factored.Variable, bool) {
		if c.Op != factored.EQ || len(c.Terms) != 1 || c.Terms[0].Coef != 1 || c.Terms[0].Lit.Neg || c.K < 0 || c.K > 1 {
			return nil, false
		}
		v, _ := p.Owner(c.Terms[0].Lit.Bit)
		return v, !v.Bool
	}
	for i := range p.Initial {
		c := &p.Initial[i]
		if v, ok := single(c); ok {
			if fixed[v] == nil {
				fixed[v] = map[factored.Bit]bool{}
			}
			b := c.Terms[0].Lit.Bit
			fixed[v][b], val[b] = true, c.K == 1
		}
	}
	out := []ConstraintLine{}
	done := map[*factored.Variable]bool{}
	for i := range p.Initial {
		c := &p.Initial[i]
		if c.Defines && isKnown(p, c) {
			continue
		}
		v, ok := single(c)
		if !ok || len(fixed[v]) != v.Width {
			out = append(out, ConstraintLine{p.Format(c), c.Origin})
			continue
		}
		if done[v] {
			continue
		}
		done[v] = true
		text := fmt.Sprintf("%s == %v", v.Name, v.Show(v.Value(val)))
		if v.Quantity() {
			text = fmt.Sprintf("%s in %v", v.Name, v.Show(v.Value(val)))
		}
		out = append(out, ConstraintLine{text, c.Origin})
	}
	return out
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
func List(ctx context.Context) ([]Listing, error) {
	var out []Listing
	for _, name := range bundled.Names() {
		t, err := bundled.Task(name)
		if err != nil {
			return nil, err
		}
		p, err := load.Load(ctx, load.Ref{Name: name, Source: load.Source{Model: map[bool]string{true: load.RDDL}[t.Network == ""]}})
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

// variableLine describes a variable by itself.
func variableLine(v *factored.Variable) VariableLine {
	line := VariableLine{Name: v.Name, Kind: v.Kind.String(), Bool: v.Bool, Lo: v.Lo, Hi: v.Hi, Bits: v.Width, Range: v.RangeText(), Meaning: v.Meaning}
	if v.View != nil {
		line.Values, line.Edges, line.Unit = v.View.Names, v.View.Edges, v.View.Unit
		if v.Fixed() {
			line.Step = json.Number(v.Decimal(1))
		}
		for x := v.Lo; v.Quantity() && x <= v.Hi; x++ {
			line.Bins = append(line.Bins, fmt.Sprint(v.Show(x)))
		}
	}
	switch {
	case v.Kind != factored.Action:
	case !v.HasDefault():
		line.Listed = true
	case v.Default != 0:
		line.Default = v.Show(v.Default)
	}
	return line
}
