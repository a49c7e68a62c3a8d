package execute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// Collection is the answer as JSON.
type Collection struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	Data    string `json:"data"`
	Rows    int    `json:"rows"`
	// Simulator is the command of a process, and Shown what it showed.
	Simulator string     `json:"simulator,omitempty"`
	Shown     *Collected `json:"shown,omitempty"`
	// Policy and Seed are those of a simulation, Log the file of a log.
	Policy string  `json:"policy,omitempty"`
	Seed   *uint64 `json:"seed,omitempty"`
	Log    string  `json:"log,omitempty"`
}

// CollectRequest asks for transitions of a simulator under random legal actions.
type CollectRequest struct {
	Rows      int
	Restart   bool // each row begins in a random state that the rules allow, not where the one before ended
	Horizon   int  // steps of an episode; the problem's own when 0, and EpisodeSteps if it has none
	Simulator SimulatorRef
	Progress  func(rows int) // called now and then; may be nil
}

// EpisodeSteps is the length of an episode where nothing gives one.
const EpisodeSteps = 100

// Collected is what a simulator showed.
type Collected struct {
	Rows     int `json:"rows"`
	Episodes int `json:"episodes"`
	// Refused counts steps that the simulator refused, Outside those to values that are not in
	// the range of their variable. Neither is a row.
	Refused int `json:"refused"`
	Outside int `json:"outside"`
	// Rewarded counts the rows with a reward of the simulator's.
	Rewarded int `json:"rewarded"`
	// Stopped is the limit that ended it early; absent if none did.
	Stopped string `json:"stopped,omitempty"`
}

// collector is one call of Collect.
type collector struct {
	p       *load.Problem
	r       CollectRequest
	real    *Real
	rng     *rand.Rand
	columns *simulator.Columns
	data    *dataset.Data
	out     *Collected
	now     *simulator.Answer // nil before an episode
	taken   int               // steps of the episode
}

// Collect writes the transitions of a simulator under random actions, legal by the rules of the
// problem, as a data set. Rows that were seen before a limit or the end of ctx are written; if
// there are none, that is the error.
func Collect(ctx context.Context, p *load.Problem, name string, r CollectRequest) (*Collected, error) {
	if r.Horizon == 0 {
		if r.Horizon = p.Problem.Horizon; r.Horizon == 0 {
			r.Horizon = EpisodeSteps
		}
	}
	if _, err := dataset.FormatOf(name); err != nil {
		return nil, err
	}
	c := &collector{p: p, r: r, out: &Collected{}, rng: rand.New(rand.NewPCG(r.Simulator.Seed, 0x636f6c6c))}
	var err error
	if c.columns, err = columns(p); err != nil {
		return nil, err
	}
	c.data = &dataset.Data{Schema: c.columns.Schema}
	c.r.Simulator.Observe = c.observe
	if c.real, err = OpenSimulator(ctx, p, c.r.Simulator); err != nil {
		return nil, err
	}
	err = c.run(ctx)
	if closed := c.real.Close(); err == nil {
		err = closed
	}
	switch {
	case (errors.Is(err, simulator.ErrBudget) || ctx.Err() != nil) && c.data.Rows > 0:
		c.out.Stopped = err.Error()
	case err != nil:
		return nil, err
	}
	c.out.Rows = c.data.Rows
	if c.out.Rewarded == 0 {
		c.data.Rewards = nil
	}
	return c.out, dataset.Write(name, c.data)
}

// observe takes a transition as a row.
func (c *collector) observe(t simulator.Transition) error {
	reward := math.NaN()
	if t.Reward != nil {
		reward = *t.Reward
		c.out.Rewarded++
	}
	c.data.Add(c.columns.Row(t))
	c.data.Rewards = append(c.data.Rewards, reward)
	return nil
}

// run takes steps until there are enough rows.
func (c *collector) run(ctx context.Context) error {
	const mostLost = 10_000 // draws one after the other that give no row
	if err := c.real.RequireFull("collecting transitions"); err != nil {
		return err
	}
	if c.r.Restart && !c.real.Info().AnyState {
		return errors.New("the simulator can only be reset to a state of its own; expected the policy exploration, not restart")
	}
	lost := 0
	for c.data.Rows < c.r.Rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		before := c.data.Rows
		if err := c.step(ctx); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		if lost++; c.data.Rows > before {
			lost = 0
		}
		if lost >= mostLost {
			return fmt.Errorf("%d draws one after the other gave no transition: %d steps were refused, %d led to values out of range; expected rules and ranges as the simulator has them", mostLost, c.out.Refused, c.out.Outside)
		}
		if c.r.Progress != nil && c.data.Rows%100 == 0 {
			c.r.Progress(c.data.Rows)
		}
	}
	return nil
}

// step begins an episode if need be, and takes a step.
func (c *collector) step(ctx context.Context) error {
	if c.now == nil || c.r.Restart {
		if err := c.begin(ctx); err != nil || c.now == nil {
			return err
		}
	}
	action, err := c.real.Random(c.p, c.now, c.rng)
	if err != nil {
		if c.taken == 0 && !c.r.Restart {
			return fmt.Errorf("in the first state: %w", err)
		}
		c.now = nil
		return nil
	}
	a, err := c.real.Step(ctx, c.now, action)
	if err != nil {
		return err
	}
	c.taken++
	switch {
	case len(a.Outside) > 0:
		c.out.Outside++
		c.now = nil
	case a.State == nil:
		c.out.Refused++
	case a.Violation != nil || a.Terminal || c.taken >= c.r.Horizon:
		c.now = nil
	default:
		c.now = a
	}
	return nil
}

// begin resets the simulator, with the policy restart to a random legal state. There is then no
// present state if the episode ended at once.
func (c *collector) begin(ctx context.Context) error {
	start, err := initial(c.p, c.real)
	if c.r.Restart {
		start, err = c.legalState()
	}
	if err != nil {
		return err
	}
	c.out.Episodes++
	c.taken = 0
	if c.now, err = c.real.Reset(ctx, start); err != nil {
		return err
	}
	switch v := c.now.Violation; {
	case v != nil && !c.r.Restart:
		return fmt.Errorf("the simulator begins in a state that is not legal: %s", v.Text(1))
	case c.now.Terminal && !c.r.Restart:
		return errors.New("the simulator begins in a terminal state; expected one to act in")
	case v != nil || c.now.Terminal:
		c.now = nil
	}
	return nil
}

// mostDraws bounds the draws of a state or an action that the rules allow.
const mostDraws = 1000

// legalState draws a state that the rules allow.
func (c *collector) legalState() (factored.Valuation, error) {
	for range 10 * mostDraws {
		val := make(factored.Valuation, c.p.World().NumBits())
		if drawn(c.p.World(), factored.State, val, c.rng); c.real.AllowsState(val) {
			return val, nil
		}
	}
	return nil, fmt.Errorf("%d random states break the rules of the problem; expected the policy exploration, which begins where the simulator does", 10*mostDraws)
}
