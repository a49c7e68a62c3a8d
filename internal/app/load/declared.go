package load

import (
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// fromDeclared loads a task that declares its fluents itself. Nothing is known of their
// dynamics but what the network has learned.
func fromDeclared(t *task.Task, r Ref, o task.Options, read task.ReadFile) (p *Problem, err error) {
	if r.known() && !r.Simulate {
		return nil, source.Errorf(t.File, 0, 0, "--model rddl needs RDDL; this task has none")
	}
	f, err := t.Factored(o.Name)
	if err != nil {
		return nil, err
	}
	p = &Problem{Task: engine.Task{Problem: f}, Declared: t, Unknown: t.Learned}
	if !r.Untrained { // else nothing is planned
		defer func() {
			if err == nil && len(r.Entity) > 0 {
				err = p.forEntities(r)
			}
			if err == nil {
				err = p.addSteps()
			}
		}()
	}
	if p.Chance, err = t.WithChance(f, nil); err != nil {
		return nil, err
	}
	switch {
	case r.Untrained:
		return p, nil
	case p.Chance != nil && !r.Chance && !r.Simulate:
		return nil, source.Errorf(t.File, 0, 0, "%s draws next values by [[chance]], which a plan cannot foresee; expected plan --policy, run --policy or simulate", o.Name)
	case t.Network == "" && (p.Chance != nil && len(f.Outputs) == 0 || r.Simulate):
		return p, nil
	case t.Network == "":
		return nil, source.Errorf(t.File, 1, 0, "%s has no network yet; train one with fdplan train DATA --task %s -o NETWORK, and add network = \"NETWORK\" here", o.Name, t.File)
	}
	p.Network, p.Trained, err = readNetwork(t, f, read)
	if err != nil && r.Simulate {
		p.noModel = err // another simulator may do
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	if p.Chance, err = t.WithChance(f, p.Chance); err != nil {
		return nil, err
	}
	return p, p.setReward(t.Network)
}

// HasModel reports whether a task without RDDL has a model that can be drawn from: a network, or all that [[chance]] draws.
func (p *Problem) HasModel() bool {
	return p.Declared != nil && (p.Network != nil || p.Chance != nil || p.Functions != nil)
}

// Learned reports whether rows taught what follows: a network gives it, or functions do.
func (p *Problem) Learned() bool { return p.Network != nil || p.Functions != nil }

// Model returns a system that draws from the learned or declared model of a task without RDDL.
func (p *Problem) Model(rng *rand.Rand) (*simulator.Model, error) {
	if p.noModel != nil {
		return nil, p.noModel
	}
	if !p.HasModel() {
		return nil, fmt.Errorf("%s has no model to draw from; expected a task that declares its fluents, with a network or [[chance]]", p.Problem.Name)
	}
	final, err := p.Final()
	if err != nil {
		return nil, err
	}
	return simulator.NewModel(p.Problem, p.Network, p.Chance, final, rng), nil
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

// Final returns the conditions of states in which runs end, of a task that declares its fluents; none of others.
func (p *Problem) Final() (final []*expr.Expr, err error) {
	if p.Declared == nil {
		return nil, nil
	}
	for _, text := range p.Declared.Final {
		e, err := expr.Parse(p.Problem, text, expr.Options{})
		if err != nil {
			return nil, err
		}
		final = append(final, e)
	}
	return final, nil
}

// StartOf returns the initial state of a problem, and the first state variable that it leaves open; nil for none.
func StartOf(p *factored.Problem) (val factored.Valuation, open *factored.Variable) {
	val, given := p.InitialBits()
	for _, b := range p.Bits(factored.State) {
		if !given[b] {
			open, _ = p.Owner(b)
			break
		}
	}
	return val, open
}
