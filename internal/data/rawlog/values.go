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
	bad    []bool             // by code: the cell has a value that is not one of the fluent
	keep   bool               // what stands for such a value is kept; see dataset.Schema.Outside
	begins bool               // the column tells of ends that no step begins in: the value before it is 0
}

// newValues returns the values of a column, which must not grow any more.
func newValues(from *Column, as *dataset.Column, keep bool) *values {
	v := &values{from: from, as: as, index: map[string]float64{}, keep: keep}
	for k, name := range as.Values {
		v.index[name] = float64(k)
	}
	for _, cell := range from.cells.values {
		x, expected := v.of(cell, from.text)
		v.byCode, v.bad = append(v.byCode, x), append(v.bad, expected != "")
	}
	return v
}

// at returns the value in row i, NaN if the cell is missing. bad reports that it is not one of the
// fluent.
func (v *values) at(i int) (x float64, bad bool) {
	b, k := &v.from.cells.blocks[i/blockRows], i%blockRows
	switch {
	case v.begins:
		return 0, false
	case b.narrow != nil:
		return v.byCode[b.narrow[k]], v.bad[b.narrow[k]]
	case b.codes != nil:
		return v.byCode[b.codes[k]], v.bad[b.codes[k]]
	}
	x, expected := v.of(v.from.cells.at(i), func(uint64) string { return v.from.Text(i) })
	return x, expected != ""
}

// fault tells what was expected in row i, or "" if the cell is missing or has a value of the fluent.
func (v *values) fault(i int) string {
	_, expected := v.of(v.from.cells.at(i), func(uint64) string { return v.from.Text(i) })
	return expected
}

// of returns the value of a cell. It is NaN if the cell is missing, and if it has no value of
// the fluent, with what was expected.
func (v *values) of(cell uint64, text func(cell uint64) string) (x float64, expected string) {
	if cell == missing {
		return math.NaN(), ""
	}
	fail := func(expected string) (float64, string) {
		switch t := v.as.Type; {
		case !v.keep:
			return math.NaN(), expected
		case t == dataset.Enum || t == dataset.Bool:
			return dataset.Unseen(text(cell)), expected
		}
		return math.Float64frombits(cell), expected
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
	case !c.Contains(x):
		return fail(fmt.Sprintf("a value in %v..%v", c.Lo, c.Hi))
	case c.Type == dataset.Int && x != math.Trunc(x):
		return fail("an integer")
	}
	return x, ""
}
