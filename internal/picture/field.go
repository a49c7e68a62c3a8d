package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
)

// field is the view of a policy over two integers: arrows on a grid.
type field struct {
	p             *Policy
	x, y          int // axes
	left, low     int64
	columns, rows int
	down          bool // the second integer grows downwards
}

// newField returns the view of a policy whose states differ in two integers, where anything is to be had; nil for
// others.
func newField(p *Policy) view {
	if p.Robust || len(p.Axes) < 2 {
		return nil
	}
	lo, hi := make([]int64, len(p.Axes)), make([]int64, len(p.Axes))
	rest, some := "", false
	for _, l := range p.Steps {
		for i := range l {
			if p.lost(&l[i]) {
				continue
			}
			s := &p.States[l[i].State]
			for a, v := range s.Integers {
				if !some {
					lo[a], hi[a] = v, v
				}
				lo[a], hi[a] = min(lo[a], v), max(hi[a], v)
			}
			if some && rest != s.Rest {
				return nil
			}
			rest, some = s.Rest, true
		}
	}
	f := &field{p: p}
	var vary []int
	for a := range p.Axes {
		if lo[a] < hi[a] {
			vary = append(vary, a)
		}
	}
	if len(vary) != 2 {
		return nil
	}
	f.x, f.y = vary[0], vary[1]
	var turned, ok bool
	if turned, f.down = orient(p.Axes[f.x].Name, p.Axes[f.y].Name); turned {
		f.x, f.y = f.y, f.x
	}
	if f.left, f.columns, ok = span(&p.Axes[f.x], lo[f.x], hi[f.x]); !ok {
		return nil
	}
	if f.low, f.rows, ok = span(&p.Axes[f.y], lo[f.y], hi[f.y]); !ok {
		return nil
	}
	return f
}

// lost reports whether nothing is to be had from a stand.
func (p *Policy) lost(s *Stand) bool { return p.Success && s.Value == 0 }

// orient tells from the names of two variables whether the second is the horizontal axis, and whether the vertical one
// grows downwards, as rows do.
func orient(first, second string) (turned, down bool) {
	if turned = sideways(second) > sideways(first); turned {
		second = first
	}
	second = strings.ToLower(second)
	return turned, strings.HasPrefix(second, "row") || second == "r" || second == "i"
}

// sideways is how much a name suggests a horizontal axis.
func sideways(name string) int {
	switch name = strings.ToLower(name); {
	case strings.HasPrefix(name, "x"), strings.HasPrefix(name, "col"), name == "c", name == "j":
		return 2
	case strings.HasPrefix(name, "y"), strings.HasPrefix(name, "row"), name == "r", name == "i":
		return 0
	}
	return 1
}

// span is what is drawn of an axis: all values, or those that occur if these are too many.
func span(a *Axis, lo, hi int64) (first int64, n int, ok bool) {
	if a.Hi-a.Lo < maxGrid {
		lo, hi = a.Lo, a.Hi
	}
	return lo, int(hi - lo + 1), hi-lo < maxGrid
}

func (f *field) size() (w, h float64) {
	return mazeLeft + cell*float64(f.columns) + 2, mazeTop + cell*float64(f.rows) + 2
}

// cell is the place of a state; false if it is not on the grid.
func (f *field) cell(state int) (place, bool) {
	v := f.p.States[state].Integers
	p := place{int(v[f.x] - f.left), int(v[f.y] - f.low)}
	if !f.down {
		p.r = f.rows - 1 - p.r
	}
	return p, p.c >= 0 && p.c < f.columns && p.r >= 0 && p.r < f.rows
}

func (f *field) centre(p place) point {
	return point{mazeLeft + (float64(p.c)+.5)*cell, mazeTop + (float64(p.r)+.5)*cell}
}

func (f *field) base() []element {
	out := squares(f.columns, f.rows, mazeLeft, mazeTop)
	for c := range f.columns {
		out = append(out, label(mazeLeft+(float64(c)+.5)*cell, mazeTop-9, 12, middle, faint, f.name(f.x, f.left+int64(c), c == 0)))
	}
	for r := range f.rows {
		v := f.low + int64(r)
		if !f.down {
			v = f.low + int64(f.rows-1-r)
		}
		out = append(out, label(mazeLeft-8, mazeTop+(float64(r)+.5)*cell+4, 12, end, faint, f.name(f.y, v, r == 0)))
	}
	return out
}

// name writes a value of an axis, the first one with its name.
func (f *field) name(axis int, v int64, first bool) string {
	if first {
		return shorten(f.p.Axes[axis].Name, 4) + "=" + strconv.FormatInt(v, 10)
	}
	return strconv.FormatInt(v, 10)
}

// best returns the stands of a step by their cells, the most promising of each.
func (f *field) best(k int) map[place]*Stand {
	out := map[place]*Stand{}
	for i := range f.p.Steps[k] {
		s := &f.p.Steps[k][i]
		if q, ok := f.cell(s.State); ok {
			if b := out[q]; b == nil || s.Value > b.Value {
				out[q] = s
			}
		}
	}
	return out
}

// way is where an action leads: the direction of its most likely outcome that leaves the cell; false if none does
// with a probability of a third of the likeliest.
func (f *field) way(k int, s *Stand) (dx, dy float64, ok bool) {
	from, _ := f.cell(s.State)
	most, far := 0.0, 0.0
	for _, b := range s.Next {
		most = max(most, b.P)
		if b.To < 0 || b.P <= far {
			continue
		}
		if to, inside := f.cell(f.p.Steps[k+1][b.To].State); inside && to != from {
			far = b.P
			dx, dy = float64(to.c-from.c), float64(to.r-from.r)
		}
	}
	if n := math.Hypot(dx, dy); n > 0 && 3*far >= most {
		return dx / n, dy / n, true
	}
	return 0, 0, false
}

// draw draws what the policy does at a stand after k steps.
func (f *field) draw(k int, s *Stand) element {
	q, _ := f.cell(s.State)
	at := f.centre(q)
	var parts []element
	if shade := f.p.shade(s.Value); shade > 0 {
		parts = append(parts, rect(-cell/2+1, -cell/2+1, cell-2, cell-2, 3, level).faded(.1+.6*shade))
	}
	does := f.p.action(s)
	switch {
	case s.Goal && f.p.Success:
		parts = append(parts, rect(-29, -29, 58, 58, 4, none).outlined(goal, 3), as("", "", 14, -12, flag()...).scaled(.5))
		does = "the goal"
	case f.p.lost(s):
		parts = append(parts, stroke(faint, 2, point{-7, -7}, point{7, 7}), stroke(faint, 2, point{-7, 7}, point{7, -7}))
	case s.Action >= 0:
		if dx, dy, ok := f.way(k, s); ok {
			parts = append(parts, stroke(ink, 3, point{-15 * dx, -15*dy - 5}, point{12 * dx, 12*dy - 5}),
				area(ink, point{20 * dx, 20*dy - 5}, point{9*dx - 7*dy, 9*dy + 7*dx - 5}, point{9*dx + 7*dy, 9*dy - 7*dx - 5}))
		} else {
			parts = append(parts, label(0, 0, 11, middle, ink, shorten(does, 9)))
		}
	}
	if !f.p.lost(s) && !(s.Goal && f.p.Success) {
		text := strconv.FormatFloat(s.Value, 'g', 4, 64)
		if f.p.Success {
			text = percent(s.Value)
		}
		parts = append(parts, label(0, 27, 10, middle, ink, text))
	}
	return as("state", fmt.Sprintf("%s: %s; %s", f.p.States[s.State].Text, does, f.p.worth(s)), at.x, at.y, parts...)
}

func (f *field) frame(k int) []element {
	var out []element
	stands := f.best(k)
	for _, q := range sorted(stands) {
		out = append(out, f.draw(k, stands[q]))
	}
	var path []point
	for i := range k + 1 {
		if q, ok := f.cell(f.p.at(i).State); ok {
			path = append(path, f.centre(q))
		}
	}
	if len(path) > 1 {
		out = append(out, stroke(now, 3, path...).faded(.6))
	}
	if len(path) > 0 {
		q := path[len(path)-1]
		out = append(out, as("run", f.describe(k), q.x, q.y, rect(-cell/2+3, -cell/2+3, cell-6, cell-6, 8, none).outlined(now, 4)))
	}
	return out
}

func sorted(stands map[place]*Stand) []place {
	var places []place
	for q := range stands {
		places = append(places, q)
	}
	slices.SortStableFunc(places, func(a, b place) int { return (a.r-b.r)*maxGrid + a.c - b.c })
	return places
}

// usual returns the stand in which each cell is most likely, and its step, among those from which anything is to be
// had if there are such.
func (f *field) usual() (map[place]*Stand, map[place]int) {
	out, at := map[place]*Stand{}, map[place]int{}
	for k := range f.p.Steps {
		for q, s := range f.best(k) {
			b := out[q]
			if b == nil || f.p.lost(b) && !f.p.lost(s) || f.p.lost(b) == f.p.lost(s) && s.P > b.P+1e-12 {
				out[q], at[q] = s, k
			}
		}
	}
	return out, at
}

func (f *field) whole() *scene {
	w, h := f.size()
	s := &scene{w: w, h: h, parts: f.base()}
	stands, at := f.usual()
	for _, q := range sorted(stands) {
		s.parts = append(s.parts, f.draw(at[q], stands[q]))
	}
	return s
}

func (f *field) describe(k int) string { return f.p.describe(k) }

func (f *field) legend() string {
	what, when := "the expected reward from there", ""
	if f.p.Success {
		when = " with the goal in reach"
		what = "the probability that the goal is reached from there; × marks cells from which it cannot be"
	}
	return fmt.Sprintf("Arrows point where the policy's action most likely leads; shade and number are %s. In the drawing of all steps, each of %s is shown at the step at which a run is most likely there%s.",
		what, counted.Of(f.cells(), "cell"), when)
}

// cells counts the cells that can be reached.
func (f *field) cells() int {
	stands, _ := f.usual()
	return len(stands)
}

func (f *field) source() string { return "" }

func (f *field) text(b *strings.Builder, _ int) {
	stands, at := f.usual()
	for r := range f.rows {
		v := f.low + int64(r)
		if !f.down {
			v = f.low + int64(f.rows-1-r)
		}
		fmt.Fprintf(b, "  %6s ", f.name(f.y, v, r == 0))
		for c := range f.columns {
			sign := "."
			if s := stands[place{c, r}]; s != nil {
				sign = f.sign(at[place{c, r}], s)
			}
			fmt.Fprintf(b, " %s", sign)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "%s to the right; each cell at the step at which it is most likely; G is the goal, x where it cannot be reached, . where the policy never is.\n", f.p.Axes[f.x].Name)
	f.p.runText(b)
}

// sign is the character of a stand.
func (f *field) sign(k int, s *Stand) string {
	dx, dy, ok := f.way(k, s)
	switch {
	case s.Goal && f.p.Success:
		return "G"
	case f.p.lost(s):
		return "x"
	case !ok:
		return "o"
	case math.Abs(dx) >= math.Abs(dy) && dx > 0:
		return ">"
	case math.Abs(dx) >= math.Abs(dy):
		return "<"
	case dy > 0:
		return "v"
	}
	return "^"
}
