package acting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Options of a run.
type Options struct {
	Horizon int
	// Steps bounds the steps that are taken; 0 for no bound.
	Steps int
	// Reset reports that the system may be reset to its initial state at any time.
	Reset bool
	// Anywhere reports that it may be reset to any state that was seen, too, or with Starts, to these; Reset is then set.
	Anywhere bool
	Starts   []factored.Valuation
	// K is how many variables next values are taken to depend on at most at first.
	K      int
	Limits engine.Limits
	// Effort is how many conflicts a question may take at first; 0 for a number that is good for most. Where the next plan takes
	// more, steps are taken at random, with a quarter more each time: what they show often makes it easier.
	Effort int64
	// Random is the share of steps that are drawn at random; to compare with, 0 for none.
	Random float64
	Rand   *rand.Rand // what is drawn at random but actions
	// Draw draws a random action that the rules allow.
	Draw func(now *simulator.Answer) (factored.Valuation, error)
	// Shared are functions that learned bits have in common, unless the rows refute that; nil for none.
	Shared []Shared
	// Known are steps that were observed before.
	Known []simulator.Transition
	// OwnReward reports that the problem's reward replaces that of the system, which may then differ.
	OwnReward bool
	// Most has the problem's reward left aside for that of the system, which is learned and never more; nil for the problem's.
	Most *float64
	// Safe has no step taken that may lead to a state that a rule forbids, as far as is known.
	Safe bool
	// Model has it go on when the plan is proven, until each next value of all steps within reach is known.
	Model bool
	// Ends reports whether the problem says that a run ends in a state; nil where it says nothing.
	Ends func(state factored.Valuation) (bool, error)
	// Step is called after each step; its error ends the run. May be nil.
	Step func(Step) error
}

// Step is a step that was taken.
type Step struct {
	Now, Next factored.Valuation // Next is nil if it was refused
	New       bool               // it was never taken before
	Why       Why
	Progress
}

// Why is what a step is taken for.
type Why string

// The purposes of steps.
const (
	Try     Why = "try"     // on the way of an optimistic plan that begins at the start
	Walk    Why = "walk"    // to a place where something can be learned
	Random  Why = "random"  // at random, where nothing can be learned in the rest of the episode
	Confirm Why = "confirm" // to see the plan as a whole
	Repeat  Why = "repeat"  // to see whether the system reset itself
	Explore Why = "explore" // to know the model where the plan is proven
)

// Progress is what is known after a step. Rewards are scaled.
type Progress struct {
	Steps   int
	Reward  *int64 // of the best plan that was seen to hold; nil for none
	Bound   *int64 // no plan has a higher reward; nil if nothing is known
	K       int
	Rows    int // distinct steps
	Clauses int
}

// errHard is about a question that takes more than the effort of now.
var errHard = errors.New("a question is hard")

// firstEffort is the default of Options.Effort.
const firstEffort = 2000

// errLimit is wrapped by errors about limits of the engine.
var errLimit = errors.New("no next step was found")

// Result is the outcome of a run.
type Result struct {
	Progress
	// Status is Optimal if the best plan that was seen to hold reaches the bound, Infeasible if no plan exists; both
	// if no next value depends on more than K variables.
	Status engine.Status
	Trace  *factored.Trace // the best plan that was seen to hold; nil for none
	Reason string          // why it ended before it was proven
	// Experiment is what would be tried next: the last of these steps was never taken; nil for none.
	Experiment []factored.Valuation
	Model      *Model
	Start      factored.Valuation
	Resets     int
	Unsafe     []Unsafe // steps that were not taken though they may be of a better plan
	Whole      bool     // the plan was seen in one run, not only each of its steps
	Extent     *Extent  // of what is within reach, each next value of which is known; nil if that was not shown
	// Observed are all steps that are known, each once; Next is nil for one that was refused.
	Observed []simulator.Transition
	Ended    []factored.Valuation // states in which the system ended a run: it takes no step there
}

// learner is one call of Learn.
type learner struct {
	task    *factored.Problem
	p       *factored.Problem // task without what tells learned bits from others
	o       Options
	sys     *simulator.Session
	m       *Model
	g       *graph
	start   *node
	starts  []*node // that it can be reset to
	doubt   bool    // functions of more variables were needed
	now     *simulator.Answer
	here    *node
	taken   int                  // steps of the episode
	path    []factored.Valuation // steps that lie ahead: state and action
	why     Why                  // of the path
	episode []factored.Valuation
	astray  bool            // the episode did not begin at the start
	whole   map[string]bool // plans that were seen in one run, by their actions
	out     *Result

	queries map[string]*query
	layers  []map[*node]*place
	dull    map[string]bool // places from which nothing better can come
	effort  int64           // conflicts that a question may take
	strays  int             // steps to be drawn at random before the next question
	news    bool            // some next value of a step was open, since a question was hard
	stated  int             // rows of which what they show was stated, since a question was hard
	linear  bool            // questions learn linear constraints, since one took more without

	rules    []*factored.Constraint // that no step may break
	lawless  *factored.Problem      // without them
	verdicts map[string]*verdict
}

// Learn acts in a system until a plan is proven, or a limit or the context ends it. An error is one of package
// simulator, or about a system that is not as the problem says; the result is what is known by then.
func Learn(ctx context.Context, p *factored.Problem, sys *simulator.Session, o Options) (*Result, error) {
	m, err := NewModel(p, o.K, o.Shared)
	if err != nil {
		return nil, err
	}
	if o.Most != nil {
		most, err := Micro(*o.Most)
		if err != nil {
			return nil, err
		}
		m.Free.Reward, m.Reward = factored.Reward{Scale: RewardScale}, newReward(m.Free, most)
	}
	l := &learner{task: p, p: m.Free, o: o, sys: sys, m: m, g: newGraph(m.Free), queries: map[string]*query{}, dull: map[string]bool{}, whole: map[string]bool{}, effort: cmp.Or(o.Effort, firstEffort)}
	l.out = &Result{Status: engine.Unknown, Model: m}
	defer l.conclude()
	l.govern()
	for _, t := range o.Known {
		if err := l.take(t); err != nil {
			return nil, err
		}
	}
	if err := l.begin(ctx); err != nil {
		return l.out, err
	}
	for !l.ended() {
		if err := l.round(ctx); err != nil {
			switch {
			case ctx.Err() != nil:
				l.out.Reason = context.Cause(ctx).Error()
			case errors.Is(err, errLimit), errors.Is(err, simulator.ErrBudget):
				l.out.Reason = err.Error()
			default:
				l.out.Status = engine.Unknown
				return l.out, err
			}
		}
	}
	return l.out, nil
}

// ended reports whether nothing is left to be done, or to be done within the limits.
func (l *learner) ended() bool {
	return l.out.Reason != "" || l.out.Status != engine.Unknown && (!l.o.Model || l.out.Extent != nil)
}

// begin resets the system.
func (l *learner) begin(ctx context.Context) error {
	if err := l.reset(ctx, nil); err != nil {
		return err
	}
	if err := begins(l.p, l.g.states, l.now); err != nil {
		return err
	}
	l.start = l.here
	l.out.Start = l.here.state
	for _, s := range l.o.Starts {
		l.starts = append(l.starts, l.g.at(s))
	}
	return nil
}

// begins compares the state in which a system begins with the problem's.
func begins(p *factored.Problem, states []factored.Bit, a *simulator.Answer) error {
	val, given := p.InitialBits()
	for _, b := range states {
		if given[b] && val[b] != a.State[b] {
			v, _ := p.Owner(b)
			return fmt.Errorf("the simulator begins with %v; the problem's initial state has %v", simulator.ValueOf(v, a.State), simulator.ValueOf(v, val))
		}
	}
	return nil
}

func (l *learner) reset(ctx context.Context, to factored.Valuation) error {
	a, err := l.sys.Reset(ctx, to)
	if err != nil {
		return err
	}
	l.out.Resets++
	l.taken, l.path, l.episode = 0, nil, nil
	l.now, l.here = a, l.g.at(a.State)
	if err := l.arrive(l.here, a.Terminal); err != nil {
		return err
	}
	l.astray = to != nil
	if l.start != nil && to == nil && l.here != l.start {
		return fmt.Errorf("%w: a reset leads to another state than the first", ErrSystem)
	}
	return nil
}

// round decides on a step and takes it.
func (l *learner) round(ctx context.Context) error {
	action, err := l.decide(ctx)
	if err != nil || action == nil {
		return err
	}
	if l.o.Steps > 0 && l.out.Steps >= l.o.Steps {
		l.out.Reason = fmt.Sprintf("--steps: the limit of %d was reached", l.o.Steps)
		l.out.Experiment = append([]factored.Valuation{l.g.join(l.here.state, action)}, l.path...)
		return nil
	}
	return l.act(ctx, action)
}

// act takes a step.
func (l *learner) act(ctx context.Context, action factored.Valuation) error {
	step := Step{Now: l.g.join(l.here.state, action), Why: l.why}
	a, err := l.sys.Step(ctx, l.now, step.Now)
	if err != nil {
		return err
	}
	l.out.Steps++
	l.taken++
	step.Next = a.State
	if len(a.Outside) > 0 {
		return outside(a, l.out.Steps)
	}
	step.New = l.g.arc(step.Now) == nil
	l.news = l.news || step.New && l.m.open(step.Now) > 0
	if err := l.take(simulator.Transition{Now: step.Now, Next: a.State, Reward: a.Reward}); err != nil {
		return err
	}
	if a.State != nil {
		l.now, l.here = a, l.g.at(a.State)
		if l.episode = append(l.episode, step.Now); len(l.episode) == l.o.Horizon && !l.astray {
			l.whole[l.g.actionsOf(&factored.Trace{Steps: append(slices.Clone(l.episode), a.State)})] = true
		}
		if err := errors.Join(l.rewarded(step.Now, a), l.kept(l.here), l.arrive(l.here, a.Terminal)); err != nil {
			return err
		}
	}
	l.count()
	if step.Progress = l.out.Progress; l.o.Step != nil {
		return l.o.Step(step)
	}
	return nil
}

// arrive notes whether a run ends in a state, which is either always so or never.
func (l *learner) arrive(n *node, ends bool) error {
	if ends {
		l.path, l.layers = nil, nil
	}
	return n.arrive(l.p, ends, l.o.Ends)
}

// arrive notes whether a run ends in a state; says is Options.Ends.
func (n *node) arrive(p *factored.Problem, ends bool, says func(state factored.Valuation) (bool, error)) error {
	if ends && n.lasts || !ends && n.ends {
		went := [...]string{"went on", "ended"}
		now := 0
		if ends {
			now = 1
		}
		return fmt.Errorf("%w: a run %s in %s before, and %s there now; expected terminal in the same states at all times", ErrSystem, went[1-now], listed(p, factored.State, n.state), went[now])
	}
	if n.ends, n.lasts = ends, n.lasts || !ends; !ends || says == nil {
		return nil
	}
	said, err := says(n.state)
	if err == nil && !said {
		err = fmt.Errorf("%w: it ended the run in %s, where the problem says that a run goes on; expected terminal where one of its conditions on the end of a run holds", ErrSystem, listed(p, factored.State, n.state))
	}
	return err
}

// take learns from a step, unless it is known; the next state is nil if it was refused.
func (l *learner) take(x simulator.Transition) error {
	now, next := x.Now, x.Next
	reward, err := l.paid(x)
	if err != nil {
		return err
	}
	if n := l.g.at(now); next != nil && n.ends {
		return l.arrive(n, false)
	}
	if known := l.g.add(now, next, reward); known != nil {
		if (known.to == nil) != (next == nil) || next != nil && known.to != l.g.at(next) {
			start := known.to != nil && known.to == l.start || next != nil && l.g.at(next) == l.start
			return &ContradictionError{l.p, now, known.state(), next, start}
		}
		if known.reward != reward {
			return fmt.Errorf("%w: the same step had two rewards, %v before and %v now", ErrSystem, l.p.Reward.Float(known.reward), l.p.Reward.Float(reward))
		}
		return nil
	}
	l.layers = nil
	if next == nil {
		return nil
	}
	if f := broken(l.m.Free, now, next); f != "" {
		return fmt.Errorf("%w: a step to a state that the known part of the problem excludes: %s", ErrSystem, f)
	}
	grew, err := l.m.Observe(now, next)
	if errors.Is(err, errLift) {
		grew, err = true, l.part()
	}
	if l.m.Reward != nil && err == nil {
		more, changed, fault := l.m.Reward.observe(now, next, reward)
		grew, err = grew || more, fault
		if changed {
			l.queries = map[string]*query{}
		}
	}
	if grew {
		l.widened()
		l.doubt = l.start != nil
	}
	return err
}

// part has each learned bit have a function of its own, as the rows refute that some share one.
func (l *learner) part() error {
	m, err := NewModel(l.task, l.o.K, nil)
	for _, a := range l.g.arcs {
		if err == nil && a.to != nil {
			_, err = m.Observe(a.action, a.to.state)
		}
	}
	if err == nil {
		m.Free, m.Reward = l.p, l.m.Reward
		l.m, l.out.Model = m, m
	}
	return err
}

// paid is the reward of a step: that of the problem, or the observed one where it is learned.
func (l *learner) paid(x simulator.Transition) (int64, error) {
	switch {
	case x.Next == nil:
		return 0, nil
	case l.m.Reward == nil:
		reward, _ := validate.StepReward(l.p, x.Now, x.Next)
		return reward, nil
	case x.Reward == nil:
		return 0, fmt.Errorf("%w: a step without a reward; expected one with each step, since it is to be learned", ErrSystem)
	}
	reward, err := Micro(*x.Reward)
	if err != nil || reward > l.m.Reward.Most {
		return 0, fmt.Errorf("%w: the reward of a step is %v; expected at most %v", ErrSystem, *x.Reward, l.p.Reward.Float(l.m.Reward.Most))
	}
	return reward, nil
}

// rewarded compares a reward that the system sent with the problem's.
func (l *learner) rewarded(now factored.Valuation, a *simulator.Answer) error {
	arc := l.g.arc(now)
	if a.Reward == nil || l.o.OwnReward || l.m.Reward != nil || arc == nil {
		return nil
	}
	return unpaid(l.p.Reward.Float(arc.reward), *a.Reward, l.out.Steps)
}

// widened forgets what followed from fewer variables.
func (l *learner) widened() {
	l.queries, l.dull, l.verdicts = map[string]*query{}, map[string]bool{}, map[string]*verdict{}
	l.out.Bound, l.out.Status = nil, engine.Unknown
	for _, n := range l.g.nodes {
		n.foreseen = nil
	}
}

// broken says how a step breaks the known part of the transition; "" if it does not.
func broken(p *factored.Problem, now, next factored.Valuation) string {
	q := *p
	q.Global = slices.DeleteFunc(slices.Clone(p.Global), func(c factored.Constraint) bool { return !c.Defines })
	if f, err := validate.CheckStep(&q, nil, now, next); err == nil && f != nil {
		return f.Error()
	}
	return ""
}

// count brings the numbers of the result up to date.
func (l *learner) count() {
	l.out.K, l.out.Rows, l.out.Clauses = l.m.K, l.m.rows, len(l.m.Clauses)
}

// conclude tells what is known in the end.
func (l *learner) conclude() {
	if l.start != nil && l.out.Status != engine.Optimal { // else the plan is the one that was proven
		l.known()
	}
	l.count()
	l.out.Observed, l.out.Ended = l.g.all(), l.g.ended()
}

// known brings what observed steps reach up to date.
func (l *learner) known() *place {
	if l.layers == nil {
		l.layers = l.g.layers(l.start, l.o.Horizon)
	}
	best := l.g.best(l.layers)
	if best != nil {
		reward := best.reward
		l.out.Reward, l.out.Trace = &reward, best.trace()
	}
	return best
}
