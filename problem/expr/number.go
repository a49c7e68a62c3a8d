package expr

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// number is a sum over bits as a fraction: (the terms + k)/den. Terms are of positive literals,
// with one for each and no coefficient 0. The value is in lo/den..hi/den, which may be
// tighter than what the bits allow.
type number struct {
	terms  []factored.Term
	k, den int64
	lo, hi int64
}

// sumLimit is well below the 2^60 that Problem.Check allows.
const sumLimit = 1 << 58

// refusal is thrown where an expression cannot be compiled, and caught by compiler.catch.
type refusal struct{ error }

// refuse throws a refusal at a place of the expression.
func refuse(col int, format string, args ...any) {
	panic(refusal{source.Errorf("", 1, col, format, args...)})
}

// tooLarge is the text of the refusal of numbers that do not fit.
const tooLarge = "a sum or a product may leave 58 bits"

// mul is a*b; it throws a refusal beyond sumLimit.
func mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if hi != 0 || lo >= sumLimit {
		refuse(0, tooLarge)
	}
	return a * b
}

// constant is the number num/den.
func constant(num, den int64) number {
	return number{k: num, den: den, lo: num, hi: num}
}

// isConstant reports whether a has one value.
func (a number) isConstant() bool { return a.lo == a.hi }

// ofLiteral is 1 where l holds, else 0.
func ofLiteral(l factored.Lit) number {
	if l.Neg {
		return number{terms: []factored.Term{{Coef: -1, Lit: l.Not()}}, k: 1, den: 1, hi: 1}
	}
	return number{terms: []factored.Term{{Coef: 1, Lit: l}}, den: 1, hi: 1}
}

// natural returns the bounds of the sum over all values of its bits.
func (a number) natural() (lo, hi int64) {
	lo, hi = a.k, a.k
	for _, t := range a.terms {
		lo, hi = lo+min(t.Coef, 0), hi+max(t.Coef, 0)
		if lo < -sumLimit || hi > sumLimit {
			refuse(0, tooLarge)
		}
	}
	return lo, hi
}

// normal joins terms of one literal, reduces the fraction and limits the bounds to those of the
// sum.
func (a number) normal() number {
	at := make(map[factored.Lit]int, len(a.terms))
	var terms []factored.Term
	for _, t := range a.terms {
		i, ok := at[t.Lit]
		if !ok {
			at[t.Lit] = len(terms)
			terms = append(terms, t)
			continue
		}
		if terms[i].Coef += t.Coef; max(terms[i].Coef, -terms[i].Coef) > sumLimit {
			refuse(0, tooLarge)
		}
	}
	a.terms = slices.DeleteFunc(terms, func(t factored.Term) bool { return t.Coef == 0 })
	g := gcd(a.den, max(a.k, -a.k))
	for _, t := range a.terms {
		g = gcd(g, max(t.Coef, -t.Coef))
	}
	if g > 1 {
		for i := range a.terms {
			a.terms[i].Coef /= g
		}
		a.k, a.den = a.k/g, a.den/g
		a.lo, a.hi = -floorDiv(-a.lo, g), floorDiv(a.hi, g)
	}
	lo, hi := a.natural()
	a.lo, a.hi = max(a.lo, lo), min(a.hi, hi)
	if a.lo == a.hi {
		a.terms, a.k = nil, a.lo // whatever the bits are
	}
	return a
}

// times is a*num/den.
func (a number) times(num, den int64) number {
	out := number{k: mul(a.k, num), den: mul(a.den, den), lo: mul(a.lo, num), hi: mul(a.hi, num)}
	if num < 0 {
		out.lo, out.hi = out.hi, out.lo
	}
	for _, t := range a.terms {
		out.terms = append(out.terms, factored.Term{Coef: mul(t.Coef, num), Lit: t.Lit})
	}
	return out.normal()
}

// plus is a + f*b.
func (a number) plus(b number, f int64) number {
	den := mul(a.den, b.den/gcd(a.den, b.den))
	out := number{den: den}
	for _, x := range []struct {
		number
		by int64
	}{{a, den / a.den}, {b, mul(f, den/b.den)}} {
		out.k += mul(x.k, x.by)
		lo, hi := mul(x.lo, x.by), mul(x.hi, x.by)
		out.lo, out.hi = out.lo+min(lo, hi), out.hi+max(lo, hi)
		for _, t := range x.terms {
			out.terms = append(out.terms, factored.Term{Coef: mul(t.Coef, x.by), Lit: t.Lit})
		}
	}
	return out.normal()
}

// complement is 1 - a for a condition a.
func (a number) complement() number { return constant(1, 1).plus(a, -1) }

// gcd is the greatest common divisor of numbers that are not negative.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// ofVariable is the value of a variable. The range of a next state is a constraint that
// verification leaves out.
func ofVariable(v *factored.Variable, next bool) number {
	out := number{den: 1, lo: v.Lo, hi: v.Hi}
	for i := range v.Width {
		out.terms = append(out.terms, factored.Term{Coef: v.Weight(i), Lit: factored.Lit{Bit: v.First + factored.Bit(i), Next: next}})
	}
	if next {
		out.lo, out.hi = out.natural()
	}
	if out = out.normal(); v.Fixed() {
		out = out.times(v.View.Num, v.View.Den)
	}
	return out
}

// maxPairs bounds the bits of one factor times those of the other in a product.
const maxPairs = 4096

// product is a*b: the sum of the conjunctions of their bits.
func (c *compiler) product(col int, a, b number) number {
	if a.isConstant() {
		a, b = b, a
	}
	if b.isConstant() {
		return a.times(b.lo, b.den)
	}
	square := slices.Equal(a.terms, b.terms) && a.k == b.k
	a, b = c.compact(a), c.compact(b)
	if len(a.terms)*len(b.terms) > maxPairs {
		refuse(col, "the product of two sums of %d and %d bits is too large; expected at most %d pairs", len(a.terms), len(b.terms), maxPairs)
	}
	out := number{k: mul(a.k, b.k), den: mul(a.den, b.den)}
	ends := []int64{mul(a.lo, b.lo), mul(a.lo, b.hi), mul(a.hi, b.lo), mul(a.hi, b.hi)}
	out.lo, out.hi = slices.Min(ends), slices.Max(ends)
	if square {
		out.lo = max(0, out.lo)
	}
	for _, s := range a.terms {
		out.terms = append(out.terms, factored.Term{Coef: mul(s.Coef, b.k), Lit: s.Lit})
		for _, t := range b.terms {
			out.terms = append(out.terms, factored.Term{Coef: mul(s.Coef, t.Coef), Lit: c.and(s.Lit, t.Lit)})
		}
	}
	for _, t := range b.terms {
		out.terms = append(out.terms, factored.Term{Coef: mul(t.Coef, a.k), Lit: t.Lit})
	}
	return out.normal()
}

// compact gives the value of a sum of many bits bits of its own, if they are far fewer.
func (c *compiler) compact(a number) number {
	v := factored.Variable{Kind: factored.Auxiliary, Lo: a.lo, Hi: a.hi}
	for _, t := range a.terms {
		if t.Lit.Next { // the ranges of next states are left open by verification
			v.Lo, v.Hi = a.natural()
		}
	}
	if width := bits.Len64(uint64(max(v.Hi, -v.Lo))) + 1; len(a.terms) <= 2*width {
		return a
	}
	w := c.add(v)
	out := ofVariable(w, false)
	c.constrain(a.times(a.den, 1).plus(out, -1), factored.EQ, nil)
	return out.times(1, a.den)
}

// add adds an auxiliary variable.
func (c *compiler) add(v factored.Variable) *factored.Variable {
	for {
		c.fresh++
		v.Name = fmt.Sprintf("%s#%d", c.origin, c.fresh)
		if _, taken := c.p.Lookup(v.Name); taken {
			continue
		}
		id, err := c.p.AddVariable(v)
		if err != nil {
			panic(refusal{err})
		}
		return &c.p.Variables[id]
	}
}

// and is the conjunction of two literals, defined by clauses.
func (c *compiler) and(a, b factored.Lit) factored.Lit {
	if a == b {
		return a
	}
	key := [2]factored.Lit{a, b}
	if less(b, a) {
		key = [2]factored.Lit{b, a}
	}
	if l, ok := c.ands[key]; ok {
		return l
	}
	both := factored.Lit{Bit: c.add(factored.Variable{Kind: factored.Auxiliary, Bool: true}).First}
	l := ofLiteral(both)
	c.constrain(ofLiteral(a).plus(l, -1), factored.GE, nil)
	c.constrain(ofLiteral(b).plus(l, -1), factored.GE, nil)
	c.constrain(l.plus(ofLiteral(a), -1).plus(ofLiteral(b), -1).plus(constant(1, 1), 1), factored.GE, nil)
	c.ands[key] = both
	return both
}

// less orders literals.
func less(a, b factored.Lit) bool {
	if a.Bit != b.Bit {
		return a.Bit < b.Bit
	}
	return !a.Next && b.Next || a.Next == b.Next && !a.Neg && b.Neg
}

// choose is a where s holds, else b.
func (c *compiler) choose(col int, s, a, b number) number {
	if s.isConstant() {
		if s.lo != 0 {
			return a
		}
		return b
	}
	out := b.plus(c.product(col, c.single(s), a.plus(b, -1)), 1)
	// Neither is beyond both.
	if b.below(a, false) {
		out = out.atLeast(b)
	} else {
		out = out.atLeast(a)
	}
	if b.below(a, true) {
		return out.atMost(a)
	}
	return out.atMost(b)
}

// below reports whether the least value of a, or the greatest, is below that of b.
func (a number) below(b number, greatest bool) bool {
	if greatest {
		return mul(a.hi, b.den) < mul(b.hi, a.den)
	}
	return mul(a.lo, b.den) < mul(b.lo, a.den)
}

// atLeast limits a to what is not below the least value of b.
func (a number) atLeast(b number) number {
	a.lo = max(a.lo, -floorDiv(-mul(b.lo, a.den), b.den))
	return a.normal()
}

// atMost limits a to what is not above the greatest value of b.
func (a number) atMost(b number) number {
	a.hi = min(a.hi, floorDiv(mul(b.hi, a.den), b.den))
	return a.normal()
}

// single is a condition as one literal, which a sum of several gets.
func (c *compiler) single(s number) number {
	if len(s.terms) <= 1 {
		return s
	}
	return c.define(s.plus(constant(1, 1), -1), nil)
}
