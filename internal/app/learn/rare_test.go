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

// TestRareBesideChance: a robot of which a step may slip carries things, and few states and actions stand in the log more than once. What happens in
// few states is learned, though no two rows contradict each other there.
func TestRareBesideChance(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	slips := .15
	step := func(r *rand.Rand, s, a []int) ([]int, float64, bool) {
		s = slices.Clone(s) // x, y, loaded, done
		x, y := &s[0], &s[1]
		switch move := a[0]; {
		case move == 4:
			if *x == 0 {
				s[2] = 1
			}
		case move == 5:
			if *x >= 2 && s[2] == 1 {
				s[2], s[3] = 0, (s[3]+1)%4
			}
		case r.Float64() >= slips:
			at := []*int{x, y}[move/2]
			*at = max(0, min(7, *at+2*(move%2)-1))
		}
		return s, 0, false
	}
	x := &system{
		states:  []factored.Variable{ranged("x", 7), ranged("y", 7), boolean("loaded"), ranged("done", 3)},
		actions: []factored.Variable{ranged("act", 5)},
		start:   func(*rand.Rand) []int { return []int{0, 0, 0, 0} },
		step:    step,
	}
	trained, wrongOf := x.learnStates(t, r, 1500)
	wrong, rows := map[string]int{}, 2000
	slips = 0
	for range rows {
		now := []int{r.IntN(8), r.IntN(8), r.IntN(2), r.IntN(4), r.IntN(6)}
		next, _, _ := step(r, now[:4], now[4:])
		for _, name := range wrongOf(now, next) {
			wrong[name]++
		}
	}
	t.Logf("%v of %d wrong, %s", wrong, rows, trained.Chance)
	for _, name := range []string{"loaded", "done"} {
		if 50*wrong[name] > rows {
			t.Errorf("%s: %d of %d likely next values are wrong", name, wrong[name], rows)
		}
	}
}
