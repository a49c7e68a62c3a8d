package execute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// EpisodesRequest asks for several runs from the start, each with draws of its own.
type EpisodesRequest struct {
	RunRequest
	Episodes  int               `http:"yes" help:"Run so many episodes, seeded --seed and on, and compare the average reward with that of doing nothing and of random actions." min:"0" placeholder:"N"`
	Simulator SimulatorRef      `name:"-"` // the problem's own RDDL, of which episode i draws from Seed+i-1; or a server, which has its own number of episodes
	Episode   func(EpisodeLine) `name:"-"` // called for each; may be nil
	Again     func() Chooser    `name:"-"` // the policy of each episode; nil for plans
}

// EpisodesDocument is the answer of `fdplan run --episodes`. The policies that do nothing and
// that draw legal actions are run in episodes of the same seeds.
type EpisodesDocument struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	load.Altered
	Horizon  int           `json:"horizon"`
	Steps    int           `json:"steps"` // of an episode, at most
	Episodes []EpisodeLine `json:"episodes"`
	Plan     Average       `json:"plan"`
	Noop     *Average      `json:"noop,omitempty"` // absent where all episodes are run in one system, as is Random
	Random   *Average      `json:"random,omitempty"`
	Server   *SessionLine  `json:"server,omitempty"` // absent without one
	// StepSeconds is the time that planning took for a step of an episode, by the wall clock.
	StepSeconds float64 `json:"step_seconds"`
	Stopped     string  `json:"stopped,omitempty"` // why there are fewer episodes than asked for
	// Reached counts the episodes in which the goal held; null for tasks with RDDL, whose goal runs may not end with.
	Reached *int `json:"reached,omitempty"`
	// Robust is as in RunDocument.
	Robust *plan.Stated `json:"robust,omitempty"`
}

// EpisodeLine is one episode under each policy.
type EpisodeLine struct {
	Episode   int       `json:"episode"`
	Seed      uint64    `json:"seed"`
	Status    RunStatus `json:"status"` // of the run with plans
	Steps     int       `json:"steps"`
	Plans     int       `json:"plans"`
	Surprises int       `json:"surprises"`
	Without   int       `json:"without_plan"` // steps before which no plan was found
	Reward    Outcome   `json:"reward"`
	Noop      *Outcome  `json:"noop,omitempty"`
	Random    *Outcome  `json:"random,omitempty"`
	Seconds   float64   `json:"seconds"` // that planning took
	Of        int       `json:"-"`       // number of episodes
}

// Outcome is the summed reward of an episode.
type Outcome struct {
	Reward float64 `json:"reward"`
	// Broken is the rule that ended the episode early; absent if none did.
	Broken string `json:"broken,omitempty"`
}

// Average summarises the rewards of a policy.
type Average struct {
	Mean   float64 `json:"mean"`
	Error  float64 `json:"standard_error"` // of the mean; 0 for a single episode
	Broken int     `json:"broken"`         // number of episodes that a rule ended early
}

// Episodes runs the problem's RDDL several times with plans, and under the policies that do
// nothing and that draw legal actions. When the context ends, the document has the episodes
// that are complete.
func Episodes(ctx context.Context, p *load.Problem, r EpisodesRequest) (*EpisodesDocument, error) {
	server := r.Simulator.IsServer()
	own := r.Simulator.Name == rddlName && p.Truth != nil || r.Simulator.Name == modelName && p.HasModel()
	if r.Horizon.Max == 0 {
		r.Horizon = bind.Steps(p.Problem.Horizon)
	}
	if r.Horizon.Max == 0 && r.Again != nil {
		r.Horizon = bind.Steps(r.Again().Horizon())
	}
	if r.Steps == 0 {
		if r.Steps = p.Problem.Horizon; r.Steps == 0 {
			r.Steps = r.Horizon.Max
		}
	}
	if r.Steps == 0 {
		return nil, fmt.Errorf("%s: %w", p.Problem.Name, app.ErrNoHorizon)
	}
	d := &EpisodesDocument{Schema: app.Schema, Problem: p.Problem.Name, Altered: p.Altered, Horizon: r.Horizon.Max, Steps: r.Steps, Episodes: []EpisodeLine{}}
	if server {
		return d, d.rounds(ctx, p, r)
	}
	var real *Real // that all episodes are run in; nil where each has one of its own
	if !own {
		var err error
		if real, err = OpenSimulator(ctx, p, r.Simulator); err != nil {
			return nil, err
		}
		defer func() { _ = real.Close() }() // a recording is complete after each row
	}
	for i := range r.Episodes {
		line, err := episode(ctx, p, r, real, i)
		if ctx.Err() != nil {
			d.Stopped = context.Cause(ctx).Error()
			break
		}
		if err != nil {
			return nil, fmt.Errorf("episode %d: %w", i+1, err)
		}
		d.Episodes = append(d.Episodes, *line)
		if r.Episode != nil {
			r.Episode(*line)
		}
	}
	d.summarise()
	if r.Again != nil {
		d.Robust = stated(r.Again())
	}
	if p.Declared != nil && len(p.Problem.Goal) > 0 {
		d.Reached = new(int)
		for _, e := range d.Episodes {
			if e.Status == RunGoal {
				*d.Reached++
			}
		}
	}
	return d, nil
}

// episode runs one episode under each policy; with plans alone in a system that all episodes share, as it may be slow, or a
// real one.
func episode(ctx context.Context, p *load.Problem, r EpisodesRequest, shared *Real, i int) (*EpisodeLine, error) {
	ref := r.Simulator
	ref.Seed += uint64(i)
	r.RunRequest.Seed = ref.Seed
	if r.Again != nil {
		r.Follow = r.Again()
	}
	if shared != nil {
		run, err := Run(ctx, p, shared, r.RunRequest)
		if err != nil {
			return nil, err
		}
		return lineOf(run, i, r.Episodes, ref.Seed), nil
	}
	real, err := OpenSimulator(ctx, p, ref)
	if err != nil {
		return nil, err
	}
	run, err := Run(ctx, p, real, r.RunRequest)
	if err = errors.Join(err, real.Close()); err != nil {
		return nil, err
	}
	line := lineOf(run, i, r.Episodes, ref.Seed)
	ref.Record = "" // of the planned episodes alone
	idle := noop(p.Problem)
	if line.Noop, err = underPolicy(ctx, p, ref, r.Steps, func(*Real, *simulator.Answer) (factored.Valuation, error) { return idle, nil }); err != nil {
		return nil, fmt.Errorf("doing nothing: %w", err)
	}
	rng := rand.New(rand.NewPCG(ref.Seed, 1)) // not the stream of the simulator's draws
	if line.Random, err = underPolicy(ctx, p, ref, r.Steps, func(real *Real, now *simulator.Answer) (factored.Valuation, error) { return real.Random(p, now, rng) }); err != nil {
		return nil, fmt.Errorf("the random policy: %w", err)
	}
	return line, nil
}

// lineOf describes a run as episode i, from 0, of so many.
func lineOf(run *RunDocument, i, of int, seed uint64) *EpisodeLine {
	line := &EpisodeLine{Episode: i + 1, Of: of, Seed: seed, Status: run.Status, Steps: len(run.Steps), Plans: len(run.Plans), Surprises: run.Surprises, Seconds: run.PlanLatency.sum}
	for _, l := range run.Plans {
		if l.Instead != "" {
			line.Without++
		}
	}
	if run.Reward != nil {
		line.Reward.Reward = *run.Reward
	}
	if run.Failure != nil {
		line.Reward.Broken = run.Failure.Text
	}
	return line
}

// underPolicy runs an episode whose actions depend on the present state alone.
func underPolicy(ctx context.Context, p *load.Problem, ref SimulatorRef, steps int, act func(real *Real, now *simulator.Answer) (factored.Valuation, error)) (out *Outcome, err error) {
	out = &Outcome{}
	real, err := OpenSimulator(ctx, p, ref)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, real.Close()) }()
	start, err := initial(p, real)
	if err != nil {
		return out, err
	}
	played, err := real.play(ctx, start, steps, func(_ int, now *simulator.Answer) (factored.Valuation, error) { return act(real, now) })
	if err != nil {
		return out, err
	}
	if out.Reward = played.Reward; played.Failure != nil {
		out.Broken = played.Failure.Text
	}
	return out, nil
}

// summarise computes the averages.
func (d *EpisodesDocument) summarise() {
	steps, seconds := 0, 0.0
	for _, e := range d.Episodes {
		steps += e.Steps
		seconds += e.Seconds
	}
	if steps > 0 {
		d.StepSeconds = seconds / float64(steps)
	}
	outcomes := func(of func(e *EpisodeLine) *Outcome) (all []Outcome) {
		for i := range d.Episodes {
			all = append(all, *of(&d.Episodes[i]))
		}
		return all
	}
	d.Plan = AverageOf(outcomes(func(e *EpisodeLine) *Outcome { return &e.Reward }))
	if len(d.Episodes) == 0 || d.Episodes[0].Noop == nil {
		return
	}
	noop, random := AverageOf(outcomes(func(e *EpisodeLine) *Outcome { return e.Noop })), AverageOf(outcomes(func(e *EpisodeLine) *Outcome { return e.Random }))
	d.Noop, d.Random = &noop, &random
}

// AverageOf summarises the outcomes of episodes.
func AverageOf(outcomes []Outcome) Average {
	var a Average
	n := float64(len(outcomes))
	for _, o := range outcomes {
		a.Mean += o.Reward / n
		if o.Broken != "" {
			a.Broken++
		}
	}
	if n < 2 {
		return a
	}
	square := 0.0
	for _, o := range outcomes {
		x := o.Reward - a.Mean
		square += x * x
	}
	a.Error = math.Sqrt(square / (n - 1) / n)
	return a
}
