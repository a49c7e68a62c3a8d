package explain

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
)

// PolicyExplanation tells what a policy does in its most likely run, and after the other outcomes of its steps.
type PolicyExplanation struct {
	Schema  int          `json:"schema"`
	Problem string       `json:"problem"`
	Says    string       `json:"says"`  // what it is worth, computed anew
	Valid   bool         `json:"valid"` // it keeps the rules and is worth what its file says; else there are no steps
	Success bool         `json:"success"`
	Steps   []PolicyLine `json:"steps"`
}

// PolicyLine is what the policy does at some steps of its most likely run.
type PolicyLine struct {
	From   int        `json:"from"` // the first and the last of these steps, from 1
	To     int        `json:"to"`
	State  app.Values `json:"state"` // before them
	Action app.Values `json:"action"`
	Value  float64    `json:"value"` // probability of success, or expected reward, before the first one
	// Waits reports that the step most likely changes nothing: the policy waits for the other outcomes.
	Waits    bool            `json:"waits"`
	Outcomes []PolicyOutcome `json:"outcomes"` // other than the most likely one, the most likely ones first
}

// PolicyOutcome is what may happen in place of the most likely outcome.
type PolicyOutcome struct {
	Probability float64    `json:"probability"`
	State       app.Values `json:"state"`   // what differs from the most likely next state
	Planned     app.Values `json:"planned"` // what that has of these variables
	// Then is the next action: null where the run ends, at the goal or after a failure. Instead is set where it is not
	// the action after the most likely outcome.
	Then    *app.Values `json:"then"`
	Instead bool        `json:"instead"`
	Goal    bool        `json:"goal"`
	Value   float64     `json:"value"`
}

// Policy explains the policy of a file.
func Policy(p *load.Problem, name string, data []byte) (*PolicyExplanation, error) {
	d, err := policy.Read(p, name, data)
	if err != nil {
		return nil, err
	}
	v, err := d.Judge(p)
	if err != nil {
		return nil, err
	}
	out := &PolicyExplanation{Schema: app.Schema, Problem: d.Problem, Says: v.Says, Valid: v.Valid, Steps: []PolicyLine{}}
	if !v.Valid {
		return out, nil
	}
	c, err := d.Course()
	if err != nil {
		return nil, err
	}
	out.Success = c.Success
	run := c.Likely()
	for k := range len(run) - 1 {
		s := &c.Steps[k][run[k]]
		line := PolicyLine{From: k + 1, To: k + 1, State: d.Table.Values(s.State), Action: d.Table.Actions[s.Action], Value: s.Value}
		planned := &c.Steps[k+1][run[k+1]]
		line.Waits = planned.State == s.State
		for _, b := range s.Next {
			if b.To == run[k+1] {
				continue
			}
			o := PolicyOutcome{Probability: b.P}
			if b.To >= 0 {
				then := &c.Steps[k+1][b.To]
				o.Goal, o.Value, o.Instead = then.Goal, then.Value, then.Action >= 0 && then.Action != planned.Action
				o.State, o.Planned = d.Table.Differing(then.State, planned.State), d.Table.Differing(planned.State, then.State)
				if then.Action >= 0 {
					o.Then = &d.Table.Actions[then.Action]
				}
			}
			line.Outcomes = append(line.Outcomes, o)
		}
		sort.SliceStable(line.Outcomes, func(i, j int) bool {
			a, b := &line.Outcomes[i], &line.Outcomes[j]
			if d := a.Probability - b.Probability; math.Abs(d) > 1e-12 {
				return d > 0
			}
			return cmp.Less(a.Value, b.Value)
		})
		if n := len(out.Steps); n > 0 && out.Steps[n-1].same(&line) {
			out.Steps[n-1].To = k + 1
			continue
		}
		out.Steps = append(out.Steps, line)
	}
	return out, nil
}

// same reports whether a line goes on with the same: the policy waits.
func (l *PolicyLine) same(next *PolicyLine) bool {
	return l.Waits && next.Waits && slices.Equal(l.State, next.State) && slices.Equal(l.Action, next.Action)
}
