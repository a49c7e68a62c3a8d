package rawlog

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/counted"
)

// A column changes its level suddenly, as when its unit is changed, if the values before and
// after some row are distributed differently, and the step between them is larger than usual.
const (
	leastShiftRows = 20   // on either side
	shiftDistance  = 0.75 // of the distributions, after Kolmogorov and Smirnov
	shiftStep      = 1.5  // times the step that one row in twenty exceeds
)

// shift is a sudden change of the level of a column.
type shift struct {
	row            int // the first after it
	before, after  [2]float64
	factor, offset float64 // that take the values before to those after, by spread and mean
}

// Shifts returns warnings about numeric columns that only grow, those with a number that stands for
// no value, and those whose level changes suddenly, with the line of the change.
func Shifts(ctx context.Context, t *Table, fluents []Fluent) []string {
	var out []string
	for i := range fluents {
		f := &fluents[i]
		if ctx.Err() != nil {
			return nil // the caller is late
		}
		if !f.IsFluent() || f.Kind != Real && (f.Kind != Int || f.Hi-f.Lo < 8) {
			continue
		}
		if t.Columns[t.Column(f.Column)].grows() {
			out = append(out, fmt.Sprintf("column %s never decreases; if it numbers episodes or rows, give --episode %q or --ignore %q", f.Column, f.Column, f.Column))
			continue
		}
		if text := t.Columns[t.Column(f.Column)].placeholder(f.Lo, f.Hi); text != "" {
			out = append(out, text)
			continue
		}
		s, ok := t.Columns[t.Column(f.Column)].shift()
		if !ok {
			continue
		}
		out = append(out, fmt.Sprintf("column %s changes suddenly at line %d: its values are %.4g to %.4g before and %.4g to %.4g after%s; "+
			"convert them or cut the log if the unit was changed, else the bins mix two quantities", f.Column, t.Line(s.row), s.before[0], s.before[1], s.after[0], s.after[1], s.unit()))
	}
	return out
}

// placeholders are numbers that devices write where they have none.
var placeholders = []float64{-99, -999, -9999, -99999, -32768, 99, 999, 9999, 99999, 32767, 65535}

// placeholder is a warning about an extreme value in lo..hi that stands for none: it is one of
// placeholders, and further from the other values than twice their range. It is empty if there is
// none.
func (c *Column) placeholder(lo, hi float64) string {
	for _, p := range []float64{lo, hi} {
		if !slices.Contains(placeholders, p) {
			continue
		}
		least, most, n := math.Inf(1), math.Inf(-1), 0
		c.each(func(_ int, x float64) {
			if x == p {
				n++
			} else {
				least, most = min(least, x), max(most, x)
			}
		})
		if least < most && max(least-p, p-most) > 2*(most-least) {
			return fmt.Sprintf("column %s has %v in %s, far from its other values, %v to %v; if it stands for no value, give --range '%s=%v..%v'", c.Name, p, counted.Of(n, "row"), least, most, c.Name, least, most)
		}
	}
	return ""
}

// grows reports whether the numbers of a column never decrease.
func (c *Column) grows() bool {
	last, falls := math.Inf(-1), false
	c.each(func(_ int, x float64) {
		falls = falls || x < last
		last = x
	})
	return !falls
}

// unit names a usual change of unit that explains a shift; empty if there is none.
func (s *shift) unit() string {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 0.1*math.Abs(b) }
	switch {
	case near(s.factor, 1.8) && math.Abs(s.offset-32) < 8:
		return ", as from °C to °F"
	case near(s.factor, 1/1.8) && math.Abs(s.offset+17.8) < 5:
		return ", as from °F to °C"
	case near(s.factor, 1) && math.Abs(math.Abs(s.offset)-273.15) < 10:
		return ", as between °C and K"
	}
	for _, x := range []float64{10, 60, 100, 1000, 3600, 2.2046, 3.6} {
		if near(s.factor, x) || near(s.factor, 1/x) {
			return fmt.Sprintf(", about %.4g times as large", s.factor)
		}
	}
	return ""
}

// each calls do for each number of a column, with its row.
func (c *Column) each(do func(row int, x float64)) {
	for i := range c.cells.rows {
		if x, ok := c.Number(i); ok {
			do(i, x)
		}
	}
}

// shift finds a sudden change of level at the row where the sum of deviations from the mean is
// the largest.
func (c *Column) shift() (shift, bool) {
	n, sum := 0, 0.0
	c.each(func(_ int, x float64) { n, sum = n+1, sum+x })
	if n < 2*leastShiftRows {
		return shift{}, false
	}
	mean, deviation, most, at, k := sum/float64(n), 0.0, 0.0, 0, 0
	c.each(func(_ int, x float64) {
		k++
		if deviation += x - mean; math.Abs(deviation) > most && k >= leastShiftRows && k <= n-leastShiftRows {
			most, at = math.Abs(deviation), k
		}
	})
	if at == 0 {
		return shift{}, false
	}
	return c.shiftAt(at)
}

// shiftAt reports whether the level changes suddenly before number at, counted from 0.
func (c *Column) shiftAt(at int) (shift, bool) {
	s := shift{before: [2]float64{math.Inf(1), math.Inf(-1)}, after: [2]float64{math.Inf(1), math.Inf(-1)}}
	var before, after, steps []float64
	step, last, k := 0.0, 0.0, 0
	c.each(func(row int, x float64) {
		side, list := &s.before, &before
		if k >= at {
			side, list = &s.after, &after
		}
		side[0], side[1] = min(side[0], x), max(side[1], x)
		if k == at {
			s.row, step = row, math.Abs(x-last)
		}
		if isDrawn(row, c.cells.rows, mostValues) {
			*list = append(*list, x)
			if k > 0 {
				steps = append(steps, math.Abs(x-last))
			}
		}
		last, k = x, k+1
	})
	slices.Sort(steps)
	if len(steps) == 0 || step <= shiftStep*steps[len(steps)*19/20] || len(before) == 0 || len(after) == 0 {
		return shift{}, false
	}
	m1, d1 := moments(before)
	m2, d2 := moments(after)
	slices.Sort(before)
	slices.Sort(after)
	if distance(before, after) < shiftDistance {
		return shift{}, false
	}
	s.factor = d2 / d1
	s.offset = m2 - s.factor*m1
	return s, true
}

// moments returns the mean and the standard deviation.
func moments(xs []float64) (mean, deviation float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		deviation += (x - mean) * (x - mean) / float64(len(xs))
	}
	return mean, math.Sqrt(deviation)
}

// distance returns the largest difference between the shares of two sorted lists below a
// number.
func distance(a, b []float64) float64 {
	most := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x := min(a[i], b[j])
		for i < len(a) && a[i] <= x {
			i++
		}
		for j < len(b) && b[j] <= x {
			j++
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return most
}
