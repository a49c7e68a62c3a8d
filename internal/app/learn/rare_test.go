package learn

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// A collection of garbage for every few megabytes takes a quarter of the time of these tests.
func init() { debug.SetGCPercent(400) }

// TestRareBesideChance: two robots of which a step may slip carry things, and hardly one state and action stand in the log twice. What happens in
// few states is learned, though no two rows contradict each other there.
func TestRareBesideChance(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	slips := .15
	step := func(r *rand.Rand, s, a []int) ([]int, float64, bool) {
		s = slices.Clone(s) // x0, y0, x1, y1, loaded0, loaded1, done
		k := a[0] / 6
		x, y := &s[2*k], &s[2*k+1]
		switch move := a[0] % 6; {
		case move == 4:
			if *x == 0 {
				s[4+k] = 1
			}
		case move == 5:
			if *x >= 2 && s[4+k] == 1 {
				s[4+k], s[6] = 0, (s[6]+1)%4
			}
		case r.Float64() >= slips:
			at := []*int{x, y}[move/2]
			*at = max(0, min(5, *at+2*(move%2)-1))
		}
		return s, 0, false
	}
	x := &system{
		states:  []factored.Variable{ranged("x0", 5), ranged("y0", 5), ranged("x1", 5), ranged("y1", 5), boolean("loaded0"), boolean("loaded1"), ranged("done", 3)},
		actions: []factored.Variable{ranged("act", 11)},
		start:   func(*rand.Rand) []int { return []int{0, 0, 5, 5, 0, 0, 0} },
		step:    step,
	}
	trained, wrongOf := x.learnStates(t, r, 3000)
	wrong, rows := map[string]int{}, 2000
	slips = 0
	for range rows {
		now := []int{r.IntN(6), r.IntN(6), r.IntN(6), r.IntN(6), r.IntN(2), r.IntN(2), r.IntN(4), r.IntN(12)}
		next, _, _ := step(r, now[:7], now[7:])
		for _, name := range wrongOf(now, next) {
			wrong[name]++
		}
	}
	t.Logf("%v of %d wrong, %s", wrong, rows, trained.Chance)
	for _, name := range []string{"loaded0", "loaded1", "done"} {
		if 50*wrong[name] > rows {
			t.Errorf("%s: %d of %d likely next values are wrong", name, wrong[name], rows)
		}
	}
}
