package rawlog

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/data/bins"
)

// Range is a range of a fluent that the user gives.
type Range struct {
	Lo, Hi float64
	Step   float64 // of the values from Lo on; 0 for none
}

// ParseRange reads LO..HI or LO..HI by STEP.
func ParseRange(text string) (Range, error) {
	bad := fmt.Errorf("%q is not a range; expected LO..HI or LO..HI by STEP, such as 0..499 or 0..10 by 0.25", text)
	bounds, step, stepped := strings.Cut(text, " by ")
	lo, hi, ok := strings.Cut(bounds, "..")
	if !ok {
		return Range{}, bad
	}
	var r Range
	for _, one := range []struct {
		text string
		to   *float64
	}{{lo, &r.Lo}, {hi, &r.Hi}, {step, &r.Step}} {
		if one.to == &r.Step && !stepped {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(one.text), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return Range{}, bad
		}
		*one.to = x
	}
	if !(r.Lo < r.Hi) || stepped && !(r.Step > 0) || stepped && (r.Hi-r.Lo)/r.Step > 1<<bins.MaxBits-1 {
		return Range{}, bad
	}
	for _, x := range []float64{r.Lo, r.Hi} {
		if k := x / r.Step; stepped && math.Abs(k-math.Round(k)) > 1e-9*max(1, math.Abs(k)) {
			return Range{}, fmt.Errorf("%v is no multiple of the step %v", x, r.Step)
		}
	}
	return r, nil
}

// found counts what a column and that of its next states have.
type found struct {
	numbers, texts int
	whole          bool
	values         map[string]bool // of the texts, up to one more than an enumeration may have
	both           map[string]bool // and of the numbers
}

// settings reports whether numbers and texts are a few values of one kind, such as the speeds of a machine and "repair", of which the texts are
// no slips.
func (n *found) settings() bool {
	const often = 50 // at least one of so many cells is a text
	return n.whole && len(n.both) <= maxEnum && often*n.texts >= n.numbers
}

// MostTold bounds the entities that are told apart by an input.
const MostTold = 64

// classify finds the type of a fluent from its column and that of its next states. A column may name the episode of each row.
func (f *Fluent) classify(t *Table, columns []*Column, s *Spec, episode string) error {
	n := f.count(t, columns)
	f.known = n.numbers + n.texts
	if f.Unit, f.Digits = columns[0].Unit, n.texts == 0; f.Unit == "" {
		f.Unit = unitOf(f.Column)
	}
	drop := func(format string, args ...any) { f.Use, f.Why = Dropped, fmt.Sprintf(format, args...) }
	wasAction := f.Use == AsAction
	given, ranged := s.rangeOf(f)
	mixed := n.texts > 0 && n.numbers > 0 && (n.numbers <= n.texts || wasAction && n.settings())
	if f.Unreadable = 0; n.texts > 0 && !mixed && n.numbers > 0 {
		f.Unreadable = n.texts
	} else if mixed {
		n.values = n.both
	}
	isText := n.texts > 0 && f.Unreadable == 0
	f.Values = slices.Sorted(maps.Keys(n.values))
	names := []string(nil)
	if f.Column == s.Entity {
		names = t.EntityValues(f.Column, MostTold+1)
	}
	switch {
	case len(names) > 1 && len(names) <= MostTold: // numbers too are names, and no amounts
		slices.Sort(names)
		f.Kind, f.Values, f.Why, f.Unreadable = Enum, names, fmt.Sprintf("%d different names", len(names)), 0
	case n.numbers+n.texts == 0:
		drop("it has no values")
	case isText && ranged:
		return fmt.Errorf("--range %s: the column has texts, such as %q; expected numbers", f.Column, f.Example)
	case isText && len(f.Values) > maxEnum:
		drop("%s", tooManyTexts)
	case isText && len(f.Values) == 1, !isText && f.Lo == f.Hi && !ranged:
		drop("constant, %s", columns[0].First())
	case isText && isBool(f.Values):
		f.Kind, f.Why = Bool, "its values are "+strings.Join(f.Values, " and ")
	case isText:
		f.Kind, f.Why = Enum, fmt.Sprintf("%d different texts", len(f.Values))
	case ranged:
		f.take(given, n.whole)
	default:
		f.numeric(columns, n.whole, t.apart(s.Entity, episode))
	}
	if f.Kind != Enum {
		f.Values = nil
	}
	if wasAction && f.Use == Dropped {
		if f.Why == tooManyTexts {
			return fmt.Errorf("%s: the action %s cannot be used: %s; fdplan train LOG -o DOMAIN.pddl learns actions with parameters, such as move(a,b)", t.File, f.Column, f.Why)
		}
		return fmt.Errorf("%s: the action %s cannot be used: %s", t.File, f.Column, f.Why)
	}
	return nil
}

// rangeOf returns the range that was given for a fluent.
func (s *Spec) rangeOf(f *Fluent) (Range, bool) {
	if r, ok := s.Ranges[f.Column]; ok {
		return r, true
	}
	r, ok := s.Ranges[f.Name]
	return r, ok
}

// count looks at all cells.
func (f *Fluent) count(t *Table, columns []*Column) found {
	n := found{whole: true, values: map[string]bool{}, both: map[string]bool{}}
	f.Lo, f.Hi = math.Inf(1), math.Inf(-1)
	for _, c := range columns {
		for i := range c.cells.rows {
			x, isNumber := c.Number(i)
			switch {
			case isNumber:
				n.numbers++
				f.Lo, f.Hi, n.whole = min(f.Lo, x), max(f.Hi, x), n.whole && x == math.Trunc(x)
			case c.Missing(i):
				continue
			default:
				if n.texts++; n.texts == 1 {
					f.Example, f.Line = c.Text(i), t.Line(i)
				}
				if len(n.values) <= maxEnum {
					n.values[c.Text(i)] = true
				}
			}
			if n.texts > 0 && len(n.both) <= maxEnum {
				n.both[c.Text(i)] = true
			}
		}
	}
	if n.texts > 0 { // the numbers before the first text too
		for _, c := range columns {
			for _, cell := range c.cells.values {
				if cell != missing && len(n.both) <= maxEnum {
					n.both[c.text(cell)] = true
				}
			}
		}
	}
	return n
}

// take gives the fluent a range.
func (f *Fluent) take(r Range, whole bool) {
	f.Lo, f.Hi, f.How = r.Lo, r.Hi, "given"
	switch {
	case r.Step > 0 && !(r.Step == 1 && r.Lo == math.Trunc(r.Lo)):
		f.Kind, f.Step = Real, resolution([]float64{r.Step})
	case whole && r.Lo == math.Trunc(r.Lo) && r.Hi == math.Trunc(r.Hi):
		f.Kind, f.Why = Int, "whole numbers in the range that was given"
	default:
		f.Kind = Real
	}
}

// apart returns a function that reports whether a row and the one after it have different cells in some of the named columns.
func (t *Table) apart(names ...string) func(row int) bool {
	var columns []*Column
	for _, name := range names {
		if c := t.Column(name); name != "" && c >= 0 {
			columns = append(columns, &t.Columns[c])
		}
	}
	return func(row int) bool {
		return slices.ContainsFunc(columns, func(c *Column) bool { return c.cells.at(row) != c.cells.at(row+1) })
	}
}

// numeric decides about a column of numbers, some of whose rows are not followed by the next one.
func (f *Fluent) numeric(columns []*Column, whole bool, apart func(row int) bool) {
	distinct, width := distinctOf(columns), f.Hi-f.Lo
	switch moving := whole && distinct > fewValues && moves(columns, width, apart); {
	case whole && f.Lo == 0 && f.Hi == 1:
		f.Kind, f.Why = Bool, "its values are 0 and 1"
	case whole && width < maxInt && !moving:
		f.Kind, f.Why = Int, fmt.Sprintf("%d different whole numbers", distinct)
	case whole && width <= maxWide && !(distinct > maxInt && f.Unit != "") && !moving:
		f.Kind, f.Why = Int, fmt.Sprintf("%d different whole numbers; --bins makes it a quantity", distinct)
	case whole:
		f.Kind, f.Why = Real, fmt.Sprintf("%d different whole numbers, as of a quantity; --range %s=%.0f..%.0f keeps them", distinct, f.Name, f.Lo, f.Hi)
	default:
		f.Kind = Real
	}
}

// distinctOf counts the different values of columns, up to the number of codes.
func distinctOf(columns []*Column) int {
	seen := map[uint64]bool{}
	for _, c := range columns {
		for _, cell := range c.cells.values {
			if !isNone(cell) {
				seen[cell] = true
			}
		}
	}
	return len(seen)
}

const (
	fewValues = 16   // a state that moves as a measured quantity does has more
	fewSteps  = 8    // and is changed by more than these
	mostOften = 4    // of which so many make up less than
	mostUsual = 0.75 // of its changes
)

// moves reports whether numbers move as a measured quantity does, by small steps of many sizes: not
// as a state that rules change, which has few, and not as a name, which jumps.
func moves(columns []*Column, width float64, apart func(row int) bool) bool {
	const looked = 20_000
	steps := map[float64]int{}
	sum, n := 0.0, 0
	c, next, after := columns[0], columns[len(columns)-1], 0
	if len(columns) == 1 {
		after = 1
	}
	for i := range min(c.cells.rows-after, looked) {
		a, ok1 := c.Number(i)
		b, ok2 := next.Number(i + after)
		if ok1 && ok2 && a != b && (after == 0 || !apart(i)) {
			steps[b-a]++
			sum, n = sum+math.Abs(b-a), n+1
		}
	}
	counts := slices.Sorted(maps.Values(steps))
	most := 0
	for _, k := range counts[max(0, len(counts)-mostOften):] {
		most += k
	}
	return len(steps) > fewSteps && float64(most) < mostUsual*float64(n) && sum/float64(n) < width/10
}
