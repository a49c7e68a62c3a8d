package integer

import (
	"math"
	"testing"
)

func TestFloorDiv(t *testing.T) {
	for a := int64(-12); a <= 12; a++ {
		for b := int64(-5); b <= 5; b++ {
			if b == 0 {
				continue
			}
			if got, want := FloorDiv(a, b), int64(math.Floor(float64(a)/float64(b))); got != want {
				t.Errorf("%d/%d is %d, expected %d", a, b, got, want)
			}
			if got, want := CeilDiv(a, b), int64(math.Ceil(float64(a)/float64(b))); got != want {
				t.Errorf("%d/%d rounded up is %d, expected %d", a, b, got, want)
			}
			if got, want := Mod(a, b), a-b*FloorDiv(a, b); got != want || b > 0 && (got < 0 || got >= b) {
				t.Errorf("%d modulo %d is %d, expected %d", a, b, got, want)
			}
		}
	}
}
