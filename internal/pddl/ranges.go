package pddl

import (
	"maps"
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Range is the values that a number can have.
type Range struct{ Lo, Hi float64 }

// mostValue bounds the numbers that ranges are found for.
const mostValue = 1 << 20

// Rounds over all actions: in the first a number gets the values that an action gives it. Then what still grows has no bound, and what conditions leave of that
// is found in the last (widening and narrowing; Cousot and Cousot, POPL 1977).
const (
	growRounds   = 256
	narrowRounds = 4
)

// ranges finds what values numbers can reach, by intervals: each action widens those of what it changes, as far as its comparisons of one number
// allow it to happen. A number that leaves all bounds has no range.
func (g *grounder) ranges() map[string]Range {
	first := map[string]Range{}
	for k, i := range g.functions {
		x := g.p.Fluents[i].Initial
		first[k] = Range{x, x}
	}
	r := &ranger{grounder: g, now: maps.Clone(first)}
	r.to = r.now
	for n := 0; r.round(); n++ {
		r.leap = n >= growRounds
	}
	if r.leap {
		r.leap = false
		for range narrowRounds {
			r.to = maps.Clone(first)
			r.round()
			r.now = r.to
		}
	}
	out := map[string]Range{}
	for k, i := range g.functions {
		if x := r.now[k]; g.p.Fluents[i].Type == ground.Int && math.Max(-x.Lo, x.Hi) <= mostValue {
			out[g.p.Fluents[i].Name] = x
		}
	}
	return out
}

// round has all actions happen, and reports whether a number has more values than before.
func (r *ranger) round() (grew bool) {
	r.grew = false
	for _, x := range r.instances {
		s := bind(nil, x.rule.params[:x.rule.own], x.args)
		r.within = map[string]Range{}
		if r.refine(x.rule.action.Pre, s) {
			r.parts(x.rule.action.Effect, s, r.widen)
		}
	}
	return r.grew
}

// ranger is the state of ranges.
type ranger struct {
	*grounder
	now    map[string]Range
	to     map[string]Range // what effects lead to
	within map[string]Range // of numbers, where an action happens
	leap   bool             // what grows has no bound
	grew   bool
}

// of is the range of an expression.
func (r *ranger) of(e *Expr, s scope) Range {
	all := Range{math.Inf(-1), math.Inf(1)}
	switch e.Op {
	case "num":
		return Range{e.Num, e.Num}
	case "fn":
		k := key(e.Name, r.ground(e.Terms, s))
		if x, ok := r.within[k]; ok {
			return x
		}
		if x, ok := r.now[k]; ok {
			return x
		}
		if x, ok := r.values[k]; ok {
			return Range{x, x}
		}
		return all
	}
	x := r.of(e.Args[0], s)
	if e.Op == "-" && len(e.Args) == 1 {
		return Range{-x.Hi, -x.Lo}
	}
	for _, a := range e.Args[1:] {
		y := r.of(a, s)
		switch e.Op {
		case "+":
			x = x.plus(y)
		case "-":
			x = x.minus(y)
		case "*":
			x = x.times(y)
		default:
			return all
		}
	}
	if math.IsNaN(x.Lo) || math.IsNaN(x.Hi) {
		return all
	}
	return x
}

// refine narrows the numbers that a condition compares. It is false where the condition cannot hold.
func (r *ranger) refine(e *Expr, s scope) bool {
	switch e.Op {
	case "and":
		for _, x := range e.Args {
			if !r.refine(x, s) {
				return false
			}
		}
	case "=":
		return r.compare(e.Args[0], e.Args[1], 0, s) && r.compare(e.Args[1], e.Args[0], 0, s)
	case "<", "<=":
		return r.compare(e.Args[0], e.Args[1], strict(e.Op), s)
	case ">", ">=":
		return r.compare(e.Args[1], e.Args[0], strict(e.Op), s)
	}
	return true
}

// strict is the least difference of two integers that a comparison asks for.
func strict(op string) float64 {
	if len(op) == 1 {
		return 1
	}
	return 0
}

// compare narrows the numbers in a + gap <= b: each term of their difference is at least what the others leave it. It is false where nothing is left.
func (r *ranger) compare(a, b *Expr, gap float64, s scope) bool {
	if !r.wholes() {
		gap = 0
	}
	x, y := r.of(a, s), r.of(b, s)
	if x.Lo+gap > y.Hi {
		return false
	}
	terms := map[string]float64{}
	rest := -gap
	if !r.linear(b, 1, s, terms, &rest) || !r.linear(a, -1, s, terms, &rest) {
		return true
	}
	most := map[string]float64{} // of each term
	for k, c := range terms {
		most[k] = max(c*r.at(k).Lo, c*r.at(k).Hi)
	}
	for k, c := range terms {
		if c == 0 {
			continue
		}
		others := rest
		for o, m := range most {
			if o != k {
				others += m
			}
		}
		now := r.at(k)
		if limit := -others / c; c > 0 {
			now.Lo = max(now.Lo, math.Ceil(limit-1e-9))
		} else {
			now.Hi = min(now.Hi, math.Floor(limit+1e-9))
		}
		if now.Lo > now.Hi {
			return false
		}
		r.within[k] = now
	}
	return true
}

// at is the range of a number.
func (r *ranger) at(k string) Range {
	if x, ok := r.within[k]; ok {
		return x
	}
	return r.now[k]
}

// linear adds a multiple of an expression to the terms of a sum. It is false for products of numbers that change.
func (r *ranger) linear(e *Expr, by float64, s scope, terms map[string]float64, rest *float64) bool {
	switch x := r.of(e, s); {
	case e.Op == "fn" && !r.constant(key(e.Name, r.ground(e.Terms, s))):
		terms[key(e.Name, r.ground(e.Terms, s))] += by
		return true
	case x.Lo == x.Hi && (e.Op == "num" || e.Op == "fn"):
		*rest += by * x.Lo
		return true
	case e.Op == "*" && len(e.Args) == 2:
		for i, a := range e.Args {
			if f := r.of(a, s); f.Lo == f.Hi {
				return r.linear(e.Args[1-i], by*f.Lo, s, terms, rest)
			}
		}
		return false
	case e.Op == "-" && len(e.Args) == 1:
		return r.linear(e.Args[0], -by, s, terms, rest)
	case e.Op == "+" || e.Op == "-":
		for i, a := range e.Args {
			f := by
			if e.Op == "-" && i > 0 {
				f = -by
			}
			if !r.linear(a, f, s, terms, rest) {
				return false
			}
		}
		return true
	}
	return false
}

// widen takes a part of an effect into the ranges.
func (r *ranger) widen(e *Expr, s scope) {
	if e.Op == "atom" || e.Op == "not" {
		return
	}
	k := key(e.Args[0].Name, r.ground(e.Args[0].Terms, s))
	was, ok := r.to[k]
	if !ok {
		return
	}
	x, y := r.of(e.Args[0], s), r.of(e.Args[1], s)
	switch e.Op {
	case "increase":
		y = x.plus(y)
	case "decrease":
		y = x.minus(y)
	case "scale-up":
		y = x.times(y)
	case "scale-down":
		y = Range{math.Inf(-1), math.Inf(1)}
	}
	to := Range{max(-2*mostValue, min(was.Lo, y.Lo)), min(2*mostValue, max(was.Hi, y.Hi))}
	if to != was {
		if r.grew = true; r.leap && to.Lo < was.Lo {
			to.Lo = -2 * mostValue
		}
		if r.leap && to.Hi > was.Hi {
			to.Hi = 2 * mostValue
		}
		r.to[k] = to
	}
}

// plus is the range of sums.
func (x Range) plus(y Range) Range { return Range{x.Lo + y.Lo, x.Hi + y.Hi} }

// minus is the range of differences.
func (x Range) minus(y Range) Range { return Range{x.Lo - y.Hi, x.Hi - y.Lo} }

// times is the range of products.
func (x Range) times(y Range) Range {
	a, b, c, d := x.Lo*y.Lo, x.Lo*y.Hi, x.Hi*y.Lo, x.Hi*y.Hi
	return Range{min(a, b, c, d), max(a, b, c, d)}
}

// constant reports whether a number never changes.
func (r *ranger) constant(k string) bool {
	_, changes := r.now[k]
	return !changes
}
