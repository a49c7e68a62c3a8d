package load

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/problem/factored"
)

// InPDDL reports whether the problem is one in PDDL: without a horizon its plans may have any number of steps.
func (p *Problem) InPDDL() bool { return p.Truth != nil && p.Truth.Task.PDDL() != nil }

// Executed is what comes of a plan that is executed in PDDL, by code that knows nothing of the ground problem.
type Executed struct {
	Steps   int
	Metric  float64 // at the end; the number of actions where the problem has none
	Reward  float64 // that is the metric, turned around if it is a cost
	Failure error   // why the plan does not reach the goal; nil if it does
}

// Parallel reports whether a step is of any actions that do not interfere.
func (p *Problem) Parallel() bool { return p.InPDDL() && p.Truth.Task.PDDL().Parallel }

// Execute executes the actions of a plan in PDDL, named as in the ground problem; those of one step forwards, and backwards too.
func (p *Problem) Execute(steps []factored.Valuation) *Executed {
	var names, turned []string
	for _, val := range steps {
		from := len(names)
		for i := range p.Problem.Variables {
			if v := &p.Problem.Variables[i]; v.Kind == factored.Action && v.Value(val) != v.Default {
				names = append(names, v.Name)
			}
		}
		for i := len(names) - 1; i >= from; i-- {
			turned = append(turned, names[i])
		}
	}
	x := &Executed{Steps: len(names)}
	x.Metric, x.Failure = p.Truth.Task.PDDL().ValidateNamed(names)
	if x.Failure == nil && len(names) > len(steps) {
		_, x.Failure = p.Truth.Task.PDDL().ValidateNamed(turned)
	}
	x.turn(p)
	return x
}

func (x *Executed) turn(p *Problem) {
	if x.Reward = -x.Metric; p.Truth.Task.PDDL().Maximize {
		x.Reward = x.Metric
	}
}

// ExecuteText executes a plan in the format of the planning competitions; nil for a text that is none, or a problem that is not in PDDL.
func (p *Problem) ExecuteText(name string, text []byte) (*Executed, error) {
	if !p.InPDDL() {
		return nil, nil
	}
	x := new(Executed)
	var is bool
	var err error
	if x.Steps, x.Metric, x.Failure, is, err = p.Truth.Task.PDDL().ValidateText(name, text); err != nil {
		return nil, err
	}
	if !is {
		return nil, nil
	}
	x.turn(p)
	return x, nil
}

// GroundNumbers grounds a problem in PDDL with numbers, and compiles nothing; nil for other problems, and for a goal or ranges of the user's.
func GroundNumbers(ctx context.Context, r Ref) (*task.Task, error) {
	if err := r.Resolve(); err != nil || r.PDDL == "" || r.Name == "" || r.Goal != "" || len(r.Range) > 0 || r.Parallel {
		return nil, err
	}
	if r.Read == nil {
		r.Read = ReadFile
	}
	t, err := task.FromPDDL(r.PDDL, r.Name, r.Read)
	if err != nil {
		return nil, err
	}
	if _, err = t.Ground(ctx, r.Read); err != nil || !slices.ContainsFunc(t.Grounded().Fluents, func(f ground.Fluent) bool { return f.Kind == ground.State && f.Type != ground.Bool }) {
		return nil, err
	}
	return t, nil
}
