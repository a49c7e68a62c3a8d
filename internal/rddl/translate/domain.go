package translate

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// domain is a set of numbers that contains every value of an expression: an interval, and the
// values one by one where they are few. In an interval, whole reports that all are integers.
// An empty domain has lo > hi.
type domain struct {
	lo, hi float64
	whole  bool
	set    []rat // ascending; nil for an interval alone
}

// Limits of domains.
const (
	setSize  = 1 << 12 // values of a set
	setPairs = 1 << 14 // applications of an operation to values
	fewWhole = 256     // integers of an interval that are listed
	mostEdge = 1 << 40 // bound of an integer's range
)

var (
	anything = domainOf(operator.Anything)
	empty    = domain{lo: 1, hi: 0, whole: true, set: []rat{}}
	someBool = setDomain([]rat{whole(0), whole(1)})
)

func (d *domain) isEmpty() bool { return d.lo > d.hi }
func (d *domain) finite() bool  { return !math.IsInf(d.lo, 0) && !math.IsInf(d.hi, 0) }

// below and above are floats that are at most, and at least, r.
func below(r rat) float64 {
	if f := r.float(); r.isWhole() && math.Abs(f) < 1<<53 {
		return f
	}
	return math.Nextafter(r.float(), math.Inf(-1))
}

func above(r rat) float64 { return -below(r.neg()) }

// setDomain is the domain of some values; an interval if they are many.
func setDomain(values []rat) domain {
	if len(values) == 0 {
		return empty
	}
	values = distinct(values)
	d := domain{lo: below(values[0]), hi: above(values[len(values)-1]), whole: true}
	for _, v := range values {
		d.whole = d.whole && v.isWhole()
	}
	if len(values) <= setSize {
		d.set = values
	}
	return d
}

// between is the domain of the numbers, or the integers, from lo to hi.
func between(lo, hi float64, integral bool) domain {
	if integral {
		lo, hi = math.Ceil(lo), math.Floor(hi)
	}
	if !(lo <= hi) {
		return empty
	}
	return domain{lo: lo, hi: hi, whole: integral}
}

// outward is an interval with rounding on both sides, except of integers that are exact.
func outward(lo, hi float64, integral bool) domain {
	return domainOf(operator.Interval{Lo: lo, Hi: hi, Whole: integral}.Outward())
}

func domainOf(r operator.Interval) domain { return domain{lo: r.Lo, hi: r.Hi, whole: r.Whole} }

// interval is the interval of a domain.
func (d *domain) interval() operator.Interval {
	return operator.Interval{Lo: d.lo, Hi: d.hi, Whole: d.whole}
}

// listed returns the values of d one by one; ok is false if they are too many.
func (d *domain) listed() (values []rat, ok bool) {
	if d.set != nil || d.isEmpty() {
		return d.set, true
	}
	if !d.whole || !(d.hi-d.lo < fewWhole) {
		return nil, false
	}
	for x := d.lo; x <= d.hi; x++ {
		values = append(values, whole(int64(x)))
	}
	return values, true
}

// join is the union of two domains, or contains it.
func (d domain) join(e domain) domain {
	switch {
	case d.isEmpty():
		return e
	case e.isEmpty():
		return d
	}
	if d.set != nil && e.set != nil {
		return setDomain(slices.Concat(d.set, e.set))
	}
	return domain{lo: min(d.lo, e.lo), hi: max(d.hi, e.hi), whole: d.whole && e.whole}
}

// within is d limited to an interval.
func (d domain) within(lo, hi float64) domain {
	if d.set != nil {
		return d.keep(func(v rat) bool { return above(v) >= lo && below(v) <= hi })
	}
	return between(max(d.lo, lo), min(d.hi, hi), d.whole)
}

// meet is d limited to the values of e.
func (d domain) meet(e domain) domain {
	d = d.within(e.lo, e.hi)
	if e.set == nil {
		return d
	}
	var kept []rat
	for _, v := range e.set {
		if d.has(v) {
			kept = append(kept, v)
		}
	}
	return setDomain(kept)
}

// keep is the domain of the listed values for which f holds.
func (d domain) keep(f func(v rat) bool) domain {
	var kept []rat
	for _, v := range d.set {
		if f(v) {
			kept = append(kept, v)
		}
	}
	return setDomain(kept)
}

// has reports whether v may be a value of d.
func (d *domain) has(v rat) bool {
	if d.set != nil {
		_, in := slices.BinarySearchFunc(d.set, v, rat.cmp)
		return in
	}
	return above(v) >= d.lo && below(v) <= d.hi && (!d.whole || v.isWhole())
}

// without is d without one value, where that can be expressed.
func (d domain) without(v rat) domain {
	switch {
	case d.set != nil:
		return setDomain(slices.DeleteFunc(slices.Clone(d.set), func(x rat) bool { return x == v }))
	case d.whole && d.lo == v.float():
		d.lo++
	case d.whole && d.hi == v.float():
		d.hi--
	}
	return d
}

func (d *domain) same(e *domain) bool {
	return d.lo == e.lo && d.hi == e.hi && d.whole == e.whole && slices.Equal(d.set, e.set)
}

// single returns the only value of d.
func (d *domain) single() (rat, bool) {
	if len(d.set) == 1 {
		return d.set[0], true
	}
	if d.set == nil && d.whole && d.lo == d.hi && math.Abs(d.lo) < 1<<53 {
		return whole(int64(d.lo)), true
	}
	return rat{}, false
}

// grid is an arithmetic sequence of values: base + z*step for z from first to last. first is 0
// unless base is.
type grid struct {
	base, step  rat
	first, last int64
}

// gridOf is the coarsest grid with all values; ok is false if it has too many.
func gridOf(values []rat) (g grid, ok bool) {
	g = grid{base: values[0], step: whole(1)}
	scale := int64(1)
	for _, v := range values {
		scale = product64(scale/integer.GCD(scale, v.D), v.D)
	}
	var common int64
	for _, v := range values {
		common = integer.GCD(common, v.sub(g.base).mul(whole(scale)).N)
	}
	if common == 0 {
		return g, true
	}
	g.step = fraction(common, scale)
	last := values[len(values)-1]
	n := last.sub(g.base).div(g.step)
	if first := g.base.div(g.step); first.isWhole() && decimalStep(g.step) {
		g.base, g.first, g.last = whole(0), first.N, last.div(g.step).N
	} else {
		g.last = n.N
	}
	return g, n.N < setSize
}

// values lists the values.
func (g *grid) values() []rat {
	values := make([]rat, 0, g.last-g.first+1)
	for z := g.first; z <= g.last; z++ {
		values = append(values, g.at(z))
	}
	return values
}

// at is value number z.
func (g *grid) at(z int64) rat { return g.base.add(g.step.mul(whole(z))) }

// domain returns the domain of the grid's values.
func (g *grid) domain() domain {
	if g.last-g.first >= setSize {
		lo, hi := g.at(g.first), g.at(g.last)
		return domain{lo: below(lo), hi: above(hi)}
	}
	return setDomain(g.values())
}
