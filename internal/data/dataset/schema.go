package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Role is the part of a transition that a column contains.
type Role uint8

// The roles.
const (
	State  Role = iota // a state fluent before the step
	Action             // an action fluent
	Next               // a state fluent after the step
)

var roleNames = []string{"state", "action", "next"}

func (r Role) String() string { return roleNames[r] }

// Type is the type of a column's values.
type Type uint8

// The types. Values are float64 throughout: 0 and 1 for Bool, the index in Values
// for Enum.
const (
	Bool Type = iota
	Int
	Real
	Enum
)

var typeNames = []string{"bool", "int", "real", "enum"}

func (t Type) String() string { return typeNames[t] }

// Column is one column.
type Column struct {
	Name    string // the fluent's, with a prime when Role is Next
	Role    Role
	Type    Type
	Bounded bool // Lo and Hi are known
	Lo, Hi  float64
	Values  []string // of an Enum, in order
	// Lag, where it is one, says that the column has the value of another fluent in rows before.
	Lag factored.Lag
	// Given says that the column is of an input, whose next value nothing has to tell.
	Given bool

	scale    scale     // of an Int that holds levels; see Discretize
	decimals *decimals // of a Real in a file, of fixed decimals; nil for others
}

// Schema lists the columns: states, actions, next states, the last in the order of the first.
type Schema struct {
	Problem string
	Columns []Column
	// Gaps has ReadAs read empty cells of a CSV as NaN, values that are not known;
	// otherwise they are errors.
	Gaps bool
	// Outside, where not nil, is told of each value that its column does not admit, which is
	// otherwise an error. ReadAs keeps a number as it is, a text that is none as NaN, and other texts
	// as Unseen gives them.
	Outside func(Outside)
}

// Outside is a value that its column does not admit.
type Outside struct {
	Line       int    `json:"line"` // or the number of the row, if the file has no lines
	Column     string `json:"column"`
	Value      string `json:"value"`
	Expected   string `json:"expected"`
	Unreadable bool   `json:"-"` // no number, where one is expected
}

// Unseen returns what stands for a text that is no value of its enumeration: a negative number, the same for
// the same text.
func Unseen(text string) float64 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, text) // a hash does not fail
	return -2 - float64(h.Sum32())
}

// NewSchema returns a schema of the fluents. It sets Role and adds the next states. Names
// must be distinct and not empty.
func NewSchema(problem string, states, actions []Column) (*Schema, error) {
	s := &Schema{Problem: problem}
	for _, c := range states {
		c.Role = State
		s.Columns = append(s.Columns, c)
	}
	for _, c := range actions {
		c.Role = Action
		s.Columns = append(s.Columns, c)
	}
	for _, c := range states {
		c.Role = Next
		c.Name += "'"
		s.Columns = append(s.Columns, c)
	}
	return s, s.check()
}

// NumStates is the number of state columns; there are as many next states.
func (s *Schema) NumStates() int { return s.count(State) }

// NumInputs is the number of states that are inputs, which are the last ones.
func (s *Schema) NumInputs() (n int) {
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Role == State && c.Given {
			n++
		}
	}
	return n
}

func (s *Schema) count(r Role) int {
	n := 0
	for i := range s.Columns {
		if s.Columns[i].Role == r {
			n++
		}
	}
	return n
}

// check reports what makes the schema invalid.
func (s *Schema) check() error {
	n := s.NumStates()
	if n == 0 || s.count(Next) != n {
		return fmt.Errorf("%d states and %d next states, expected as many, and one at least", n, s.count(Next))
	}
	seen := map[string]bool{}
	for i := range s.Columns {
		c := &s.Columns[i]
		name := canonical(c.Name)
		switch {
		case name == "" || name == "'":
			return errors.New("a column has no name")
		case seen[name]:
			return fmt.Errorf("two columns are named %s", c.Name)
		case i > 0 && c.Role < s.Columns[i-1].Role:
			return fmt.Errorf("column %s is out of place, expected states, actions, next states", c.Name)
		case c.Role != Next && strings.HasSuffix(name, "'"):
			return fmt.Errorf("column %s has a prime, but is no next state", c.Name)
		case c.Type == Enum && len(c.Values) == 0:
			return fmt.Errorf("column %s is an enumeration without values", c.Name)
		case c.Bounded && !(c.Lo <= c.Hi):
			return fmt.Errorf("column %s has an empty range", c.Name)
		}
		if c.Role == Next {
			st := &s.Columns[i-len(s.Columns)+n]
			if st.Name+"'" != c.Name || st.Type != c.Type || !slices.Equal(st.Values, c.Values) {
				return fmt.Errorf("column %s does not go with state %s", c.Name, st.Name)
			}
		}
		seen[name] = true
	}
	return nil
}

// Contains reports whether a number is in the range of the column, that of fixed decimals once it is
// rounded.
func (c *Column) Contains(v float64) bool {
	return !c.Bounded || v >= c.Lo && v <= c.Hi || c.decimals != nil && c.decimals.holds(v)
}

// admits describes why v is not valid in the column, or returns "".
func (c *Column) admits(v float64) string {
	switch {
	case v-v != 0:
		return "expected a finite number"
	case c.Type == Bool && v != 0 && v != 1:
		return "expected true, false, 1 or 0"
	case c.Type == Enum && !(v >= 0 && v < float64(len(c.Values)) && v == math.Trunc(v)):
		return "expected one of " + strings.Join(c.Values, ", ")
	case c.Type == Int && v != math.Trunc(v):
		return "expected an integer"
	case !c.Contains(v):
		return fmt.Sprintf("expected a value in %s..%s", number(c.Lo), number(c.Hi))
	}
	return ""
}

// format formats v as in CSV.
func (c *Column) format(dst []byte, v float64) []byte {
	switch c.Type {
	case Bool:
		return strconv.AppendBool(dst, v != 0)
	case Int:
		return strconv.AppendInt(dst, int64(v), 10)
	case Enum:
		return append(dst, c.Values[int(v)]...)
	}
	if d := c.decimals; d != nil && d.holds(v) {
		return append(dst, d.v.Decimal(int64(d.Level(v)))...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// canonical returns a name in the form used for comparison: without spaces, with round
// brackets.
var canonicalForm = strings.NewReplacer(" ", "", "\t", "", "[", "(", "]", ")", "’", "'")

func canonical(name string) string { return canonicalForm.Replace(name) }

type columnJSON struct {
	Name   string   `json:"name"`
	Role   string   `json:"role"`
	Type   string   `json:"type"`
	Lo     *float64 `json:"lo,omitempty"`
	Hi     *float64 `json:"hi,omitempty"`
	Values []string `json:"values,omitempty"`
}

type schemaJSON struct {
	Version int          `json:"version"`
	Problem string       `json:"problem"`
	Columns []columnJSON `json:"columns"`
}

// MarshalJSON returns the schema in the form of the package comment.
func (s *Schema) MarshalJSON() ([]byte, error) {
	out := schemaJSON{Version: 1, Problem: s.Problem}
	for _, c := range s.Columns {
		j := columnJSON{Name: c.Name, Role: c.Role.String(), Type: c.Type.String(), Values: c.Values}
		if c.Bounded {
			j.Lo, j.Hi = &c.Lo, &c.Hi
		}
		out.Columns = append(out.Columns, j)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads and checks a schema.
func (s *Schema) UnmarshalJSON(text []byte) error {
	var in schemaJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	if in.Version != 1 {
		return fmt.Errorf("the schema has version %d, expected 1", in.Version)
	}
	*s = Schema{Problem: in.Problem}
	for _, j := range in.Columns {
		c := Column{Name: j.Name, Values: j.Values}
		role, typ := slices.Index(roleNames, j.Role), slices.Index(typeNames, j.Type)
		if role < 0 || typ < 0 {
			return fmt.Errorf("column %s has role %q and type %q, expected one of %s and one of %s",
				j.Name, j.Role, j.Type, strings.Join(roleNames, ", "), strings.Join(typeNames, ", "))
		}
		c.Role, c.Type = Role(role), Type(typ)
		if j.Lo != nil && j.Hi != nil {
			c.Bounded, c.Lo, c.Hi = true, *j.Lo, *j.Hi
		}
		s.Columns = append(s.Columns, c)
	}
	return s.check()
}

// hasReward reports whether there is a column of rewards.
func (s *Schema) hasReward() bool {
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Name == rewardName })
}
