package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Schema is the version of Document's JSON.
const Schema = 1

// Verdicts are the checks that a plan went through; null if not requested.
type Verdicts struct {
	Model     *bool `json:"model"`
	Simulator *bool `json:"simulator"`
}

// Entry is a variable with its value: a bool, an int64, or a string for a named value and for
// the bin of a quantity.
type Entry struct {
	Name  string
	Value any
}

// Values is a JSON object that keeps the order of variables.
type Values []Entry

// String lists the entries that are not false or 0; where all are, those that are 0.
func (v Values) String() string {
	var on, zero []string
	for _, e := range v {
		switch e.Value {
		case false:
		case int64(0):
			zero = append(zero, e.Name+"=0")
		case true:
			on = append(on, e.Name)
		default:
			on = append(on, fmt.Sprintf("%s=%v", e.Name, e.Value))
		}
	}
	switch {
	case len(on) > 0:
		return strings.Join(on, ", ")
	case len(zero) > 0:
		return strings.Join(zero, ", ")
	}
	return "(all false)"
}

// All lists all entries.
func (v Values) All() string {
	var parts []string
	for _, e := range v {
		parts = append(parts, fmt.Sprintf("%s=%v", e.Name, e.Value))
	}
	return strings.Join(parts, ", ")
}

// Text names the actions of a step.
func (v Values) Text() string {
	if len(v) == 0 {
		return "(nothing)"
	}
	var names []string
	for _, e := range v {
		if e.Value == true {
			names = append(names, e.Name)
		} else {
			names = append(names, fmt.Sprintf("%s=%v", e.Name, e.Value))
		}
	}
	return strings.Join(names, ", ")
}

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
		value, err := encode(e.Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads the entries in order. A number is an int64 if it is an integer, else a json.Number.
func (v *Values) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	t, err := dec.Token()
	if err != nil || t == nil {
		return err
	}
	if t != json.Delim('{') {
		return fmt.Errorf("expected an object of variables, found %v", t)
	}
	*v = Values{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		value, err := dec.Token()
		if err != nil {
			return err
		}
		switch x := value.(type) {
		case json.Number:
			if n, err := x.Int64(); err == nil {
				value = n
			}
		case json.Delim, nil:
			return fmt.Errorf("%v: expected true, false, a number or a string", name)
		}
		*v = append(*v, Entry{name.(string), value})
	}
	return nil
}

// encode returns the JSON of a value without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := WriteJSON(&b, v)
	return bytes.TrimSpace(b.Bytes()), err
}

// WriteJSON writes v as one line.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// ValuesOf lists the variables of one kind in val; unless all is set, those that have their
// default are omitted.
func ValuesOf(p *factored.Problem, k factored.Kind, val factored.Valuation, all bool) Values {
	out := Values{}
	for _, v := range p.OfKind(k) {
		if v.Clock > 0 {
			continue
		}
		if x := v.Value(val); all || x != v.Default {
			out = append(out, Entry{v.Name, v.Show(x)})
		}
	}
	return out
}

// StepsOf lists the actions of a plan and the states that it passes.
func StepsOf(p *factored.Problem, tr *factored.Trace) (actions, states []Values) {
	for t, val := range tr.Steps {
		if t < tr.Horizon() {
			actions = append(actions, ValuesOf(p, factored.Action, val, false))
		}
		states = append(states, ValuesOf(p, factored.State, val, true))
	}
	return actions, states
}

// RewardOf is a scaled sum in the user's unit.
func RewardOf(p *factored.Problem, sum int64) *float64 {
	f := p.Reward.Float(sum)
	return &f
}

// BitsOf returns the valuation in which variables have these values, all other actions their
// defaults, and everything else is false or 0.
func BitsOf(p *factored.Problem, values Values) (factored.Valuation, error) {
	val := make(factored.Valuation, p.NumBits())
	p.Defaults(factored.Action, val)
	for _, e := range values {
		v, ok := p.Lookup(e.Name)
		if !ok {
			return nil, fmt.Errorf("%w: there is no variable %s", ErrInternal, e.Name)
		}
		var x int64
		switch value := e.Value.(type) {
		case bool:
			if value {
				x = 1
			}
		default:
			var err error
			if x, err = v.Parse(fmt.Sprint(value)); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrInternal, err)
			}
		}
		if err := v.Set(val, x); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInternal, err)
		}
	}
	return val, nil
}

// Stopped says why a context has ended; "" if it has not.
func Stopped(ctx context.Context) string {
	if ctx.Err() == nil {
		return ""
	}
	return context.Cause(ctx).Error()
}

// WriteStopped says to people which limit ended a run, if one did.
func WriteStopped(w io.Writer, stopped string) {
	if stopped != "" {
		fmt.Fprintf(w, "Stopped early: %s.\n", stopped)
	}
}
