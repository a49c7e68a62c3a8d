package outcome

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// mostParts bounds the parts of a function that gives the most likely outcomes.
const mostParts = 5_000

// Function writes the most likely next value of a group of one number as expr.ParseFunction reads it, and returns how many linear parts it
// has; 0 where there is no such function.
func (s *Source) Function(g *Group) (text string, parts int, err error) {
	v := &s.p.Variables[s.outputs[g.Outputs[0]]]
	if len(g.Outputs) > 1 || v.Bool || v.Enumeration() || v.Quantity() {
		return "", 0, nil
	}
	c, err := s.Chance(g)
	if err != nil {
		return "", 0, err
	}
	w := likelyWriter{s: s, g: g, all: c, ok: true}
	body := w.node(g.tree, w.start())
	if !w.ok || w.parts > mostParts {
		return "", 0, nil
	}
	return v.Name + "' = " + body, w.parts, nil
}

// likelyWriter writes a function: a tree of tests whose leaves are linear.
type likelyWriter struct {
	s     *Source
	g     *Group
	all   *chance.Group
	leaf  int // of the tree, that comes next
	parts int
	ok    bool
}

// possible has for each variable of the table the values that it may have where a part holds; nil for all.
type possible [][]bool

func (w *likelyWriter) start() possible { return make(possible, len(w.s.Variables)) }

// with returns the values that are left by an answer of a test of one variable, and whether there are any.
func (p possible) with(t *Table, a answer) (possible, bool) {
	old := p[a.variable]
	left, any := make([]bool, t.Variables[a.variable].Values), false
	for x := range left {
		left[x] = (old == nil || old[x]) && a.among(int32(x)) == a.yes
		any = any || left[x]
	}
	out := slices.Clone(p)
	out[a.variable] = left
	return out, any
}

// node writes a part of the tree of contexts.
func (w *likelyWriter) node(n *node, p possible) string {
	if n.yes == nil {
		k := w.leaf
		w.leaf++
		return w.except(0, 0, len(w.g.exceptions)+k, p)
	}
	return w.choose(n.test, p, func(p possible) string { return w.node(n.yes, p) }, func(p possible) string { return w.node(n.no, p) })
}

// except writes what holds in a leaf, but for the exceptions from the i-th on, of which the first literals hold.
func (w *likelyWriter) except(i, literals, leaf int, p possible) string {
	if w.parts > mostParts {
		w.ok = false
		return ""
	}
	if i == len(w.g.exceptions) {
		return w.linear(leaf, p)
	}
	e := &w.g.exceptions[i]
	if literals == len(e.when) {
		return w.linear(i, p)
	}
	a := e.when[literals]
	on := func(p possible) string { return w.except(i, literals+1, leaf, p) }
	off := func(p possible) string { return w.except(i+1, 0, leaf, p) }
	if !a.yes {
		on, off = off, on
	}
	return w.choose(a.test, p, on, off)
}

// choose writes two parts and the test that tells them apart. Leaves of the tree are counted though none of their values is possible.
func (w *likelyWriter) choose(q test, p possible, yes, no func(possible) string) string {
	if q.other < 0 {
		a, some := p.with(&w.s.Table, answer{q, true})
		b, rest := p.with(&w.s.Table, answer{q, false})
		if !some || !rest {
			parts, ok := w.parts, w.ok
			first := yes(a)
			if !some {
				w.parts, w.ok = parts, ok
			}
			parts, ok = w.parts, w.ok
			second := no(b)
			if !rest {
				w.parts, w.ok = parts, ok
				return first
			}
			return second
		}
		return branch(w.condition(q), yes(a), no(b))
	}
	x, y := w.name(q.variable), w.name(q.other)
	switch {
	case q.sign > 0:
		return branch(fmt.Sprintf("%s + %s <= %d", x, y, q.value), yes(p), no(p))
	case q.sign < 0:
		return branch(fmt.Sprintf("%s - %s <= %d", x, y, q.value), yes(p), no(p))
	}
	equal, apart := yes(p), no(p)
	return branch(x+" <= "+y, branch(x+" >= "+y, equal, apart), apart)
}

func branch(condition, yes, no string) string {
	if yes == no {
		return yes
	}
	return "(if (" + condition + ") then " + yes + " else " + no + ")"
}

func (w *likelyWriter) name(variable int) string { return w.s.p.Variables[w.s.of[variable]].Name }

// condition writes a test of one variable as a comparison of sums.
func (w *likelyWriter) condition(q test) string {
	v := &w.s.p.Variables[w.s.of[q.variable]]
	switch {
	case v.Bool:
		if q.value == 1 == q.equal {
			return v.Name + " >= 1"
		}
		return v.Name + " <= 0"
	case v.Quantity():
		w.ok = false // no number
		return ""
	case !q.equal:
		return v.Name + " <= " + literal(v, int(q.value))
	}
	var values []string
	for x := range w.s.Variables[q.variable].Values {
		if q.among(x) {
			values = append(values, "("+v.Name+" == "+literal(v, int(x))+")")
		}
	}
	return strings.Join(values, " + ") + " >= 1"
}

// linear writes the most likely outcome of a context: what is added to the value before the step, or set, by the values that are possible.
func (w *likelyWriter) linear(context int, p possible) string {
	own := w.s.Outputs[w.g.Outputs[0]]
	v := &w.s.p.Variables[w.s.of[own]]
	over, runs, err := v.Name, []run(nil), error(nil)
	if len(w.all.Sums) > 0 {
		over, runs = w.all.Sums[0].Text(w.s.p), w.sum(context)
	} else {
		runs, err = w.runs(context, p[own])
	}
	if err != nil || len(runs) == 0 {
		w.ok = false
		return ""
	}
	w.parts += len(runs)
	return between(v, over, runs)
}

// run is a range of values after which the same follows.
type run struct {
	last int64 // value
	form
}

// form is a number that follows, or one that is added, or both.
type form struct {
	to, by     int64
	sets, adds bool
	base       string // what is added to
}

// runs lists what most likely follows each value in a context.
func (w *likelyWriter) runs(context int, may []bool) (out []run, err error) {
	g := w.all
	v := &w.s.p.Variables[g.Outputs[0]]
	c := g.Contexts[context]
	c.When = ""
	one := chance.Group{Outputs: g.Outputs, Blocked: g.Blocked, Contexts: []chance.Context{c}}
	m, _, _, err := chance.New(w.s.p, []chance.Group{one})
	if err != nil {
		return nil, err
	}
	now, next := make([]int64, len(w.s.p.Variables)), make([]int64, len(w.s.p.Variables))
	for x := v.Lo; x <= v.Hi; x++ {
		if may != nil && !may[x-v.Lo] {
			continue
		}
		now[g.Outputs[0]] = x
		m.Likely(next, now, nil)
		y := next[g.Outputs[0]]
		if k := len(out) - 1; k >= 0 {
			r := &out[k]
			if sets, adds := r.sets && r.to == y, r.adds && r.by == y-x; sets || adds {
				r.last, r.sets, r.adds = x, sets, adds
				continue
			}
		}
		out = append(out, run{x, form{to: y, by: y - x, sets: true, adds: true, base: v.Name}})
	}
	return out, nil
}

// sum lists what most likely follows each value of the sum that effects of a context add to.
func (w *likelyWriter) sum(context int) (out []run) {
	g := w.all
	v := &w.s.p.Variables[g.Outputs[0]]
	outcomes := g.Contexts[context].Outcomes
	of := g.Sums[0]
	least, most := int64(0), int64(0)
	for _, t := range of {
		x := &w.s.p.Variables[t.Variable]
		if t.Negative {
			least, most = least-x.Hi, most-x.Lo
		} else {
			least, most = least+x.Lo, most+x.Hi
		}
	}
	text := of.Text(w.s.p)
	for s := least; s <= most && len(out) <= mostParts; s++ {
		f := form{adds: true, base: v.Name} // the value is kept
		if k := likeliest(outcomes, g.Blocked, func(e chance.Effect) bool { return e.Sum > 0 && (s+e.By < v.Lo || s+e.By > v.Hi) }); k >= 0 {
			switch e := outcomes[k].Effects[0]; {
			case e.Kind == chance.Set:
				f = form{to: e.By, sets: true}
			case e.Sum > 0:
				f = form{by: e.By, adds: true, base: text}
			default:
				f.by = e.By
			}
		}
		if k := len(out) - 1; k >= 0 && out[k].form == f {
			out[k].last = s
			continue
		}
		out = append(out, run{s, f})
	}
	return out
}

// likeliest is the most likely of outcomes some of which may be blocked; -1 where the value is kept.
func likeliest(outcomes []chance.Outcome, way chance.Blocked, isBlocked func(chance.Effect) bool) int {
	weights, lost, rest, likely := make([]float64, len(outcomes)), 0.0, 0.0, 0
	for i, o := range outcomes {
		if o.Weight > outcomes[likely].Weight {
			likely = i
		}
		if way != chance.Clamp && isBlocked(o.Effects[0]) {
			lost += float64(o.Weight)
		} else {
			weights[i] = float64(o.Weight)
		}
	}
	for i, n := range weights {
		if i != likely {
			rest += n
		}
	}
	best := -1
	for i, n := range weights {
		if way == chance.Rest && i != likely && rest > 0 {
			n += lost * n / rest
		}
		if n > 0 && (best < 0 || n > weights[best]) {
			best, weights[i] = i, n
		}
	}
	if best >= 0 && way == chance.Keep && lost > weights[best] {
		return -1
	}
	return best
}

// text writes the next value.
func (r *form) text(v *factored.Variable) string {
	switch {
	case !r.adds:
		return numberOf(v, r.to)
	case r.by < 0:
		return r.base + " - " + numberOf(v, -r.by)
	case r.by > 0:
		return r.base + " + " + numberOf(v, r.by)
	}
	return r.base
}

func numberOf(v *factored.Variable, x int64) string {
	if v.Fixed() {
		return v.Decimal(x)
	}
	return strconv.FormatInt(x, 10)
}

// between writes runs as conditions on the value, or the sum, that they are over.
func between(v *factored.Variable, over string, runs []run) string {
	if len(runs) == 1 {
		return runs[0].text(v)
	}
	half := len(runs) / 2
	return branch(over+" <= "+numberOf(v, runs[half-1].last), between(v, over, runs[:half]), between(v, over, runs[half:]))
}
