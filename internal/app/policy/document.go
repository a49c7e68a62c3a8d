package policy

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Document is the answer to `fdplan plan --policy`, and with its table a policy file. Unknown values
// are null.
type Document struct {
	Schema    int              `json:"schema"`
	Problem   string           `json:"problem"`
	Objective policy.Objective `json:"objective"`
	Horizon   int              `json:"horizon"`
	Engine    string           `json:"engine"`
	Status    engine.Status    `json:"status"`
	Value     *float64         `json:"value"`               // a probability, or an expected reward
	Exact     string           `json:"exact,omitempty"`     // the value as a fraction, if that is short
	Evaluated string           `json:"evaluated,omitempty"` // "exactly", or "within rounding"
	Bound     *float64         `json:"bound"`               // no policy has a greater value, but for rounding
	Sampled   *Sample          `json:"sampled"`             // null for a value that was computed
	States    int              `json:"states"`              // that can be reached within the horizon
	Pairs     int64            `json:"pairs"`               // of these states and their legal actions
	Updates   int64            `json:"updates"`             // outcomes that were looked at
	Reached   int              `json:"reached"`             // states that the policy can reach
	Steps     int64            `json:"steps"`               // pairs of a step and a state that the policy can reach then
	Policy    *string          `json:"policy"`              // the file of the table
	Table     Table            `json:"table"`
	Stopped   string           `json:"stopped,omitempty"`
	Seconds   float64          `json:"seconds"`
}

// Sample tells how a value was estimated.
type Sample struct {
	Runs       int     `json:"runs"`
	Confidence float64 `json:"confidence"`
}

// maxFraction bounds the length of a value that is printed as a fraction.
const maxFraction = 60

// Table says what to do in each state that a policy can reach. It is plain enough for a device: find the state, then
// the row of it whose steps contain the present one.
type Table struct {
	Variables []string     `json:"variables"` // of states, in order
	States    [][]any      `json:"states"`    // values of the variables
	Actions   []app.Values `json:"actions"`   // joint actions: what differs from its default
	Rows      [][4]int     `json:"rows"`      // state and action, from 0, and the first and last step, from 1: [state, from, to, action]
}

// fill writes the policy of a solution.
func (t *Table) fill(m *model, s *policy.Solution) error {
	p := m.p.Problem
	for i := range p.Variables {
		if p.Variables[i].Kind == factored.State {
			t.Variables = append(t.Variables, p.Variables[i].Name)
		}
	}
	t.States, t.Actions, t.Rows = [][]any{}, []app.Values{}, [][4]int{}
	states, actions := map[int]int{}, map[uint32]int{}
	for _, r := range s.Rows() {
		i, ok := states[r.State]
		if !ok {
			i = len(t.States)
			states[r.State] = i
			val := make(factored.Valuation, p.NumBits())
			if err := m.process.Unpack(val, s.State(r.State)); err != nil {
				return err
			}
			var row []any
			for _, e := range app.ValuesOf(p, factored.State, val, true) {
				row = append(row, e.Value)
			}
			t.States = append(t.States, row)
		}
		a, ok := actions[r.Action]
		if !ok {
			a = len(t.Actions)
			actions[r.Action] = a
			val := make(factored.Valuation, p.NumBits())
			if err := m.process.Action(val, r.Action); err != nil {
				return err
			}
			t.Actions = append(t.Actions, app.ValuesOf(p, factored.Action, val, false))
		}
		t.Rows = append(t.Rows, [4]int{i, r.From, r.To, a})
	}
	return nil
}

// policy returns the table as a function, after a look at what it says.
func (t *Table) policy(p *factored.Problem) (validate.Policy, error) {
	var names []string
	for i := range p.Variables {
		if p.Variables[i].Kind == factored.State {
			names = append(names, p.Variables[i].Name)
		}
	}
	if fmt.Sprint(names) != fmt.Sprint(t.Variables) {
		return nil, fmt.Errorf("the table is of the variables %v; expected %v", t.Variables, names)
	}
	var actions []factored.Valuation
	for i, a := range t.Actions {
		val, err := app.BitsOf(p, a)
		if err != nil {
			return nil, fmt.Errorf("action %d: %w", i, err)
		}
		actions = append(actions, val)
	}
	keys := make([]string, len(t.States))
	for i, s := range t.States {
		keys[i] = keyOf(s)
	}
	rows := map[string][][4]int{}
	for i, r := range t.Rows {
		if r[0] < 0 || r[0] >= len(keys) || r[3] < 0 || r[3] >= len(actions) || r[1] < 1 || r[2] < r[1] {
			return nil, fmt.Errorf("row %d is %v; expected [state, from, to, action]", i, r)
		}
		rows[keys[r[0]]] = append(rows[keys[r[0]]], r)
	}
	return func(step int, state factored.Valuation) factored.Valuation {
		var values []any
		for _, e := range app.ValuesOf(p, factored.State, state, true) {
			values = append(values, e.Value)
		}
		for _, r := range rows[keyOf(values)] {
			if r[1] <= step && step <= r[2] {
				return actions[r[3]]
			}
		}
		return nil
	}, nil
}

// keyOf is a map key for the values of a state, as they are written or as they were read.
func keyOf(values []any) string {
	text, err := json.Marshal(values)
	if err != nil {
		return fmt.Sprint(values)
	}
	return string(text)
}

// Says is the answer in a few words.
func (d *Document) Says() string {
	switch {
	case d.Status == engine.Infeasible:
		return fmt.Sprintf("no policy keeps the rules for %s, whatever is drawn", counted.Of(d.Horizon, "step"))
	case d.Value == nil:
		return "no answer"
	case d.Objective == policy.Success:
		return fmt.Sprintf("%s, reaches the goal within %s with probability %s", d.Status, counted.Of(d.Horizon, "step"), percent(*d.Value))
	}
	return fmt.Sprintf("%s, expected reward %.9g, horizon %d", d.Status, *d.Value, d.Horizon)
}

// Worth is the value as exactly as it is known.
func (d *Document) Worth() string {
	switch {
	case d.Exact != "":
		return "it is worth " + d.Exact
	case d.Objective == policy.Success:
		return "it succeeds with probability " + percent(*d.Value)
	}
	return fmt.Sprintf("its expected reward is %.12g", *d.Value)
}

// percent writes a probability.
func percent(p float64) string {
	text := strconv.FormatFloat(100*p, 'f', 2, 64)
	if p < 1 && text == "100.00" || p > 0 && text == "0.00" { // neither certain nor impossible
		text = strconv.FormatFloat(100*p, 'g', 10, 64)
	}
	return text + " %"
}

// Text writes a state: what is not false or 0.
func (t *Table) Text(state int) string {
	var values app.Values
	for i, name := range t.Variables {
		values = append(values, app.Entry{Name: name, Value: t.States[state][i]})
	}
	return values.String()
}
