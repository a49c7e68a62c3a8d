package factored

import (
	"errors"
	"fmt"
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
	lcm := big.NewInt(1)
	for i, s := range decimals {
		r, err := parseDecimal(s)
		if err != nil {
			return nil, 0, err
		}
		rats[i] = r
		g := new(big.Int).GCD(nil, nil, lcm, r.Denom())
		lcm.Mul(lcm, new(big.Int).Div(r.Denom(), g))
	}
	limit := new(big.Int).SetInt64(maxSum)
	if lcm.Cmp(limit) > 0 {
		return nil, 0, fmt.Errorf("%w: their common denominator %s does not fit 60 bits", ErrWeights, lcm)
	}
	weights = make([]int64, len(rats))
	sum := new(big.Int)
	for i, r := range rats {
		w := new(big.Int).Mul(r.Num(), new(big.Int).Div(lcm, r.Denom()))
		sum.Add(sum, new(big.Int).Abs(w))
		if sum.Cmp(limit) > 0 {
			return nil, 0, fmt.Errorf("%w: scaled to integers by %s they sum to more than 2^60", ErrWeights, lcm)
		}
		weights[i] = w.Int64()
	}
	return weights, lcm.Int64(), nil
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
