package execute

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// Until is the condition for the end of a run.
type Until string

// The ends of a run.
const (
	// UntilAuto is UntilGoal if there is a goal that does not hold at the start, else
	// UntilSteps.
	UntilAuto  Until = "auto"
	UntilGoal  Until = "goal"  // when the goal holds
	UntilSteps Until = "steps" // after a number of steps
)

// RunStatus is how a run ended.
type RunStatus string

// The statuses of a run.
const (
	RunGoal     RunStatus = "goal"     // the goal holds
	RunDone     RunStatus = "done"     // all steps were taken, or the system is terminal
	RunMissed   RunStatus = "missed"   // the same, but the goal was to be reached
	RunNoPlan   RunStatus = "no-plan"  // the model has no plan from the observed state, proven
	RunViolated RunStatus = "violated" // a step violated a rule
	RunStopped  RunStatus = "stopped"  // by a limit or a signal
	RunFailed   RunStatus = "failed"   // the simulator failed
)

// RunRequest is a run in receding horizon.
type RunRequest struct {
	// Horizon is that of plans, or the deadline of the goal.
	Horizon  bind.Horizon  `http:"yes" short:"H" help:"Steps of a plan, or a range N..M, whose best reward is found, the shortest on a tie; with a goal to reach, the number of steps within which to reach it; default: the problem's own." placeholder:"N"`
	Every    int           `name:"replan-every" http:"yes" help:"Steps to take before planning again." default:"1" min:"1" placeholder:"K"`
	Steps    int           `http:"yes" help:"Maximal number of steps to take; default: the horizon." min:"0" placeholder:"N"`
	Until    Until         `http:"yes" help:"Run until the goal holds or for all steps: ${enum}; auto is the goal, unless there is none or it holds at the start." enum:"auto,goal,steps" default:"auto"`
	PlanTime bind.Duration `http:"yes" help:"Time for each plan; the best plan found by then is used." placeholder:"TIME"`
	Engine   string        `http:"yes" help:"Engine: ${enum}." enum:"${engines}" default:"auto"`

	Seed   uint64                `name:"-"` // of actions in place of a plan
	Limits engine.Limits         `name:"-"`
	Follow Chooser               `name:"-"` // a policy in place of plans; nil for plans
	Now    func() time.Time      `name:"-"` // the clock; nil is time.Now
	Plan   func(RunPlan)         `name:"-"` // called for each plan; may be nil
	Step   func(RunStep)         `name:"-"` // called for each step; may be nil
	Phase  func(engine.Progress) `name:"-"`
}

// Chooser is a policy that is followed.
type Chooser interface {
	// Horizon is the number of steps that it is for.
	Horizon() int
	// Success reports whether it is to reach a goal.
	Success() bool
	// Choose returns the action for a state at a step, and what is known of it if it had to be planned. It is nil where
	// nothing is legal.
	Choose(ctx context.Context, step int, state factored.Valuation) (action factored.Valuation, planned engine.Status, err error)
	// See returns the probability of the state after a step.
	See(now, next factored.Valuation) (p float64, err error)
	// Drift says how what was seen differs from the model; "" for nothing remarkable.
	Drift() string
}

// stater is a Chooser that states its chance.
type stater interface{ Stated() *plan.Stated }

// stated returns the chance that a Chooser states; nil for none.
func stated(c Chooser) *plan.Stated {
	if s, ok := c.(stater); ok {
		return s.Stated()
	}
	return nil
}

// RunDocument is the answer of `fdplan run`.
type RunDocument struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	load.Altered
	Simulator  string     `json:"simulator"`
	Status     RunStatus  `json:"status"`
	Horizon    int        `json:"horizon"`
	MinHorizon int        `json:"min_horizon,omitempty"` // of a range that ends with it
	Every      int        `json:"replan_every"`
	Until      Until      `json:"until"` // goal or steps
	Plans      []RunPlan  `json:"plans"`
	Steps      []RunStep  `json:"steps"`
	Final      app.Values `json:"final"`     // the last state that was observed
	Reward     *float64   `json:"reward"`    // of the steps taken
	Surprises  int        `json:"surprises"` // number of steps that led to another state than planned
	// Predicted is how often the network predicts the steps wrongly; absent if nothing is learned.
	Predicted *learn.Predicted `json:"predicted,omitempty"`
	// OutOfRange lists the values that the system sent and that their variables do not have; absent if there
	// are none.
	OutOfRange  []simulator.Outside `json:"out_of_range,omitempty"`
	Failure     *app.Fault          `json:"failure"` // of a run that ended violated
	PlanLatency Latency             `json:"plan_latency"`
	StepLatency Latency             `json:"step_latency"`
	Simulations int                 `json:"simulations"`
	Recorded    int                 `json:"recorded"`
	Says        string              `json:"says,omitempty"` // why it ended, if the status does not show it
	// Drift says how what was seen differs from the model of a policy; absent for nothing remarkable.
	Drift string `json:"drift,omitempty"`
	// Assumed says what plans assume of inputs after what was observed; absent without.
	Assumed []load.Assumed `json:"assumed,omitempty"`
	// Robust is the chance of a run that plans against the errors of quantities; absent for others.
	Robust *plan.Stated `json:"robust,omitempty"`
	// Next says what to do where a learned model has no plan; absent otherwise.
	Next []string `json:"next,omitempty"`
}

// Warning returns a line that warns of steps whose next values training rows dispute or do not
// support; empty if there are none.
func (d *RunDocument) Warning() string {
	var lines []string
	for _, w := range []struct {
		kind support.Kind
		says string
	}{{support.Disputed, "training rows dispute"}, {support.Unseen, "the training rows do not support"}} {
		var steps []string
		surprises := 0
		for i := range d.Steps {
			if s := &d.Steps[i]; s.Evidence != nil && s.Evidence.Kind == w.kind {
				steps = append(steps, fmt.Sprint(s.Step))
				if s.Differs != nil {
					surprises++
				}
			}
		}
		if len(steps) > 0 {
			lines = append(lines, fmt.Sprintf("in %d of %d steps (%s) the plan relied on next values that %s; %d of them did not go as planned",
				len(steps), len(d.Steps), support.Listed(steps), w.says, surprises))
		}
	}
	return strings.Join(lines, "; ")
}

// RunPlan is one planning query of a run.
type RunPlan struct {
	Step    int           `json:"step"`    // before which it was made
	Horizon int           `json:"horizon"` // of the plan, or the longest that was tried
	Status  engine.Status `json:"status"`
	Reward  *float64      `json:"reward"`
	Seconds float64       `json:"seconds"`
	// Instead is what is done without a plan: "rest" of the last one, "noop" or "random".
	Instead string `json:"instead,omitempty"`
}

// RunStep is one step of a run.
type RunStep struct {
	Step    int             `json:"step"`
	State   app.Values      `json:"state"` // before it
	Action  app.Values      `json:"action"`
	Reward  *float64        `json:"reward"`
	Seconds float64         `json:"seconds"` // that the system took to answer
	Differs *app.Difference `json:"differs"` // from what the plan expected after it
	// Probability is that of the state after it, if a policy is followed.
	Probability *float64 `json:"probability,omitempty"`
	// Unsupported are the variables whose values after it the training rows do not support;
	// absent for none, and if that is unknown.
	Unsupported []string `json:"unsupported,omitempty"`
	// Evidence is what the training rows tell about the step; absent if that is unknown.
	Evidence *support.Evidence `json:"evidence,omitempty"`
}

// Latency summarises times, in seconds.
type Latency struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	Max   float64 `json:"max"`
	sum   float64
}

func (l *Latency) add(seconds float64) {
	l.Count++
	l.sum += seconds
	l.Mean, l.Max = l.sum/float64(l.Count), max(l.Max, seconds)
}
