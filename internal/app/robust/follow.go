package robust

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/tube"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/problem/factored"
)

// Follower plans again in each step from the state that it sees: it aims at the centre of the goal, and keeps the rules
// against every error of one step within the bands. It is an execute.Chooser.
type Follower struct {
	m       *model
	horizon int
	ends    bool // a run ends when the goal holds
	control controller
	stated  *plan.Stated
	seen    int // errors
	outside int // of these, beyond the band
}

// FollowRequest asks for a Follower.
type FollowRequest struct {
	Against
	Horizon int
	Seed    uint64
	Threads int
	Ends    bool // a run ends when the goal holds
}

// The chance is stated from so many runs of the model, or from as many as take mostSteps steps of the model if the first run is
// like the others: a run of 100 steps looks 100 steps ahead in each.
const (
	scenarios       = 1000
	fewestScenarios = 50
	mostSteps       = 200_000_000
)

// block is the number of errors that follow each other as they did on held-out rows.
const block = 10

// confidence is that of the stated chance.
const confidence = .99

// NewFollower prepares to follow a problem, and states the chance: the share of runs of the model, with errors drawn in
// blocks, in which it reaches the goal and keeps the rules.
func NewFollower(ctx context.Context, p *load.Problem, r FollowRequest) (*Follower, error) {
	if r.Horizon == 0 {
		if r.Horizon = p.Problem.Horizon; r.Horizon == 0 {
			return nil, fmt.Errorf("%s: %w", p.Problem.Name, app.ErrNoHorizon)
		}
	}
	m, err := newModel(p, r.Against)
	if err != nil {
		return nil, err
	}
	f := &Follower{m: m, horizon: r.Horizon, ends: r.Ends && len(m.task.Goal) > 0}
	f.control = f.controller()
	return f, f.state(ctx, r)
}

// controller plans in each step of one run. It belongs to one goroutine.
type controller struct {
	t    tube.Task
	m    *model
	h    int
	ends bool      // a run ends when the goal holds
	near [][]int64 // what is left of the last plan
	took int64     // steps of the model
}

func (f *Follower) controller() controller {
	return controller{t: *f.m.task, m: f.m, h: f.horizon, ends: f.ends}
}

// Where nothing is gained by coming late, a run aims at the goal a fifth of its steps before the end, which are left for what
// the model did not foresee; but no plan of the last steps is shorter than these are many.
const reserve, fewestAhead = 5, 5

// ahead is the number of steps that are planned at a step.
func (c *controller) ahead(step int) int {
	left := c.h - step + 1
	if c.ends && len(c.m.p.Problem.Reward.Terms) == 0 {
		return max(min(left, fewestAhead), left-c.h/reserve)
	}
	return left
}

// choose returns the action for a state at a step, from 1.
func (c *controller) choose(step int, x []int64) []int64 {
	if step == 1 {
		c.near, c.t.Before = nil, c.m.task.Before
	}
	if before := c.m.layout.Before(x); before != nil {
		c.t.Before = before
	}
	c.t.Start = x
	given := c.t
	given.Model = c.m.task.After(step - 1)
	planner := tube.NewPlanner(&given, tube.Aim{Horizon: c.ahead(step), Reward: c.m.reward})
	actions, _ := planner.Plan(c.near)
	c.took += planner.Steps()
	c.t.Before, c.near = actions[0], actions[1:]
	if len(c.near) == 0 {
		c.near = nil
	}
	return actions[0]
}

// state follows the model in runs with drawn errors.
func (f *Follower) state(ctx context.Context, r FollowRequest) error {
	type outcome struct {
		good   bool
		beyond []string
	}
	one := func(c *controller, i int) outcome {
		good, actions := f.run(ctx, c, rand.New(rand.NewPCG(r.Seed, uint64(i))))
		return outcome{good, f.m.outside(actions, f.m.task.Before)}
	}
	first := f.controller()
	out := []outcome{one(&first, 0)}
	runs := int(min(scenarios, max(fewestScenarios, mostSteps/max(1, first.took))))
	out = append(out, make([]outcome, runs-1)...)
	threads := max(1, r.Threads)
	var group routine.Group
	for w := range threads {
		group.Go(func() {
			c := f.controller()
			for i := 1 + w; i < runs && ctx.Err() == nil; i += threads {
				out[i] = one(&c, i)
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	good := 0
	for _, o := range out {
		if o.good {
			good++
		}
	}
	s := &plan.Stated{Coverage: f.m.share, Bands: f.m.bands(), Sample: plan.Sample{Runs: runs, Rate: float64(good) / float64(runs), Confidence: confidence}}
	s.Lower, s.Upper = coverage.Interval(runs, good, confidence)
	if i := slices.IndexFunc(out, func(o outcome) bool { return len(o.beyond) > 0 }); i >= 0 {
		s.Outside = out[i].beyond
	}
	f.stated = s
	what := "keeps every rule"
	if len(f.m.task.Goal) > 0 {
		if what += " and has reached the goal at the end"; f.ends {
			what = "reaches the goal and keeps every rule until then"
		}
	}
	s.Says = fmt.Sprintf("planning again in each step %s in %v; the runs are of the learned model, with errors in blocks of %d from those on held-out rows", what, &s.Sample, block)
	if slices.ContainsFunc(f.m.p.Courses(), func(c load.Course) bool { return c.Against }) {
		s.Says += ", and inputs that may be anything in a range drawn evenly from it"
	}
	return nil
}

// run follows the model once, unless ctx ends.
func (f *Follower) run(ctx context.Context, c *controller, rng *rand.Rand) (good bool, actions [][]int64) {
	t := f.m.task
	x, next, errs := slices.Clone(t.Start), make([]int64, len(t.States)), make([]int64, len(t.States))
	at := make([]int, len(t.States)) // in the errors of each state
	for step := 1; step <= f.horizon && ctx.Err() == nil; step++ {
		u := c.choose(step, slices.Clone(x))
		actions = append(actions, slices.Clone(u))
		if t.Broken(x, u, false) != "" {
			return false, actions
		}
		for i, r := range f.m.errs {
			if n := &t.Next[i]; n.Given != nil {
				errs[i] = n.Low + rng.Int64N(n.High-n.Low+1)
			}
			if len(r) == 0 {
				continue
			}
			if (step-1)%block == 0 {
				at[i] = rng.IntN(len(r))
			}
			errs[i] = r[at[i]%len(r)]
			at[i]++
		}
		t.Step(next, x, u, errs, step)
		x, next = next, x
		if t.Broken(x, nil, false) != "" {
			return false, actions
		}
		if f.ends && t.Broken(x, nil, true) == "" {
			return true, actions
		}
	}
	return t.Broken(x, nil, true) == "", actions
}

// Horizon is the number of steps within which the goal is to be reached.
func (f *Follower) Horizon() int { return f.horizon }

// Success reports whether there is a goal.
func (f *Follower) Success() bool { return len(f.m.task.Goal) > 0 }

// Stated is the chance of a run.
func (f *Follower) Stated() *plan.Stated { return f.stated }

// Again returns a Follower for another run.
func (f *Follower) Again() *Follower {
	g := *f
	g.control, g.seen, g.outside = f.controller(), 0, 0
	return &g
}

// Choose plans from a state.
func (f *Follower) Choose(ctx context.Context, step int, state factored.Valuation) (factored.Valuation, engine.Status, error) {
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	x := f.m.layout.State(state)
	u := f.control.choose(step, x)
	if f.m.task.Broken(x, u, false) != "" {
		return nil, engine.Unknown, nil
	}
	action := make(factored.Valuation, len(state))
	if err := f.m.layout.Action(action, u); err != nil {
		return nil, "", err
	}
	return action, engine.Feasible, nil
}

// See compares the state after a step with the prediction, and returns the share of the held-out errors that are at least as
// large as the one that was seen, the least share of all quantities.
func (f *Follower) See(now, next factored.Valuation) (float64, error) {
	t := f.m.task
	want := make([]int64, len(t.States))
	t.Step(want, f.m.layout.State(now), f.m.layout.Joint(now), make([]int64, len(t.States)), 1)
	least := 1.0
	for i, x := range f.m.layout.State(next) {
		r := f.m.errs[i]
		if len(r) == 0 {
			continue
		}
		e := x - want[i]
		f.seen++
		if e < t.Next[i].Low || e > t.Next[i].High {
			f.outside++
		}
		larger := 1
		for _, o := range r {
			if max(o, -o) >= max(e, -e) {
				larger++
			}
		}
		least = min(least, float64(larger)/float64(len(r)+1))
	}
	return least, nil
}

// unlikely is the probability below which it is said that more errors than the bands allow are beyond them.
const unlikely = .001

// Drift says that more errors were beyond the bands than chance explains; "" where not.
func (f *Follower) Drift() string {
	if f.outside == 0 || coverage.AtLeast(f.seen, f.outside, 1-f.m.share) > unlikely {
		return ""
	}
	return fmt.Sprintf("the error was beyond its band in %d of %s, and the band is for %g %% of them: the system may have changed", f.outside, counted.Of(f.seen, "step"), 100*f.m.share)
}
