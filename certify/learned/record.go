package learned

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Schema is the version of the format.
const Schema = 1

// Record is what was observed, and what was concluded from it. Values of bits are written as 0 and 1, in the order
// of the names.
type Record struct {
	Schema  int      `json:"schema"`
	Problem string   `json:"problem"`
	Horizon int      `json:"horizon"`
	States  []string `json:"states"`  // bits
	Actions []string `json:"actions"` // bits
	Learned []string `json:"learned"` // bits of the next state that nothing but the rows tells
	Start   string   `json:"start"`   // the state that plans begin in
	// K is how many of the variables a next value of a learned bit depends on at most.
	K         int        `json:"k"`
	Variables []Variable `json:"variables"`
	// Functions are those that several learned bits share; absent where each bit has its own, of all variables.
	Functions []Function `json:"functions,omitempty"`
	Rows      []string   `json:"rows"`    // state, action, next state and the reward if it is learned, with blanks between; "-" for the next state of a step that was refused, and also for the action where a run ends
	Clauses   []Clause   `json:"clauses"` // that hold at every step
	Plan      []string   `json:"plan"`    // actions of the plan that was seen to hold; empty for none
	// Reward is absent where that of the problem is right.
	Reward *Reward `json:"reward,omitempty"`
	// Model says that all that is within reach is known; absent if it is not.
	Model *Model `json:"model,omitempty"`
}

// Variable is what next values are functions of: some bits with the values that the rules allow, the number of
// them that are true, or, without bits, a constant.
type Variable struct {
	Bits  []string `json:"bits"`
	Legal []string `json:"legal"`
	Count bool     `json:"count,omitempty"` // values are numbers of true bits
}

// Function is the function of several learned bits, each of which reads variables of its own: Views has their places, by
// learned bit, in an order that is the function's.
type Function struct {
	Next  []string `json:"next"`
	Views [][]int  `json:"views"`
}

// Clause says that a learned bit has a next value wherever variables have values.
type Clause struct {
	Next  string `json:"next"`
	Value bool   `json:"value"`
	// If lists places among the variables, each with its value.
	If []Condition `json:"if"`
}

// Condition is a variable with a value of its bits.
type Condition struct {
	Variable int    `json:"variable"`
	Is       string `json:"is"`
}

// Read reads a record. Errors are *source.Error about the file called name.
func Read(name string, r io.Reader) (*Record, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	out := &Record{}
	if err := d.Decode(out); err != nil {
		return nil, source.Errorf(name, 1, 0, "expected observed steps with what follows from them, as fdplan learn writes them: %v", err)
	}
	if out.Schema != Schema {
		return nil, source.Errorf(name, 1, 0, "schema %d; expected %d", out.Schema, Schema)
	}
	return out, nil
}

// Write writes a record with a line for each row and each clause.
func (r *Record) Write(w io.Writer) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	lines := strings.NewReplacer(`","`, "\",\n\"", `},{"next"`, "},\n{\"next\"", `],"`, "],\n\"").Replace(string(text))
	_, err = io.WriteString(w, lines+"\n")
	return err
}

// bits finds the bits of a problem by their names.
func bits(p *factored.Problem, names []string) (out []factored.Bit, err error) {
	all := map[string]factored.Bit{}
	for b := range p.NumBits() {
		all[p.BitName(factored.Bit(b))] = factored.Bit(b)
	}
	for _, n := range names {
		b, ok := all[n]
		if !ok {
			return nil, fmt.Errorf("the problem has no bit %s", n)
		}
		if slices.Contains(out, b) {
			return nil, fmt.Errorf("%s is there twice", n)
		}
		out = append(out, b)
	}
	return out, nil
}

// values reads the values of bits.
func values(text string, n int) ([]bool, error) {
	if len(text) != n || strings.Trim(text, "01") != "" {
		return nil, fmt.Errorf("%q; expected %d digits 0 or 1", text, n)
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = text[i] == '1'
	}
	return out, nil
}
