package plan

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/execution/greedy"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Outright looks for plans of a problem in PDDL with numbers before it is compiled, which takes long where numbers have many values, and is not
// possible where they have no ranges. Its plans are executed in PDDL alone.
type Outright struct {
	t      *task.Task
	search *greedy.Planner
	more   bool

	mu      sync.Mutex
	checked *factored.Trace  // the last plan that the checker replayed in the compiled problem
	report  *validate.Report // what it said
}

// The work of Outright, in about 2 ns: before the problem is compiled, and at a time. For each unit until the first plan, improveShare go into better ones.
const (
	outrightFirst = 500_000_000
	outrightTurn  = 10_000_000
	improveShare  = 2
)

// NewOutright returns nil for problems that it is not for.
func NewOutright(ctx context.Context, r load.Ref, memory int64) (*Outright, error) {
	t, err := load.GroundNumbers(ctx, r)
	if err != nil || t == nil {
		return nil, err
	}
	g := t.Grounded()
	within := func(fluent int) (lo, hi float64) {
		if x, ok := t.Ranges[g.Fluents[fluent].Name]; ok {
			return float64(x.Lo), float64(x.Hi)
		}
		return math.Inf(-1), math.Inf(1)
	}
	return &Outright{t: t, search: greedy.New(g, memory, within), more: true}, nil
}

// check is what the checker says of a plan. What it has said is kept, since that of a long plan may take more time than is left when a limit is reached.
func (o *Outright) check(t engine.Task, tr *factored.Trace) (*validate.Report, error) {
	if o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.checked == tr {
			return o.report, nil
		}
	}
	return validate.Check(t.Problem, t.Network, validate.FromTrace(tr))
}

// Begin looks for a plan before the problem is compiled.
func (o *Outright) Begin(ctx context.Context) { o.work(ctx, outrightFirst) }

// work goes on until so much work was done, or longer to improve a plan that was found late.
func (o *Outright) work(ctx context.Context, until int64) {
	for o.more && ctx.Err() == nil && o.search.Work < until {
		better, done := o.search.Advance(ctx, outrightTurn)
		if o.more = !done; better {
			until = min(until, improveShare*o.search.Work+outrightTurn)
		}
	}
}

// Answer is the answer where the problem cannot be compiled: the best plan, after a search for one until ctx ends; nil where there is none.
func (o *Outright) Answer(ctx context.Context, why error, after time.Duration) (*Document, error) {
	if o.search.Best == nil {
		o.work(ctx, math.MaxInt64)
	}
	if o.search.Best == nil {
		return nil, nil
	}
	e, err := registry.AnyLength(registry.Options{})
	if err != nil {
		return nil, err
	}
	g := o.t.Grounded()
	d := &Document{Schema: app.Schema, Problem: g.Domain + "/" + g.Instance, Engine: e.Name(), Status: engine.Feasible, Stopped: why.Error(), Stats: map[string]int64{}}
	d.Seconds = Seconds{Total: after.Seconds()}
	var names []string
	for _, values := range o.search.Best.Values {
		for i := range g.Fluents {
			if f := &g.Fluents[i]; f.Kind == ground.Action && values[i] != 0 {
				names = append(names, f.Name)
				d.Plan = append(d.Plan, app.Values{{Name: f.Name, Value: true}})
			}
		}
	}
	metric, err := o.t.PDDL().ValidateNamed(names)
	if err != nil {
		return nil, fmt.Errorf("%w: a plan fails in PDDL: %w", app.ErrInternal, err)
	}
	horizon, reward := len(names), -metric
	if o.t.PDDL().Maximize {
		reward = metric
	}
	d.Metric, d.Reward, d.Horizon = &metric, &reward, &horizon
	d.Verdict = "valid in PDDL, not proven cheapest"
	return d, nil
}
