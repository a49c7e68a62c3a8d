package fromlog

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRewardOfStates: a cost that states tell is learned as a reward and is no state, but a state that is counted is one, though the cost and the others tell it.
func TestRewardOfStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	log := "first,second,cranes,cost\n"
	for a, b, i := 4, 2, 0; i < 500; i++ {
		cranes, cost := rng.IntN(4), .2*float64(a+b)
		if a > 0 {
			cost += 2
		}
		log += fmt.Sprintf("%d,%d,%d,%.1f\n", a, b, cranes, cost)
		after := func(ship, by int) int {
			if ship == 0 {
				return 3 * rng.IntN(3)
			}
			return max(0, ship-by)
		}
		a, b = after(a, cranes), after(b, 3-cranes)
	}
	for reward, want := range map[string]string{"-cost": "first state, second state, cranes action, cost reward", "-first": "first state, second state, cranes action, cost state"} {
		if got := usesOf(initOf(t, log, Request{Actions: []string{"cranes"}, Reward: reward})); got != want {
			t.Errorf("--reward=%s: %s, want %s", reward, got, want)
		}
	}
}
