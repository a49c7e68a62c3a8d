package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Steps is what is taken from a document with a plan; the rest is ignored.
type Steps struct {
	Schema *int                         `json:"schema"`
	Plan   []map[string]json.RawMessage `json:"plan"`
	Trace  []map[string]json.RawMessage `json:"trace"`
}

// ReadPlan reads a plan as `fdplan plan --json` prints it. The trace may be
// absent: then the states follow from the actions.
func ReadPlan(p *factored.Problem, name string, data []byte) (validate.Plan, error) {
	f, err := ReadSteps(name, data)
	if err != nil {
		return validate.Plan{}, err
	}
	var plan validate.Plan
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

// ReadSteps reads a plan without a look at what its names and values mean.
func ReadSteps(name string, data []byte) (*Steps, error) {
	if key, at, ok := source.DuplicateKey(data); ok {
		line, col := position(data, at-1)
		return nil, source.Errorf(name, line, col, "the name %s is there twice in one object", source.Quote(key))
	}
	var f Steps
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
		return nil, source.Errorf(name, line, col, "expected a plan as a JSON object: %v", err)
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		line, col := position(data, int64(len(data)-len(rest)))
		return nil, source.Errorf(name, line, col, "expected nothing after the JSON object, found %.20q", rest)
	}
	if f.Schema == nil || *f.Schema != Schema {
		return nil, source.Errorf(name, 1, 0, `expected "schema":%d`, Schema)
	}
	if len(f.Plan) == 0 {
		return nil, source.Errorf(name, 1, 0, `expected a "plan" of at least one step`)
	}
	return &f, nil
}

// complete refuses states that leave a variable out.
func complete(p *factored.Problem, trace []map[string]json.RawMessage) error {
	states := 0
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State && v.Clock == 0 {
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
		if k == factored.Action {
			p.Defaults(k, out[t])
		}
		for i := range p.Variables {
			if v := &p.Variables[i]; v.Clock == t+1 {
				out[t][v.First] = true
			}
		}
		given := map[*factored.Variable]bool{}
		for name, raw := range m {
			v, ok := p.Find(name)
			if !ok || v.Kind != k || v.Clock > 0 {
				return nil, fmt.Errorf("%s step %d: there is no %s variable %q in %s%s", what, t+1, k, name, p.Name, p.Hint(name, k))
			}
			if given[v] {
				return nil, fmt.Errorf("%s step %d: %s has two values", what, t+1, v.Name)
			}
			given[v] = true
			text := string(raw)
			if v.View != nil && len(raw) > 0 && raw[0] == '"' {
				if err := json.Unmarshal(raw, &text); err != nil {
					return nil, fmt.Errorf("%s step %d: %s: %w", what, t+1, v.Name, err)
				}
			}
			x, err := v.Parse(text)
			if err == nil {
				err = v.Set(out[t], x)
			}
			if err != nil {
				return nil, fmt.Errorf("%s step %d: %w", what, t+1, err)
			}
		}
		for i := range p.Variables {
			if v := &p.Variables[i]; k == factored.Action && v.Kind == k && !v.HasDefault() && !given[v] {
				return nil, fmt.Errorf("%s step %d: there is no value of the action %s, none of whose values does nothing; expected one of %s", what, t+1, v.Name, v.RangeText())
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
