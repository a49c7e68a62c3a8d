package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/source"
)

// Kind is the kind of rule that a Violation violates.
type Kind uint8

// The kinds of violations.
const (
	Precondition Kind = iota // an action precondition, before the step
	MaxActions               // max-nondef-actions, before the step
	Invariant                // a state invariant, in the initial state or after a step
	OutOfRange               // a value that its type or its range excludes
)

func (k Kind) String() string {
	return [...]string{"precondition", "max-nondef-actions", "invariant", "range"}[k]
}

// Value is a fluent with a value, for messages.
type Value struct {
	Name  string
	Value float64
	Text  string // true, 3, 0.5, @high
}

// Violation is a violated rule: which, its place, and the values of the fluents that it
// mentions.
type Violation struct {
	Kind      Kind
	Condition string // its text
	Pos       ground.Pos
	Step      int     // the step whose action or state is at fault; 1 is the initial state
	Values    []Value // in the problem's order
}

// Error returns one line: the position, the condition, and the values.
func (v *Violation) Error() string { return v.source().Error() }

// Unwrap returns the violation as an input error.
func (v *Violation) Unwrap() error { return v.source() }

func (v *Violation) source() *source.Error {
	what := map[Kind]string{
		Precondition: "the precondition does not hold",
		MaxActions:   "too many actions at once",
		Invariant:    "the invariant does not hold",
		OutOfRange:   "a value is out of range",
	}[v.Kind]
	return at(v.Pos, "step %d: %s: %s%s", v.Step, what, v.Condition, listValues(v.Values))
}

// maxListed bounds the values that a message spells out.
const maxListed = 12

// listValues writes values in brackets. If there are many, those that are neither false nor 0
// come first.
func listValues(values []Value) string {
	if len(values) == 0 {
		return ""
	}
	shown := values
	if len(values) > maxListed {
		shown = slices.Clone(values)
		slices.SortStableFunc(shown, func(a, b Value) int {
			switch {
			case a.Value != 0 && b.Value == 0:
				return -1
			case a.Value == 0 && b.Value != 0:
				return 1
			}
			return 0
		})
		shown = shown[:maxListed]
	}
	parts := make([]string, len(shown))
	for i, v := range shown {
		parts[i] = v.Name + " = " + v.Text
	}
	more := ""
	if n := len(values) - len(shown); n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return " (" + strings.Join(parts, ", ") + more + ")"
}

// FormatValue writes v as a value of the fluent: true, 3, 0.5, @high. Values of
// objects and enumerations are written as the problem lists them.
func FormatValue(f *ground.Fluent, v float64) string {
	switch f.Type {
	case ground.Bool:
		if v == 0 || v == 1 {
			return strconv.FormatBool(v == 1)
		}
	case ground.Enum:
		if i := int(v); float64(i) == v && i >= 0 && i < len(f.Values) {
			return f.Values[i]
		}
	}
	return number(v)
}

func number(v float64) string {
	if v == float64(int64(v)) {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func (r *Runner) value(f int, v float64, primed bool) Value {
	fl := &r.s.p.Fluents[f]
	name := fl.Name
	if primed {
		name += "'"
	}
	return Value{Name: name, Value: v, Text: FormatValue(fl, v)}
}

func (r *Runner) values(fluents []int) []Value {
	out := make([]Value, len(fluents))
	for i, f := range fluents {
		out[i] = r.value(f, r.m.vals[f], false)
	}
	return out
}

func (r *Runner) violation(kind Kind, c *condition) *Violation {
	return &Violation{Kind: kind, Condition: c.src.Text, Pos: c.src.Pos, Step: r.step + 1,
		Values: r.values(direct(r.s.p, c.src.Expr))}
}

func (r *Runner) tooMany(count int) *Violation {
	v := &Violation{Kind: MaxActions, Step: r.step + 1,
		Condition: fmt.Sprintf("%d actions are not at their default, max-nondef-actions allows %d", count, r.s.p.MaxActions)}
	for i, f := range r.s.actions {
		if r.m.vals[f] != r.s.noop[i] {
			v.Values = append(v.Values, r.value(f, r.m.vals[f], false))
		}
	}
	return v
}

func (r *Runner) outside(f int, v float64) *Violation {
	fl := &r.s.p.Fluents[f]
	return &Violation{Kind: OutOfRange, Condition: r.wants(f), Pos: fl.Pos, Step: r.step + 1, Values: []Value{r.value(f, v, false)}}
}

// wants describes the values that fluent f takes.
func (r *Runner) wants(f int) string {
	fl := &r.s.p.Fluents[f]
	rng, ok := r.s.ranges.Of(fl)
	switch {
	case fl.Type == ground.Bool:
		return fl.Name + " is Boolean"
	case fl.Type == ground.Enum:
		return fl.Name + " is one of " + strings.Join(fl.Values, ", ")
	case fl.Type == ground.Int && ok:
		return fmt.Sprintf("%s is an integer in %s..%s", fl.Name, number(rng.Lo), number(rng.Hi))
	case fl.Type == ground.Int:
		return fl.Name + " is an integer"
	case ok:
		return fmt.Sprintf("%s is a number in %s..%s", fl.Name, number(rng.Lo), number(rng.Hi))
	}
	return fl.Name + " is a finite number"
}

// badValue reports a cpf whose value its fluent cannot have.
func (r *Runner) badValue(a *assign, v float64) error {
	fl := &r.s.p.Fluents[a.fluent]
	step := r.step + 1
	if a.next {
		step++
	}
	out := &Violation{Kind: OutOfRange, Condition: r.wants(a.fluent), Pos: fl.CPF.Pos, Step: step, Values: []Value{r.value(a.fluent, v, a.next)}}
	now, next := refs(r.s.p, fl.CPF)
	for _, f := range now {
		out.Values = append(out.Values, r.value(f, r.m.vals[f], false))
	}
	for _, f := range next {
		out.Values = append(out.Values, r.value(f, r.m.next[f], true))
	}
	return out
}

// takeFault returns the machine's fault as an error and clears it.
func (r *Runner) takeFault(where string) error {
	f := r.m.fault
	r.m.fault = fault{}
	args := make([]string, f.n)
	for i := range args {
		args[i] = number(f.args[i])
	}
	var what string
	switch {
	case f.n == 0:
		what = f.what
	case f.node.Op == ground.Div:
		what = fmt.Sprintf("%s: %s / %s", f.what, args[0], args[1])
	case f.node.Op == ground.Case, f.node.Name == "Discrete", f.node.Name == "UnnormDiscrete":
		what = f.what + ": " + args[0]
	default:
		what = fmt.Sprintf("%s: %s(%s)", f.what, f.node.Name, strings.Join(args, ", "))
	}
	var values []Value
	now, next := refs(r.s.p, f.node)
	for _, i := range now {
		values = append(values, r.value(i, r.m.vals[i], false))
	}
	for _, i := range next {
		values = append(values, r.value(i, r.m.next[i], true))
	}
	return at(f.node.Pos, "step %d, %s: %s%s", r.step+1, where, what, listValues(values))
}
