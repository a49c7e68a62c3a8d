package act

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// The ways to begin again.
const (
	ResetsYes = "yes"
	ResetsNo  = "no"
	ResetsAny = "any"
)

// What has to be proven.
const (
	UntilPlan  = "plan"
	UntilModel = "model"
)

// Request is a run of learning by acting.
type Request struct {
	Horizon   int      `http:"yes" short:"H" help:"Steps of a plan; default: the problem's own." min:"0" placeholder:"N"`
	Steps     int      `http:"yes" help:"Maximal number of steps to take in the system; 0 for no bound." default:"10000" min:"0" placeholder:"N"`
	Resets    string   `http:"yes" help:"Whether the system may be reset to its initial state at any time, or to any state that the rules allow: ${enum}." enum:"yes,no,any" default:"yes"`
	Starts    string   `name:"start-states" help:"File of the states that the system may be reset to beside its initial one, a CSV file with a column for each state variable." placeholder:"CSV"`
	Variables int      `http:"yes" help:"Number of recorded variables that next values are first taken to depend on at most; it grows where the rows need more." default:"2" min:"1" placeholder:"K"`
	Until     string   `http:"yes" help:"What has to be proven: ${enum}. The model is known when each next value of all steps within reach is." enum:"plan,model" default:"plan"`
	Lift      bool     `http:"yes" help:"Take objects of a type to have one function, of their fluents and the numbers of their neighbours, until one behaves unlike the others." default:"true" negatable:""`
	Safe      bool     `http:"yes" name:"safe-exploration" help:"Take no step that may lead to a state that a rule of the task forbids, by what is known; --data has steps to begin with."`
	Most      *float64 `http:"yes" name:"reward-at-most" help:"The reward is not known, but observed: learn it too, where no step has more than this." placeholder:"R"`
	Data      string   `help:"Data set of steps that were seen before." placeholder:"DATA"`
	Resume    bool     `help:"Go on with what the folder has."`

	// Gap is not 0 where the system draws next states at random: see acting.Chance. Success has the probability of the goal count.
	Gap     float64 `name:"-"`
	Success bool    `name:"-"`

	Seed     uint64            `name:"-"`
	Limits   engine.Limits     `name:"-"`
	Folder   string            `name:"-"` // of everything that is seen
	Now      func() time.Time  `name:"-"` // the clock
	Progress func(acting.Step) `name:"-"` // called after each step; may be nil
	Large    func(bytes int64) `name:"-"` // as Again, see certify.Options; may be nil
	Again    func()            `name:"-"`
}

// run is one call of Run.
type run struct {
	p    *load.Problem
	r    Request
	real *execute.Real
	d    *Document
	f    *folder

	began  time.Time
	starts []factored.Valuation // that the system may be reset to
}

// Run acts in a system until a plan is proven optimal for it, if next values depend on few variables, and writes what it
// saw into a folder on the way. The document is not nil once the system was opened, even with an error, which is then
// one of package simulator, or wraps acting.ErrSystem.
func Run(ctx context.Context, p *load.Problem, ref execute.SimulatorRef, r Request) (*Document, error) {
	if r.Horizon == 0 {
		r.Horizon = p.Problem.Horizon
	}
	switch {
	case r.Horizon == 0:
		return nil, fmt.Errorf("%s: %w", p.Problem.Name, app.ErrNoHorizon)
	case len(p.Problem.Outputs) == 0:
		return nil, fmt.Errorf("nothing is to be learned in %s; expected a task with learned fluents", p.Problem.Name)
	case quantity(p.Problem) != "":
		return nil, fmt.Errorf("%s is a quantity, and learning by acting knows functions of few values alone; expected a larger step, bins (edges), or collect, train and plan --incremental, which know functions of quantities", quantity(p.Problem))
	case execute.NoTimed(p) != nil:
		return nil, execute.NoTimed(p)
	case r.Gap > 0 && (r.Resets != ResetsYes || r.Starts != "" || r.Safe || r.Most != nil || r.Until == UntilModel):
		return nil, errors.New("--gap is for systems that can be reset to their initial state; expected none of --resets, --start-states, --safe-exploration, --reward-at-most and --until model")
	case r.Success && len(p.Problem.Goal) == 0:
		return nil, fmt.Errorf("%s has no goal to reach; expected --goal, or --maximize reward", p.Problem.Name)
	case ref.Record != "":
		return nil, errors.New("--record: the folder has all steps; expected none")
	}
	if r.Most != nil {
		if p.OwnReward {
			return nil, errors.New("--reward-at-most is for a reward that is not known; expected no --reward")
		}
		p = unrewarded(p)
	}
	x := &run{p: p, r: r}
	var err error
	if err = x.readStarts(ctx); err != nil {
		return nil, err
	}
	if x.f, err = openFolder(r.Folder, r.Resume); err != nil {
		return nil, err
	}
	defer x.f.journal.Close() // each line was written when it was made
	known, err := x.knownRows(ctx)
	if err != nil {
		return nil, err
	}
	ref.Record = filepath.Join(r.Folder, RowsFile)
	if x.real, err = ref.Open(ctx, p, r.Seed); err != nil {
		return nil, err
	}
	if err = x.usable(); err == nil {
		err = x.act(ctx, known)
	}
	if x.d != nil {
		x.d.Verdict = x.d.sentence()
	}
	return x.d, errors.Join(err, x.real.Close())
}

// mostLevels bounds the values of a quantity: with more, its bits would be variables.
const mostLevels = 256

// quantity names a quantity of many values, the next of which is learned; "" for none.
func quantity(p *factored.Problem) string {
	for _, b := range p.Outputs {
		if v, _ := p.Owner(b); v.Fixed() && v.Hi-v.Lo >= mostLevels {
			return v.Name
		}
	}
	return ""
}

// unrewarded is a problem whose reward is that of the system, in the scale of what is observed.
func unrewarded(p *load.Problem) *load.Problem {
	q := *p
	q.Problem = p.Problem.Clone()
	q.Problem.Reward = factored.Reward{Scale: acting.RewardScale}
	return &q
}

// usable refuses systems in which nothing can be proven.
func (x *run) usable() error {
	if err := x.real.RequireFull("learning by acting"); err != nil {
		return err
	}
	if (x.r.Resets == ResetsAny || x.starts != nil) && !x.real.Info().AnyState {
		return errors.New("the simulator can only be reset to a state of its own; expected --resets yes or no, without --start-states")
	}
	if x.real.Name == "rddl" && !x.real.Info().Deterministic && x.r.Gap == 0 {
		return errors.New("the RDDL is stochastic; what is optimal in it is a matter of chance; expected a deterministic one, or --gap 5%")
	}
	return nil
}

// ends tells where the problem says that a run ends; nil if it says nothing of that.
func ends(p *load.Problem) (func(state factored.Valuation) (bool, error), error) {
	switch {
	case p.Truth != nil && p.Truth.Compiled != nil && len(p.Truth.Compiled.Ground.Termination) > 0:
		return p.Truth.Compiled.Outcomes().Ends, nil
	case p.Declared != nil && len(p.Declared.Final) > 0:
		final, err := p.Final()
		return func(state factored.Valuation) (bool, error) {
			for _, e := range final {
				if e.Eval(state, nil) {
					return true, nil
				}
			}
			return false, nil
		}, err
	}
	return nil, nil
}

// knownRows reads what was seen before.
func (x *run) knownRows(ctx context.Context) (all []learn.Transition, err error) {
	files := []string{}
	if x.r.Data != "" {
		files = append(files, x.r.Data)
	}
	if x.f.resumed {
		files = append(files, filepath.Join(x.r.Folder, RowsFile))
	}
	for _, name := range files {
		rows, err := learn.ReadTransitions(ctx, x.p, name)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// act acts, and concludes.
func (x *run) act(ctx context.Context, known []learn.Transition) error {
	x.began = x.r.Now()
	rng := rand.New(rand.NewPCG(x.r.Seed, 0x616374))
	o := acting.Options{
		Horizon: x.r.Horizon, Steps: x.r.Steps, Reset: x.r.Resets != ResetsNo, Anywhere: x.r.Resets == ResetsAny || x.starts != nil, Starts: x.starts, K: x.r.Variables, Limits: x.r.Limits,
		Rand: rng, Draw: func(now *simulator.Answer) (factored.Valuation, error) { return x.real.Random(x.p, now, rng) },
		Step: x.step, Safe: x.r.Safe, Model: x.r.Until == UntilModel, OwnReward: x.p.OwnReward, Most: x.r.Most,
	}
	var err error
	if o.Ends, err = ends(x.p); err != nil {
		return err
	}
	if x.r.Lift && x.p.Truth != nil && x.p.Truth.Compiled != nil {
		o.Shared = acting.Objects(x.p.Problem, x.p.Truth.Compiled.Ground)
	}
	for _, t := range known {
		o.Known = append(o.Known, simulator.Transition{Now: t.Now, Next: t.Next, Reward: t.Reward})
	}
	if x.r.Gap > 0 {
		return x.chance(ctx, o)
	}
	res, err := acting.Learn(ctx, x.p.Problem, x.real.Session, o)
	if res == nil {
		return err
	}
	x.d = newDocument(x.p, x.real.Name, &x.r, res)
	x.d.Seconds.Act = x.r.Now().Sub(x.began).Seconds()
	if err != nil {
		return x.failed(err)
	}
	if err := x.certify(ctx, res); err != nil {
		return err
	}
	return x.finish(ctx, res.Steps, res.Model)
}

// failed keeps the answer of a run that an error ended.
func (x *run) failed(err error) error {
	x.d.Stopped = err.Error()
	if two := (*acting.ContradictionError)(nil); errors.As(err, &two) {
		err = fmt.Errorf("%w; expected --gap 5%% for a system that draws at random", err)
	}
	return errors.Join(fmt.Errorf("%w; what was seen is in %s", err, x.r.Folder), x.f.answer(x.d))
}

// finish keeps the answer, which takes less long than the network that is trained then.
func (x *run) finish(ctx context.Context, steps int, m *acting.Model) error {
	if err := errors.Join(x.f.answer(x.d), x.train(ctx, steps, m)); err != nil {
		return err
	}
	x.d.Seconds.Total = x.r.Now().Sub(x.began).Seconds()
	return x.f.answer(x.d)
}

// step keeps and reports a step.
func (x *run) step(s acting.Step) error {
	if x.r.Progress != nil {
		x.r.Progress(s)
	}
	line := journalLine{
		Step: s.Steps, Action: app.ValuesOf(x.p.Problem, factored.Action, s.Now, false), New: s.New, Refused: s.Next == nil, Why: s.Why, K: s.K, Rows: s.Rows, Clauses: s.Clauses,
	}
	if s.Reward != nil {
		line.Reward = app.RewardOf(x.p.Problem, *s.Reward)
	}
	if s.Bound != nil {
		line.Bound = app.RewardOf(x.p.Problem, *s.Bound)
	}
	return x.f.step(line)
}
