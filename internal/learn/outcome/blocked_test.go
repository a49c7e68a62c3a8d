package outcome_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestTowed: a battery loses a unit with each move, and now and then with a grasp; where it is empty, it has two afterwards. No outcome
// that is blocked leaves its rows to one that hardly any other row has: each row of the clean log has a probability.
func TestTowed(t *testing.T) {
	p := factored.NewProblem("robot")
	for _, v := range []factored.Variable{{Name: "place", Hi: 4}, {Name: "battery", Hi: 9}, {Name: "act", Hi: 3, Kind: factored.Action, Default: -1}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(6, seed))
		s := outcome.NewSource(p, []int{0, 1})
		var all [][2][]int64
		place, battery := int64(0), int64(4)
		for k := range 6000 {
			act := r.Int64N(4)
			switch {
			case r.IntN(2) == 0: // as a dispatcher would
			case battery <= 1:
				act = 1
			case place == 0 && battery < 7:
				act = 2
			case place == 4:
				act = 3
			default:
				act = 0
			}
			now := []int64{place, battery, act}
			switch {
			case battery == 0:
				place, battery = 0, 2
			case act == 0:
				if battery--; r.IntN(10) > 0 {
					place = min(place+1, 4)
				}
			case act == 1:
				place, battery = max(place-1, 0), battery-1
			case act == 2 && place == 0:
				battery = min(battery+3, 9)
			case act == 3 && r.IntN(10) < 3:
				battery--
			}
			next := []int64{place, battery, act}
			s.Add(now, next, k == 0)
			all = append(all, [2][]int64{now, next})
		}
		groups, err := outcome.Learn(t.Context(), &s.Table, []int{0, 1}, outcome.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := modelOf(t, p, s, groups)
		for i := range m.Groups {
			g := &m.Groups[i]
			unlikely := 0
			for _, row := range all {
				if g.Probability(row[0], nil, row[1]) < .01 {
					unlikely++
				}
			}
			if unlikely > len(all)/200 {
				t.Errorf("seed %d: %d of %d rows have an outcome of %s that is never drawn", seed, unlikely, len(all), p.Variables[g.Outputs[0]].Name)
			}
		}
	}
}
