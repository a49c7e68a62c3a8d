package policy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestGuarded: values of guarded processes, and of policies in them, are those of a recursion over all actions.
func TestGuarded(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		w := &walk{cells: 3 + rng.IntN(6), moves: 1 + rng.IntN(4), p: [4]float64{.5, .25, .125, .125}}
		unknown := map[[2]uint64]bool{}
		for s := range w.cells {
			for a := range w.moves {
				unknown[[2]uint64{uint64(s), uint64(a)}] = rng.IntN(3) == 0
			}
		}
		guarded := &Guarded{Process: w, Least: -3, Known: func(state []uint64, action uint32, _ []uint64) (bool, error) {
			return !unknown[[2]uint64{state[0], uint64(action)}], nil
		}}
		o := Options{Objective: Objectives[rng.IntN(2)], Horizon: 1 + rng.IntN(4), Threads: 1, Memory: 1 << 30}
		best := solve(t, w, o)
		by, err := Solve(t.Context(), guarded, o)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := best.Guard(t.Context(), by, guarded)
		if err != nil {
			t.Fatal(err)
		}
		// value is that of a policy, nil for the best one, where nothing is expected of unknown actions, or all is as in the process.
		var value func(p *Solution, guarded bool, at, left int) float64
		value = func(p *Solution, guarded bool, at, left int) float64 {
			success := o.Objective == Success
			switch {
			case success && at == w.cells-1:
				return 1
			case left == 0:
				return 0
			}
			greatest := math.Inf(-1)
			for a := range w.moves {
				if p != nil {
					i, _ := p.t.keys.Find([]uint64{uint64(at)})
					if p.choice(i, left) != a {
						continue
					}
				}
				sum := 0.0
				for k, times := range [...]int{1, 2, 0, -1} {
					to, reward := max(0, min(w.cells-1, at+times*(a-w.moves/2))), float64(-times)
					if guarded && unknown[[2]uint64{uint64(at), uint64(a)}] {
						to, reward = at, -3
					}
					if success {
						reward = 0
					}
					sum += w.p[k] * (reward + value(p, guarded, to, left-1))
				}
				greatest = max(greatest, sum)
			}
			return greatest
		}
		start := w.cells / 2
		worth := func(s, in *Solution) float64 {
			v, err := s.Worth(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		for name, pair := range map[string][2]float64{
			"the best policy":                        {best.Value, value(nil, false, start, o.Horizon)},
			"the best guarded policy":                {by.Value, value(nil, true, start, o.Horizon)},
			"the best policy, guarded":               {worth(best, by), value(best, true, start, o.Horizon)},
			"the chosen policy, guarded":             {worth(chosen, by), value(chosen, true, start, o.Horizon)},
			"the chosen policy":                      {chosen.Value, value(chosen, false, start, o.Horizon)},
			"the chosen policy as the best, guarded": {worth(chosen, by), by.Value},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 && !(name == "the chosen policy as the best, guarded" && pair[0] < pair[1]) {
				t.Fatalf("%s: %v, and %v by recursion: %+v, %v", name, pair[0], pair[1], w, unknown)
			}
		}
	}
}
