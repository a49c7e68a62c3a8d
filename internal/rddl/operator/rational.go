package operator

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/fdplan/fdplan/internal/integer"
)

// Rat is a fraction N/D in lowest terms with a positive denominator. The zero value is not a
// number: results are that where numerators or denominators leave Limit, and of operations
// on such a value; see Valid.
type Rat struct{ N, D int64 }

// Limit bounds numerators and denominators, far inside what factored.Problem.Check allows for
// sums.
const Limit = 1 << 56

// Whole returns n as a fraction.
func Whole(n int64) Rat { return Rat{n, 1} }

// Valid reports whether a is a number.
func (a Rat) Valid() bool { return a.D != 0 }

func whenValid(a Rat) (Rat, bool) { return a, a.Valid() }

// product is a*b; ok is false beyond Limit.
func product(a, b int64) (c int64, ok bool) {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, hi == 0 && lo <= Limit
}

// Fraction returns n/d; not a number if d is 0.
func Fraction(n, d int64) Rat {
	if d < 0 {
		n, d = -n, -d
	}
	if d > 1 {
		g := integer.GCD(n, d)
		n, d = n/g, d/g
	}
	if n > Limit || n < -Limit || d > Limit {
		return Rat{}
	}
	return Rat{n, d}
}

// Add returns a + b.
func (a Rat) Add(b Rat) Rat {
	if a.D == 1 && b.D == 1 {
		return Fraction(a.N+b.N, 1)
	}
	if !a.Valid() || !b.Valid() {
		return Rat{}
	}
	g := integer.GCD(a.D, b.D)
	x, ok := product(a.N, b.D/g)
	y, ok2 := product(b.N, a.D/g)
	d, ok3 := product(a.D, b.D/g)
	if !ok || !ok2 || !ok3 {
		return Rat{}
	}
	return Fraction(x+y, d)
}

// Neg returns -a.
func (a Rat) Neg() Rat { return Rat{-a.N, a.D} }

// Sub returns a - b.
func (a Rat) Sub(b Rat) Rat { return a.Add(b.Neg()) }

// Mul returns a * b.
func (a Rat) Mul(b Rat) Rat {
	if !a.Valid() || !b.Valid() {
		return Rat{}
	}
	g, h := max(1, integer.GCD(a.N, b.D)), max(1, integer.GCD(b.N, a.D))
	n, ok := product(a.N/g, b.N/h)
	d, ok2 := product(a.D/h, b.D/g)
	if !ok || !ok2 {
		return Rat{}
	}
	return Fraction(n, d)
}

// Div returns a / b; not a number if b is 0.
func (a Rat) Div(b Rat) Rat {
	if b.N < 0 {
		return a.Mul(Rat{-b.D, -b.N})
	}
	return a.Mul(Rat{b.D, b.N})
}

// Cmp compares a with b: -1, 0 or 1.
func (a Rat) Cmp(b Rat) int {
	if a.D == b.D {
		return cmp.Compare(a.N, b.N)
	}
	if signs := cmp.Compare(a.Sign(), b.Sign()); signs != 0 {
		return signs
	}
	// |a.N| * b.D against |b.N| * a.D, in 128 bits.
	high, low := bits.Mul64(uint64(max(a.N, -a.N)), uint64(b.D))
	otherHigh, otherLow := bits.Mul64(uint64(max(b.N, -b.N)), uint64(a.D))
	return a.Sign() * cmp.Or(cmp.Compare(high, otherHigh), cmp.Compare(low, otherLow))
}

// Sign returns -1, 0 or 1.
func (a Rat) Sign() int { return cmp.Compare(a.N, 0) }

// Min returns the lesser of a and b.
func (a Rat) Min(b Rat) Rat {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}

// Max returns the greater of a and b.
func (a Rat) Max(b Rat) Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

// Floor returns the largest integer that is not above a; 0 of what is not a number.
func (a Rat) Floor() int64 {
	if !a.Valid() {
		return 0
	}
	q := a.N / a.D
	if a.N%a.D < 0 {
		q--
	}
	return q
}

// Ceil returns the smallest integer that is not below a.
func (a Rat) Ceil() int64 { return -a.Neg().Floor() }

// RoundToEven returns the nearest integer, the even one of two.
func (a Rat) RoundToEven() int64 {
	f := a.Floor()
	switch a.Sub(Whole(f)).Cmp(Rat{1, 2}) {
	case -1:
		return f
	case 1:
		return f + 1
	}
	return f + f&1
}

// Float returns the nearest float.
func (a Rat) Float() float64 { return float64(a.N) / float64(a.D) }

// String returns the numerator, and the denominator where it is not 1.
func (a Rat) String() string {
	if a.D == 1 {
		return strconv.FormatInt(a.N, 10)
	}
	return fmt.Sprintf("%d/%d", a.N, a.D)
}

// Simplest returns the fraction that a constant of the source stands for: the first
// convergent of its continued fraction that rounds to f or is at most two floating-point
// numbers away (the grounder folds constants in floating point). If there is none, it is the
// shortest decimal that rounds to f; not a number beyond Limit.
func Simplest(f float64) Rat {
	if math.IsNaN(f) || math.Abs(f) > Limit {
		return Rat{}
	}
	if f == math.Trunc(f) {
		return Whole(int64(f))
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
		if q1 > 0 && a > mostDenominator || max(a, -a) > Limit>>21 {
			break
		}
		p0, q0, p1, q1 = p1, q1, a*p1+p0, a*q1+q0
		if q1 > mostDenominator {
			break
		}
		if math.Abs(float64(p1)/float64(q1)-f) <= slack {
			return Fraction(p1, q1)
		}
		if r.Sign() == 0 {
			break
		}
		rest.SetFrac(rest.Denom(), r)
	}
	d, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok || !d.Num().IsInt64() || !d.Denom().IsInt64() || d.Denom().Int64() > Limit {
		return Rat{}
	}
	return Fraction(d.Num().Int64(), d.Denom().Int64())
}
