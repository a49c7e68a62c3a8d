package load

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/expr"
)

// fromDeclared loads a task that declares its fluents itself. Nothing is known of their
// dynamics but what the network has learned.
func fromDeclared(t *task.Task, r Ref, o task.Options, read task.ReadFile) (*Problem, error) {
	if r.known() && !r.Simulate {
		return nil, source.Errorf(t.File, 0, 0, "--model rddl needs RDDL; this task has none")
	}
	f, err := t.Factored(o.Name)
	if err != nil {
		return nil, err
	}
	p := &Problem{Task: engine.Task{Problem: f}, Declared: t, Unknown: t.Learned}
	if r.Untrained || r.Simulate {
		return p, nil
	}
	if t.Network == "" {
		return nil, source.Errorf(t.File, 1, 0, "%s has no network yet; train one with fdplan train DATA --task %s -o NETWORK, and add network = \"NETWORK\" here", o.Name, t.File)
	}
	if p.Network, p.Trained, err = readNetwork(t, f, read); err != nil {
		return nil, err
	}
	return p, p.setReward(t.Network)
}

// noTruth returns an error that the problem has no RDDL to simulate.
func (p *Problem) noTruth() error {
	if p.Declared != nil {
		return fmt.Errorf("%w: %s declares its fluents itself", ErrNoRDDL, p.Problem.Name)
	}
	if len(p.Unknown) > 0 {
		return fmt.Errorf("%w: %s has no cpf in the RDDL of %s", ErrNoRDDL, p.Unknown[0], p.Problem.Name)
	}
	return fmt.Errorf("%w: %s is in the FD-SAT-Plan layout", ErrNoRDDL, p.Problem.Name)
}

// Final returns the conditions of states in which runs end, of a task that declares its fluents.
func (p *Problem) Final() (final []*expr.Expr, err error) {
	for _, text := range p.Declared.Final {
		e, err := expr.Parse(p.Problem, text, expr.Options{})
		if err != nil {
			return nil, err
		}
		final = append(final, e)
	}
	return final, nil
}
