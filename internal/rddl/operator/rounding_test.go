package operator

import (
	"math/rand/v2"
	"testing"
)

// TestRoundTo compares rounding in floating point with that in fractions.
func TestRoundTo(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		step := []Rat{Fraction(1, 10), Fraction(1, 20), Fraction(1, 100), Whole(1), Fraction(1, 4), Fraction(1, 3), Fraction(5, 2)}[r.IntN(7)]
		x := Fraction(r.Int64N(200_000)-100_000, []int64{1, 8, 20, 200, 1000, 7}[r.IntN(6)])
		want, ok := RoundTo.Fraction(x, step)
		got, err := RoundTo.Call(x.Float(), step.Float())
		if err != nil || !ok || got != want.Float() {
			t.Fatalf("%v rounded to %v is %v, %v; want %v", x, step, got, err, want)
		}
	}
	for _, c := range [][3]float64{{0.15, 0.1, 0.2}, {0.25, 0.1, 0.2}, {-0.15, 0.1, -0.2}, {2.5, 1, 2}, {0.1 + 0.2, 0.1, 0.3}} {
		if got, _ := RoundTo.Call(c[0], c[1]); got != c[2] {
			t.Errorf("%v rounded to %v is %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if _, err := RoundTo.Call(1, 0); err == nil {
		t.Error("a step of 0 is taken")
	}
}
