package fdplan

import (
	"context"
	"fmt"
	"github.com/fdplan/fdplan/internal/app/bind"
	"io"
	"math"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Options of a planning query. The zero value asks for the problem's own horizon,
// by whatever engine is fastest, on all processors.
type Options struct {
	// Horizon is the number of steps; 0 is the problem's own.
	Horizon int
	// MinHorizon, when not 0, asks for the best plan of MinHorizon..Horizon steps,
	// the shortest on a tie.
	MinHorizon int
	// Engine is one of Engines; "" is auto, which chooses.
	Engine string
	// Solver is an external solver for an engine that takes one: a name such as
	// clasp, or a command with {in} for the file; "" is the engine's own.
	Solver string
	// Threads is how many are used; 0 is one for each processor. The answer does
	// not depend on it.
	Threads int
	// Memory bounds the engine's tables, in bytes; 0 is no bound.
	Memory int64
	// Progress, when set, is told of what is known on the way. Calls do not
	// overlap.
	Progress func(Progress)
}

// Engines lists the names that Options.Engine takes.
func Engines() []string { return registry.Names(nil) }

// Progress is what is known while an engine works.
type Progress struct {
	Phase  string  // what is being done
	Reward float64 // of the best plan so far; NaN without one
	Bound  float64 // no plan has a higher reward; +Inf when nothing is known
}

// Status is what is known of a query.
type Status string

// The statuses of a plan.
const (
	Optimal    Status = "optimal"    // the plan has the best reward, proven
	Feasible   Status = "feasible"   // there is a plan; a limit was reached before a proof
	Infeasible Status = "infeasible" // there is no plan, proven
	Unknown    Status = "unknown"    // a limit was reached before any answer
)

// Plan is the answer to a planning query.
type Plan struct {
	Status  Status
	Engine  string  // the engine that answered, and proved the answer if it is proven
	Horizon int     // steps; 0 without a plan
	Reward  float64 // summed over the steps, by the model; 0 without a plan
	// Bound is proven: no plan of these horizons has a higher reward. It is +Inf
	// when nothing is known, and -Inf when there is no plan.
	Bound float64
	Steps []Step // nil without a plan
	Final Values // the state after the last step; nil without a plan
	// Simulated is the result of the plan in the problem's own RDDL. It is nil if
	// the problem has no RDDL, or a stochastic one.
	Simulated *Simulated
	// Warning is not empty if the plan relies on states and actions that the
	// network was never trained on.
	Warning string
	// Stopped is the limit that ended the run; "" when it ended by itself.
	Stopped string

	doc any // as fdplan plan prints it
}

// Step is one step of a plan.
type Step struct {
	State  Values // before the step, every state variable
	Action Values // those that are not 0
}

// Simulated is how a plan did in a simulator.
type Simulated struct {
	Valid  bool
	Reward float64 // of a valid plan
	Reason string  // why it fails; "" for a valid plan
}

// WriteJSON writes the plan as the command fdplan plan --json does. Its format is
// stable; see docs/formats.md.
func (p *Plan) WriteJSON(w io.Writer) error { return app.WriteJSON(w, p.doc) }

// Plan finds a plan of the best reward and proves that there is no better one,
// unless ctx ends first. The independent checker has replayed every plan that it
// returns.
func (p *Problem) Plan(ctx context.Context, o Options) (*Plan, error) {
	r, err := o.request(p)
	if err != nil {
		return nil, err
	}
	d, err := plan.Plan(ctx, p.p, r)
	if err != nil {
		return nil, err
	}
	return newPlan(d, d), nil
}

// request is the query as the use case has it.
func (o *Options) request(p *Problem) (plan.Request, error) {
	hi := o.Horizon
	if hi == 0 {
		hi = p.Horizon()
	}
	lo := o.MinHorizon
	if lo == 0 {
		lo = hi
	}
	switch {
	case hi == 0:
		return plan.Request{}, fmt.Errorf("%s: %w", p.Name(), ErrNoHorizon)
	case hi < 1 || lo < 1 || lo > hi:
		return plan.Request{}, fmt.Errorf("fdplan: the horizons %d..%d are not a range of positive numbers", lo, hi)
	case o.Threads < 0 || o.Memory < 0:
		return plan.Request{}, fmt.Errorf("fdplan: Threads %d, Memory %d; expected no negative number", o.Threads, o.Memory)
	}
	r := plan.Request{
		Query:  plan.Query{Options: registry.Options{Engine: o.Engine, Solver: o.Solver}, Horizon: bind.Horizon{Min: lo, Max: hi}},
		Limits: engine.Limits{Threads: o.Threads, Memory: o.Memory},
	}
	if o.Progress != nil {
		r.Report = func(e engine.Progress) {
			x := Progress{Phase: e.Phase, Reward: math.NaN(), Bound: math.Inf(1)}
			if e.Reward != nil {
				x.Reward = p.p.Problem.Reward.Float(*e.Reward)
			}
			if e.Bound != nil {
				x.Bound = p.p.Problem.Reward.Float(*e.Bound)
			}
			o.Progress(x)
		}
	}
	return r, nil
}

// newPlan is a document as a plan; doc is what WriteJSON writes.
func newPlan(d *plan.Document, doc any) *Plan {
	out := &Plan{Status: Status(d.Status), Engine: d.Engine, Bound: math.Inf(1), Warning: d.Warning(), Stopped: d.Stopped, doc: doc}
	switch {
	case d.Bound != nil:
		out.Bound = *d.Bound
	case out.Status == Infeasible:
		out.Bound = math.Inf(-1)
	}
	if d.Reward == nil {
		return out
	}
	out.Horizon, out.Reward = len(d.Plan), *d.Reward
	if out.Status == Optimal {
		out.Bound = out.Reward
	}
	for t := range d.Plan {
		out.Steps = append(out.Steps, Step{State: fromEntries(d.Trace[t]), Action: fromEntries(d.Plan[t])})
	}
	out.Final = fromEntries(d.Trace[len(d.Plan)])
	if v := d.Valid.Simulator; v != nil {
		out.Simulated = &Simulated{Valid: *v, Reason: d.SimulatorSays}
		if d.Simulated != nil {
			out.Simulated.Reward = *d.Simulated
		}
	}
	return out
}

// Verdict is what the checker says of a plan.
type Verdict struct {
	Valid  bool
	Reward float64  // of a valid plan
	States []Values // of a valid plan, one more than it has steps
	Step   int      // from 1, at which an invalid plan fails
	Reason string   // the rule that it breaks there, with the values in question
}

// Check has the independent checker replay joint actions, one for each step, from
// the initial state. It shares no code with the engines. Variables that an action
// does not name are 0. That a plan is invalid is no error.
func (p *Problem) Check(actions []Values) (*Verdict, error) {
	var pl validate.Plan
	for t, a := range actions {
		val, err := p.bits(factored.Action, a, false)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", t+1, err)
		}
		pl.Actions = append(pl.Actions, val)
	}
	r, err := validate.Check(p.p.Problem, p.p.Network, pl)
	if err != nil {
		return nil, err
	}
	if !r.Valid {
		return &Verdict{Step: r.Failure.Step, Reason: r.Failure.Error()}, nil
	}
	v := &Verdict{Valid: true, Reward: p.p.Problem.Reward.Float(r.Reward)}
	for _, val := range r.Trace.Steps {
		v.States = append(v.States, p.values(factored.State, val, true))
	}
	return v, nil
}

// Actions lists the joint actions of the plan, as Check takes them.
func (p *Plan) Actions() []Values {
	out := make([]Values, len(p.Steps))
	for i, s := range p.Steps {
		out[i] = s.Action
	}
	return out
}
