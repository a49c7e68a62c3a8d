package policy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/decision"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Supported is what the rows of a log say about the value of a policy that was made for a model learned from them.
type Supported struct {
	// Value is at least this if the structure of the model is right: its groups, contexts and effects. Each
	// probability is the worst of the interval that its rows leave, or of that of a part of them that is unlike the others; all intervals hold together with the confidence.
	Value      float64 `json:"value"`
	Confidence float64 `json:"confidence"`
	// Unleft counts the states that the policy can reach in which no row begins, as far as what is drawn there depends on
	// them. They are worth the worst.
	Unleft int `json:"unleft"`
	// Runs is the number of runs that the value rests on, where the policy was followed; absent for a value that was computed.
	Runs int `json:"runs,omitempty"`
	// Fewest is the context with the fewest rows that the policy may come to; null where no context has rows.
	Fewest *Counted `json:"fewest,omitempty"`
	// Unlike are parts of contexts that the policy may come to, whose rows are unlike the others and tell for a lower value.
	Unlike []*Part `json:"unlike,omitempty"`
	// Beyond are variables whose range an outcome would leave in some state that the policy may come to, where no row shows what happens then.
	Beyond []string `json:"beyond,omitempty"`
}

// Counted tells of a context whose probabilities were counted in rows.
type Counted struct {
	Rows  int64    `json:"rows"`
	Draws []string `json:"draws"`
	When  string   `json:"when"` // empty where no other context holds
}

// fewRows is where the interval of a probability near one half is half as wide as all that it could be.
const fewRows = 30

// Thin says that a value rests on few rows; "" if it does not.
func (s *Supported) Thin() string {
	if s == nil || s.Fewest == nil || s.Fewest.Rows >= fewRows {
		return ""
	}
	when := "where " + s.Fewest.When
	if s.Fewest.When == "" {
		when = "where no other context holds"
	}
	return fmt.Sprintf("The policy may come to probabilities that were counted in as few as %s: of %s %s",
		counted.Of(int(s.Fewest.Rows), "row"), strings.Join(s.Fewest.Draws, ", "), when)
}

// sampled says what a value rests on that was not computed.
func (s *Supported) sampled() string {
	if s.Runs == 0 {
		return ""
	}
	return fmt.Sprintf(" (%g %% confidence, %s)", 100*s.Confidence, thousands(s.Runs))
}

const (
	// judgeRuns is the number of runs in which a policy that was sampled is judged.
	judgeRuns = 1000
	// leastRuns are taken even when the time is over.
	leastRuns = 50
	// refuted is how many standard errors a mean is below what is said, where that is taken to be wrong.
	refuted = 4
)

// runner follows a policy in runs of a model.
type runner struct {
	d      *Document
	m      *model
	w      *validate.Walk
	choose func(step int, state factored.Valuation) (factored.Valuation, error)
	floor  float64 // the least reward of a step, at most 0
	rng    *rand.Rand
}

// newRunner returns a runner, whose runs tell what rows support where there is a witness.
func (d *Document) newRunner(m *model, w *witness, seed uint64) *runner {
	of := m.chance
	if w != nil {
		of = w
	}
	x := &runner{d: d, m: m, w: validate.NewWalk(m.of, of), rng: rand.New(rand.NewPCG(seed, judgeRuns))}
	if d.Objective == policy.Reward {
		x.floor = min(0, float64(validate.LeastStepReward(m.of))/float64(m.of.Reward.Scale))
	}
	return x
}

// run is what a run is worth: its reward, or 1 for success. The expectation of least is no more than the policy is
// worth with any probabilities within their ranges: a run has at least the share sure of its probability, and
// the rest is worth the worst.
type run struct {
	value, least float64
	broken       string // what the policy breaks
}

// run follows the policy once.
func (x *runner) run() (r run, err error) {
	at, err := x.w.Number(x.m.start)
	if err != nil {
		return r, err
	}
	success, sure := x.d.Objective == policy.Success, 1.0
	for step := 1; ; step++ {
		if success && x.w.Goal(at) && !x.w.Over(at) {
			return run{value: 1, least: sure}, nil
		}
		if step > x.d.Horizon || x.w.Over(at) {
			// A run that ends early has no reward from then on.
			left := float64(x.d.Horizon + 1 - step)
			r.least += left * x.floor * (1 - sure)
			return r, nil
		}
		a, err := x.choose(step, x.w.State(at))
		if err != nil || a == nil && success {
			return run{}, err
		}
		if a == nil {
			return run{broken: fmt.Sprintf("it has no action at step %d", step)}, nil
		}
		next, err := x.w.Draw(at, a, x.rng)
		if err != nil {
			return run{}, err
		}
		if next == nil {
			return run{broken: fmt.Sprintf("its action at step %d is not legal", step)}, nil
		}
		sure *= next.Sure
		if at = next.State; !success {
			reward := float64(next.Reward) / float64(x.m.of.Reward.Scale)
			r.value += reward
			r.least += sure*reward + (1-sure)*x.floor
		}
	}
}

// sampleSupport bounds what the rows alone support of a policy that goes by a planner, in fresh runs.
func (d *Document) sampleSupport(ctx context.Context, m *model, p *decision.Planner) error {
	if !m.learned() || d.Value == nil {
		return nil
	}
	w, err := newWitness(m.p)
	if err != nil || w == nil {
		return err
	}
	x := d.newRunner(m, w, d.Rule.Seed+1)
	x.choose = func(step int, state factored.Valuation) (factored.Valuation, error) {
		return p.Choose(state, d.Horizon-step+1)
	}
	var least []float64
	for len(least) < judgeRuns && (len(least) < leastRuns || ctx.Err() == nil && !p.Tired()) {
		r, err := x.run()
		if err != nil || r.broken != "" {
			return err
		}
		least = append(least, r.least)
	}
	worst := x.floor * float64(d.Horizon)
	// The ranges hold with the confidence certain, and so does the bound on the mean.
	s := w.supported(decision.LowerMean(least, worst, 1-certain), 1-2*(1-certain))
	s.Runs = len(least)
	if math.IsInf(s.Value, 0) || s.Value <= worst {
		d.Unsupported = true
		return nil
	}
	d.Supported = s
	return nil
}

// sampleAgain follows a policy with a rule from the definition of the problem, in fresh runs.
func (d *Document) sampleAgain(p *load.Problem, m *model) (*Verdict, error) {
	f, err := NewFollower(context.Background(), p, d, Request{})
	if err != nil {
		return nil, err
	}
	v := &Verdict{Schema: app.Schema, Problem: d.Problem}
	x := d.newRunner(m, nil, d.Rule.Seed)
	x.choose = func(step int, state factored.Valuation) (factored.Valuation, error) {
		a, _, err := f.Choose(context.Background(), step, state)
		return a, err
	}
	sum, square, n := 0.0, 0.0, 0.0
	for ; n < judgeRuns && (n < leastRuns || !f.planner.Tired()); n++ {
		r, err := x.run()
		if err != nil {
			return nil, err
		}
		if r.broken != "" {
			v.Says = "the policy is refused: " + r.broken
			return v, nil
		}
		sum += r.value
		square += r.value * r.value
	}
	mean := sum / n
	deviation := math.Sqrt(max(0, square/n-mean*mean) / n)
	v.Value, v.Valid = &mean, d.Value == nil || mean+refuted*deviation >= *d.Value
	if v.Says = fmt.Sprintf("in %s %.6g on average, standard error %.2g", thousands(int(n)), mean, deviation); !v.Valid {
		v.Says += "; the file says at least " + sixDigits(*d.Value, false)
	}
	return v, nil
}
