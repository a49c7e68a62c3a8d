package simulator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// ProtocolVersion is the version of the lines that fdplan and a process
// exchange.
const ProtocolVersion = 1

// reply is a line of the process. Unknown fields are errors, so that a misspelt one is
// noticed; info may contain anything.
type reply struct {
	ID    *int    `json:"id"`
	Error *string `json:"error"`
	Info  any     `json:"info"`

	// The answer to hello.
	Version       *int    `json:"version"`
	Name          string  `json:"name"`
	Observed      *string `json:"observed"`
	Resets        *string `json:"resets"`
	Deterministic bool    `json:"deterministic"`

	// The answer to reset and step.
	State     map[string]json.RawMessage `json:"state"`
	Reward    *float64                   `json:"reward"`
	Terminal  bool                       `json:"terminal"`
	Goal      *bool                      `json:"goal"`
	Violation *struct {
		Constraint string                     `json:"constraint"`
		Values     map[string]json.RawMessage `json:"values"`
	} `json:"violation"`
}

// request starts a line; field adds fields, ask ends it.
func (s *Process) request(kind string) *bytes.Buffer {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"id":%d,"call":%s`, s.calls, quote(kind))
	return &b
}

// quote returns a JSON string without the escapes that only HTML needs.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // encoding a string to a buffer does not fail
	return string(bytes.TrimSpace(b.Bytes()))
}

// values writes the variables of a kind with their values.
func (s *Process) values(b *bytes.Buffer, name string, k factored.Kind, val factored.Valuation) {
	fmt.Fprintf(b, `,"%s":{`, name)
	s.each(b, k, func(v *factored.Variable) string { return quote(v.Name) + ":" + sent(v, v.Value(val)) })
	b.WriteByte('}')
}

// each writes the variables of a kind, with commas between them.
func (s *Process) each(b *bytes.Buffer, k factored.Kind, text func(*factored.Variable) string) {
	between := ""
	for i := range s.p.Variables {
		if v := &s.p.Variables[i]; v.Kind == k && !v.Lagged() {
			b.WriteString(between + text(v))
			between = ","
		}
	}
}

// sent writes a value as a process reads it: a quantity in bins is sent as the center of its bin.
func sent(v *factored.Variable, x int64) string {
	switch {
	case v.Quantity():
		return strconv.FormatFloat(v.Center(x), 'g', -1, 64)
	case v.Enumeration():
		return quote(fmt.Sprint(v.Show(x)))
	}
	return fmt.Sprint(v.Show(x))
}

// declaration describes a variable in hello.
func declaration(v *factored.Variable) string {
	name, unit := quote(v.Name), ""
	if v.View != nil && v.View.Unit != "" {
		unit = `,"unit":` + quote(v.View.Unit)
	}
	switch {
	case v.Bool:
		return fmt.Sprintf(`{"name":%s,"type":"bool"}`, name)
	case v.Enumeration():
		values := make([]string, len(v.View.Names))
		for i, n := range v.View.Names {
			values[i] = quote(n)
		}
		return fmt.Sprintf(`{"name":%s,"type":"enum","values":[%s]}`, name, strings.Join(values, ","))
	case v.Quantity():
		edges, _ := json.Marshal(v.View.Edges) // finite numbers
		n := len(v.View.Edges)
		return fmt.Sprintf(`{"name":%s,"type":"real","lo":%s,"hi":%s,"edges":%s%s}`, name,
			strconv.FormatFloat(v.View.Edges[0], 'g', -1, 64), strconv.FormatFloat(v.View.Edges[n-1], 'g', -1, 64), edges, unit)
	case v.Fixed():
		return fmt.Sprintf(`{"name":%s,"type":"real","lo":%s,"hi":%s,"step":%s%s}`, name, v.Decimal(v.Lo), v.Decimal(v.Hi), v.Decimal(1), unit)
	}
	return fmt.Sprintf(`{"name":%s,"type":"int","lo":%d,"hi":%d}`, name, v.Lo, v.Hi)
}

// ask sends the request and reads the answer.
func (s *Process) ask(ctx context.Context, kind string, b *bytes.Buffer) (*reply, []byte, error) {
	b.WriteString("}\n")
	id := s.calls
	s.calls++
	line, err := s.call(ctx, kind, b.Bytes())
	if err != nil {
		return nil, nil, err
	}
	if key, _, ok := source.DuplicateKey(line); ok {
		return nil, nil, s.fail(ErrNonsense, kind, fmt.Sprintf("an object has %s twice", source.Quote(key)), line)
	}
	var r reply
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return nil, nil, s.fail(ErrNonsense, kind, err.Error(), line)
	}
	switch rest := bytes.TrimSpace(line[dec.InputOffset():]); {
	case len(rest) > 0:
		return nil, nil, s.fail(ErrNonsense, kind, "expected one JSON object a line", line)
	case r.ID == nil || *r.ID != id:
		return nil, nil, s.fail(ErrNonsense, kind, fmt.Sprintf(`expected "id":%d, the request's`, id), line)
	case r.Error != nil:
		return nil, nil, s.fail(ErrRefused, kind, *r.Error, nil)
	}
	return &r, line, nil
}

// hello sends the version and the variables of the problem.
func (s *Process) hello(ctx context.Context) error {
	b := s.request("hello")
	fmt.Fprintf(b, `,"version":%d,"problem":%s`, ProtocolVersion, quote(s.p.Name))
	for _, k := range []factored.Kind{factored.State, factored.Action} {
		fmt.Fprintf(b, `,"%ss":[`, k)
		s.each(b, k, declaration)
		b.WriteByte(']')
	}
	r, line, err := s.ask(ctx, "hello", b)
	if err != nil {
		return err
	}
	if r.Version == nil || *r.Version != ProtocolVersion {
		return s.fail(ErrNonsense, "hello", fmt.Sprintf(`expected "version":%d`, ProtocolVersion), line)
	}
	s.info = Info{Name: source.Printable(r.Name, source.MaxLine), Deterministic: r.Deterministic}
	if s.info.Name == "" {
		s.info.Name = s.command
	}
	for _, c := range []struct {
		key, usual, other string
		value             *string
		to                *bool
	}{{"observed", "full", "partial", r.Observed, &s.info.Partial}, {"resets", "initial", "any", r.Resets, &s.info.AnyState}} {
		switch {
		case c.value == nil || *c.value == c.usual:
		case *c.value == c.other:
			*c.to = true
		default:
			return s.fail(ErrNonsense, "hello", fmt.Sprintf("expected %q to be %q or %q", c.key, c.usual, c.other), line)
		}
	}
	return nil
}

// Reset resets to a state or, with nil, to one of the process's own choice.
func (s *Process) Reset(ctx context.Context, state factored.Valuation) (*Answer, error) {
	s.last, s.acted = state, nil
	b := s.request("reset")
	if state != nil {
		s.values(b, "state", factored.State, state)
	}
	return s.observe(ctx, "reset", b)
}

// Step performs a joint action.
func (s *Process) Step(ctx context.Context, action factored.Valuation) (*Answer, error) {
	s.acted = action
	b := s.request("step")
	s.values(b, "action", factored.Action, action)
	return s.observe(ctx, "step", b)
}

// observe sends a call and reads the resulting observation.
func (s *Process) observe(ctx context.Context, kind string, b *bytes.Buffer) (*Answer, error) {
	r, line, err := s.ask(ctx, kind, b)
	if err != nil {
		return nil, err
	}
	nonsense := func(err error) (*Answer, error) { return nil, s.fail(ErrNonsense, kind, err.Error(), line) }
	a := &Answer{Reward: r.Reward, Terminal: r.Terminal}
	if r.Goal != nil {
		a.Goal = &Verdict{Holds: *r.Goal, Text: "of the simulator"}
	}
	switch {
	case r.State != nil:
		if err = readState(s.p, s.last, s.info.Partial, a, r.State); err != nil {
			return nonsense(err)
		}
		s.addLags(a)
	case r.Violation == nil || kind == "reset":
		return nonsense(errors.New(`expected a "state"`))
	}
	if v := r.Violation; v != nil {
		if v.Constraint == "" {
			return nonsense(errors.New(`expected a violation to name its "constraint"`))
		}
		a.Violation = &Violation{Group: "simulator", Constraint: source.Printable(v.Constraint, source.MaxLine), After: r.State != nil}
		for _, name := range slices.Sorted(maps.Keys(v.Values)) {
			x, err := scalar(v.Values[name])
			if err != nil {
				return nonsense(fmt.Errorf("the value of %s: %w", name, err))
			}
			a.Violation.Values = append(a.Violation.Values, Value{source.Printable(name, source.MaxLine), x})
		}
	}
	if a.State != nil {
		s.last, s.unseen = a.State, a.Missing
	}
	return a, nil
}

// scalar parses a value for a message.
func scalar(raw json.RawMessage) (any, error) {
	var x any
	if err := json.Unmarshal(raw, &x); err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case bool:
		return x, nil
	case float64:
		if x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
			return int64(x), nil
		}
		return x, nil
	case string:
		return x, nil
	}
	return nil, fmt.Errorf("expected true, false, a number or a name, found %s", shorten(string(raw)))
}
