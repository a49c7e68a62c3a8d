package operator

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRational compares the arithmetic of fractions, the largest among them, with that of
// package big.
func TestRational(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() Rat {
		shift := r.IntN(56)
		return Fraction(r.Int64N(Limit>>shift)-r.Int64N(Limit>>shift), 1+r.Int64N(Limit>>r.IntN(56)))
	}
	bigOf := func(a Rat) *big.Rat { return big.NewRat(a.N, a.D) }
	for range 10_000 {
		a, b := draw(), draw()
		if r.IntN(10) == 0 {
			b = a
		}
		if got, want := a.Cmp(b), bigOf(a).Cmp(bigOf(b)); got != want {
			t.Fatalf("%v against %v: %d, expected %d", a, b, got, want)
		}
		results := map[string][2]any{
			"+": {a.Add(b), new(big.Rat).Add(bigOf(a), bigOf(b))},
			"-": {a.Sub(b), new(big.Rat).Sub(bigOf(a), bigOf(b))},
			"*": {a.Mul(b), new(big.Rat).Mul(bigOf(a), bigOf(b))},
		}
		if b.N != 0 {
			results["/"] = [2]any{a.Div(b), new(big.Rat).Quo(bigOf(a), bigOf(b))}
		} else if a.Div(b).Valid() {
			t.Fatalf("%v / 0 is %v", a, a.Div(b))
		}
		for sign, pair := range results {
			got, want := pair[0].(Rat), pair[1].(*big.Rat)
			limit := big.NewInt(Limit)
			fits := want.Num().CmpAbs(limit) <= 0 && want.Denom().Cmp(limit) <= 0
			if got.Valid() && bigOf(got).Cmp(want) != 0 || !fits && got.Valid() {
				t.Fatalf("%v %s %v: %v, expected %v", a, sign, b, got, want)
			}
			if small := want.Num().BitLen() < 28 && want.Denom().BitLen() < 28; small && a.D < 1<<28 && b.D < 1<<28 && !got.Valid() {
				t.Fatalf("%v %s %v has no value, expected %v", a, sign, b, want)
			}
		}
	}
	if huge := Whole(Limit).Add(Whole(1)); huge.Valid() || huge.Mul(Whole(0)).Valid() {
		t.Errorf("beyond the limit: %v, times 0 %v", huge, huge.Mul(Whole(0)))
	}
}
