package factored

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A quantity of fixed decimals is an integer inside and a decimal number outside: its value x
// stands for x*View.Num/View.Den. What is read is rounded to the nearest of its values, halves
// to the even x; what is written has exactly the decimals of the step.

// maxDecimals bounds the digits after the point of a step.
const maxDecimals = 12

// Fixed reports whether v is a quantity of fixed decimals.
func (v *Variable) Fixed() bool { return v.View != nil && v.View.Den > 0 }

// Real reports whether v stands for real numbers, in bins or of fixed decimals: Center and Level
// translate its values.
func (v *Variable) Real() bool { return v.Quantity() || v.Fixed() }

// Step is the difference of neighbouring values of v as they are meant: 1 unless v is Fixed.
func (v *Variable) Step() *big.Rat {
	if v.Fixed() {
		return big.NewRat(v.View.Num, v.View.Den)
	}
	return big.NewRat(1, 1)
}

// decimals returns the number of digits after the point of the values of v, which is Fixed; false
// if no number of digits suffices.
func (w *View) decimals() (int, bool) {
	num, den := big.NewInt(w.Num), big.NewInt(w.Den)
	ten := big.NewInt(10)
	for d := range maxDecimals + 1 {
		if new(big.Int).Mod(num, den).Sign() == 0 {
			return d, true
		}
		num.Mul(num, ten)
	}
	return 0, false
}

// Decimal writes the number that value x of v stands for, which is Fixed, without its unit.
func (v *Variable) Decimal(x int64) string {
	d, _ := v.View.decimals()
	return new(big.Rat).Mul(new(big.Rat).SetInt64(x), v.Step()).FloatString(d)
}

// text writes the value x of an integer or of a Fixed v.
func (v *Variable) text(x int64) string {
	if v.Fixed() {
		return v.Decimal(x)
	}
	return strconv.FormatInt(x, 10)
}

// unit is the unit of v after a space, if it has one.
func (v *Variable) unit() string {
	if v.View == nil || v.View.Unit == "" {
		return ""
	}
	return " " + v.View.Unit
}

// Nearest returns the value of v, which is Fixed, nearest to q, halves to even. It may be
// outside the range. It saturates at 2^60.
func (v *Variable) Nearest(q *big.Rat) int64 {
	z := new(big.Rat).Quo(q, v.Step())
	two := big.NewInt(2)
	// floor(z + 1/2), less 1 if z is halfway and the result is odd.
	num := new(big.Int).Add(new(big.Int).Mul(z.Num(), two), z.Denom())
	den := new(big.Int).Mul(z.Denom(), two)
	out, rest := new(big.Int).DivMod(num, den, new(big.Int))
	if rest.Sign() == 0 && out.Bit(0) == 1 {
		out.Sub(out, big.NewInt(1))
	}
	const most = 1 << 60
	switch {
	case out.Cmp(big.NewInt(most)) > 0:
		return most
	case out.Cmp(big.NewInt(-most)) < 0:
		return -most
	}
	return out.Int64()
}

// nearestFloat is Nearest of the decimal number that q is written as.
func (v *Variable) nearestFloat(q float64) int64 {
	z := q * float64(v.View.Den) / float64(v.View.Num)
	if r := math.RoundToEven(z); math.Abs(z) < 1<<40 && math.Abs(math.Abs(z-math.Trunc(z))-0.5) > 1e-3 {
		return int64(r)
	}
	switch {
	case z >= 1<<60:
		return 1 << 60
	case z <= -1<<60:
		return -1 << 60
	}
	exact, ok := new(big.Rat).SetString(number(q))
	if !ok {
		return int64(math.RoundToEven(z))
	}
	return v.Nearest(exact)
}

// parseFixed reads a decimal number.
func (v *Variable) parseFixed(text string) (int64, error) {
	r, err := parseDecimal(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("%q is not a value of %s; expected a number in %s", text, v.Name, v.RangeText())
	}
	return v.Nearest(r), nil
}

// ParseRange reads a range: LO..HI of integers, or LO..HI by STEP of a quantity of fixed
// decimals. For the latter, the view has the step and lo and hi count steps; both bounds must be
// multiples of it.
func ParseRange(text string) (lo, hi int64, view *View, err error) {
	bad := fmt.Errorf("%q is not a range; expected LO..HI of integers, or LO..HI by STEP such as 0..10 by 0.05", text)
	bounds, by, fixed := strings.Cut(text, " by ")
	low, high, ok := strings.Cut(bounds, "..")
	if !ok {
		return 0, 0, nil, bad
	}
	low, high = strings.TrimSpace(low), strings.TrimSpace(high)
	if !fixed {
		if lo, err = strconv.ParseInt(low, 10, 64); err != nil {
			return 0, 0, nil, bad
		}
		if hi, err = strconv.ParseInt(high, 10, 64); err != nil || lo > hi {
			return 0, 0, nil, bad
		}
		return lo, hi, nil, nil
	}
	step, err := parseDecimal(strings.TrimSpace(by))
	if err != nil || step.Sign() <= 0 {
		return 0, 0, nil, bad
	}
	var ends [2]int64
	for i, end := range []string{low, high} {
		x, err := parseDecimal(end)
		if err != nil {
			return 0, 0, nil, bad
		}
		z := new(big.Rat).Quo(x, step)
		if !z.IsInt() {
			return 0, 0, nil, fmt.Errorf("%s is no multiple of the step %s; expected bounds that are", end, strings.TrimSpace(by))
		}
		if !z.Num().IsInt64() || z.Num().BitLen() > maxWidth {
			return 0, 0, nil, fmt.Errorf("%s has too many steps of %s; expected at most 2^%d", end, strings.TrimSpace(by), maxWidth)
		}
		ends[i] = z.Num().Int64()
	}
	if ends[0] > ends[1] {
		return 0, 0, nil, bad
	}
	if !step.Num().IsInt64() || !step.Denom().IsInt64() {
		return 0, 0, nil, bad
	}
	view = &View{Num: step.Num().Int64(), Den: step.Denom().Int64()}
	return ends[0], ends[1], view, view.checkStep()
}

// DecimalRange is ParseRange of lo..hi by 10^-decimals.
func DecimalRange(lo, hi string, decimals int) (int64, int64, *View, error) {
	if decimals < 0 || decimals > maxDecimals {
		return 0, 0, nil, fmt.Errorf("%d decimals; expected 0 to %d", decimals, maxDecimals)
	}
	step := "1"
	if decimals > 0 {
		step = "0." + strings.Repeat("0", decimals-1) + "1"
	}
	return ParseRange(lo + ".." + hi + " by " + step)
}

// checkStep reports a step that is no decimal number.
func (w *View) checkStep() error {
	const most = 1_000_000_000_000
	if w.Num < 1 || w.Den < 1 || w.Num > most || w.Den > most {
		return fmt.Errorf("the step %d/%d is not above 0, or has more than %d digits", w.Num, w.Den, maxDecimals)
	}
	if _, ok := w.decimals(); !ok {
		return fmt.Errorf("the step %d/%d is no decimal number of at most %d digits after the point", w.Num, w.Den, maxDecimals)
	}
	return nil
}

// shown is the value x of a Fixed v, as JSON and as text.
func (v *Variable) shown(x int64) json.Number { return json.Number(v.Decimal(x)) }

// Steps writes how many steps something of v is, where it is no plain integer.
func (v *Variable) Steps(name string) string {
	if v.Fixed() {
		return "(" + name + " / " + v.Decimal(1) + ")"
	}
	return name
}

// toUnits has quantities of fixed decimals in a sum count their numbers instead of their steps,
// with the least integer coefficients. It changes nothing if these leave 62 bits.
func (s *statement) toUnits() {
	const most = 62
	found := false
	coefs := make([]*big.Rat, len(s.parts))
	for i := range s.parts {
		x := &s.parts[i]
		coefs[i] = new(big.Rat).SetInt64(x.coef)
		if x.counts() && x.v.Fixed() {
			coefs[i].Quo(coefs[i], x.v.Step())
			found = true
		}
	}
	if !found {
		return
	}
	all, lcm := Common(coefs, math.MaxInt)
	gcd := new(big.Int)
	for _, n := range all {
		gcd.GCD(nil, nil, gcd, n.Abs(n))
	}
	scale := new(big.Rat).SetFrac(lcm, gcd)
	k := new(big.Rat).Mul(new(big.Rat).SetInt64(s.k), scale)
	if !isDecimal(k) {
		by := new(big.Rat).SetInt(k.Denom())
		scale.Mul(scale, by)
		k.Mul(k, by)
	}
	fits := k.Num().BitLen() <= most
	for _, c := range coefs {
		fits = c.Mul(c, scale).Num().BitLen() <= most && fits
	}
	if !fits {
		return
	}
	for i := range s.parts {
		s.parts[i].coef, s.parts[i].inUnits = coefs[i].Num().Int64(), true
	}
	s.k, s.den = k.Num().Int64(), k.Denom().Int64()
}

// isDecimal reports whether r is a decimal number of few digits.
func isDecimal(r *big.Rat) bool {
	if !r.Denom().IsInt64() {
		return false
	}
	_, ok := (&View{Num: 1, Den: r.Denom().Int64()}).decimals()
	return ok
}

// ratio writes k/s.den.
func (s *statement) ratio(k int64) string {
	if s.den <= 1 {
		return strconv.FormatInt(k, 10)
	}
	d, _ := (&View{Num: 1, Den: s.den}).decimals()
	return big.NewRat(k, s.den).FloatString(d)
}
