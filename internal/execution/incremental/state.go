package incremental

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// State is the knowledge about a real system. It depends on the system alone: another engine,
// another kind of landmark, or a newly trained network may continue with it.
type State struct {
	Failures []Failure
	Seen     []Seen // for Transition, without repetition
}

// Failure is a set of plans that are known to fail, and the reason.
type Failure struct {
	engine.Landmark
	Text string
}

func (s *State) clone() *State {
	return &State{Failures: slices.Clone(s.Failures), Seen: slices.Clone(s.Seen)}
}

// stateSchema is the version of the file.
const stateSchema = 1

// stateFile is the file: bits are text of 0 and 1, in the order of the names.
type stateFile struct {
	Schema   int           `json:"schema"`
	Problem  string        `json:"problem"`
	Horizon  int           `json:"horizon"`
	States   []string      `json:"states"`
	Actions  []string      `json:"actions"`
	Inputs   []string      `json:"inputs"`
	Outputs  []string      `json:"outputs"`
	Failures []failureLine `json:"failures"`
	Seen     [][2]string   `json:"seen"` // inputs and outputs
}

// failureLine is a landmark: the plans that begin in State with Actions fail.
type failureLine struct {
	State   string   `json:"state"`
	Actions []string `json:"actions"`
	Text    string   `json:"text"`
}

func header(p *factored.Problem, horizon int) *stateFile {
	names := func(bits []factored.Bit) []string {
		out := make([]string, len(bits))
		for i, b := range bits {
			out[i] = p.BitName(b)
		}
		return out
	}
	return &stateFile{
		Schema: stateSchema, Problem: p.Name, Horizon: horizon,
		States: names(p.Bits(factored.State)), Actions: names(p.Bits(factored.Action)),
		Inputs: names(p.Inputs), Outputs: names(p.Outputs),
		Failures: []failureLine{}, Seen: [][2]string{},
	}
}

// Write writes the knowledge about a problem's system over a horizon.
func (s *State) Write(w io.Writer, p *factored.Problem, horizon int) error {
	f := header(p, horizon)
	for _, x := range s.Failures {
		line := failureLine{State: bitText(p.Bits(factored.State), x.Trace.Steps[0]), Actions: []string{}, Text: x.Text}
		for _, now := range x.Trace.Steps[:x.Depth] {
			line.Actions = append(line.Actions, bitText(p.Bits(factored.Action), now))
		}
		f.Failures = append(f.Failures, line)
	}
	for _, x := range s.Seen {
		f.Seen = append(f.Seen, [2]string{x.Inputs, x.Outputs})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(f)
}

// Read reads what Write wrote for the same problem and horizon. Errors are *source.Error.
func Read(name string, data []byte, p *factored.Problem, horizon int) (*State, error) {
	bad := func(format string, args ...any) (*State, error) {
		return nil, source.Errorf(name, 1, 0, format, args...)
	}
	var f stateFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return bad("these are not landmarks: %v; expected what an earlier run saved", err)
	}
	want := header(p, horizon)
	switch {
	case f.Schema != stateSchema:
		return bad("the schema is %d; expected %d", f.Schema, stateSchema)
	case f.Problem != p.Name:
		return bad("these landmarks are of %s; expected those of %s", f.Problem, p.Name)
	case f.Horizon != horizon:
		return bad("these landmarks are of horizon %d; expected horizon %d", f.Horizon, horizon)
	case !slices.Equal(f.States, want.States) || !slices.Equal(f.Actions, want.Actions):
		return bad("these landmarks are over other variables than those of %s", p.Name)
	}
	s := &State{}
	for i, line := range f.Failures {
		mark := engine.Landmark{Trace: &factored.Trace{}, Depth: len(line.Actions)}
		first := make(factored.Valuation, p.NumBits())
		ok := len(line.Actions) <= horizon && setBits(first, p.Bits(factored.State), line.State)
		mark.Trace.Steps = []factored.Valuation{first}
		for t, text := range line.Actions {
			if t > 0 {
				mark.Trace.Steps = append(mark.Trace.Steps, make(factored.Valuation, p.NumBits()))
			}
			ok = ok && setBits(mark.Trace.Steps[t], p.Bits(factored.Action), text)
		}
		if !ok {
			return bad("landmark %d does not fit the variables and the horizon", i+1)
		}
		s.Failures = append(s.Failures, Failure{Landmark: mark, Text: line.Text})
	}
	// Another network may read and predict other bits. Observations for the old network are
	// then useless, but the landmarks still hold.
	if !slices.Equal(f.Inputs, want.Inputs) || !slices.Equal(f.Outputs, want.Outputs) {
		return s, nil
	}
	for i, x := range f.Seen {
		if !isBits(x[0], len(p.Inputs)) || !isBits(x[1], len(p.Outputs)) {
			return bad("transition %d does not fit the network", i+1)
		}
		s.Seen = append(s.Seen, Seen{Inputs: x[0], Outputs: x[1]})
	}
	return s, nil
}

func isBits(text string, n int) bool {
	return len(text) == n && strings.Trim(text, "01") == ""
}

func setBits(val factored.Valuation, bits []factored.Bit, text string) bool {
	if !isBits(text, len(bits)) {
		return false
	}
	for i, b := range bits {
		val[b] = text[i] == '1'
	}
	return true
}

// Describe summarises the knowledge in a few words.
func (s *State) Describe() string {
	text := fmt.Sprintf("%d landmark", len(s.Failures))
	if len(s.Failures) != 1 {
		text += "s"
	}
	return text
}
