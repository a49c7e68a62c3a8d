package validate

import (
	"math/big"

	"github.com/fdplan/fdplan/problem/factored"
)

// functions evaluates the functions of states by their definition, in fractions, as network does.
func (c *checker) functions(q *question) {
	if len(c.p.Functions) == 0 {
		return
	}
	now := q.valuation(false)
	value := func(i int) int64 { return c.p.Variables[i].Value(now) }
	for i := range c.p.Functions {
		f := &c.p.Functions[i]
		v := &c.p.Variables[f.Variable]
		n := f.Root
		for n.Low != nil {
			if sum(&n.Sum, value).Sign() <= 0 {
				n = n.Low
			} else {
				n = n.High
			}
		}
		x := clamped(nearest(sum(&n.Sum, value)), f.Lo, f.Hi)
		for k := range v.Width {
			q.set(slot{v.First + factored.Bit(k), true}, x>>(v.Width-1-k)&1 == 1)
		}
	}
}

// sum is the value of an affine expression.
func sum(a *factored.Affine, value func(variable int) int64) *big.Rat {
	total := new(big.Rat).SetFrac64(a.K, a.Den)
	for _, t := range a.Terms {
		x := value(t.Variable)
		switch {
		case t.Is && x == t.Value:
			x = 1
		case t.Is:
			x = 0
		}
		part := new(big.Rat).SetFrac64(t.Coef, a.Den)
		total.Add(total, part.Mul(part, new(big.Rat).SetInt64(x)))
	}
	return total
}

// nearest rounds to the nearest integer, halves to the even one.
func nearest(x *big.Rat) *big.Int {
	half := big.NewRat(1, 2)
	low := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean: the floor, as denominators are positive
	rest := new(big.Rat).Sub(x, new(big.Rat).SetInt(low))
	if order := rest.Cmp(half); order > 0 || order == 0 && low.Bit(0) == 1 {
		low.Add(low, big.NewInt(1))
	}
	return low
}

// clamped is x in lo..hi.
func clamped(x *big.Int, lo, hi int64) int64 {
	switch {
	case x.Cmp(big.NewInt(lo)) < 0:
		return lo
	case x.Cmp(big.NewInt(hi)) > 0:
		return hi
	}
	return x.Int64()
}
