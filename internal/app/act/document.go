package act

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/certify/learned"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/problem/factored"
)

// Document is the answer of `fdplan learn`.
type Document struct {
	Schema    int    `json:"schema"`
	Problem   string `json:"problem"`
	Simulator string `json:"simulator"`
	Horizon   int    `json:"horizon"`
	Verdict   string `json:"verdict,omitempty"` // the answer in a sentence
	// Status is "optimal" where the plan was seen to hold and none is better, "infeasible" where no plan exists, both as
	// Assuming says; else "feasible" with a plan that was seen to hold, and "unknown" without.
	Status engine.Status `json:"status"`
	Reward *float64      `json:"reward"` // of the plan that was seen to hold
	Bound  *float64      `json:"bound"`  // no plan has more, if what Assuming says is true
	// Assuming is what bound and status rest on, to follow an "if".
	Assuming string       `json:"assuming"`
	K        int          `json:"k"` // most variables that a next value depends on
	Steps    int          `json:"steps"`
	Resets   int          `json:"resets"`
	Rows     int          `json:"rows"`    // different steps that were seen, here or before
	Clauses  int          `json:"clauses"` // about next values, that follow from them
	Plan     []app.Values `json:"plan"`
	Trace    []app.Values `json:"trace"`
	// Whole reports that the plan was seen in one run, and not only each of its steps.
	Whole bool `json:"whole"`
	// Model is what is within reach by steps that the rules allow, each next value of which is known, as Assuming says; absent if that was
	// not shown, as where it was not wanted.
	Model *acting.Extent `json:"model,omitempty"`
	// Experiment is what would be tried next: from a state that was seen, steps of which the last is new; absent if nothing
	// is left to be tried.
	Experiment *Experiment `json:"experiment,omitempty"`
	// Unsafe are the steps that were not taken with safe exploration, though they may be of better plans.
	Unsafe  []Unsafe  `json:"unsafe,omitempty"`
	Learned []Learned `json:"learned"`
	// Chance is what is known of policies where the system draws next states at random; absent where it does not.
	Chance *Chance `json:"chance,omitempty"`
	// Network was trained on all rows; absent if there was no time for it.
	Network *Network `json:"network,omitempty"`
	Stopped string   `json:"stopped,omitempty"` // why it ended before it was proven
	// Certificate is the folder with the proof of the bound; null where none was made, as NoProof says.
	Certificate *string `json:"certificate"`
	NoProof     string  `json:"no_proof,omitempty"`
	Seconds     Seconds `json:"seconds"`
}

// Experiment is a state with actions to be taken from there.
type Experiment struct {
	State   app.Values   `json:"state"`
	Actions []app.Values `json:"actions"`
}

// Unsafe is a step that may break a rule.
type Unsafe struct {
	State  app.Values `json:"state"`
	Action app.Values `json:"action"`
	Rule   string     `json:"rule"`
}

// Learned is what is known of a learned variable.
type Learned struct {
	Name string `json:"name"`
	// Variables is the least number of variables of functions that agree with the rows.
	Variables int `json:"variables"`
	Clauses   int `json:"clauses"`
}

// Seconds are times.
type Seconds struct {
	Act     float64 `json:"act"`
	Certify float64 `json:"certify"`
	Total   float64 `json:"total"`
}

// newDocument describes a result.
func newDocument(p *load.Problem, system string, r *Request, res *acting.Result) *Document {
	d := &Document{
		Schema: app.Schema, Problem: p.Problem.Name, Simulator: system, Horizon: r.Horizon, Status: res.Status, K: res.Model.K,
		Steps: res.Steps, Resets: res.Resets, Rows: res.Rows, Clauses: res.Clauses, Stopped: res.Reason, Whole: res.Whole, Model: res.Extent, Assuming: assuming(res.Model.K, res.Model.K >= res.Model.Most(), res.Model.Shared() != nil, rewardOf(p.Problem, res.Model.Reward)),
	}
	if res.Bound != nil {
		d.Bound = app.RewardOf(p.Problem, *res.Bound)
	}
	if res.Trace != nil {
		d.Reward = app.RewardOf(p.Problem, *res.Reward)
		var told plan.Document
		told.Tell(p.Problem, res.Trace)
		d.Plan, d.Trace = told.Plan, told.Trace
		if d.Status == engine.Unknown {
			d.Status = engine.Feasible
		}
	}
	if len(res.Experiment) > 0 {
		d.Experiment = &Experiment{State: app.ValuesOf(p.Problem, factored.State, res.Experiment[0], true)}
		for _, v := range res.Experiment {
			d.Experiment.Actions = append(d.Experiment.Actions, app.ValuesOf(p.Problem, factored.Action, v, false))
		}
	}
	for _, u := range res.Unsafe {
		d.Unsafe = append(d.Unsafe, Unsafe{app.ValuesOf(p.Problem, factored.State, u.Now, true), app.ValuesOf(p.Problem, factored.Action, u.Now, false), u.Rule})
	}
	d.Learned = learnedOf(p.Problem, res.Model)
	return d
}

// learnedOf tells what is known of each learned variable.
func learnedOf(p *factored.Problem, m *acting.Model) (all []Learned) {
	for _, b := range m.Outputs {
		v, _ := p.Owner(b)
		if len(all) == 0 || all[len(all)-1].Name != v.Name {
			all = append(all, Learned{Name: v.Name})
		}
		l := &all[len(all)-1]
		l.Variables = max(l.Variables, m.Least(b))
		for i := range m.Clauses {
			if m.Clauses[i].Output == b {
				l.Clauses++
			}
		}
	}
	return all
}

// assuming states what a bound rests on, to follow an "if": next values depend on at most k variables, all of which
// if there are no more, and a reward that is not nil is as learned.
func assuming(k int, all, lifted bool, r *learned.Reward) string {
	right, said := "rules and reward are right", []string{}
	if r != nil {
		of := "recorded bits"
		if r.Degree > 1 {
			of = fmt.Sprintf("products of at most %d recorded bits", r.Degree)
		}
		right = "its rules are right"
		said = append(said, fmt.Sprintf("no step has a reward of more than %v", float64(r.Most)/acting.RewardScale), "the reward of a step is a sum of weights of "+of+" of the state, the action and the next state")
	}
	switch {
	case all && lifted:
		said = append(said, "objects of a type behave alike where their own fluents and the numbers of their neighbours are alike")
	case lifted:
		said = append(said, fmt.Sprintf("each next value is a function, the same for all objects of a type, of at most %d of their own fluents and the numbers of their neighbours", k))
	case !all:
		said = append(said, fmt.Sprintf("no next value depends on more than %d recorded variables", k))
	}
	said = append([]string{"the system is deterministic and fully recorded", right}, said...)
	last := len(said) - 1
	return strings.Join(said[:last], ", ") + ", and " + said[last]
}

// sentence is the verdict.
func (d *Document) sentence() string {
	if d.Chance != nil {
		return d.Chance.verdict(d)
	}
	seen := "Each step of the plan was seen"
	if d.Whole {
		seen = "The plan was seen to hold"
	}
	switch {
	case d.Status == engine.Optimal:
		return fmt.Sprintf("%s, reward %v. No plan is better, if %s.", seen, *d.Reward, d.Assuming)
	case d.Status == engine.Infeasible:
		return fmt.Sprintf("No plan exists, if %s.", d.Assuming)
	case d.Reward != nil && d.Bound != nil:
		return fmt.Sprintf("%s, reward %v. No plan has more than %v, if %s.", seen, *d.Reward, *d.Bound, d.Assuming)
	case d.Reward != nil:
		return fmt.Sprintf("%s, reward %v. Nothing bounds what others have.", seen, *d.Reward)
	case d.Bound != nil:
		return fmt.Sprintf("No plan was seen to hold. None has more than %v, if %s.", *d.Bound, d.Assuming)
	}
	return "Nothing is known of plans."
}
