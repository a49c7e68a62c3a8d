package factored

import (
	"fmt"
	"slices"
)

// statement is a constraint as people read it: a sum of parts, a relation and a bound. It has
// the same truth as the constraint for all values in the ranges of the variables.
type statement struct {
	p     *Problem
	parts []part
	op    Op
	k     int64
	den   int64 // the bound is k/den; 0 stands for 1
}

// part is a multiple of an atom.
type part struct {
	coef int64
	atom
	inUnits bool // of the number that a quantity of fixed decimals is, not of its steps
}

// atom is what stands in place of bits: a Boolean literal, an integer variable, or a condition
// on an integer variable, which counts 1 where it holds.
type atom struct {
	v    *Variable
	next bool
	neg  bool // of a Boolean
	// allowed reports for each value of an integer, from v.Lo, whether the condition holds.
	// It is nil for a Boolean, for the integer itself, and if digit is set.
	allowed []bool
	// digit is the condition on an integer of too many values to list that the digit of
	// weight 2^(digit-1) of its binary notation is 1; 0 for none.
	digit int
}

// counts reports whether a is an integer, which counts its value.
func (a *atom) counts() bool { return !a.v.Bool && a.allowed == nil && a.digit == 0 }

// where returns the values at which the condition a holds, or does not.
func (a *atom) where(holds bool) []bool {
	out := slices.Clone(a.allowed)
	for i := range out {
		out[i] = out[i] == holds
	}
	return out
}

// bounds returns the least and the greatest value of p over the range of its variable.
func (p *part) bounds() (least, most int64) {
	least, most = 0, p.coef
	if p.counts() {
		least, most = p.coef*p.v.Lo, p.coef*p.v.Hi
	}
	return min(least, most), max(least, most)
}

// holders collects the coefficients of the bits of an integer variable at one step.
type holder struct {
	v     *Variable
	next  bool
	coefs []int64
}

// statement returns c without bits of integers.
func (p *Problem) statement(c *Constraint) statement {
	s := statement{p: p, op: c.Op, k: c.K}
	holders := p.gather(c.Terms, &s)
	for i, h := range holders {
		if h == nil {
			continue
		}
		if f, ok := h.v.factor(h.coefs); ok && (h.v.View == nil || h.v.Fixed()) {
			s.parts[i] = part{coef: f, atom: atom{v: h.v, next: h.next}}
		}
	}
	var out []part
	for i, h := range holders {
		switch {
		case h == nil || s.parts[i].coef != 0:
			out = append(out, s.parts[i])
		default:
			least, most := s.rest(holders, out, i)
			out = append(out, s.split(h, least, most)...)
		}
	}
	s.parts = out
	s.decide()
	return s
}

// decide leaves the only part that matters, if there is one.
func (s *statement) decide() {
	for i := range s.parts {
		x := s.parts[i]
		if x.counts() || len(s.parts) == 1 {
			continue
		}
		least, most := s.bounds(i)
		without, with := s.certain(least, most), s.certain(least+x.coef, most+x.coef)
		switch {
		case with && s.never(least, most):
			s.op, s.k = GE, 1
		case without && s.never(least+x.coef, most+x.coef):
			s.op, s.k = LE, 0
		default:
			continue
		}
		x.coef = 1
		s.parts = []part{x}
		return
	}
}

// bounds returns bounds on the sum of all parts but one; -1 for all of them.
func (s *statement) bounds(without int) (least, most int64) {
	for i := range s.parts {
		if i != without {
			lo, hi := s.parts[i].bounds()
			least, most = least+lo, most+hi
		}
	}
	return least, most
}

// certain reports whether every sum in least..most satisfies the relation.
func (s *statement) certain(least, most int64) bool {
	return (s.op == LE || least >= s.k) && (s.op == GE || most <= s.k)
}

// never reports whether no sum in least..most satisfies the relation.
func (s *statement) never(least, most int64) bool {
	return s.op != LE && most < s.k || s.op != GE && least > s.k
}

// gather puts Boolean literals into s.parts and the bits of integers together. The holder of a
// Boolean is nil, the part of an integer is empty. Negations of bits of integers become
// constants.
func (p *Problem) gather(terms []Term, s *statement) []*holder {
	type key struct {
		v    *Variable
		next bool
	}
	at := map[key]*holder{}
	var holders []*holder
	for _, t := range terms {
		v, i := p.Owner(t.Lit.Bit)
		if v.Bool {
			holders = append(holders, nil)
			s.parts = append(s.parts, part{coef: t.Coef, atom: atom{v: v, next: t.Lit.Next, neg: t.Lit.Neg}})
			continue
		}
		h := at[key{v, t.Lit.Next}]
		if h == nil {
			h = &holder{v: v, next: t.Lit.Next, coefs: make([]int64, v.Width)}
			at[key{v, t.Lit.Next}] = h
			holders = append(holders, h)
			s.parts = append(s.parts, part{})
		}
		if t.Lit.Neg {
			s.k -= t.Coef
			t.Coef = -t.Coef
		}
		h.coefs[i] += t.Coef
	}
	return holders
}

// rest returns bounds on the sum of everything but holder i: of done, what became of the
// holders before it, and of the holders after it.
func (s *statement) rest(holders []*holder, done []part, i int) (least, most int64) {
	add := func(lo, hi int64) { least, most = least+lo, most+hi }
	for j := range done {
		add(done[j].bounds())
	}
	for j := i + 1; j < len(holders); j++ {
		switch h := holders[j]; {
		case h == nil || s.parts[j].coef != 0:
			add(s.parts[j].bounds())
		default:
			for _, c := range h.coefs {
				add(min(c, 0), max(c, 0))
			}
		}
	}
	return least, most
}

// maxLevels bounds the conditions that a sum over bits becomes, if it is no multiple of the
// variable.
const maxLevels = 4

// split writes a sum over bits of an integer as conditions on it. What is added to the sum
// lies in least..most, which tells the differences of the sum that matter.
func (s *statement) split(h *holder, least, most int64) []part {
	f, whole := h.v.factor(h.coefs)
	if h.v.Hi-h.v.Lo >= maxDescribed {
		if whole {
			return []part{{coef: f, atom: atom{v: h.v, next: h.next}}}
		}
		return h.digits()
	}
	sums := make([]int64, h.v.Hi-h.v.Lo+1)
	for i := range sums {
		x := h.v.Lo + int64(i)
		for j, c := range h.coefs {
			sums[i] += c * (x >> (h.v.Width - 1 - j) & 1)
		}
		sums[i] = s.clamp(sums[i], least, most)
	}
	levels := slices.Clone(sums)
	slices.Sort(levels)
	levels = slices.Compact(levels)
	switch {
	case whole && len(levels) > 2:
		return []part{{coef: f, atom: atom{v: h.v, next: h.next}}}
	case len(levels) > maxLevels:
		return h.digits()
	}
	s.k -= levels[0]
	var out []part
	for i, level := range levels[1:] {
		a := atom{v: h.v, next: h.next, allowed: make([]bool, len(sums))}
		for j := range sums {
			a.allowed[j] = sums[j] >= level
		}
		out = append(out, part{coef: level - levels[i], atom: a})
	}
	return out
}

// clamp replaces a summand by the nearest one with which the statement has the same truth,
// the rest being in least..most.
func (s *statement) clamp(x, least, most int64) int64 {
	if s.op != LE { // below, it cannot hold; above, the lower bound always does
		x = max(x, s.k-most-1)
	}
	if s.op == GE {
		x = min(x, s.k-least)
	}
	if s.op != GE {
		x = min(x, s.k-least+1)
	}
	if s.op == LE {
		x = max(x, s.k-most)
	}
	return x
}

// digits writes a sum over bits as one condition for each.
func (h *holder) digits() []part {
	var out []part
	for i, c := range h.coefs {
		if c == 0 {
			continue
		}
		a := atom{v: h.v, next: h.next, digit: h.v.Width - i}
		if h.v.Hi-h.v.Lo < maxDescribed {
			a.allowed = make([]bool, h.v.Hi-h.v.Lo+1)
			for j := range a.allowed {
				a.allowed[j] = (h.v.Lo+int64(j))>>(a.digit-1)&1 == 1
			}
			a.digit = 0
		}
		out = append(out, part{coef: c, atom: a})
	}
	return out
}

// name returns the variable of a with ' for the next step.
func (a *atom) name() string {
	if a.next {
		return a.v.Name + "'"
	}
	return a.v.Name
}

// text writes a as a part of a sum.
func (a *atom) text(p *Problem) string {
	switch {
	case a.v.Bool:
		return p.LitName(Lit{Bit: a.v.First, Neg: a.neg, Next: a.next})
	case a.digit == a.v.Width && a.v.Lo < 0:
		return "(" + a.name() + " < 0)"
	case a.digit > 0:
		return fmt.Sprintf("(%s mod %d >= %d)", a.v.Steps(a.name()), int64(1)<<a.digit, int64(1)<<(a.digit-1))
	case a.allowed != nil:
		return "(" + a.v.describe(a.name(), a.allowed) + ")"
	}
	return a.name()
}
