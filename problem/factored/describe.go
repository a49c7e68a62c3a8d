package factored

import (
	"fmt"
	"slices"
	"strings"
)

// Format returns c in readable form. Bits of an integer variable are written as the variable
// or as conditions on it. A constraint on one integer variable is written as the values that
// satisfy it, with the names of an enumeration and the edges of a quantity: load_kg < 200 kg.
// So is one that a Boolean implies: open => floor == 0. Everything else is a sum, a relation
// and a bound. A constraint on auxiliary variables without a meaning is written as it was. The text
// has the truth of c for all values in the ranges of the variables.
func (p *Problem) Format(c *Constraint) string {
	if c.Written != nil && p.obscure(c.Terms) {
		return c.Written.String()
	}
	if text, ok := p.formatOne(c); ok {
		return text
	}
	if text, ok := p.formatPair(c); ok {
		return text
	}
	s := p.statement(c)
	if len(s.parts) == 1 && s.parts[0].allowed != nil && s.certain(0, 0) != s.certain(s.parts[0].coef, s.parts[0].coef) {
		x := &s.parts[0]
		return x.v.describe(x.name(), x.where(s.certain(x.coef, x.coef)))
	}
	s.toUnits()
	return s.sum(s.parts) + " " + s.op.String() + " " + s.ratio(s.k)
}

// obscure reports whether terms have an auxiliary variable without a meaning.
func (p *Problem) obscure(terms []Term) bool {
	return slices.ContainsFunc(terms, func(t Term) bool {
		v, _ := p.Owner(t.Lit.Bit)
		return v.Kind == Auxiliary && v.Meaning == ""
	})
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
		return v.describe(name, without), true
	}
	with, l := v.allowed(of, c.Op, c.K-lit.Coef), lit.Lit
	if !slices.Contains(with, false) {
		with, l, without = without, l.Not(), with
	}
	if slices.Contains(without, false) || !slices.Contains(with, false) {
		return "", false // it restricts both, or nothing
	}
	return p.LitName(l) + " => " + v.describe(name, with), true
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
		return v.describeGaps(name, allowed)
	case v.Quantity():
		return v.describeBins(name, lo, hi)
	case lo == hi:
		return name + " == " + v.text(lo) + v.unit()
	case lo == v.Lo:
		return name + " <= " + v.text(hi) + v.unit()
	case hi == v.Hi:
		return name + " >= " + v.text(lo) + v.unit()
	}
	return name + " in " + v.text(lo) + ".." + v.text(hi) + v.unit()
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

// run is a range of values, from Lo.
type run struct{ lo, hi int64 }

// runs returns the ranges of values that are allowed.
func (v *Variable) runs(allowed []bool) []run {
	var out []run
	for i, ok := range allowed {
		x := v.Lo + int64(i)
		switch {
		case ok && i > 0 && allowed[i-1]:
			out[len(out)-1].hi = x
		case ok:
			out = append(out, run{x, x})
		}
	}
	return out
}

// maxRuns bounds the ranges that are listed if there is a shorter way to write them.
const maxRuns = 4

// describeGaps writes a set of integers or bins that is no single range.
func (v *Variable) describeGaps(name string, allowed []bool) string {
	runs := v.runs(allowed)
	if w, rest, ok := v.periodic(allowed); ok && len(runs) > maxRuns {
		return w.describe(fmt.Sprintf("%s mod %d", name, w.Hi+1), rest)
	}
	return name + " in " + strings.Join(v.showRuns(runs, ".."), ", ")
}

// showRuns writes ranges of values.
func (v *Variable) showRuns(runs []run, sep string) []string {
	var out []string
	for _, r := range runs {
		switch {
		case v.Quantity():
			out = append(out, v.interval(v.View.Edges[r.lo-v.Lo], v.View.Edges[r.hi-v.Lo+1], "–"))
		case r.lo == r.hi:
			out = append(out, v.text(r.lo)+v.unit())
		default:
			out = append(out, v.text(r.lo)+sep+v.text(r.hi)+v.unit())
		}
	}
	return out
}

// periodic returns a variable of the remainders of v by the least power of two that decides
// which values are allowed, with the remainders that are; false if there is none or v has a
// view.
func (v *Variable) periodic(allowed []bool) (w *Variable, rest []bool, ok bool) {
	for m := int64(2); v.View == nil && m < int64(len(allowed)); m *= 2 {
		rest, ok = make([]bool, m), true
		for i := m; ok && i < int64(len(allowed)); i++ {
			ok = allowed[i] == allowed[i-m]
		}
		if !ok {
			continue
		}
		for i := range m {
			rest[((v.Lo+i)%m+m)%m] = allowed[i]
		}
		return &Variable{Hi: m - 1}, rest, true
	}
	return nil, nil, false
}

// describeBins writes the quantities in the bins lo..hi, which are not all of them.
func (v *Variable) describeBins(name string, lo, hi int64) string {
	from, to := v.View.Edges[lo-v.Lo], v.View.Edges[hi-v.Lo+1]
	switch {
	case lo == v.Lo:
		return name + " < " + number(to) + v.unit()
	case hi == v.Hi:
		return name + " >= " + number(from) + v.unit()
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

// sum writes a sum of parts, as the left side of a constraint.
func (s *statement) sum(parts []part) string {
	var b strings.Builder
	if len(parts) == 0 {
		b.WriteByte('0')
	}
	for i := range parts {
		sign, coef := "+", parts[i].coef
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
		text := parts[i].text(s.p)
		if x := &parts[i]; x.counts() && !x.inUnits {
			text = x.v.Steps(text)
		}
		b.WriteString(text)
	}
	return b.String()
}
