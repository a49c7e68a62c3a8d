package device

import (
	"math/rand/v2"
	"testing"
)

// TestOverload tries every floor, door, load, temperature and set of calls with every command:
// an overloaded lift stays, and one with 400 kg or more may move. The script elevator of
// internal/command wants the same verdicts of what is learned from the log.
func TestOverload(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	moves := map[bool]int{} // by whether the load is 600 kg or more
	for floor := range 4 {
		for open := range 2 {
			for load := 0.0; load < 800; load += 12.5 {
				for temp := 20.0; temp < 90; temp += 2.5 {
					for calls := range 8 {
						s := State{Floor: floor, Open: open == 1, Load: load, Temp: temp, Call: [4]bool{1: calls&1 > 0, 2: calls&2 > 0, 3: calls&4 > 0}}
						for _, command := range Commands {
							if load >= 400 && Next(s, command, rng).Floor != floor {
								moves[load >= Overload]++
							}
						}
					}
				}
			}
		}
	}
	if moves[true] != 0 || moves[false] == 0 {
		t.Errorf("%d moves with 600 kg or more, %d with 400 to 600 kg", moves[true], moves[false])
	}
}
