package rawlog

import (
	"fmt"
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// values reads a column of a log as values of a fluent.
type values struct {
	from   *Column
	as     *dataset.Column
	index  map[string]float64 // of the values of an enumeration
	byCode []float64          // NaN if the cell is missing or has no such value
}

// newValues returns the values of a column, which must not grow any more.
func newValues(from *Column, as *dataset.Column) *values {
	v := &values{from: from, as: as, index: map[string]float64{}}
	for k, name := range as.Values {
		v.index[name] = float64(k)
	}
	for _, cell := range from.cells.values {
		x, _ := v.of(cell, from.text)
		v.byCode = append(v.byCode, x)
	}
	return v
}

// at returns the value in row i; NaN if the cell is missing or has no such value.
func (v *values) at(i int) float64 {
	b, k := &v.from.cells.blocks[i/blockRows], i%blockRows
	switch {
	case b.narrow != nil:
		return v.byCode[b.narrow[k]]
	case b.codes != nil:
		return v.byCode[b.codes[k]]
	}
	x, _ := v.of(v.from.cells.at(i), func(uint64) string { return v.from.Text(i) })
	return x
}

// fault tells why the value in row i is NaN: what was expected, or "" if the cell is missing.
func (v *values) fault(i int) string {
	_, expected := v.of(v.from.cells.at(i), func(uint64) string { return v.from.Text(i) })
	return expected
}

// of returns the value of a cell. It is NaN if the cell is missing, and if it has no value of
// the fluent, with what was expected.
func (v *values) of(cell uint64, text func(cell uint64) string) (x float64, expected string) {
	fail := func(expected string) (float64, string) { return math.NaN(), expected }
	if cell == missing {
		return fail("")
	}
	x = math.Float64frombits(cell)
	switch c := v.as; {
	case c.Type == dataset.Enum:
		if k, ok := v.index[text(cell)]; ok {
			return k, ""
		}
		return fail("one of " + strings.Join(c.Values, ", "))
	case c.Type == dataset.Bool:
		b, ok := Truth(text(cell))
		switch {
		case !ok:
			return fail("true or false")
		case b:
			return 1, ""
		}
		return 0, ""
	case isNone(cell):
		return fail("a number")
	case c.Bounded && (x < c.Lo || x > c.Hi):
		return fail(fmt.Sprintf("a value in %v..%v", c.Lo, c.Hi))
	case c.Type == dataset.Int && x != math.Trunc(x):
		return fail("an integer")
	}
	return x, ""
}
