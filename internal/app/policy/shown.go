package policy

import (
	"math"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// guarded is a policy.Guarded process whose states and actions can be shown.
type guarded struct {
	process
	by policy.Guarded
}

// Expand implements policy.Process.
func (g *guarded) Expand(state []uint64, x *policy.Expansion) error { return g.by.Expand(state, x) }

// shown tells which actions rows show in a state.
type shown struct {
	m     *model
	r     *coverage.Record
	least float64 // reward of a row, as the model has it
	val   factored.Valuation
	in    []uint64
}

// newRows is the share of rows up to which it is no matter of course that states and actions are new.
const newRows = .1

// newShown returns what rows show; nil where they are not recorded, or where so many states and actions stand in one row alone that about newRows of
// further rows would have new ones, too (Good, The population frequencies of species, 1953).
func newShown(p *load.Problem, m *model, objective policy.Objective) *shown {
	r := p.Record
	if r == nil || !r.Whole {
		return nil
	}
	x := &shown{m: m, r: r, least: math.Inf(1), val: make(factored.Valuation, p.Problem.NumBits()), in: make([]uint64, (len(p.Problem.Inputs)+63)/64)}
	then := make(factored.Valuation, p.Problem.NumBits())
	alone, rows := 0, 0
	for i := range r.Len() {
		o := r.Outcome(i)
		for k, b := range p.Problem.Inputs {
			x.val[b] = o.Input(k)
		}
		for k, b := range p.Problem.Outputs {
			then[b] = o.Output(k)
		}
		if objective == policy.Success {
			x.least = 0
		} else if reward, ok := validate.StepReward(m.of, x.val, then); ok {
			x.least = min(x.least, m.of.Reward.Float(reward))
		}
		x.val.Pack(x.in, p.Problem.Inputs)
		if from, to := r.Of(x.in); o.Count() == 1 && to-from == 1 {
			alone++
		}
		rows += o.Count()
	}
	if math.IsInf(x.least, 1) || float64(alone) > newRows*float64(rows) {
		return nil
	}
	return x
}

// shows reports whether some row has a state and an action.
func (x *shown) shows(state []uint64, action uint32) (bool, error) {
	if err := x.m.process.Unpack(x.val, state); err != nil {
		return false, err
	}
	if err := x.m.process.Action(x.val, action); err != nil {
		return false, err
	}
	x.val.Pack(x.in, x.m.p.Problem.Inputs)
	from, to := x.r.Of(x.in)
	return from < to, nil
}
