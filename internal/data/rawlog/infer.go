package rawlog

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/source"
)

// Use is what a column of a log is used for.
type Use string

// The uses.
const (
	AsState   Use = "state"
	AsAction  Use = "action"
	AsEpisode Use = "episode"
	AsReward  Use = "reward"
	AsTime    Use = "time"
	Dropped   Use = "dropped"
)

// Kind is the type of a fluent.
type Kind string

// The kinds.
const (
	Bool Kind = "bool"
	Int  Kind = "int"
	Enum Kind = "enum"
	Real Kind = "real"
)

// Fluent is what is inferred of a column.
type Fluent struct {
	Name   string // of the fluent
	Column string // in the log
	Use    Use
	Why    string // of a column that is dropped, or of a name that was changed
	Kind   Kind
	Lo, Hi float64  // of Int and Real as they occur
	Values []string // of Enum, sorted
	Edges  []float64
	How    string // how the edges were found
	Unit   string

	Default string // of an action, the value that does nothing; empty if none is known to
	Listed  bool   // an action of two values, of which neither is known to do nothing
	Digits  bool   // the values are numbers in the log

	missing int
}

// Spec is what the user says of a log.
type Spec struct {
	Actions, Ignore []string             // columns
	Episode         string               // column; empty for none
	Rename          map[string]string    // names of fluents by column
	Bins            map[string][]float64 // edges by column or fluent
	Inactive        bool                 // there may be no action: the columns are only described
}

// The largest numbers of values of a fluent that is not discretised.
const (
	maxInt  = 64
	maxEnum = 32
)

// Infer decides what each column of a log is. Errors name the column.
func Infer(t *Table, s Spec) ([]Fluent, error) {
	for _, list := range []struct {
		flag  string
		names []string
	}{{"--actions", s.Actions}, {"--ignore", s.Ignore}, {"--episode", []string{s.Episode}}} {
		for _, name := range list.names {
			if name != "" && t.Column(name) < 0 {
				return nil, fmt.Errorf("%s: there is no column %s in %s; its columns are %s%s", list.flag, name, t.File, names(t), t.hint(name))
			}
		}
	}
	if len(s.Actions) == 0 && !s.Inactive {
		return nil, fmt.Errorf("which columns are actions? expected --actions a,b; the columns of %s are %s", t.File, names(t))
	}
	var out []Fluent
	for i := range t.Columns {
		if strings.HasSuffix(t.Columns[i].Name, "'") {
			continue // the next state of another column
		}
		f, err := inferOne(t, i, s)
		if err != nil {
			return nil, err
		}
		for j := range out {
			o := &out[j]
			if f.Use == AsState && o.Use != Dropped && same(&t.Columns[t.Column(o.Column)], &t.Columns[i]) {
				f.Use, f.Why = Dropped, "the same as column "+o.Column
			}
			if f.Use == AsTime && o.Use == AsTime {
				f.Use, f.Why = Dropped, "another column of times than "+o.Column
			}
			if f.Use != Dropped && o.Use != Dropped && o.Name == f.Name {
				return nil, fmt.Errorf("columns %s and %s would both be named %s; expected --rename %s=NAME", o.Column, f.Column, f.Name, f.Column)
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// same reports whether two columns have the same values wherever both have one.
func same(a, b *Column) bool {
	if !slices.Equal(a.texts, b.texts) {
		return false
	}
	both := false
	for i := range a.cells.rows {
		x, y := a.cells.at(i), b.cells.at(i)
		if x == missing || y == missing {
			continue
		}
		if x != y {
			return false
		}
		both = true
	}
	return both
}

func names(t *Table) string { return strings.Join(t.names(), ", ") }

func (t *Table) names() []string {
	var out []string
	for i := range t.Columns {
		out = append(out, t.Columns[i].Name)
	}
	return out
}

// hint returns "; did you mean X?" for a name that no column has, or "".
func (t *Table) hint(name string) string { return nearest.Hint(name, t.names()) }

// RewardColumn is the name of the column that has the reward of each step.
const RewardColumn = "reward"

// isNumeric reports whether a column has numbers only, and one at least.
func isNumeric(c *Column) bool {
	found := false
	for i := range c.cells.rows {
		if _, ok := c.Number(i); ok {
			found = true
		} else if !c.Missing(i) {
			return false
		}
	}
	return found
}

// inferOne infers column i from its cells and those of its next state.
func inferOne(t *Table, i int, s Spec) (Fluent, error) {
	c := &t.Columns[i]
	f := Fluent{Name: s.Rename[c.Name], Column: c.Name, Use: AsState}
	if f.Name == "" {
		f.Name = fluentName(c.Name)
	}
	switch {
	case slices.Contains(s.Ignore, c.Name):
		f.Use, f.Why = Dropped, "asked for"
		return f, nil
	case c.Name == s.Episode:
		f.Use = AsEpisode
		return f, nil
	case slices.Contains(s.Actions, c.Name):
		f.Use = AsAction
	case c.Name == RewardColumn && isNumeric(c):
		f.Use = AsReward
		return f, nil
	case isTime(t, c):
		f.Use = AsTime
		return f, nil
	}
	columns := []*Column{c}
	if j := t.Column(c.Name + "'"); j >= 0 {
		columns = append(columns, &t.Columns[j])
	}
	return f, f.classify(t, columns)
}

// classify finds the type of a fluent.
func (f *Fluent) classify(t *Table, columns []*Column) error {
	numbers, texts := 0, 0
	f.Lo, f.Hi = math.Inf(1), math.Inf(-1)
	whole := true
	values := map[string]bool{}
	var text, row int
	for k, c := range columns {
		for i := range c.cells.rows {
			x, isNumber := c.Number(i)
			switch {
			case c.Missing(i):
				f.missing++
			case isNumber:
				numbers++
				f.Lo, f.Hi, whole = min(f.Lo, x), max(f.Hi, x), whole && x == math.Trunc(x)
			default:
				if texts++; len(values) <= maxEnum {
					values[c.Text(i)] = true
				}
				text, row = k, i
			}
		}
	}
	if texts > 0 && numbers > texts {
		return source.Errorf(t.File, t.Line(row), 0, "column %s: %q is not a number, as %.1f %% of its values are; expected a number, or --ignore %s",
			f.Column, columns[text].Text(row), 100*float64(numbers)/float64(numbers+texts), f.Column)
	}
	f.Values = slices.Sorted(maps.Keys(values))
	f.Unit, f.Digits = unitOf(f.Column), texts == 0
	drop := func(format string, args ...any) { f.Use, f.Why = Dropped, fmt.Sprintf(format, args...) }
	wasAction := f.Use == AsAction
	switch {
	case numbers+texts == 0:
		drop("it has no values")
	case texts > 0 && numbers > 0:
		return source.Errorf(t.File, t.Line(row), 0, "column %s has both texts, such as %q, and numbers; expected one of them, or --ignore %s", f.Column, columns[text].Text(row), f.Column)
	case texts > 0 && len(f.Values) > maxEnum:
		drop("more than %d different texts", maxEnum)
	case texts > 0 && len(f.Values) == 1, texts == 0 && f.Lo == f.Hi:
		drop("constant, %s", columns[0].First())
	case texts > 0 && isBool(f.Values):
		f.Kind = Bool
	case texts > 0:
		f.Kind = Enum
	case whole && f.Lo == 0 && f.Hi == 1:
		f.Kind = Bool
	case whole && f.Hi-f.Lo < maxInt:
		f.Kind = Int
	default:
		f.Kind = Real
	}
	if f.Kind != Enum {
		f.Values = nil
	}
	if wasAction && f.Use == Dropped {
		return fmt.Errorf("%s: the action %s cannot be used: %s", t.File, f.Column, f.Why)
	}
	return nil
}

// First returns the first value as text.
func (c *Column) First() string {
	for i := range c.cells.rows {
		if !c.Missing(i) {
			return c.Text(i)
		}
	}
	return ""
}

// Truth returns the Boolean that a text or a number stands for.
func Truth(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

func isBool(values []string) bool {
	seen := map[bool]bool{}
	for _, v := range values {
		b, ok := Truth(v)
		if !ok {
			return false
		}
		seen[b] = true
	}
	return len(seen) == 2 && len(values) == 2
}

// timeNames are the names of columns that order the rows.
var timeNames = []string{"time", "timestamp", "datetime", "date", "ts", "step", "t"}

// isTime reports whether a column has a name of a time and times in it, or time stamps.
func isTime(t *Table, c *Column) bool {
	named, found := slices.Contains(timeNames, strings.ToLower(strings.TrimSpace(c.Name))), false
	for i := range min(t.Rows(), 1000) {
		if c.Missing(i) {
			continue
		}
		_, isNumber := c.Number(i)
		if _, ok := c.seconds(i); !ok || isNumber && !named {
			return false
		}
		found = true
	}
	return found
}

// fluentName returns a name that expressions can mention.
func fluentName(column string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(column) {
		switch {
		case r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) && b.Len() > 0 || r == '_' || r == '-' && b.Len() > 0):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.TrimRight(b.String(), "_-")
	if name == "" || name == "true" || name == "false" {
		return "column_" + name
	}
	return name
}

// units are the ends of names that tell a unit.
var units = map[string]string{
	"kg": "kg", "g": "g", "mm": "mm", "cm": "cm", "m": "m", "km": "km", "s": "s", "ms": "ms", "c": "°C", "degc": "°C", "celsius": "°C", "k": "K",
	"w": "W", "kw": "kW", "kwh": "kWh", "v": "V", "a": "A", "bar": "bar", "pa": "Pa", "hpa": "hPa", "hz": "Hz", "rpm": "rpm", "l": "l", "pct": "%", "percent": "%",
}

// unitOf returns the unit in a name such as load_kg or Load (kg).
func unitOf(column string) string {
	if strings.Contains(column, "%") {
		return "%"
	}
	words := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return !unicode.IsLetter(r) && r != '°' })
	if len(words) < 2 {
		return ""
	}
	return units[strings.Trim(words[len(words)-1], "°")]
}
