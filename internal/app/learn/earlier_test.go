package learn

import (
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// TestEarlier: a pump delivers only where it ran in the step before too. That the rows show it is said, and of a pump that delivers now and then nothing is.
func TestEarlier(t *testing.T) {
	for _, hidden := range []bool{true, false} {
		r := rand.New(rand.NewPCG(4, 4))
		before := 0
		x := &system{
			states:  []factored.Variable{ranged("level", 8)},
			actions: []factored.Variable{boolean("pump")},
			start:   func(*rand.Rand) []int { return []int{4} },
			step: func(r *rand.Rand, s, a []int) ([]int, float64, bool) {
				level := s[0]
				if a[0] == 1 && (hidden && before == 1 || !hidden && r.IntN(2) == 0) {
					level += 2
				}
				if before = a[0]; r.IntN(5) < 3 {
					level--
				}
				return []int{max(0, min(8, level))}, 0, false
			},
		}
		trained, _ := x.learnStates(t, r, 3000)
		switch e := trained.Chance.Earlier; {
		case hidden && (e == nil || e.Of != "pump" || e.Lags != 1 || e.Bits < .1):
			t.Errorf("%+v, want that the pump of the row before tells of the level", e)
		case !hidden && e != nil:
			t.Errorf("%s, want nothing of the kind", e)
		}
	}
}
