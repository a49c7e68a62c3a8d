package plan

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// Document is the answer to a planning query, as `fdplan plan --json` prints it. Unknown
// values are null.
type Document struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	Verdict string `json:"verdict"` // what is known of the plan, in one sentence
	load.Altered
	Horizon *int          `json:"horizon"` // of the plan, or the requested one
	Engine  string        `json:"engine"`
	Status  engine.Status `json:"status"`
	Reward  *float64      `json:"reward"` // the model's sum over the horizon
	Bound   *float64      `json:"bound"`  // no plan has a higher reward
	Gap     *float64      `json:"gap"`    // (bound-reward)/max(1,|reward|)
	Proof   *Proof        `json:"proof"`  // who proved it, or claims it; null for a plan without a bound
	Plan    []app.Values  `json:"plan"`   // per step the actions that do not have their default
	// Note says what the claim is about, such as the learned model only; absent if there is
	// nothing to say.
	Note string `json:"note,omitempty"`
	// Assumed says what the answer assumes of inputs; absent without.
	Assumed []load.Assumed `json:"assumed,omitempty"`
	Trace   []app.Values   `json:"trace"` // horizon+1 states, every state variable
	Valid   app.Verdicts   `json:"valid"`
	// Simulator is the system that the plan was tried in because that was asked for; absent
	// where it was tried in the problem's own RDDL of its own accord, or not at all.
	Simulator string   `json:"simulator,omitempty"`
	Simulated *float64 `json:"simulated_reward"`
	// Metric is the value that the metric of a problem in PDDL has after the plan, the number of its actions where there is none; absent otherwise.
	Metric *float64 `json:"metric,omitempty"`
	// SimulatorSays is why the plan fails in the simulator, absent if it does not.
	SimulatorSays string `json:"simulator_says,omitempty"`
	// Unrounded is how the plan fares where the reals of RDDL are not rounded; absent if none is.
	Unrounded *load.Unrounded `json:"unrounded,omitempty"`
	// OutOfRange lists the values that the simulator sent and that their variables do not have; absent if there
	// are none.
	OutOfRange []simulator.Outside `json:"out_of_range,omitempty"`
	// StartBreaks is the rule that the initial state breaks; absent if there is none, and where
	// there is a plan.
	StartBreaks *app.Fault `json:"start_breaks,omitempty"`
	// Learned reports that the answer is about a learned model.
	Learned bool `json:"learned"`
	// Observed are the states that the simulator showed, up to where the plan failed; absent if
	// they are those of the trace, and if no simulator was used.
	Observed []app.Values `json:"observed,omitempty"`
	// UnseenSteps counts the steps with next values that the training rows of the network do
	// not support; null if unknown. Unless UnseenExact is set it is a lower bound.
	UnseenSteps *int  `json:"unseen_steps"`
	UnseenExact *bool `json:"unseen_exact"`
	// Unsupported lists these steps; null if unknown.
	Unsupported []Unsupported `json:"unsupported"`
	// LearnedReward tells of the rows that the reward was learned from; absent if it was not
	// learned, or if that is not recorded.
	LearnedReward *load.RewardRows `json:"learned_reward,omitempty"`
	// Evidence is what the training rows tell about each step; null if unknown.
	Evidence support.Steps `json:"evidence"`
	// Safe is what the training rows support; absent unless it was asked for.
	Safe *Bracket `json:"safe,omitempty"`
	// Chance is how a plan for the most likely outcomes fares where draws are drawn; absent if that is not known, and
	// where nothing is drawn.
	Chance *Chance `json:"chance,omitempty"`
	// Robust is what is known of the plan, or of all plans, for every error of quantities within bands; absent unless it
	// was asked for.
	Robust    *Robust `json:"robust,omitempty"`
	Landmarks int     `json:"landmarks"`
	Seconds   Seconds `json:"seconds"`
	// Stopped is the limit that ended the run, absent if none did.
	Stopped string `json:"stopped,omitempty"`
	// Range is the first and the last horizon that was asked about; absent for one horizon.
	Range *[2]int `json:"range,omitempty"`
	// Horizons describes each horizon of a range, in order.
	Horizons []HorizonLine    `json:"horizons,omitempty"`
	Stats    map[string]int64 `json:"stats"`

	outright *Outright // what has checked plans already; nil for nothing
}

// Chance is how a plan that was made for the most likely outcomes fares where draws are drawn. Unknown values are null.
type Chance struct {
	Success *float64 `json:"success"`           // probability that it reaches the goal at a step
	Reward  *float64 `json:"reward,omitempty"`  // the expected one, where there is no goal
	Policy  *float64 `json:"policy"`            // the same of the best policy; null where it was not computed
	Learned bool     `json:"learned,omitempty"` // what is drawn was learned
	// Sampled tells of the runs that Success was estimated in; absent where it was computed.
	Sampled *Sample `json:"sampled,omitempty"`
	Says    string  `json:"says"` // String
}

// Sample is a share that was estimated in runs, with an interval that contains the true one with some confidence.
type Sample struct {
	Runs       int     `json:"runs"`
	Rate       float64 `json:"rate"`
	Confidence float64 `json:"confidence"`
	Lower      float64 `json:"lower"`
	Upper      float64 `json:"upper"`
}

// String is for people.
func (s *Sample) String() string {
	return fmt.Sprintf("%d of %d runs that were drawn; with %g %% confidence %s to %s", int(math.Round(s.Rate*float64(s.Runs))), s.Runs, 100*s.Confidence, Percent(s.Lower), Percent(s.Upper))
}

// String is for people.
func (c *Chance) String() string {
	text, value, write := "where draws are drawn, ", c.Success, Percent
	if c.Learned {
		text = "under the learned model with all its outcomes, "
	}
	if c.Success != nil {
		text += "the plan reaches the goal with probability " + Percent(*c.Success)
	} else {
		value, write = c.Reward, func(x float64) string { return strconv.FormatFloat(x, 'g', 9, 64) }
		text += "the plan has expected reward " + write(*c.Reward)
	}
	if c.Sampled != nil {
		text += fmt.Sprintf(" (%v)", c.Sampled)
	}
	switch {
	case c.Policy == nil:
		return text + "; --policy looks for the best policy"
	case *c.Policy > *value:
		return text + ", and a policy " + map[bool]string{true: "with ", false: ""}[c.Success != nil] + write(*c.Policy) + ": --policy"
	}
	return text + ", and no policy is better"
}

// Percent writes a probability.
func Percent(p float64) string {
	text := strconv.FormatFloat(100*p, 'f', 2, 64)
	if p < 1 && text == "100.00" || p > 0 && text == "0.00" { // neither certain nor impossible
		text = strconv.FormatFloat(100*p, 'g', 10, 64)
	}
	return text + " %"
}

// Seconds is the time spent, by phase.
type Seconds struct {
	Load   float64 `json:"load"`
	Encode float64 `json:"encode"`
	Solve  float64 `json:"solve"`
	Total  float64 `json:"total"`
}

// HorizonLine is the result for one horizon of a range.
type HorizonLine struct {
	Horizon int           `json:"horizon"`
	Status  engine.Status `json:"status"`
	Reward  *float64      `json:"reward"`
}

// Sum writes the verdict on the plan of a task in one sentence.
func (d *Document) Sum(t engine.Task) {
	defer func() {
		if text := load.Assumptions(d.Assumed); text != "" {
			d.Verdict += "; " + text
		}
	}()
	d.Learned = t.Network != nil
	model := "the model"
	if d.Learned {
		model = "the learned model"
	}
	switch {
	case d.Status == engine.Infeasible:
		d.Verdict = "proven: no plan exists in " + model
		if d.StartBreaks = breakOfStart(t.Problem); d.StartBreaks != nil {
			d.Verdict = "the start itself breaks a rule, so no plan exists: " + cmp.Or(d.StartBreaks.Words, d.StartBreaks.Constraint)
		}
		return
	case d.Plan == nil:
		d.Verdict = "no answer"
		return
	case d.Status == engine.Optimal:
		d.Verdict = "valid and proven optimal in " + model
	default:
		d.Verdict = "valid in " + model + ", not proven optimal"
	}
	switch {
	case d.Valid.Simulator == nil:
		d.Verdict += "; not tried in a simulator"
	case *d.Valid.Simulator && d.Observed != nil:
		d.Verdict += "; holds in the simulator, which passed other states than planned"
	case *d.Valid.Simulator:
		d.Verdict += "; holds in the simulator"
	default:
		d.Verdict = "FAILS in the simulator: " + d.SimulatorSays + "; " + d.Verdict
	}
	if w := d.Warning(); w != "" {
		d.Verdict += "; " + w
	}
	if w := d.LearnedReward.Warning(); w != "" {
		d.Verdict += "; " + w
	}
}

// LearnedRewardOf notes on which rows the reward of a problem was learned, if it was.
func (d *Document) LearnedRewardOf(p *load.Problem) {
	if p.LearnedReward {
		d.LearnedReward = p.RewardRows
	}
}

// Observe notes what a simulator showed, if it differs from the trace. States that are not
// known in full end it.
func (d *Document) Observe(p *factored.Problem, tr *factored.Trace, answers []*simulator.Answer) {
	d.Observed = nil
	differs := len(answers) < len(tr.Steps)
	for t, a := range answers {
		if a.State == nil || len(a.Missing) > 0 || t >= len(tr.Steps) {
			break
		}
		d.Observed = append(d.Observed, app.ValuesOf(p, factored.State, a.State, true))
		differs = differs || app.DifferenceOf(p, t+1, tr.Steps[t], a) != nil
	}
	if !differs {
		d.Observed = nil
	}
}

// Tell writes a trace into d.
func (d *Document) Tell(p *factored.Problem, tr *factored.Trace) {
	d.Plan, d.Trace = app.StepsOf(p, tr)
}

// Gap returns the relative distance of bound and reward.
func Gap(bound, reward float64) float64 {
	return (bound - reward) / math.Max(1, math.Abs(reward))
}
