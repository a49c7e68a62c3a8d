package incremental

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
type State struct{ Failures []Failure }

// Failure is a set of plans that are known to fail, and the reason.
type Failure struct {
	engine.Landmark
	Text string
	// Observed are the states that the system showed when the plan was tried, as text
	// of their bits, "" for one with values that variables do not have; nil where that was not kept.
	Observed []string
}

func (s *State) clone() *State {
	return &State{slices.Clone(s.Failures)}
}

// stateSchema is the version of the file.
const stateSchema = 3

// stateFile is the file: bits are text of 0 and 1, in the order of the names.
type stateFile struct {
	Schema int `json:"schema"`
	// Checksum is the SHA-256 of the file as it is with an empty checksum; Belongs
	// that of what the landmarks are about, see belongs.
	Checksum string        `json:"checksum"`
	System   string        `json:"system"` // the simulator, as the user names it
	Belongs  string        `json:"belongs"`
	Problem  string        `json:"problem"`
	Horizon  int           `json:"horizon"`
	States   []string      `json:"states"`
	Actions  []string      `json:"actions"`
	Failures []failureLine `json:"failures"`
}

// failureLine is a landmark: the plans that begin in State with Actions fail.
type failureLine struct {
	State   string   `json:"state"`
	Actions []string `json:"actions"`
	Text    string   `json:"text"`
	// Observed are the states that the system showed, those of a run that kept them.
	Observed []string `json:"observed,omitempty"`
}

func header(p *factored.Problem, horizon int, system string) *stateFile {
	names := func(bits []factored.Bit) []string {
		out := make([]string, len(bits))
		for i, b := range bits {
			out[i] = p.BitName(b)
		}
		return out
	}
	return &stateFile{
		Schema: stateSchema, Problem: p.Name, Horizon: horizon, System: system, Belongs: belongs(p, horizon),
		States: names(p.Bits(factored.State)), Actions: names(p.Bits(factored.Action)),
		Failures: []failureLine{},
	}
}

// belongs is the SHA-256 of what decides, beside the system, whether a plan fails:
// the horizon, the variables, and the rules and the goal that a plan has to keep.
// What is learned and the reward do not count: a failure remains one.
func belongs(p *factored.Problem, horizon int) string {
	h := sha256.New()
	fmt.Fprintln(h, horizon)
	for i := range p.Variables {
		v := &p.Variables[i]
		if v.Kind != factored.Auxiliary {
			fmt.Fprintf(h, "%q %v %v %d %d\n", v.Name, v.Kind, v.Bool, v.Lo, v.Hi)
		}
	}
	for _, group := range [][]factored.Constraint{p.Global, p.Goal} {
		for i := range group {
			c := &group[i]
			for _, t := range c.Terms {
				fmt.Fprintf(h, "%d %q %v %v ", t.Coef, p.BitName(t.Lit.Bit), t.Lit.Neg, t.Lit.Next)
			}
			fmt.Fprintf(h, "%v %d\n", c.Op, c.K)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// encode is the file, with the checksum that f says.
func (f *stateFile) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(f)
	return b.Bytes(), err
}

// seal sets the checksum.
func (f *stateFile) seal() error {
	f.Checksum = ""
	text, err := f.encode()
	f.Checksum = fmt.Sprintf("%x", sha256.Sum256(text))
	return err
}

// Write writes what is known of a problem's system over a horizon. system is its
// name.
func (s *State) Write(w io.Writer, p *factored.Problem, horizon int, system string) error {
	f := header(p, horizon, system)
	for _, x := range s.Failures {
		line := failureLine{State: bitText(p.Bits(factored.State), x.Trace.Steps[0]), Actions: []string{}, Text: x.Text, Observed: x.Observed}
		for _, now := range x.Trace.Steps[:x.Depth] {
			line.Actions = append(line.Actions, bitText(p.Bits(factored.Action), now))
		}
		f.Failures = append(f.Failures, line)
	}
	if err := f.seal(); err != nil {
		return err
	}
	text, err := f.encode()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Read reads what Write wrote of the same problem and horizon; system is the name
// of the simulator then. A file that was changed since is refused. Errors are
// *source.Error.
func Read(name string, data []byte, p *factored.Problem, horizon int) (s *State, system string, err error) {
	bad := func(format string, args ...any) (*State, string, error) {
		return nil, "", source.Errorf(name, 1, 0, format, args...)
	}
	var f stateFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return bad("these are not landmarks: %v; expected what an earlier run saved", err)
	}
	want := header(p, horizon, "")
	checksum := f.Checksum
	if err := f.seal(); err != nil {
		return bad("%v", err)
	}
	switch {
	case f.Schema != stateSchema:
		return bad("the schema is %d; expected %d", f.Schema, stateSchema)
	case f.Problem != p.Name:
		return bad("these landmarks are of %s; expected those of %s", f.Problem, p.Name)
	case f.Horizon != horizon:
		return bad("these landmarks are of horizon %d; expected horizon %d", f.Horizon, horizon)
	case checksum != f.Checksum:
		return bad("the checksum is %s; expected %s: the file was changed after it was written", source.Quote(checksum), f.Checksum)
	case !slices.Equal(f.States, want.States) || !slices.Equal(f.Actions, want.Actions):
		return bad("these landmarks are over other variables than those of %s", p.Name)
	case f.Belongs != want.Belongs:
		return bad("these landmarks are of %s with other ranges, constraints or another goal", p.Name)
	}
	s = &State{}
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
		for _, state := range line.Observed {
			ok = ok && (state == "" || isBits(state, len(p.Bits(factored.State))))
		}
		if !ok {
			return bad("landmark %d does not fit the variables and the horizon", i+1)
		}
		s.Failures = append(s.Failures, Failure{Landmark: mark, Text: line.Text, Observed: line.Observed})
	}
	return s, f.System, nil
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
