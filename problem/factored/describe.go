package factored

import (
	"fmt"
	"slices"
	"strings"
)

// summand is a part of a linear sum as people read it: a multiple of an integer variable or
// of a literal.
type summand struct {
	coef int64
	name string
}

// Format returns c in readable form. The bits of an integer variable are written as the
// variable. A constraint on one integer variable is written as the values that satisfy it,
// with the names of an enumeration and the edges of a quantity: load_kg < 200 kg. So is one
// that a Boolean implies: open => floor == 0. Everything else is a sum, a relation and a
// bound.
func (p *Problem) Format(c *Constraint) string {
	if text, ok := p.formatOne(c); ok {
		return text
	}
	if text, ok := p.formatPair(c); ok {
		return text
	}
	return formatSum(p.summands(c.Terms)) + fmt.Sprintf(" %s %d", c.Op, c.K)
}

// Condition returns l as a condition that people read: the values of an integer variable that
// have its bit, else what LitName returns.
func (p *Problem) Condition(l Lit) string {
	if v, _ := p.Owner(l.Bit); !v.Bool {
		return p.Format(&Constraint{Terms: []Term{{Coef: 1, Lit: l}}, Op: GE, K: 1})
	}
	return p.LitName(l)
}

// formatPair writes a constraint on two Boolean literals as an implication, if it excludes one
// combination of their values and one of them is a number of a step or has a meaning.
func (p *Problem) formatPair(c *Constraint) (string, bool) {
	if len(c.Terms) != 2 {
		return "", false
	}
	a, b := c.Terms[0], c.Terms[1]
	v, _ := p.Owner(a.Lit.Bit)
	w, _ := p.Owner(b.Lit.Bit)
	if !v.Bool || !w.Bool || v.Clock == 0 && v.Meaning == "" && w.Clock == 0 && w.Meaning == "" {
		return "", false
	}
	var text string
	excluded := 0
	for k := range 4 {
		x, y := a.Lit, b.Lit // as they are in this combination
		var sum int64
		if k&1 == 1 {
			sum += a.Coef
		} else {
			x = x.Not()
		}
		if k&2 == 2 {
			sum += b.Coef
		} else {
			y = y.Not()
		}
		if (c.Op == LE || sum >= c.K) && (c.Op == GE || sum <= c.K) {
			continue
		}
		excluded++
		text = p.LitName(x) + " => " + p.LitName(y.Not())
	}
	return text, excluded == 1
}

// maxDescribed bounds the values of a variable that Format tries.
const maxDescribed = 1 << 12

// formatOne writes a constraint on one integer variable and at most one Boolean literal.
func (p *Problem) formatOne(c *Constraint) (string, bool) {
	var of []Term // of the variable
	var lit *Term
	for i := range c.Terms {
		t := &c.Terms[i]
		switch v, _ := p.Owner(t.Lit.Bit); {
		case v.Bool && lit == nil:
			lit = t
		case v.Bool:
			return "", false
		case len(of) > 0 && (of[0].Lit.Next != t.Lit.Next || !v.has(of[0].Lit.Bit)):
			return "", false
		default:
			of = append(of, *t)
		}
	}
	if len(of) == 0 {
		return "", false
	}
	v, _ := p.Owner(of[0].Lit.Bit)
	if v.Hi-v.Lo >= maxDescribed {
		return "", false
	}
	name := v.Name
	if of[0].Lit.Next {
		name += "'"
	}
	without := v.allowed(of, c.Op, c.K)
	if lit == nil {
		return v.describe(name, without), v.View != nil || contiguous(without)
	}
	with, l := v.allowed(of, c.Op, c.K-lit.Coef), lit.Lit
	if !slices.Contains(with, false) {
		with, l, without = without, l.Not(), with
	}
	if slices.Contains(without, false) || !slices.Contains(with, false) || v.View == nil && !contiguous(with) {
		return "", false // it restricts both, or nothing
	}
	return p.LitName(l) + " => " + v.describe(name, with), true
}

// contiguous reports whether the allowed values have no gap.
func contiguous(allowed []bool) bool {
	changes := 0
	for i := range allowed {
		if allowed[i] != (i > 0 && allowed[i-1]) {
			changes++
		}
	}
	return changes <= 2
}

// has reports whether b is a bit of v.
func (v *Variable) has(b Bit) bool { return b >= v.First && b < v.First+Bit(v.Width) }

// allowed reports for each value of v whether the sum of terms, which are bits of v,
// satisfies the relation with k.
func (v *Variable) allowed(terms []Term, op Op, k int64) []bool {
	out := make([]bool, v.Hi-v.Lo+1)
	for i := range out {
		value := v.Lo + int64(i)
		var sum int64
		for _, t := range terms {
			if on := value>>(v.Width-1-int(t.Lit.Bit-v.First))&1 == 1; on != t.Lit.Neg {
				sum += t.Coef
			}
		}
		out[i] = (op == LE || sum >= k) && (op == GE || sum <= k)
	}
	return out
}

// summands combines the terms of integer variables that occur with all their bits.
func (p *Problem) summands(terms []Term) []summand {
	type key struct {
		v    *Variable
		next bool
	}
	coefs := map[key][]int64{}
	plain := map[key]bool{}
	for _, t := range terms {
		v, i := p.Owner(t.Lit.Bit)
		k := key{v, t.Lit.Next}
		if coefs[k] == nil {
			coefs[k] = make([]int64, v.Width)
		}
		plain[k] = plain[k] || t.Lit.Neg || coefs[k][i] != 0
		coefs[k][i] = t.Coef
	}
	var out []summand
	done := map[key]bool{}
	for _, t := range terms {
		v, _ := p.Owner(t.Lit.Bit)
		k := key{v, t.Lit.Next}
		if f, ok := v.factor(coefs[k]); ok && !plain[k] && !v.Bool {
			if !done[k] {
				s := summand{f, v.Name}
				if t.Lit.Next {
					s.name += "'"
				}
				out = append(out, s)
			}
			done[k] = true
			continue
		}
		out = append(out, summand{t.Coef, p.LitName(t.Lit)})
	}
	return out
}

// factor returns the f for which the coefficients of v's bits are f times their weights.
func (v *Variable) factor(coefs []int64) (f int64, ok bool) {
	f = coefs[len(coefs)-1] // of the bit of weight 1, or -1
	if v.Width == 1 && v.Lo < 0 {
		f = -f
	}
	for i, c := range coefs {
		if c != f*v.Weight(i) {
			return 0, false
		}
	}
	return f, f != 0
}

// describe writes which values of v are allowed.
func (v *Variable) describe(name string, allowed []bool) string {
	first, last := slices.Index(allowed, true), len(allowed)-1
	for last > first && !allowed[last] {
		last--
	}
	n := 0
	for _, ok := range allowed {
		if ok {
			n++
		}
	}
	lo, hi := v.Lo+int64(first), v.Lo+int64(last)
	switch {
	case first < 0:
		return name + " has no value"
	case n == len(allowed) && v.Enumeration():
		return name + " is one of " + v.RangeText()
	case n == len(allowed):
		return name + " in " + v.RangeText()
	case v.Enumeration():
		return v.describeNames(name, allowed, n)
	case n < last-first+1:
		return name + " in " + strings.Join(v.listed(allowed), ", ")
	case v.Quantity():
		return v.describeBins(name, lo, hi)
	case lo == hi:
		return fmt.Sprintf("%s == %d", name, lo)
	case lo == v.Lo:
		return fmt.Sprintf("%s <= %d", name, hi)
	case hi == v.Hi:
		return fmt.Sprintf("%s >= %d", name, lo)
	}
	return fmt.Sprintf("%s in %d..%d", name, lo, hi)
}

// describeNames writes a set of named values.
func (v *Variable) describeNames(name string, allowed []bool, n int) string {
	switch n {
	case 1:
		return name + " == " + v.listed(allowed)[0]
	case len(allowed) - 1:
		not := make([]bool, len(allowed))
		for i, ok := range allowed {
			not[i] = !ok
		}
		return name + " ~= " + v.listed(not)[0]
	}
	return name + " is one of " + strings.Join(v.listed(allowed), ", ")
}

// describeBins writes the quantities in the bins lo..hi, which are not all of them.
func (v *Variable) describeBins(name string, lo, hi int64) string {
	from, to := v.View.Edges[lo-v.Lo], v.View.Edges[hi-v.Lo+1]
	unit := ""
	if v.View.Unit != "" {
		unit = " " + v.View.Unit
	}
	switch {
	case lo == v.Lo:
		return name + " < " + number(to) + unit
	case hi == v.Hi:
		return name + " >= " + number(from) + unit
	}
	return name + " in " + v.interval(from, to, "–")
}

// listed returns the allowed values as people read them.
func (v *Variable) listed(allowed []bool) []string {
	var out []string
	for i, ok := range allowed {
		if ok {
			out = append(out, fmt.Sprint(v.Show(v.Lo+int64(i))))
		}
	}
	return out
}

// formatSum writes the left side of a constraint.
func formatSum(parts []summand) string {
	var b strings.Builder
	if len(parts) == 0 {
		b.WriteByte('0')
	}
	for i, s := range parts {
		sign, coef := "+", s.coef
		if coef < 0 {
			sign, coef = "-", -coef
		}
		switch {
		case i > 0:
			fmt.Fprintf(&b, " %s ", sign)
		case sign == "-":
			b.WriteByte('-')
		}
		if coef != 1 {
			fmt.Fprintf(&b, "%d*", coef)
		}
		b.WriteString(s.name)
	}
	return b.String()
}
