package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// drawer draws values for some fluents, the actions or the states, uniformly over those that
// satisfy the conditions. Fluents that share no condition are drawn separately: a uniform
// choice from a product is a uniform choice from each factor.
type drawer struct {
	vars   []variable
	parts  []part
	fixed  []condition // that read none of the fluents
	before []assign    // intermediate fluents that the conditions read
}

// variable is a fluent to draw.
type variable struct {
	fluent     int
	lo, hi     float64
	values     []float64 // all of them; nil for all integers, or reals, in the range
	known      bool      // lo and hi are known
	continuous bool
	def        float64
}

// size returns the number of values; 2 for a real in a range, at its default or not.
func (v *variable) size() float64 {
	switch {
	case v.continuous:
		return 2
	case v.values != nil:
		return float64(len(v.values))
	}
	return v.hi - v.lo + 1
}

// at returns value number i, unless v is continuous.
func (v *variable) at(i uint64) float64 {
	if v.values != nil {
		return v.values[i]
	}
	return v.lo + float64(i)
}

// part is a set of fluents connected by conditions.
type part struct {
	vars    []variable
	conds   []condition
	touched [][]int // by variable: the conditions that read it
	max     int     // maximal number of values other than the default; -1 without a bound
	ways    [][]float64
	list    []float64 // all legal assignments, row by row, if they were enumerated
}

// newDrawer splits the fluents into parts. max bounds the number of fluents with a value
// other than the default, -1 for no bound.
func newDrawer(s *Simulator, fluents []int, conds []condition, before []assign, max int) drawer {
	d := drawer{before: before}
	place := map[int]int{}
	for i, f := range fluents {
		fl := &s.p.Fluents[f]
		r, ok := s.ranges.Of(fl)
		d.vars = append(d.vars, variable{fluent: f, lo: r.Lo, hi: r.Hi, values: r.Values, known: ok, continuous: fl.Type == ground.Real && r.Values == nil, def: fl.Default})
		place[f] = i
	}
	mentioned := make([][]int, len(conds))
	for c := range conds {
		for _, f := range conds[c].fluents {
			if i, ok := place[f]; ok {
				mentioned[c] = append(mentioned[c], i)
			}
		}
		if len(mentioned[c]) == 0 {
			d.fixed = append(d.fixed, conds[c])
		}
	}
	limited := max >= 0 && max < len(fluents)
	group := connected(len(fluents), mentioned, limited)
	for g := range fluents {
		pt := part{max: -1}
		at := map[int]int{}
		for i := range fluents {
			if group[i] == g {
				at[i] = len(pt.vars)
				pt.vars = append(pt.vars, d.vars[i])
			}
		}
		if len(pt.vars) == 0 {
			continue
		}
		pt.touched = make([][]int, len(pt.vars))
		for c := range conds {
			if len(mentioned[c]) == 0 || group[mentioned[c][0]] != g {
				continue
			}
			for _, i := range mentioned[c] {
				pt.touched[at[i]] = append(pt.touched[at[i]], len(pt.conds))
			}
			pt.conds = append(pt.conds, conds[c])
		}
		if limited {
			pt.max = max
			pt.countWays()
		}
		d.parts = append(d.parts, pt)
	}
	return d
}

// connected returns the group of each of n fluents: those that one condition
// mentions are in the same group, and all of them if one bound joins them.
func connected(n int, mentioned [][]int, joined bool) []int {
	group := make([]int, n)
	if joined {
		return group
	}
	for i := range group {
		group[i] = i
	}
	for _, together := range mentioned {
		if len(together) == 0 {
			continue
		}
		to := group[together[0]]
		for _, i := range together[1:] {
			from := group[i]
			if from == to {
				continue
			}
			for j := range group {
				if group[j] == from {
					group[j] = to
				}
			}
		}
	}
	return group
}

// countWays fills ways[i][k], the number of assignments to the variables from i on with at
// most k values other than the default, with a separate scale for each row.
func (pt *part) countWays() {
	n := len(pt.vars)
	pt.ways = make([][]float64, n+1)
	pt.ways[n] = slices.Repeat([]float64{1}, pt.max+1)
	for i := n - 1; i >= 0; i-- {
		row := make([]float64, pt.max+1)
		for k := range row {
			row[k] = pt.ways[i+1][k]
			if k > 0 {
				row[k] += (pt.vars[i].size() - 1) * pt.ways[i+1][k-1]
			}
		}
		top := row[pt.max]
		for k := range row {
			row[k] /= top
		}
		pt.ways[i] = row
	}
}

// unknown reports a fluent that cannot be drawn because its range is not known.
func (d *drawer) unknown(s *Simulator) error {
	for i := range d.vars {
		if !d.vars[i].known {
			f := &s.p.Fluents[d.vars[i].fluent]
			return at(f.Pos, "%s is a number without a range, expected one (--range %s=lo..hi) to draw it from", f.Name, f.Base)
		}
	}
	return nil
}

// propose assigns random values to the part's fluents, subject to max alone.
func (r *Runner) propose(pt *part) {
	left := pt.max
	for i := range pt.vars {
		v := &pt.vars[i]
		if pt.max < 0 {
			r.m.vals[v.fluent] = r.any(v)
			continue
		}
		r.m.vals[v.fluent] = v.def
		if left == 0 {
			continue
		}
		stay := pt.ways[i+1][left]
		leave := (v.size() - 1) * pt.ways[i+1][left-1]
		if r.m.rng.Float64()*(stay+leave) >= stay {
			r.m.vals[v.fluent] = r.other(v)
			left--
		}
	}
}

// any draws a value; other draws one that is not the default.
func (r *Runner) any(v *variable) float64 {
	if v.continuous {
		return v.lo + r.m.rng.Float64()*(v.hi-v.lo)
	}
	if v.values == nil && v.lo == 0 && v.hi == 1 {
		return float64(r.m.rng.Uint64() >> 63)
	}
	return v.at(r.m.rng.Uint64N(uint64(v.size())))
}

func (r *Runner) other(v *variable) float64 {
	if v.continuous {
		return r.any(v)
	}
	i := r.m.rng.Uint64N(uint64(v.size()) - 1)
	if v.at(i) >= v.def {
		i++
	}
	return v.at(i)
}

// legal evaluates the conditions for the present values.
func (r *Runner) legal(conds []condition, before []assign) (bool, error) {
	if len(conds) == 0 {
		return true, nil
	}
	if len(before) > 0 {
		if err := r.compute(before, r.badValue); err != nil {
			return false, err
		}
	}
	for i := range conds {
		ok := conds[i].holds(&r.m)
		if r.m.fault.node != nil {
			return false, r.takeFault("condition " + conds[i].src.Text)
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

// rejections is how often a draw is repeated before the legal values are counted, and patience how often if they
// cannot be.
const (
	rejections = 200
	patience   = 1_000_000
)

// errNone says that no values are legal.
var errNone = errors.New("no values keep the conditions")

// draw assigns uniformly drawn legal values.
func (r *Runner) draw(d *drawer) error {
	if ok, err := r.legal(d.fixed, d.before); err != nil || !ok {
		return firstError(err, errNone)
	}
	for i := range d.parts {
		if err := r.drawPart(&d.parts[i], d.before); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) drawPart(pt *part, before []assign) error {
	if pt.list != nil {
		n := len(pt.vars)
		row := r.m.rng.IntN(len(pt.list)/n) * n
		for i := range pt.vars {
			r.m.vals[pt.vars[i].fluent] = pt.list[row+i]
		}
		return nil
	}
	tries := rejections
	if pt.continuous() {
		tries = patience
	}
	for range tries {
		r.propose(pt)
		if len(pt.conds) == 0 {
			return nil
		}
		if ok, err := r.legal(pt.conds, before); err != nil || ok {
			return err
		}
	}
	if pt.continuous() {
		return fmt.Errorf("%d draws found no values that keep the conditions", tries)
	}
	return r.drawCounted(pt, before)
}

func (pt *part) continuous() bool {
	return slices.ContainsFunc(pt.vars, func(v variable) bool { return v.continuous })
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// ErrNoAction is wrapped by the error of DrawAction in a state where no joint
// action is legal.
var ErrNoAction = errors.New("no joint action is legal")

// DrawAction draws a joint action uniformly from those that are legal in the present state.
// It returns the action in dst, which it grows as needed.
func (r *Runner) DrawAction(dst []float64) ([]float64, error) {
	d := &r.s.drawer
	if err := d.unknown(r.s); err != nil {
		return nil, err
	}
	r.setActions(r.s.noop)
	err := r.draw(d)
	if errors.Is(err, errNone) {
		reason := r.CheckAction(r.s.noop)
		if reason == nil { // cannot be: the default is then a legal joint action
			return nil, err
		}
		return nil, fmt.Errorf("%w in step %d; for the defaults: %w", ErrNoAction, r.step+1, reason)
	}
	if err != nil {
		return nil, err
	}
	dst = dst[:0]
	for _, f := range r.s.actions {
		dst = append(dst, r.m.vals[f])
	}
	return dst, nil
}
