package factored

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
)

// View is the meaning of an integer variable's values: the names of an enumeration, the bins of
// a real quantity, or the step of one of fixed decimals. It changes what people and devices read and write, and nothing in
// the problem.
type View struct {
	// Names are those of the values Lo, Lo+1, …, Hi of an enumeration; nil for none.
	Names []string
	// Edges are the bounds of the bins of a quantity, increasing, one more than there are
	// values: Lo+k stands for Edges[k] <= x < Edges[k+1], and Hi also for the last edge.
	Edges []float64
	// Num/Den is the step of a quantity of fixed decimals, in lowest terms: the value x stands
	// for x*Num/Den exactly. Den is 0 for none; else both are positive, and Den divides a power of 10.
	Num, Den int64
	Unit     string // of a quantity, such as kg; may be empty
}

// Quantity reports whether v is discretised from a real quantity.
func (v *Variable) Quantity() bool { return v.View != nil && v.View.Edges != nil }

// Enumeration reports whether the values of v have names.
func (v *Variable) Enumeration() bool { return v.View != nil && v.View.Names != nil }

// Show returns the value x of v as people read it: a bool, an int64, a json.Number for a
// quantity of fixed decimals, or a string for a named value and for the bin of a quantity.
func (v *Variable) Show(x int64) any {
	k := x - v.Lo
	switch {
	case v.Bool:
		return x != 0
	case v.Enumeration() && k >= 0 && k < int64(len(v.View.Names)):
		return v.View.Names[k]
	case v.Quantity() && k >= 0 && k+1 < int64(len(v.View.Edges)):
		return v.interval(v.View.Edges[k], v.View.Edges[k+1], "–")
	case v.Enumeration() || v.Quantity():
		return fmt.Sprintf("no value (%d)", x) // of a network that is wrong
	case v.Fixed():
		return v.shown(x)
	}
	return x
}

// RangeText returns the values that v can have: 0..3, 0..800 kg, left or right.
func (v *Variable) RangeText() string {
	switch {
	case v.Bool:
		return "false or true"
	case v.Enumeration():
		return strings.Join(v.View.Names, ", ")
	case v.Quantity():
		return v.interval(v.View.Edges[0], v.View.Edges[len(v.View.Edges)-1], "..")
	}
	lo, hi := v.Inside()
	return v.text(lo) + ".." + v.text(hi) + v.unit()
}

func (v *Variable) interval(lo, hi float64, sep string) string {
	return number(lo) + sep + number(hi) + v.unit()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Center returns the number that devices are sent for value x of a variable that is Real: the
// middle of the bin, or the decimal number itself.
func (v *Variable) Center(x int64) float64 {
	if v.Fixed() {
		return float64(x) * float64(v.View.Num) / float64(v.View.Den)
	}
	k := x - v.Lo
	return v.View.Edges[k] + (v.View.Edges[k+1]-v.View.Edges[k])/2
}

// Level returns the value of v, which is Real, whose bin contains q, or that is nearest to it.
func (v *Variable) Level(q float64) (int64, error) {
	if v.Fixed() {
		x := int64(0)
		if q-q == 0 {
			x = v.nearestFloat(q)
		}
		if q-q != 0 || x < v.Lo || x > v.Hi {
			return 0, fmt.Errorf("%s cannot be %s; its range is %s", v.Name, number(q), v.RangeText())
		}
		return x, nil
	}
	edges := v.View.Edges
	last := len(edges) - 1
	if !(q >= edges[0] && q <= edges[last]) {
		return 0, fmt.Errorf("%s cannot be %s; its range is %s", v.Name, number(q), v.RangeText())
	}
	k := sort.Search(last, func(i int) bool { return edges[i+1] > q })
	return v.Lo + int64(min(k, last-1)), nil
}

// Bound translates the comparison of a quantity with a number, by <, <=, > or >=, to its
// values: v < level if below is set, else v >= level. It is an error if the comparison does
// not have the same truth for all numbers of each bin.
func (v *Variable) Bound(op string, x float64) (level int64, below bool, err error) {
	edges := v.View.Edges
	last := len(edges) - 1
	below = op == "<" || op == "<="
	switch {
	case x < edges[0], x == edges[0] && (op == "<" || op == ">="):
		return v.Lo, below, nil
	case x > edges[last], x == edges[last] && (op == "<=" || op == ">"):
		return v.Hi + 1, below, nil
	}
	k, exact := slices.BinarySearch(edges, x)
	switch {
	case !exact:
		return 0, false, fmt.Errorf("%s lies inside the bin %v; use %s or %s, or add a bin edge", number(x), v.Show(v.Lo+int64(k-1)), number(edges[k-1]), number(edges[k]))
	case op == ">" || op == "<=" || k == last:
		other := map[string]string{">": ">=", "<=": "<", "<": "<=", ">=": ">"}[op]
		return 0, false, fmt.Errorf("%s itself belongs to the bin %v; use %s %s %s", number(x), v.Show(v.Lo+int64(min(k, last-1))), v.Name, other, number(x))
	}
	return v.Lo + int64(k), below, nil
}

// EdgesText lists the bin edges of a quantity.
func (v *Variable) EdgesText() string {
	parts := make([]string, len(v.View.Edges))
	for i, e := range v.View.Edges {
		parts[i] = number(e)
	}
	return strings.Join(parts, ", ")
}

// Named returns the value of an enumeration that has a name, with or without its @.
func (v *Variable) Named(name string) (int64, error) {
	plain := strings.TrimPrefix(name, "@")
	k := slices.IndexFunc(v.View.Names, func(n string) bool { return strings.TrimPrefix(n, "@") == plain })
	if k < 0 {
		hint := nearest.Hint(plain, v.View.Names)
		return 0, fmt.Errorf("%q is not a value of %s; expected one of %s%s", name, v.Name, v.RangeText(), hint)
	}
	return v.Lo + int64(k), nil
}

// parseView reads a value as Show writes it, or a quantity as a number.
func (v *Variable) parseView(text string) (int64, error) {
	if v.Enumeration() {
		return v.Named(text)
	}
	if v.Fixed() {
		return v.parseFixed(text)
	}
	if q, err := strconv.ParseFloat(text, 64); err == nil {
		return v.Level(q)
	}
	for x := v.Lo; x <= v.Hi; x++ {
		if v.Show(x) == text {
			return x, nil
		}
	}
	return 0, fmt.Errorf("%q is not a value of %s; expected a number in %s, or a bin such as %v", text, v.Name, v.RangeText(), v.Show(v.Lo))
}

// HasDefault reports whether there is a value that plan steps leave out.
func (v *Variable) HasDefault() bool { return v.Default >= v.Lo && v.Default <= v.Hi }

// Defaults sets the variables of kind k in val to their defaults, those that have one.
func (p *Problem) Defaults(k Kind, val Valuation) {
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == k && v.HasDefault() {
			_ = v.Set(val, v.Default) // within the range
		}
	}
}

// checkView reports a view that does not fit the range.
func (v *Variable) checkView() error {
	n := v.Hi - v.Lo + 1
	switch {
	case v.Bool && v.View != nil:
		return fmt.Errorf("%s is Boolean; only integers stand for names or bins", v.Name)
	case v.Enumeration() && (v.Quantity() || int64(len(v.View.Names)) != n):
		return fmt.Errorf("%s has %d values and %d names", v.Name, n, len(v.View.Names))
	case v.Quantity() && int64(len(v.View.Edges)) != n+1:
		return fmt.Errorf("%s has %d values and %d bin edges, expected %d", v.Name, n, len(v.View.Edges), n+1)
	case v.Fixed() && (v.Quantity() || v.Enumeration()):
		return fmt.Errorf("%s has a step beside bins or names; expected one of them", v.Name)
	}
	if v.Fixed() {
		if err := v.View.checkStep(); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	return nil
}

// Equals returns the constraints that v has the value x, which must be in its range.
func (v *Variable) Equals(x int64, origin string) []Constraint {
	var out []Constraint
	for i := range v.Width {
		out = append(out, Constraint{
			Terms: []Term{{Coef: 1, Lit: Lit{Bit: v.First + Bit(i)}}}, Op: EQ, K: x >> (v.Width - 1 - i) & 1, Origin: origin,
		})
	}
	return out
}
