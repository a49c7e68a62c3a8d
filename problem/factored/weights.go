package factored

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// ErrWeights is wrapped by the errors of ScaleWeights.
var ErrWeights = errors.New("reward weights")

// ScaleWeights parses decimal numbers exactly and returns them as integers over one common
// scale, the smallest that makes all of them integers: "0.5", "2" become 1, 4 over 2. It
// refuses weights whose scaled sum exceeds 2^60 and anything that is not a decimal number.
func ScaleWeights(decimals []string) (weights []int64, scale int64, err error) {
	rats := make([]*big.Rat, len(decimals))
	for i, s := range decimals {
		if rats[i], err = parseDecimal(s); err != nil {
			return nil, 0, err
		}
	}
	all, common := Common(rats, math.MaxInt)
	limit, sum := big.NewInt(maxSum), new(big.Int)
	if common.Cmp(limit) > 0 {
		return nil, 0, fmt.Errorf("%w: their common denominator %s does not fit 60 bits", ErrWeights, common)
	}
	for _, w := range all {
		if sum.Add(sum, new(big.Int).Abs(w)).Cmp(limit) > 0 {
			return nil, 0, fmt.Errorf("%w: scaled to integers by %s they sum to more than 2^60", ErrWeights, common)
		}
		weights = append(weights, w.Int64())
	}
	return weights, common.Int64(), nil
}

// Common returns fractions as integers over their least common denominator. It stops, without integers, where
// that has more than so many bits.
func Common(fractions []*big.Rat, bits int) (all []*big.Int, den *big.Int) {
	den = big.NewInt(1)
	for _, f := range fractions {
		den.Mul(den, new(big.Int).Div(f.Denom(), new(big.Int).GCD(nil, nil, den, f.Denom())))
		if den.BitLen() > bits {
			return nil, den
		}
	}
	for _, f := range fractions {
		all = append(all, new(big.Int).Mul(f.Num(), new(big.Int).Div(den, f.Denom())))
	}
	return all, den
}

// parseDecimal parses an optionally signed decimal number with an optional exponent. The
// exponent is bounded: a number such as 1e999999999 would take all memory before it could be
// refused.
func parseDecimal(s string) (*big.Rat, error) {
	bad := fmt.Errorf("%w: %q is not a decimal number", ErrWeights, s)
	mantissa, exponent, hasExp := strings.Cut(strings.ToLower(s), "e")
	digits := strings.TrimLeft(mantissa, "+-")
	if len(mantissa)-len(digits) > 1 || len(digits) > 60 || strings.Trim(digits, "0123456789.") != "" ||
		strings.Count(digits, ".") > 1 || digits == "" || digits == "." {
		return nil, bad
	}
	if hasExp {
		e := strings.TrimLeft(exponent, "+-")
		if len(exponent)-len(e) > 1 || e == "" || len(e) > 3 || strings.Trim(e, "0123456789") != "" {
			return nil, bad
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, bad
	}
	return r, nil
}
