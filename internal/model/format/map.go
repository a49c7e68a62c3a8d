package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// MapSchema is the version of the map's JSON.
const MapSchema = 1

// Map relates the variables of a file to the problem. As JSON it is one object:
//
//	{"schema":1,"problem":"navigation/3x3","horizon":4,"format":"lp",
//	 "objective":{"constant":0,"scale":1,"sense":"minimise minus the reward"},
//	 "variables":[
//	  {"file":"x1","step":1,"variable":"robot-at(x14,y20)","kind":"state"},
//	  {"file":"x2","step":1,"variable":"level","kind":"state","bit":0,"weight":-4}]}
//
// The clause formats have "encoding" after "format", and their file variables are numbers.
// The reward of a solution is -(value + constant) / scale, where value is the solver's. The
// variables are those of the problem: each bit of each variable at every step where it
// exists. bit (0 is the most significant) and weight, the bit's weight in the variable's
// value, are present for integers only.
type Map struct {
	Schema    int           `json:"schema"`
	Problem   string        `json:"problem"`
	Horizon   int           `json:"horizon"`
	Format    string        `json:"format"`
	Encoding  string        `json:"encoding,omitempty"`
	Objective Objective     `json:"objective"`
	Variables []MapVariable `json:"variables"`
}

// MapVariable is one bit of a problem's variable at one step.
type MapVariable struct {
	File     FileVar `json:"file"`
	Step     int     `json:"step"`     // 1..H+1; actions 1..H
	Variable string  `json:"variable"` // the name in the problem
	Kind     string  `json:"kind"`     // state, action or auxiliary
	Bit      int     `json:"bit"`      // 0 is the most significant
	Weight   int64   `json:"weight"`   // of the bit in an integer's value; absent for a Boolean
}

// FileVar is the number of a file variable. In JSON it is the number, or x and
// the number as a string.
type FileVar int32

// UnmarshalJSON reads 12 or "x12".
func (v *FileVar) UnmarshalJSON(text []byte) error {
	digits := text
	if len(digits) > 3 && digits[0] == '"' && digits[1] == 'x' && digits[len(digits)-1] == '"' {
		digits = digits[2 : len(digits)-1]
	}
	n, err := strconv.ParseInt(string(digits), 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("file variable %s, expected a positive number or x and a number", text)
	}
	*v = FileVar(n)
	return nil
}

// mapHead is Map without its variables, which are streamed.
type mapHead struct {
	Schema    int       `json:"schema"`
	Problem   string    `json:"problem"`
	Horizon   int       `json:"horizon"`
	Format    string    `json:"format"`
	Encoding  string    `json:"encoding,omitempty"`
	Objective Objective `json:"objective"`
}

// WriteMap writes the Map of the file that Write makes of m as JSON, one variable per line,
// in memory that does not depend on the horizon.
func WriteMap(w io.Writer, m *model.Model, o Options) error {
	if o.Kind >= numKinds {
		return fmt.Errorf("unknown format %v", o.Kind)
	}
	head := mapHead{Schema: MapSchema, Problem: m.Problem.Name, Horizon: m.Horizon, Format: o.Kind.String(), Objective: ObjectiveOf(m, o.Kind)}
	if o.Kind.Clausal() {
		head.Encoding = o.Encoding.String()
	}
	text, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("writing the map: %w", err)
	}
	tails, err := mapTails(m.Problem)
	if err != nil {
		return fmt.Errorf("writing the map: %w", err)
	}
	out := newOutput(w)
	out.text(string(text[:len(text)-1]))
	out.text(`,"variables":[`)
	first := true
	for t := 1; t <= m.Horizon+1; t++ {
		for b, tail := range tails {
			if t > m.Horizon && m.Problem.Kind(factored.Bit(b)) == factored.Action {
				continue
			}
			if !first {
				out.byte(',')
			}
			first = false
			out.text("\n" + `{"file":`)
			v := int64(m.Var(t, factored.Bit(b)))
			if o.Kind.Clausal() {
				out.int(v)
			} else {
				out.text(`"x`)
				out.int(v)
				out.byte('"')
			}
			out.text(`,"step":`)
			out.int(int64(t))
			out.text(tail)
		}
		if out.err != nil {
			break
		}
	}
	out.text("]}\n")
	if err := out.flush(); err != nil {
		return fmt.Errorf("writing the map: %w", err)
	}
	return nil
}

// mapTails returns, for each bit, the part of its entries in the map that is common to all
// steps.
func mapTails(p *factored.Problem) ([]string, error) {
	tails := make([]string, p.NumBits())
	for b := range tails {
		v, i := p.Owner(factored.Bit(b))
		var name bytes.Buffer
		enc := json.NewEncoder(&name)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v.Name); err != nil {
			return nil, err
		}
		tail := fmt.Sprintf(`,"variable":%s,"kind":"%v"`, bytes.TrimSpace(name.Bytes()), v.Kind)
		if !v.Bool {
			tail += fmt.Sprintf(`,"bit":%d,"weight":%d`, i, v.Weight(i))
		}
		tails[b] = tail + "}"
	}
	return tails, nil
}

// ErrMap is wrapped by the errors of ReadMap and Map.Trace.
var ErrMap = errors.New("map of variables")

// ReadMap reads the output of WriteMap.
func ReadMap(r io.Reader) (*Map, error) {
	var m Map
	if err := json.NewDecoder(r).Decode(&m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMap, err)
	}
	switch {
	case m.Schema != MapSchema:
		return nil, fmt.Errorf("%w: schema %d, expected %d", ErrMap, m.Schema, MapSchema)
	case m.Horizon < 1:
		return nil, fmt.Errorf("%w: horizon %d, expected at least 1", ErrMap, m.Horizon)
	case m.Objective.Scale < 1:
		return nil, fmt.Errorf("%w: scale %d, expected at least 1", ErrMap, m.Objective.Scale)
	}
	return &m, nil
}

// Trace converts the file variables that a solver made true, by number, to the plan and
// states of p. Numbers that the map does not contain are auxiliary and ignored. Auxiliary
// variables of p are not part of a trace. The error describes where the map does not belong
// to p.
func (m *Map) Trace(p *factored.Problem, isTrue map[int32]bool) (*factored.Trace, error) {
	actions := len(p.Bits(factored.Action))
	expected := (p.NumBits()-actions)*(m.Horizon+1) + actions*m.Horizon
	// A problem without variables has a map of zero variables at any horizon, and a trace of
	// empty steps must not take all memory.
	if len(m.Variables) != expected || expected == 0 && m.Horizon > 1<<20 {
		return nil, fmt.Errorf("%w: %d variables, problem %s has %d over %d steps", ErrMap, len(m.Variables), p.Name, expected, m.Horizon)
	}
	trace := &factored.Trace{Steps: make([]factored.Valuation, m.Horizon+1)}
	for t := range trace.Steps {
		trace.Steps[t] = make(factored.Valuation, p.NumBits())
	}
	for i := range m.Variables {
		e := &m.Variables[i]
		v, ok := p.Lookup(e.Variable)
		switch {
		case !ok:
			return nil, fmt.Errorf("%w: %s is not a variable of problem %s", ErrMap, e.Variable, p.Name)
		case e.Bit < 0 || e.Bit >= v.Width:
			return nil, fmt.Errorf("%w: %s has no bit %d", ErrMap, e.Variable, e.Bit)
		case e.Step < 1 || e.Step > m.Horizon+1 || e.Step > m.Horizon && v.Kind == factored.Action:
			return nil, fmt.Errorf("%w: %s does not exist at step %d", ErrMap, e.Variable, e.Step)
		}
		if v.Kind != factored.Auxiliary && isTrue[int32(e.File)] {
			trace.Steps[e.Step-1][int(v.First)+e.Bit] = true
		}
	}
	return trace, nil
}
