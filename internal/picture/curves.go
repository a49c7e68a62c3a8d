package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Range is the numbers from Low to High, which may be infinite.
type Range struct{ Low, High float64 }

// Limits are what a problem says of a quantity.
type Limits struct{ Goal, Rule *Range }

// Band is where errors may lead a quantity, by state.
type Band struct {
	Name      string
	Low, High []float64
}

// curve is a quantity over the steps: a state variable with decimals.
type curve struct {
	name      string
	values    []float64 // by state
	band      Band      // without ends if there is none
	limits    Limits
	low, high float64 // of the scale
}

const (
	curveHeight = 120.0
	curveHead   = 22.0
	curvePad    = 8.0 // between the ends of the scale and the frame
)

// curvesOf lists the quantities of a plan, but for those that repeat earlier values of others.
func curvesOf(h *history, f *Facts, bands []Band) (out []curve) {
	for i, v := range h.vars {
		c := curve{name: v.name, limits: f.Limits[v.name]}
		decimals := false
		for _, state := range h.states {
			text := h.texts.format(state[i])
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				break
			}
			decimals = decimals || strings.Contains(text, ".")
			c.values = append(c.values, x)
		}
		if v.bool || !decimals || len(c.values) < len(h.states) || h.lagged(v.name) {
			continue
		}
		if at := slices.IndexFunc(bands, func(b Band) bool { return b.Name == v.name }); at >= 0 && len(bands[at].Low) == len(h.states) {
			c.band = bands[at]
		}
		c.scale()
		out = append(out, c)
	}
	return out
}

// lagged reports whether a variable has an earlier value of another one or of an action, as level_1 has of level.
func (h *history) lagged(name string) bool {
	at := strings.LastIndexByte(name, '_')
	if at < 0 {
		return false
	}
	_, err := strconv.ParseUint(name[at+1:], 10, 31)
	_, there := h.index[name[:at]]
	return err == nil && (there || slices.ContainsFunc(h.actions, func(step []Value) bool {
		return slices.ContainsFunc(step, func(a Value) bool { return a.Name == name[:at] })
	}))
}

// scale chooses the scale: all values and bands, and the limits that are near.
func (c *curve) scale() {
	all := slices.Concat(c.values, c.band.Low, c.band.High)
	c.low, c.high = slices.Min(all), slices.Max(all)
	near := c.high - c.low
	for _, r := range []*Range{c.limits.Goal, c.limits.Rule} {
		if r == nil {
			continue
		}
		for _, x := range []float64{r.Low, r.High} {
			if r == c.limits.Goal && !math.IsInf(x, 0) || x >= c.low-near && x <= c.high+near {
				all = append(all, x)
			}
		}
	}
	if c.low, c.high = slices.Min(all), slices.Max(all); c.low == c.high {
		c.low, c.high = c.low-1, c.high+1
	}
}

// chart draws the curve between left and right; x is where the states are.
func (c *curve) chart(left, right float64, x func(k int) float64, format func(float64) string) []element {
	top, bottom := curveHead+curvePad, curveHead+curveHeight-curvePad
	y := func(v float64) float64 {
		return bottom - (bottom-top)*(min(max(v, c.low), c.high)-c.low)/(c.high-c.low)
	}
	title := label(left-8, curveHead+curveHeight/2+4, 12.5, end, ink, shorten(c.name, tableName))
	title.bold = true
	out := []element{
		title, rect(left, curveHead, right-left, curveHeight, 3, floor),
		label(left-8, top+4, 11, end, faint, format(c.high)), label(left-8, bottom+4, 11, end, faint, format(c.low)),
	}
	last := len(c.values) - 1
	if g := c.limits.Goal; g != nil {
		high, low := curveHead, curveHead+curveHeight
		if !math.IsInf(g.High, 0) {
			high = y(g.High)
		}
		if !math.IsInf(g.Low, 0) {
			low = y(g.Low)
		}
		half := (x(1) - x(0)) / 2
		box := rect(x(last)-half, high, 2*half, max(low-high, 2), 0, goal)
		box.opacity = 0.3
		out = append(out, as("goal", "the goal: "+g.words(c.name), 0, 0, box))
	}
	if r := c.limits.Rule; r != nil {
		for _, v := range []float64{r.Low, r.High} {
			if v < c.low || v > c.high {
				continue
			}
			edge := stroke(alarm, 1.5, point{left, y(v)}, point{right, y(v)})
			edge.dashed = true
			out = append(out, as("limit", "a rule: "+r.words(c.name), 0, 0, edge))
		}
	}
	var above, below, curve []point
	for k, v := range c.values {
		curve = append(curve, point{x(k), y(v)})
		if c.band.Name != "" {
			above, below = append(above, point{x(k), y(c.band.High[k])}), append(below, point{x(k), y(c.band.Low[k])})
		}
	}
	if above != nil {
		slices.Reverse(below)
		tube := area(level, append(above, below...)...)
		tube.opacity = 0.25
		out = append(out, as("band", "where errors within the bands may lead "+c.name, 0, 0, tube))
	}
	out = append(out, stroke(level, 2, curve...))
	for k, at := range curve {
		out = append(out, as("level", fmt.Sprintf("%s: %s %s", moment(k), c.name, format(c.values[k])), at.x, at.y, disc(0, 0, 3, level)))
	}
	return out
}

// words says that a quantity is in the range.
func (r Range) words(name string) string {
	switch {
	case math.IsInf(r.Low, 0):
		return fmt.Sprintf("%s <= %g", name, r.High)
	case math.IsInf(r.High, 0):
		return fmt.Sprintf("%s >= %g", name, r.Low)
	}
	return fmt.Sprintf("%g <= %s <= %g", r.Low, name, r.High)
}

// curvesLegend explains what the curves show.
func curvesLegend(cs []curve) string {
	has := func(is func(c *curve) bool) bool {
		return slices.ContainsFunc(cs, func(c curve) bool { return is(&c) })
	}
	parts := []string{"A curve for each quantity"}
	if has(func(c *curve) bool { return c.limits.Goal != nil }) {
		parts = append(parts, "the goal is the box at the end")
	}
	if has(func(c *curve) bool { return c.limits.Rule != nil }) {
		parts = append(parts, "a red line is a limit that rules set")
	}
	if has(func(c *curve) bool { return c.band.Name != "" }) {
		parts = append(parts, "the area is where errors within the bands may lead")
	}
	return strings.Join(parts, "; ") + ". "
}
