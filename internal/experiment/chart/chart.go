package chart

import (
	"errors"
	"fmt"
	"math"
)

// Style is how the points of a series are drawn.
type Style uint8

// The styles.
const (
	Line   Style = iota // joined in the order given
	Points              // markers alone
	Steps               // joined, each value holding until the next point: cactus plots
)

// Series is a sequence of points with a name in the legend; an empty name has no entry there.
type Series struct {
	Name  string
	X, Y  []float64 // as many of each, all finite
	Style Style
	// Titles, if any, are shown when a pointer rests on the points; one per point. Lines then
	// have markers.
	Titles []string
}

// Axis is one axis of a chart; its range is that of the points.
type Axis struct {
	Label string
	// Log makes the axis logarithmic. Points with values of 0 and less are omitted, and lines
	// are broken there.
	Log bool
	// Zero makes the range of an axis that is not logarithmic contain 0.
	Zero bool
}

// Chart is one diagram.
type Chart struct {
	Title    string
	X, Y     Axis
	Series   []Series
	Diagonal bool // draw the line on which both coordinates are equal

	Width, Height float64 // in points, labels included and the legend below not; 460 by 300 if 0
}

// ErrValue is wrapped if a series cannot be drawn.
var ErrValue = errors.New("a series that cannot be drawn")

// check reports series that cannot be drawn in a diagram.
func (c *Chart) check() error {
	for _, s := range c.Series {
		if len(s.X) != len(s.Y) {
			return fmt.Errorf("%w: %q has %d and %d coordinates, expected as many", ErrValue, s.Name, len(s.X), len(s.Y))
		}
		if s.Titles != nil && len(s.Titles) != len(s.X) {
			return fmt.Errorf("%w: %q has %d points and %d titles, expected as many", ErrValue, s.Name, len(s.X), len(s.Titles))
		}
		if s.Style > Steps {
			return fmt.Errorf("%w: %q has the style %d, expected Line, Points or Steps", ErrValue, s.Name, s.Style)
		}
		for i := range s.X {
			if x, y := s.X[i], s.Y[i]; math.Abs(x) > maxValue || math.Abs(y) > maxValue || x != x || y != y {
				return fmt.Errorf("%w: point %d of %q is %v, %v, expected finite numbers up to %g", ErrValue, i+1, s.Name, x, y, maxValue)
			}
		}
	}
	return nil
}

// maxValue keeps ranges, and the margins around them, inside floating-point numbers; minLog
// does the same for the lower end of logarithmic axes.
const (
	maxValue = 1e100
	minLog   = 1e-100
)

// drawn reports whether a value can be drawn on the axis.
func (a *Axis) drawn(v float64) bool { return !a.Log || v >= minLog }

// runs returns the parts of a series that can be drawn without a break, by the indices of the
// points.
func (c *Chart) runs(s *Series) [][]int {
	var out [][]int
	open := false
	for i := range s.X {
		here := c.X.drawn(s.X[i]) && c.Y.drawn(s.Y[i])
		switch {
		case here && open:
			out[len(out)-1] = append(out[len(out)-1], i)
		case here:
			out = append(out, []int{i})
		}
		open = here
	}
	return out
}

// ranges returns nonempty ranges for both axes.
func (c *Chart) ranges() (x, y [2]float64) {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range c.Series {
		s := &c.Series[i]
		for _, run := range c.runs(s) {
			for _, q := range run {
				for k, v := range [2]float64{s.X[q], s.Y[q]} {
					lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
				}
			}
		}
	}
	if c.Diagonal { // the same range for both, so that the diagonal is one
		lo[0], hi[0] = min(lo[0], lo[1]), max(hi[0], hi[1])
		lo[1], hi[1] = lo[0], hi[0]
	}
	return c.X.widen(lo[0], hi[0]), c.Y.widen(lo[1], hi[1])
}

// widen makes a range of one value, or of none, wide enough to draw.
func (a *Axis) widen(lo, hi float64) [2]float64 {
	none := lo > hi
	switch {
	case a.Log && none:
		return [2]float64{1, 10}
	case a.Log:
		// Wide enough for two labels at multiples of 1, 2 and 5.
		const half = 2.6
		middle := math.Sqrt(lo) * math.Sqrt(hi)
		return [2]float64{min(lo, middle/half), max(hi, middle*half)}
	case none:
		return [2]float64{0, 1}
	}
	if a.Zero {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if hi-lo <= 1e-9*max(math.Abs(lo), math.Abs(hi)) {
		margin := max(1, math.Abs(hi)/2)
		return [2]float64{lo - margin, hi + margin}
	}
	return [2]float64{lo, hi}
}
