package planner

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/factored"
	"github.com/fdplan/fdplan/rddl/ground"
	"github.com/fdplan/fdplan/rddl/sim"
	"github.com/fdplan/fdplan/rddl/translate"
	"github.com/fdplan/fdplan/task"
	"github.com/fdplan/fdplan/validate"
)

// truth is a problem's RDDL, in which plans and policies can be simulated.
type truth struct {
	task     *task.Task
	compiled *translate.Compiled // nil when the problem can only be simulated
	sim      *sim.Simulator
	goal     *ground.Node // nil for none
}

// ErrNoRDDL is wrapped by errors about simulating a problem without RDDL.
var ErrNoRDDL = errors.New("there is no RDDL to simulate")

func newTruth(t *task.Task, g *ground.Problem, c *translate.Compiled) (*truth, error) {
	ranges := sim.Ranges{}
	for name, r := range t.Ranges {
		ranges[name] = sim.Range{Lo: float64(r.Lo), Hi: float64(r.Hi)}
	}
	s, err := sim.New(g, sim.WithRanges(ranges))
	if err != nil {
		return nil, err
	}
	goal, err := t.GoalOf(g)
	if err != nil {
		return nil, err
	}
	return &truth{task: t, compiled: c, sim: s, goal: goal}, nil
}

// Simulator gives the simulator of a problem that has RDDL.
func (p *Problem) Simulator() (*sim.Simulator, error) {
	if p.truth == nil {
		return nil, fmt.Errorf("%w: %s is in the FD-SAT-Plan layout", ErrNoRDDL, p.Problem.Name)
	}
	return p.truth.sim, nil
}

// pick takes the values of some fluents.
func pick(values []float64, fluents []int) []float64 {
	out := make([]float64, len(fluents))
	for i, f := range fluents {
		out[i] = values[f]
	}
	return out
}

// actions turns the actions of a plan into a simulator's.
func (p *Problem) actions(plan validate.Plan) sim.Plan {
	var out sim.Plan
	for _, a := range plan.Actions {
		out = append(out, pick(p.truth.compiled.Values(a), p.truth.sim.Actions()))
	}
	return out
}

// valuation is the present state of r and an action, as bits.
func (t *truth) valuation(r *sim.Runner, action []float64) (factored.Valuation, error) {
	values := make([]float64, len(t.compiled.Ground.Fluents))
	for _, f := range t.sim.States() {
		values[f] = r.Value(f)
	}
	for i, f := range t.sim.Actions() {
		values[f] = action[i]
	}
	return t.compiled.Valuation(values)
}

// simulated is the outcome of a plan in the simulator.
type simulated struct {
	reward  float64
	failure *Fault // nil when the plan holds
}

// simulate runs a plan in the truth, from the plan's first state where it has
// states, else from the instance's. The error is about malformed input.
func (p *Problem) simulate(plan validate.Plan) (*simulated, error) {
	tr := p.truth
	// The generator is never asked: stochastic problems are refused.
	if tr.sim.Stochastic() {
		return nil, errors.New("the RDDL is stochastic; whether a plan holds in it is a matter of chance")
	}
	r := tr.sim.NewRunner(rand.New(rand.NewPCG(0, 0)))
	err := r.Reset()
	if err == nil && plan.States != nil {
		err = r.SetState(pick(tr.compiled.Values(plan.States[0]), tr.sim.States()))
	}
	out := &simulated{}
	var own int64
	if err == nil {
		err = r.CheckState()
	}
	for t, a := range p.actions(plan) {
		if err != nil {
			break
		}
		var terminal bool
		if terminal, err = r.Terminal(); err != nil {
			break
		}
		if terminal {
			out.failure = &Fault{Step: t + 1, Group: "termination", Values: Values{}, Text: fmt.Sprintf("step %d: a termination condition holds, but the plan goes on", t+1)}
			return out, nil
		}
		var reward float64
		var scaled int64
		reward, scaled, err = p.step(r, a)
		out.reward += reward
		own += scaled
	}
	if p.ownReward {
		out.reward = p.Problem.Reward.Float(own)
	}
	if err != nil {
		out.failure = faultOf(err, r.Steps()+1)
		return out, nil
	}
	if tr.goal != nil {
		now := make([]float64, len(tr.compiled.Ground.Fluents))
		for _, f := range tr.sim.States() {
			now[f] = r.Value(f)
		}
		holds, err := ground.Eval(tr.goal, &ground.Values{Now: now})
		if err != nil {
			return nil, err
		}
		if holds == 0 {
			h := len(plan.Actions) + 1
			out.failure = &Fault{Step: h, Group: "goal", Constraint: tr.goal.String(), Values: Values{}, Text: fmt.Sprintf("step %d: the goal %s does not hold", h, tr.goal)}
		}
	}
	return out, nil
}

// step takes a joint action in the simulator. Its reward is the RDDL's or, where
// the user's has taken its place, that one as a scaled integer.
func (p *Problem) step(r *sim.Runner, action []float64) (reward float64, scaled int64, err error) {
	if !p.ownReward {
		reward, err = r.Step(action)
		return reward, 0, err
	}
	before, err := p.truth.valuation(r, action)
	if err != nil {
		return 0, 0, err
	}
	if _, err := r.Step(action); err != nil {
		return 0, 0, err
	}
	after, err := p.truth.valuation(r, action)
	if err != nil {
		return 0, 0, err
	}
	return 0, p.Problem.Reward.StepReward(before, after), nil
}

// faultOf turns an error of the simulator into a fault.
func faultOf(err error, step int) *Fault {
	f := &Fault{Step: step, Group: "simulation", Values: Values{}, Text: fmt.Sprintf("step %d: %v", step, err)}
	var v *sim.Violation
	if errors.As(err, &v) {
		f.Step, f.Group, f.Constraint = v.Step, fmt.Sprint(v.Kind), v.Condition
		f.Origin = fmt.Sprintf("%s:%d:%d", v.Pos.File, v.Pos.Line, v.Pos.Col)
		f.Text = v.Error()
		for _, x := range v.Values {
			f.Values = append(f.Values, Entry{x.Name, jsonValue(x)})
		}
	}
	return f
}

// jsonValue is a simulator's value as a Values entry.
func jsonValue(x sim.Value) any {
	switch {
	case x.Text == "true" || x.Text == "false":
		return x.Text == "true"
	case x.Value == float64(int64(x.Value)):
		return int64(x.Value)
	}
	return x.Value
}

// judge simulates the plan of a document, where there is a truth to ask, and
// writes the verdict into it.
func (p *Problem) judge(d *Document, tr *factored.Trace) error {
	if p.truth == nil || p.truth.sim.Stochastic() {
		return nil
	}
	s, err := p.simulate(validate.FromTrace(tr))
	if err != nil {
		return fmt.Errorf("simulating the plan: %w", err)
	}
	valid := s.failure == nil
	d.Valid.Simulator = &valid
	if valid {
		d.Simulated = &s.reward
	} else {
		d.SimulatorSays = s.failure.Text
	}
	return nil
}
