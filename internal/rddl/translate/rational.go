package translate

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// rat is a fraction in lowest terms with a positive denominator. The zero value is invalid;
// use whole(0).
type rat struct{ n, d int64 }

// ratLimit bounds numerators and denominators, far inside what
// factored.Problem.Check allows for sums.
const ratLimit = 1 << 56

// errTooLarge is thrown by arithmetic that leaves ratLimit.
const errTooLarge = refusalText("its numbers need more than 56 bits; expected smaller constants, ranges or denominators")

func whole(n int64) rat { return rat{n, 1} }

func product64(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if hi != 0 || lo > ratLimit {
		panic(errTooLarge)
	}
	return a * b
}

func gcd(a, b int64) int64 {
	a, b = max(a, -a), max(b, -b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// fraction is n/d in lowest terms; d is not 0.
func fraction(n, d int64) rat {
	if d < 0 {
		n, d = -n, -d
	}
	if d != 1 {
		g := gcd(n, d)
		n, d = n/g, d/g
	}
	if n > ratLimit || n < -ratLimit || d > ratLimit {
		panic(errTooLarge)
	}
	return rat{n, d}
}

func (a rat) add(b rat) rat {
	if a.d == 1 && b.d == 1 {
		return fraction(a.n+b.n, 1)
	}
	g := gcd(a.d, b.d)
	return fraction(product64(a.n, b.d/g)+product64(b.n, a.d/g), product64(a.d, b.d/g))
}

func (a rat) neg() rat      { return rat{-a.n, a.d} }
func (a rat) sub(b rat) rat { return a.add(b.neg()) }

func (a rat) mul(b rat) rat {
	g, h := max(1, gcd(a.n, b.d)), max(1, gcd(b.n, a.d))
	return fraction(product64(a.n/g, b.n/h), product64(a.d/h, b.d/g))
}

// div is a/b; b is not 0.
func (a rat) div(b rat) rat {
	if b.n < 0 {
		return a.mul(rat{-b.d, -b.n})
	}
	return a.mul(rat{b.d, b.n})
}

func (a rat) cmp(b rat) int {
	if a.d == b.d {
		return cmp.Compare(a.n, b.n)
	}
	if signs := cmp.Compare(a.sign(), b.sign()); signs != 0 {
		return signs
	}
	// |a.n| * b.d against |b.n| * a.d, in 128 bits.
	high, low := bits.Mul64(uint64(max(a.n, -a.n)), uint64(b.d))
	otherHigh, otherLow := bits.Mul64(uint64(max(b.n, -b.n)), uint64(a.d))
	return a.sign() * cmp.Or(cmp.Compare(high, otherHigh), cmp.Compare(low, otherLow))
}

func (a rat) sign() int {
	switch {
	case a.n < 0:
		return -1
	case a.n > 0:
		return 1
	}
	return 0
}

func (a rat) min(b rat) rat {
	if a.cmp(b) <= 0 {
		return a
	}
	return b
}

func (a rat) max(b rat) rat { return a.neg().min(b.neg()).neg() }

func (a rat) isWhole() bool { return a.d == 1 }

// floor returns the largest integer that is not above a.
func (a rat) floor() int64 { return floorDiv(a.n, a.d) }

// ceil is the smallest integer that is not below a.
func (a rat) ceil() int64 { return -floorDiv(-a.n, a.d) }

// floorDiv is the quotient rounded down; d > 0.
func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

func (a rat) float() float64 { return float64(a.n) / float64(a.d) }

func (a rat) String() string {
	if a.d == 1 {
		return strconv.FormatInt(a.n, 10)
	}
	return fmt.Sprintf("%d/%d", a.n, a.d)
}

// simplest returns the fraction that a constant of the source stands for: the first
// convergent of its continued fraction that rounds to f or is at most two floating-point
// numbers away (the grounder folds constants in floating point). If there is none, it is the
// shortest decimal that rounds to f.
func simplest(f float64) rat {
	if math.IsNaN(f) || math.Abs(f) > ratLimit {
		panic(errTooLarge)
	}
	if f == math.Trunc(f) {
		return whole(int64(f))
	}
	const mostDenominator = 1 << 20                                       // beyond it a fraction is not a simpler than the decimal
	slack := 2 * (math.Nextafter(math.Abs(f), math.Inf(1)) - math.Abs(f)) // 1 - 1/3 is not exactly 2/3
	x := new(big.Rat)
	x.SetFloat64(f)
	p0, q0, p1, q1 := int64(0), int64(1), int64(1), int64(0)
	rest := new(big.Rat).Set(x)
	for {
		whole, r := new(big.Int).DivMod(rest.Num(), rest.Denom(), new(big.Int))
		if !whole.IsInt64() {
			break
		}
		a := whole.Int64()
		if q1 > 0 && a > mostDenominator || max(a, -a) > ratLimit>>21 {
			break
		}
		p0, q0, p1, q1 = p1, q1, a*p1+p0, a*q1+q0
		if q1 > mostDenominator {
			break
		}
		if math.Abs(float64(p1)/float64(q1)-f) <= slack {
			return fraction(p1, q1)
		}
		if r.Sign() == 0 {
			break
		}
		rest.SetFrac(rest.Denom(), r)
	}
	d, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok || !d.Num().IsInt64() || !d.Denom().IsInt64() || d.Denom().Int64() > ratLimit {
		panic(errTooLarge)
	}
	return fraction(d.Num().Int64(), d.Denom().Int64())
}
