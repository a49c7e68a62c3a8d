package translate

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestCompare compares fractions, the largest among them, as package big does.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() rat {
		shift := r.IntN(56)
		return fraction(r.Int64N(ratLimit>>shift)-r.Int64N(ratLimit>>shift), 1+r.Int64N(ratLimit>>r.IntN(56)))
	}
	for range 10_000 {
		a, b := draw(), draw()
		if r.IntN(10) == 0 {
			b = rat{a.n, a.d}
		}
		if got, want := a.cmp(b), big.NewRat(a.n, a.d).Cmp(big.NewRat(b.n, b.d)); got != want {
			t.Fatalf("%v against %v: %d, expected %d", a, b, got, want)
		}
	}
}
