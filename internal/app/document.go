package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Schema is the version of Document's JSON.
const Schema = 1

// Document is the answer to a planning query, as `fdplan plan --json` prints
// it. What is not known is null.
type Document struct {
	Schema    int           `json:"schema"`
	Problem   string        `json:"problem"`
	Horizon   *int          `json:"horizon"` // of the plan, or the one that was asked
	Engine    string        `json:"engine"`
	Status    engine.Status `json:"status"`
	Reward    *float64      `json:"reward"` // the model's sum over the horizon
	Bound     *float64      `json:"bound"`  // no plan has a higher reward
	Gap       *float64      `json:"gap"`    // (bound-reward)/max(1,|reward|)
	Plan      []Values      `json:"plan"`   // per step the actions that are not false or 0
	Trace     []Values      `json:"trace"`  // horizon+1 states, every state variable
	Valid     Verdicts      `json:"valid"`
	Simulated *float64      `json:"simulated_reward"`
	// SimulatorSays is why the plan fails in the simulator, absent when it
	// does not.
	SimulatorSays string `json:"simulator_says,omitempty"`
	// UnseenSteps counts the steps with a state and action that no row had which
	// the network was trained on; null where that is not known. Unless UnseenExact
	// there may be more.
	UnseenSteps *int    `json:"unseen_steps"`
	UnseenExact *bool   `json:"unseen_exact"`
	Landmarks   int     `json:"landmarks"`
	Seconds     Seconds `json:"seconds"`
	// Stopped says which limit ended the run, absent when none did.
	Stopped string `json:"stopped,omitempty"`
	// Horizons tells of each horizon of a range.
	Horizons []HorizonLine    `json:"horizons,omitempty"`
	Stats    map[string]int64 `json:"stats"`
	// Loop tells of the iterations of Algorithm 1, absent where it was not asked.
	Loop *Loop `json:"incremental,omitempty"`

	unseen []int // the steps, from 1
}

// Verdicts are the checks that a plan went through; null where not asked.
type Verdicts struct {
	Model     *bool `json:"model"`
	Simulator *bool `json:"simulator"`
}

// Seconds is where the time went.
type Seconds struct {
	Load   float64 `json:"load"`
	Encode float64 `json:"encode"`
	Solve  float64 `json:"solve"`
	Total  float64 `json:"total"`
}

// HorizonLine is what is known of one horizon of a range.
type HorizonLine struct {
	Horizon int           `json:"horizon"`
	Status  engine.Status `json:"status"`
	Reward  *float64      `json:"reward"`
}

// Entry is a variable with its value, a bool or an int64.
type Entry struct {
	Name  string
	Value any
}

// Values is a JSON object that keeps the order of variables.
type Values []Entry

// MarshalJSON writes the entries in order.
func (v Values) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range v {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encode(e.Name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%v", name, e.Value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is a JSON string without the escapes that only HTML needs.
func encode(s string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// WriteJSON writes v as one line.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// valuesOf lists the variables of one kind in val; with all false those that
// are false or 0 are left out.
func valuesOf(p *factored.Problem, k factored.Kind, val factored.Valuation, all bool) Values {
	out := Values{}
	for i := range p.Variables {
		v := &p.Variables[i]
		if v.Kind != k {
			continue
		}
		x := v.Value(val)
		switch {
		case x == 0 && !all:
		case v.Bool:
			out = append(out, Entry{v.Name, x != 0})
		default:
			out = append(out, Entry{v.Name, x})
		}
	}
	return out
}

// tell writes a trace into d.
func (d *Document) tell(p *factored.Problem, tr *factored.Trace) {
	for t, val := range tr.Steps {
		if t < tr.Horizon() {
			d.Plan = append(d.Plan, valuesOf(p, factored.Action, val, false))
		}
		d.Trace = append(d.Trace, valuesOf(p, factored.State, val, true))
	}
}

// rewardOf is a scaled sum in the user's unit.
func rewardOf(p *factored.Problem, sum int64) *float64 {
	f := p.Reward.Float(sum)
	return &f
}

// gap is the distance of bound and reward as the contract defines it.
func gap(bound, reward float64) *float64 {
	g := (bound - reward) / math.Max(1, math.Abs(reward))
	return &g
}

// planFile is what ReadPlan takes from a document; the rest is ignored.
type planFile struct {
	Schema *int                         `json:"schema"`
	Plan   []map[string]json.RawMessage `json:"plan"`
	Trace  []map[string]json.RawMessage `json:"trace"`
}

// ReadPlan reads a plan as `fdplan plan --json` prints it. The trace may be
// absent: then the states follow from the actions.
func ReadPlan(p *factored.Problem, name string, data []byte) (validate.Plan, error) {
	var f planFile
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&f); err != nil {
		// The decoder counts the bytes up to and with the one that is wrong.
		at := int64(len(data))
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			at = syntax.Offset - 1
		case errors.As(err, &kind):
			at = kind.Offset - 1
		}
		line, col := position(data, at)
		return validate.Plan{}, source.Errorf(name, line, col, "expected a plan as a JSON object: %v", err)
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		line, col := position(data, int64(len(data)-len(rest)))
		return validate.Plan{}, source.Errorf(name, line, col, "expected nothing after the JSON object, found %.20q", rest)
	}
	if f.Schema == nil || *f.Schema != Schema {
		return validate.Plan{}, source.Errorf(name, 1, 0, `expected "schema":%d`, Schema)
	}
	if len(f.Plan) == 0 {
		return validate.Plan{}, source.Errorf(name, 1, 0, `expected a "plan" of at least one step`)
	}
	var plan validate.Plan
	var err error
	if plan.Actions, err = readValues(p, f.Plan, factored.Action, "plan"); err != nil {
		return plan, source.Errorf(name, 1, 0, "%v", err)
	}
	if f.Trace != nil {
		if plan.States, err = readValues(p, f.Trace, factored.State, "trace"); err != nil {
			return plan, source.Errorf(name, 1, 0, "%v", err)
		}
		if len(plan.States) != len(plan.Actions)+1 {
			return plan, source.Errorf(name, 1, 0, "the trace has %d states, a plan of %d steps passes %d", len(plan.States), len(plan.Actions), len(plan.Actions)+1)
		}
		if err := complete(p, f.Trace); err != nil {
			return plan, source.Errorf(name, 1, 0, "%v", err)
		}
	}
	return plan, nil
}

// complete refuses states that leave a variable out.
func complete(p *factored.Problem, trace []map[string]json.RawMessage) error {
	states := 0
	for i := range p.Variables {
		if p.Variables[i].Kind == factored.State {
			states++
		}
	}
	for t, m := range trace {
		if len(m) != states {
			return fmt.Errorf("trace step %d has %d state variables, expected all %d", t+1, len(m), states)
		}
	}
	return nil
}

// readValues turns objects of variables of one kind into valuations.
func readValues(p *factored.Problem, steps []map[string]json.RawMessage, k factored.Kind, what string) ([]factored.Valuation, error) {
	out := make([]factored.Valuation, len(steps))
	for t, m := range steps {
		out[t] = make(factored.Valuation, p.NumBits())
		given := map[*factored.Variable]bool{}
		for name, raw := range m {
			v, ok := p.Find(name)
			if !ok || v.Kind != k {
				return nil, fmt.Errorf("%s step %d: there is no %s variable %q in %s", what, t+1, k, name, p.Name)
			}
			if given[v] {
				return nil, fmt.Errorf("%s step %d: %s has two values", what, t+1, v.Name)
			}
			given[v] = true
			x, err := parseValue(v, string(raw))
			if err == nil {
				err = v.Set(out[t], x)
			}
			if err != nil {
				return nil, fmt.Errorf("%s step %d: %w", what, t+1, err)
			}
		}
	}
	return out, nil
}

// position is the line and column of a byte offset.
func position(data []byte, offset int64) (line, col int) {
	offset = min(max(offset, 0), int64(len(data)))
	before := data[:offset]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, len(before) - bytes.LastIndexByte(before, '\n')
}
