package validate

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// tri is a value that may not be known yet.
type tri int8

const (
	unknown tri = iota
	no
	yes
)

func truth(b bool) tri {
	if b {
		return yes
	}
	return no
}

// slot is a bit of this step or the next.
type slot struct {
	bit  factored.Bit
	next bool
}

// slots lists the bits of one kind.
func slots(p *factored.Problem, k factored.Kind, next bool) []slot {
	var out []slot
	for _, b := range p.Bits(k) {
		out = append(out, slot{b, next})
	}
	return out
}

// question is one step with what is known about it.
type question struct {
	p    *factored.Problem
	t    int
	now  []tri
	then []tri
	log  []slot // in the order of assignment, for undoing
	due  *agenda
}

func newQuestion(p *factored.Problem, t int) *question {
	return &question{p: p, t: t, now: make([]tri, p.NumBits()), then: make([]tri, p.NumBits())}
}

func (q *question) get(s slot) tri {
	if s.next {
		return q.then[s.bit]
	}
	return q.now[s.bit]
}

func (q *question) set(s slot, v bool) {
	if s.next {
		q.then[s.bit] = truth(v)
	} else {
		q.now[s.bit] = truth(v)
	}
	q.log = append(q.log, s)
	q.due.note(s)
}

func (q *question) back(to int) {
	for _, s := range q.log[to:] {
		if s.next {
			q.then[s.bit] = unknown
		} else {
			q.now[s.bit] = unknown
		}
	}
	q.log = q.log[:to]
}

// valuation returns the slots known to be true.
func (q *question) valuation(next bool) factored.Valuation {
	from := q.now
	if next {
		from = q.then
	}
	out := make(factored.Valuation, len(from))
	for b, v := range from {
		out[b] = v == yes
	}
	return out
}

// values returns the variables of terms whose values are fully known.
func (q *question) values(terms []factored.Term) []Value {
	var out []Value
	seen := map[slot]bool{}
	for _, t := range terms {
		v, _ := q.p.Owner(t.Lit.Bit)
		known := true
		for i := range v.Width {
			known = known && q.get(slot{v.First + factored.Bit(i), t.Lit.Next}) != unknown
		}
		key := slot{v.First, t.Lit.Next}
		if known && !seen[key] && v.Clock == 0 {
			seen[key] = true
			x, name := v.Value(q.valuation(t.Lit.Next)), v.Name
			if v.Meaning != "" {
				name = "(" + v.Meaning + ")"
			}
			out = append(out, Value{Name: name, Next: t.Lit.Next, Value: x, Bool: v.Bool, Shown: fmt.Sprint(v.Show(x))})
		}
	}
	return out
}

// bounds returns the range of a constraint's left side, given what is known.
func (q *question) bounds(c *factored.Constraint) (least, most int64) {
	for _, t := range c.Terms {
		switch q.literal(t.Lit) {
		case yes:
			least += t.Coef
			most += t.Coef
		case unknown:
			least += min(t.Coef, 0)
			most += max(t.Coef, 0)
		}
	}
	return least, most
}

func (q *question) literal(l factored.Lit) tri {
	v := q.get(slot{l.Bit, l.Next})
	if v == unknown || !l.Neg {
		return v
	}
	return truth(v == no)
}

// possible reports whether least..most contains a value that satisfies c.
func possible(c *factored.Constraint, least, most int64) bool {
	return (c.Op == factored.LE || most >= c.K) && (c.Op == factored.GE || least <= c.K)
}

// mentions lists by bit of this step and the next in which constraints of a list it occurs, and by constraint the slots of what it was
// written as.
type mentions struct {
	now, then [][]int32
	written   [][]slot
}

func mentionsOf(p *factored.Problem, cs []grouped) *mentions {
	m := &mentions{make([][]int32, p.NumBits()), make([][]int32, p.NumBits()), make([][]slot, len(cs))}
	for i, g := range cs {
		for _, t := range g.Terms {
			m.add(t.Lit.Bit, t.Lit.Next, int32(i))
		}
		if g.Written != nil {
			g.Written.Reads(func(v *factored.Variable, next bool) {
				for b := range v.Width {
					m.add(v.First+factored.Bit(b), next, int32(i))
					m.written[i] = append(m.written[i], slot{v.First + factored.Bit(b), next})
				}
			})
		}
	}
	return m
}

func (m *mentions) add(b factored.Bit, next bool, i int32) {
	list := &m.now[b]
	if next {
		list = &m.then[b]
	}
	if n := len(*list); n == 0 || (*list)[n-1] != i {
		*list = append(*list, i)
	}
}

// agenda is the constraints that are to be looked at: those about slots that were set since.
type agenda struct {
	*mentions
	due []bool // by constraint
}

func (a *agenda) note(s slot) {
	if a == nil {
		return
	}
	list := a.now[s.bit]
	if s.next {
		list = a.then[s.bit]
	}
	for _, i := range list {
		a.due[i] = true
	}
}

// solve tries values for the open slots until the constraints hold and accept returns true.
// Values that a single constraint forces are set without search.
func (c *checker) solve(q *question, cs []grouped, open []slot, accept func() bool) bool {
	if len(cs) == 0 {
		return c.search(q, cs, open, accept)
	}
	m := c.mentions[&cs[0]]
	if m == nil {
		if c.mentions == nil {
			c.mentions = map[*grouped]*mentions{}
		}
		m = mentionsOf(c.p, cs)
		c.mentions[&cs[0]] = m
	}
	outer := q.due
	if outer != nil && outer.mentions == m { // the same constraints, all of which were looked at since what they are about was set
		return c.search(q, cs, open, accept)
	}
	q.due = &agenda{m, make([]bool, len(cs))}
	for i := range q.due.due {
		q.due.due[i] = true
	}
	ok := c.search(q, cs, open, accept)
	q.due = outer
	return ok
}

// search is solve, with an agenda.
func (c *checker) search(q *question, cs []grouped, open []slot, accept func() bool) bool {
	mark := len(q.log)
	if !c.force(q, cs) {
		q.back(mark)
		return false
	}
	for i, s := range open {
		if q.get(s) != unknown {
			continue
		}
		for _, v := range []bool{false, true} {
			inner := len(q.log)
			q.set(s, v)
			if c.search(q, cs, open[i+1:], accept) {
				return true
			}
			q.back(inner)
		}
		q.back(mark)
		return false
	}
	if accept() {
		return true
	}
	q.back(mark)
	return false
}

// says reports whether what a constraint, known by its number, was written as holds, or is not known yet. It is evaluated by
// itself: the constraints that were made of it are checked besides.
func (q *question) says(i int, c *factored.Constraint) bool {
	if c.Written == nil || slices.ContainsFunc(q.due.written[i], func(s slot) bool { return q.get(s) == unknown }) {
		return true
	}
	return c.Written.Holds(q.valuation(false), q.valuation(true))
}

// force sets the slots that a single constraint leaves no choice about. It returns false if a
// constraint cannot hold.
func (c *checker) force(q *question, cs []grouped) bool {
	for changed := true; changed; {
		changed = false
		for i, g := range cs {
			if !q.due.due[i] {
				continue
			}
			q.due.due[i] = false
			least, most := q.bounds(g.Constraint)
			if !possible(g.Constraint, least, most) || !q.says(i, g.Constraint) {
				if c.further(q.t) {
					c.failure = &Failure{Step: q.t, Group: g.group, What: c.p.Format(g.Constraint), Words: c.p.Words(g.Constraint), Origin: g.Origin, Values: q.values(g.Terms)}
				}
				return false
			}
			if least == most {
				continue
			}
			for _, t := range g.Terms {
				if t.Coef == 0 || q.literal(t.Lit) != unknown {
					continue
				}
				for _, v := range []bool{false, true} {
					// With the literal at v, the sum lies in a part of least..most. If no
					// value in that part satisfies c, the literal is the opposite.
					lo, hi := least, most
					switch {
					case v == (t.Coef > 0):
						lo += max(t.Coef, -t.Coef)
					default:
						hi -= max(t.Coef, -t.Coef)
					}
					if possible(g.Constraint, lo, hi) {
						continue
					}
					q.set(slot{t.Lit.Bit, t.Lit.Next}, v == t.Lit.Neg)
					changed = true
					break
				}
				if changed {
					break // least and most are now stale
				}
			}
		}
	}
	return true
}
