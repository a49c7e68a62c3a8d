package divide

import (
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Literal is a bit of a variable with its value at a step.
type Literal struct {
	Step     int    `json:"step"` // from 1
	Variable string `json:"variable"`
	Bit      int    `json:"bit,omitempty"` // 0 is the most significant
	Value    bool   `json:"value"`
}

// Unit asks for the best plan of a cube. With the problem that it is about it is all that a
// worker needs.
type Unit struct {
	ID      string    `json:"id"`      // the same for the same cube of a problem
	Attempt int       `json:"attempt"` // how often it was asked before
	Horizon int       `json:"horizon"`
	Cube    []Literal `json:"cube"`
	Engine  string    `json:"engine"`           // a name of Engines
	Work    int64     `json:"work,omitempty"`   // budget in the engine's own measure; 0 is no bound
	Memory  int64     `json:"memory,omitempty"` // bytes; 0 is no bound
	Proof   bool      `json:"proof,omitempty"`  // a proof is wanted
	// Literal has the proof be about the paper's own rows, else about the model with
	// propagated constants.
	Literal bool `json:"literal,omitempty"`
}

// Outcome is what a worker found out of a unit.
type Outcome struct {
	ID string `json:"id"`
	// Infeasible reports that the cube has no plan.
	Infeasible bool `json:"infeasible,omitempty"`
	// Bound is an upper bound on the scaled reward of the cube's plans; nil if none is known.
	Bound *int64 `json:"bound,omitempty"`
	// Best is the best plan that the worker knows; it may be of another cube.
	Best *Best `json:"best,omitempty"`
	// Reason says why the unit ended before it was settled; empty if it was settled.
	Reason string `json:"reason,omitempty"`
	// Fault says why there is no outcome: the worker died, or it failed.
	Fault string `json:"fault,omitempty"`
	// Lost says why there are no workers any more.
	Lost error `json:"-"`
	Work int64 `json:"work"` // in the engine's own measure
	// Proof shows Infeasible or Bound, as a part in the sense of proof.Logger.Append,
	// compressed by gzip; nil if there is none.
	Proof []byte `json:"proof,omitempty"`
}

// Best is a plan with its scaled reward.
type Best struct {
	Reward int64 `json:"reward"`
	// Steps has a line for each step 1..H+1: a character 0 or 1 for each bit of the problem.
	Steps []string `json:"steps"`
}

// Board shows all who work on a problem the best plan so far. Its methods may be called from
// several goroutines. What it shows may be out of date: units then do more work than they
// need, and no result changes.
type Board interface {
	// Publish puts up a plan, if it is better than what is shown.
	Publish(Best)
	// Best is the plan that is shown; nil if there is none. It may come from anybody.
	Best() *Best
	// Refuse sets a plan aside that Best has returned: the checker refuses it.
	Refuse(b *Best, why error)
}

// bestOf writes a trace as plain data.
func bestOf(t *factored.Trace, reward int64) *Best {
	b := &Best{Reward: reward, Steps: make([]string, len(t.Steps))}
	for i, step := range t.Steps {
		bits := make([]byte, len(step))
		for j, on := range step {
			bits[j] = '0'
			if on {
				bits[j] = '1'
			}
		}
		b.Steps[i] = string(bits)
	}
	return b
}

// trace reads a plan of p over the horizon back.
func (b *Best) trace(p *factored.Problem, horizon int) (*factored.Trace, error) {
	if len(b.Steps) != horizon+1 {
		return nil, fmt.Errorf("a plan has %d steps and a last state, expected %d and one", len(b.Steps)-1, horizon)
	}
	t := &factored.Trace{Steps: make([]factored.Valuation, len(b.Steps))}
	for i, line := range b.Steps {
		if len(line) != p.NumBits() {
			return nil, fmt.Errorf("step %d of a plan has %d bits, expected %d", i+1, len(line), p.NumBits())
		}
		t.Steps[i] = make(factored.Valuation, len(line))
		for j := range line {
			if line[j] != '0' && line[j] != '1' {
				return nil, fmt.Errorf("step %d of a plan has the bit %q, expected 0 or 1", i+1, line[j])
			}
			t.Steps[i][j] = line[j] == '1'
		}
	}
	return t, nil
}

// checked reads a plan back and has the checker replay it: a plan may come from anywhere. It
// returns the reward that the checker counts, which is more than an engine's where auxiliary
// bits that the engine set in another way count.
func (b *Best) checked(t engine.Task, horizon int) (*factored.Trace, int64, error) {
	trace, err := b.trace(t.Problem, horizon)
	if err != nil {
		return nil, 0, err
	}
	report, err := validate.Check(t.Problem, t.Network, validate.FromTrace(trace))
	switch {
	case err != nil:
		return nil, 0, err
	case !report.Valid:
		return nil, 0, fmt.Errorf("a plan fails: %w", report.Failure)
	case report.Reward < b.Reward:
		return nil, 0, fmt.Errorf("a plan has the reward %d, not %d", report.Reward, b.Reward)
	}
	return trace, report.Reward, nil
}

// Judge reports what the checker finds wrong with a plan of t over the horizon, whose reward
// has to be at least what b says.
func (b *Best) Judge(t engine.Task, horizon int) error {
	_, _, err := b.checked(t, horizon)
	return err
}

// literals writes a cube as plain data.
func literals(p *factored.Problem, cube []model.Given) []Literal {
	out := make([]Literal, len(cube))
	for i, g := range cube {
		v, bit := p.Owner(g.Bit)
		out[i] = Literal{Step: g.Step, Variable: v.Name, Bit: bit, Value: g.Value}
	}
	return out
}

// errCube is wrapped by the error for a cube that is not one of the problem.
var errCube = errors.New("not a cube of this problem")

// given reads a cube back. Steps are checked where the model is made.
func given(p *factored.Problem, cube []Literal) ([]model.Given, error) {
	out := make([]model.Given, len(cube))
	for i, l := range cube {
		v, ok := p.Lookup(l.Variable)
		if !ok {
			return nil, fmt.Errorf("%w: there is no variable %q", errCube, l.Variable)
		}
		if l.Bit < 0 || l.Bit >= v.Width {
			return nil, fmt.Errorf("%w: %s has no bit %d, but %d bits", errCube, v.Name, l.Bit, v.Width)
		}
		out[i] = model.Given{Step: l.Step, Bit: v.First + factored.Bit(l.Bit), Value: l.Value}
	}
	return out, nil
}
