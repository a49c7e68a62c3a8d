package acting

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// mostValues bounds the legal values of a variable. The bits of an integer with more are variables.
const mostValues = 256

// Variable is one of the variables that next values are functions of: a group of Booleans of which the rules allow
// at most one to be true, an integer, a Boolean, a number of Booleans that are true, or a constant.
type Variable struct {
	Name string
	Bits []factored.Bit
	// Legal are the values that the rules allow, in increasing order where Count is set: numbers there, else patterns with
	// bit i for Bits[i]. A constant has no bits, and one value.
	Legal []uint64
	Count bool // the value is how many of the bits are true
}

// pattern is the values of the bits in a state with an action, bit i for Bits[i].
func (v *Variable) pattern(now factored.Valuation) (x uint64) {
	for i, b := range v.Bits {
		if now[b] {
			x |= 1 << i
		}
	}
	return x
}

// value is the value in a state with an action.
func (v *Variable) value(now factored.Valuation) uint64 {
	switch {
	case len(v.Bits) == 0:
		return v.Legal[0]
	case v.Count:
		return uint64(bits.OnesCount64(v.pattern(now)))
	}
	return v.pattern(now)
}

// Variables lists what next values are functions of, unless some share one.
func Variables(p *factored.Problem) []Variable {
	var out []Variable
	grouped := map[factored.Bit]bool{}
	for _, g := range exclusive(p) {
		v := Variable{Name: p.BitName(g.bits[0]) + "…", Bits: g.bits}
		for i := range g.bits {
			v.Legal = append(v.Legal, 1<<i)
			grouped[g.bits[i]] = true
		}
		if !g.exactly {
			v.Legal = append(v.Legal, 0)
		}
		out = append(out, v)
	}
	fixed := fixedBits(p)
	for at := 0; at < len(p.Inputs); {
		of, i := p.Owner(p.Inputs[at])
		v := Variable{Name: of.Name}
		for ; at < len(p.Inputs); at++ {
			if o, j := p.Owner(p.Inputs[at]); o != of || j != i+len(v.Bits) {
				break
			}
			v.Bits = append(v.Bits, p.Inputs[at])
		}
		switch {
		case grouped[v.Bits[0]]:
		case len(v.Bits) == of.Width && of.Hi-of.Lo < mostValues:
			for x := of.Lo; x <= of.Hi; x++ {
				if pattern := patternOf(of, x); allowed(pattern, v.Bits, fixed) {
					v.Legal = append(v.Legal, pattern)
				}
			}
			out = append(out, v)
		default:
			for _, b := range v.Bits {
				out = append(out, Variable{Name: p.BitName(b), Bits: []factored.Bit{b}, Legal: []uint64{0, 1}})
			}
		}
	}
	return out
}

// VariableOf is a variable of a problem, with the values that its range and the rules on its bits alone allow, of at most 65,536.
func VariableOf(p *factored.Problem, of *factored.Variable) Variable {
	v := Variable{Name: of.Name}
	for i := range of.Width {
		v.Bits = append(v.Bits, of.First+factored.Bit(i))
	}
	fixed := fixedBits(p)
	for x := of.Lo; x <= of.Hi && x-of.Lo < 1<<16; x++ {
		if pattern := patternOf(of, x); allowed(pattern, v.Bits, fixed) {
			v.Legal = append(v.Legal, pattern)
		}
	}
	return v
}

// CountOf is the number of some Booleans that are true.
func CountOf(p *factored.Problem, name string, of []factored.Bit) Variable {
	v := Variable{Name: name, Bits: of, Count: true}
	if len(of) == 0 {
		return Variable{Name: name, Legal: []uint64{0}}
	}
	fixed := fixedBits(p)
	least, most := 0, len(of)
	for _, b := range of {
		if on, ok := fixed[b]; ok && on {
			least++
		} else if ok {
			most--
		}
	}
	for n := least; n <= most; n++ {
		v.Legal = append(v.Legal, uint64(n))
	}
	return v
}

// patternOf is a value with bit i for the i-th bit of the variable, the most significant first.
func patternOf(v *factored.Variable, x int64) (pattern uint64) {
	for i := range v.Width {
		pattern |= uint64(x) >> (v.Width - 1 - i) & 1 << i
	}
	return pattern
}

func allowed(pattern uint64, of []factored.Bit, fixed map[factored.Bit]bool) bool {
	for i, b := range of {
		if v, ok := fixed[b]; ok && v != (pattern>>i&1 == 1) {
			return false
		}
	}
	return true
}

// fixedBits are the bits that a rule on them alone fixes.
func fixedBits(p *factored.Problem) map[factored.Bit]bool {
	fixed := map[factored.Bit]bool{}
	val := make(factored.Valuation, p.NumBits())
	for i := range p.Global {
		c := &p.Global[i]
		if len(c.Terms) != 1 || c.Terms[0].Lit.Next {
			continue
		}
		b := c.Terms[0].Lit.Bit
		off := c.Holds(val, nil)
		val[b] = true
		if on := c.Holds(val, nil); on != off {
			fixed[b] = on
		}
		val[b] = false
	}
	return fixed
}

type group struct {
	bits    []factored.Bit
	exactly bool // one is true
}

// groupOf is the group of Booleans of which a rule allows at most one to be true, and whether it is such a rule.
func groupOf(p *factored.Problem, c *factored.Constraint) (g group, ok bool) {
	g.exactly = c.Op == factored.EQ
	sign := int64(1)
	if c.Op == factored.GE {
		sign = -1
	}
	ok = c.K == sign && len(c.Terms) > 1 && len(c.Terms) <= 64
	for _, t := range c.Terms {
		v, _ := p.Owner(t.Lit.Bit)
		ok = ok && v.Bool && !t.Lit.Neg && !t.Lit.Next && t.Coef == sign
		g.bits = append(g.bits, t.Lit.Bit)
	}
	return g, ok
}

// exclusive lists groups of Boolean inputs of which the rules allow at most one to be true, the largest
// first; no bit is in two of them.
func exclusive(p *factored.Problem) []group {
	var all []group
	for i := range p.Global {
		if g, ok := groupOf(p, &p.Global[i]); ok && !slices.ContainsFunc(g.bits, func(b factored.Bit) bool { return !slices.Contains(p.Inputs, b) }) {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b group) int { return len(b.bits) - len(a.bits) })
	used := map[factored.Bit]bool{}
	var out []group
	for _, g := range all {
		if slices.ContainsFunc(g.bits, func(b factored.Bit) bool { return used[b] }) {
			continue
		}
		slices.Sort(g.bits)
		if len(slices.Compact(slices.Clone(g.bits))) < len(g.bits) {
			continue
		}
		for _, b := range g.bits {
			used[b] = true
		}
		out = append(out, g)
	}
	return out
}

// spots lists the learned bits, each with its point in a state with an action.
