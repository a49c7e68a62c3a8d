package translate

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/factored"
)

// A gate is built in one of two ways: on a fresh auxiliary variable, which every equal gate
// then shares, or on an existing wire (dest, 0 for none), a bit of the next state.

// settle makes dest equivalent to l, or returns l if there is no dest.
func (c *compiler) settle(dest, l lit) lit {
	if dest == 0 || dest == l {
		return l
	}
	c.clause(defining, -dest, l)
	c.clause(defining, dest, -l)
	return dest
}

// target returns dest, or a fresh wire stored under key.
func (c *compiler) target(dest lit, key string, r reach) lit {
	if dest != 0 {
		return dest
	}
	l := c.wireOf(c.freshVariable(factored.Variable{Bool: true}).First, false, r)
	c.gates[key] = l
	return l
}

// and is the conjunction of lits.
func (c *compiler) and(dest lit, lits ...lit) lit {
	in := slices.Clone(lits)
	slices.Sort(in)
	in = slices.Compact(in)
	in = slices.DeleteFunc(in, func(l lit) bool { return l == yes })
	for _, l := range in {
		if l == no || slices.Contains(in, -l) {
			return c.settle(dest, no)
		}
	}
	switch len(in) {
	case 0:
		return c.settle(dest, yes)
	case 1:
		return c.settle(dest, in[0])
	}
	key := fmt.Sprint("and", in)
	if l, ok := c.gates[key]; ok {
		return c.settle(dest, l)
	}
	v := c.target(dest, key, c.reachOf(in))
	whole := []lit{v}
	for _, l := range in {
		c.clause(defining, -v, l)
		whole = append(whole, -l)
	}
	c.clause(defining, whole...)
	c.conjuncts[v] = in
	return v
}

// mostConjuncts bounds the inputs of a conjunction whose inputs are taken in its place.
const mostConjuncts = 4

// both is s and the literal of a wire. Of a conjunction that has a condition in it, which is no fluent, it takes the
// inputs, so that conditions within conditions on a sum make it one sum of conjunctions that differ in one input.
func (c *compiler) both(s, l lit) lit {
	if in := c.conjuncts[l]; len(in) < mostConjuncts && slices.ContainsFunc(in, c.isCondition) {
		return c.and(0, append([]lit{s}, in...)...)
	}
	return c.and(0, s, l)
}

// isCondition reports whether l is no state fluent and no action.
func (c *compiler) isCondition(l lit) bool {
	w := c.wires[l.wire()]
	return !w.action && c.p.Kind(w.bit) != factored.State
}

// or is the disjunction of lits.
func (c *compiler) or(dest lit, lits ...lit) lit {
	in := make([]lit, len(lits))
	for i, l := range lits {
		in[i] = -l
	}
	return -c.and(-dest, in...)
}

// xor is a ~= b.
func (c *compiler) xor(dest, a, b lit) lit {
	switch {
	case a == yes || a == no || b == yes || b == no:
		if b == yes || b == no {
			a, b = b, a
		}
		if a == yes {
			b = -b
		}
		return c.settle(dest, b)
	case a == b:
		return c.settle(dest, no)
	case a == -b:
		return c.settle(dest, yes)
	}
	sign := lit(1) // kept outside, so that xors that differ by it are shared
	if a < 0 {
		a, sign = -a, -sign
	}
	if b < 0 {
		b, sign = -b, -sign
	}
	a, b = min(a, b), max(a, b)
	key := fmt.Sprint("xor", a, b)
	if l, ok := c.gates[key]; ok {
		return c.settle(dest, sign*l)
	}
	v := c.target(sign*dest, key, c.reachOf([]lit{a, b}))
	c.clause(defining, -v, a, b)
	c.clause(defining, -v, -a, -b)
	c.clause(defining, v, -a, b)
	c.clause(defining, v, a, -b)
	return sign * v
}

// mux is if s then a else b.
func (c *compiler) mux(dest, s, a, b lit) lit {
	switch {
	case s == yes || a == b:
		return c.settle(dest, a)
	case s == no:
		return c.settle(dest, b)
	case a == -b:
		return c.xor(dest, s, b)
	case a == yes || a == s:
		return c.or(dest, s, b)
	case a == no || a == -s:
		return c.and(dest, -s, b)
	case b == yes || b == -s:
		return c.or(dest, -s, a)
	case b == no || b == s:
		return c.and(dest, s, a)
	}
	if s < 0 {
		s, a, b = -s, b, a
	}
	key := fmt.Sprint("mux", s, a, b)
	if l, ok := c.gates[key]; ok {
		return c.settle(dest, l)
	}
	v := c.target(dest, key, c.reachOf([]lit{s, a, b}))
	c.clause(defining, -s, -a, v)
	c.clause(defining, -s, a, -v)
	c.clause(defining, s, -b, v)
	c.clause(defining, s, b, -v)
	c.clause(defining, -a, -b, v) // redundant; they propagate before s is known
	c.clause(defining, a, b, -v)
	return v
}

// atLeast is sum >= k over whole coefficients.
func (c *compiler) atLeast(dest lit, terms []summand, k int64) lit {
	in, k := positive(terms, k)
	var sum, least int64
	least = 1 << 62
	var lits []lit
	all := true // each alone reaches k
	for i := range in {
		in[i].coef = min(in[i].coef, max(k, 1))
		sum += in[i].coef
		least = min(least, in[i].coef)
		all = all && in[i].coef >= k
		lits = append(lits, in[i].lit)
	}
	switch {
	case k <= 0:
		return c.settle(dest, yes)
	case sum < k:
		return c.settle(dest, no)
	case all:
		return c.or(dest, lits...)
	case sum-least < k:
		return c.and(dest, lits...)
	}
	key := fmt.Sprint("sum", in, k)
	if l, ok := c.gates[key]; ok {
		return c.settle(dest, l)
	}
	v := c.target(dest, key, c.reachOf(lits))
	// sum >= k*v, and sum <= k-1 + (most-k+1)*v.
	c.emit(defining, append(slices.Clone(in), summand{-k, v}), factored.GE, 0)
	c.emit(defining, append(slices.Clone(in), summand{-(sum - k + 1), v}), factored.LE, k-1)
	return v
}

// positive writes sum >= k with positive coefficients, divided by their common divisor.
func positive(terms []summand, k int64) ([]summand, int64) {
	var out []summand
	var g int64
	for _, t := range terms {
		switch {
		case t.lit == yes:
			k -= t.coef
		case t.lit == no || t.coef == 0:
		case t.coef < 0:
			out = append(out, summand{-t.coef, -t.lit})
			k -= t.coef
			g = integer.GCD(g, t.coef)
		default:
			out = append(out, t)
			g = integer.GCD(g, t.coef)
		}
	}
	if g > 1 {
		for i := range out {
			out[i].coef /= g
		}
		k = -integer.FloorDiv(-k, g)
	}
	return out, k
}
