package translate

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/factored"
)

// linear is a sum of rational multiples of wires plus a constant. Terms are sorted by wire,
// with one term per wire and nonzero coefficients.
type linear struct {
	terms   []linearTerm
	k       rat
	rounded bool // the sum is nearly the value; it cannot be compared
}

// errRounded is thrown where a sum must be exact.
const errRounded = refusalText("the values of a function that are not fractions are rounded here; expected to use them in the reward only, or one comparison or rounding of fewer bits")

// precisely refuses a sum that is rounded.
func (a *linear) precisely() {
	if a.rounded {
		panic(errRounded)
	}
}

type linearTerm struct {
	coef rat
	wire int32
}

// number is a numeric expression: a linear sum, and bounds on its value. The bounds may be
// tighter than those of the sum, since its wires depend on each other. vec is set if the
// value has bits of its own.
type number struct {
	linear
	lo, hi rat
	vec    *vector
}

// vector is an integer in lo..hi with its bits as wires, most significant
// first, in two's complement when lo < 0.
type vector struct {
	lits   []lit
	lo, hi int64
}

// weight is the weight of bit i.
func (v *vector) weight(i int) int64 {
	w := int64(1) << (len(v.lits) - 1 - i)
	if v.lo < 0 && i == 0 {
		return -w
	}
	return w
}

// bit is bit i of the value x.
func (v *vector) bit(x int64, i int) bool { return x>>(len(v.lits)-1-i)&1 == 1 }

func constant(r rat) number { return number{linear: linear{k: r}, lo: r, hi: r} }

// isConst reports whether n has a single value, and returns it.
func (n *number) isConst() (rat, bool) {
	if n.lo == n.hi {
		return n.lo, true
	}
	return rat{}, false
}

// literalLinear is l as a number 0 or 1.
func literalLinear(l lit) linear {
	switch {
	case l == yes:
		return linear{k: whole(1)}
	case l == no:
		return linear{k: whole(0)}
	case l < 0:
		return linear{terms: []linearTerm{{whole(-1), l.wire()}}, k: whole(1)}
	}
	return linear{terms: []linearTerm{{whole(1), l.wire()}}, k: whole(0)}
}

func literalNumber(l lit) number {
	n := number{linear: literalLinear(l), lo: whole(0), hi: whole(1)}
	n.tighten()
	return n
}

// vectorNumber is the value of v.
func vectorNumber(v *vector) number {
	if v.lo == v.hi {
		return constant(whole(v.lo)) // perhaps without any bits
	}
	sum := linear{k: whole(0)}
	for i, l := range v.lits {
		sum = sum.plus(literalLinear(l), whole(v.weight(i)))
	}
	return number{linear: sum, lo: whole(v.lo), hi: whole(v.hi), vec: v}
}

// plus is a + f*b.
func (a linear) plus(b linear, f rat) linear {
	if f.N == 0 {
		return a
	}
	out := linear{k: a.k.add(b.k.mul(f)), rounded: a.rounded || b.rounded}
	i, j := 0, 0
	for i < len(a.terms) || j < len(b.terms) {
		switch {
		case j == len(b.terms) || i < len(a.terms) && a.terms[i].wire < b.terms[j].wire:
			out.terms = append(out.terms, a.terms[i])
			i++
		case i == len(a.terms) || b.terms[j].wire < a.terms[i].wire:
			out.terms = append(out.terms, linearTerm{b.terms[j].coef.mul(f), b.terms[j].wire})
			j++
		default:
			if s := a.terms[i].coef.add(b.terms[j].coef.mul(f)); s.N != 0 {
				out.terms = append(out.terms, linearTerm{s, a.terms[i].wire})
			}
			i++
			j++
		}
	}
	return out
}

// bounds returns the least and the greatest value over all values of the wires.
func (a linear) bounds() (lo, hi rat) {
	lo, hi = a.k, a.k
	for _, t := range a.terms {
		if t.coef.N < 0 {
			lo = lo.add(t.coef)
		} else {
			hi = hi.add(t.coef)
		}
	}
	return lo, hi
}

// tighten limits the bounds to those of the sum.
func (n *number) tighten() {
	lo, hi := n.linear.bounds()
	n.lo, n.hi = n.lo.max(lo), n.hi.min(hi)
	if n.lo == n.hi {
		n.linear = linear{k: n.lo, rounded: n.rounded} // independent of the wires
	}
}

// plus is a + f*b.
func (a number) plus(b number, f rat) number {
	lo, hi := b.lo.mul(f), b.hi.mul(f)
	if f.N < 0 {
		lo, hi = hi, lo
	}
	n := number{linear: a.linear.plus(b.linear, f), lo: a.lo.add(lo), hi: a.hi.add(hi)}
	n.tighten()
	return n
}

// scaled returns the terms of a with integer coefficients: a = (sum + k)/scale.
func (a linear) scaled() (terms []summand, k, scale int64) {
	a.precisely()
	scale = a.k.D
	for _, t := range a.terms {
		scale = product64(scale/integer.GCD(scale, t.coef.D), t.coef.D)
	}
	var sum int64
	for _, t := range a.terms {
		x := product64(t.coef.N, scale/t.coef.D)
		if sum += max(x, -x); sum > ratLimit {
			panic(errTooLarge)
		}
		terms = append(terms, summand{x, lit(t.wire)})
	}
	return terms, product64(a.k.N, scale/a.k.D), scale
}

// emitLinear adds the constraint a op 0.
func (c *compiler) emitLinear(g group, a linear, op factored.Op) {
	terms, k, _ := a.scaled()
	c.emit(g, terms, op, -k)
}

// nonNegative is a >= 0 as a literal.
func (c *compiler) nonNegative(dest lit, a number) lit {
	a.precisely()
	if a.lo.sign() >= 0 {
		return c.settle(dest, yes)
	}
	if a.hi.sign() < 0 {
		return c.settle(dest, no)
	}
	terms, k, _ := a.scaled()
	return c.atLeast(dest, terms, -k)
}

// isPositive is a > 0 as a literal.
func (c *compiler) isPositive(dest lit, a number) lit {
	return -c.nonNegative(-dest, constant(whole(0)).plus(a, whole(-1)))
}

// isZero is a == 0 as a literal.
func (c *compiler) isZero(dest lit, a number) lit {
	a.precisely()
	if a.lo.sign() > 0 || a.hi.sign() < 0 {
		return c.settle(dest, no)
	}
	terms, k, scale := a.scaled()
	if scale > 1 || len(terms) > 0 {
		// The sum can be 0 only if the common divisor of the coefficients divides k.
		var g int64
		for _, t := range terms {
			g = integer.GCD(g, t.coef)
		}
		if g > 0 && k%g != 0 {
			return c.settle(dest, no)
		}
	}
	return c.and(dest, c.nonNegative(0, a), -c.isPositive(0, a))
}

// equalsConst is a == r as a literal.
func (c *compiler) equalsConst(dest lit, a number, r rat) lit {
	if v := a.vec; v != nil {
		if !r.isWhole() || r.N < v.lo || r.N > v.hi {
			return c.settle(dest, no)
		}
		var in []lit
		for i, l := range v.lits {
			if v.bit(r.N, i) {
				in = append(in, l)
			} else {
				in = append(in, -l)
			}
		}
		return c.and(dest, in...)
	}
	return c.isZero(dest, a.plus(constant(r), whole(-1)))
}

// times is s*a for a literal s.
func (c *compiler) times(s lit, a linear) linear {
	out := linear{k: whole(0), rounded: a.rounded}
	out = out.plus(literalLinear(s), a.k)
	for _, t := range a.terms {
		out = out.plus(literalLinear(c.both(s, lit(t.wire))), t.coef)
	}
	return out
}

// newVector makes a fresh integer in lo..hi.
func (c *compiler) newVector(name string, lo, hi int64, r reach) *vector {
	if lo == hi {
		return &vector{lo: lo, hi: hi}
	}
	return c.vectorOf(c.freshVariable(factored.Variable{Name: name, Lo: lo, Hi: hi}), false, r)
}

// vectorOf returns the bits of a factored variable as wires.
func (c *compiler) vectorOf(v *factored.Variable, next bool, r reach) *vector {
	out := &vector{lo: v.Lo, hi: v.Hi}
	for i := range v.Width {
		out.lits = append(out.lits, c.wireOf(v.First+factored.Bit(i), next, r))
	}
	return out
}

// withBits returns an integer-valued number bits of its own.
func (c *compiler) withBits(n number, name string) *vector {
	if n.vec != nil {
		return n.vec
	}
	lo, hi := n.lo.ceil(), n.hi.floor()
	if lo == hi {
		return &vector{lo: lo, hi: lo}
	}
	wires := make([]lit, len(n.terms))
	for i, t := range n.terms {
		wires[i] = lit(t.wire)
	}
	key := fmt.Sprint("vector", n.terms, n.k)
	if v, ok := c.vectors[key]; ok {
		return v
	}
	v := c.newVector(name, lo, hi, c.reachOf(wires))
	c.emitLinear(defining, n.linear.plus(vectorNumber(v).linear, whole(-1)), factored.EQ)
	c.vectors[key] = v
	return v
}
