package policy_test

import (
	"math"
	"math/bits"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
)

// drift is examples/drift without its RDDL.
type drift struct {
	side        int
	slip, north bool // slips occur; gusts to the north occur
	pits        map[[2]int]bool
	known       map[[4]int]float64
}

// worst is the best guaranteed reward within some steps with a bounded number of disturbances.
func (d *drift) worst(x, y, left, budget int) float64 {
	switch {
	case d.pits[[2]int{x, y}]:
		return math.Inf(-1)
	case x == d.side && y == d.side:
		return 0
	case left == 0:
		return math.Inf(-1)
	}
	key := [4]int{x, y, left, budget}
	if v, ok := d.known[key]; ok {
		return v
	}
	best := math.Inf(-1)
	for _, move := range [][2]int{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		least := math.Inf(1)
		for event := range 4 { // a slip, a gust
			spent := bits.OnesCount(uint(event))
			if event&1 > 0 && !d.slip || event&2 > 0 && !d.north || spent > budget {
				continue
			}
			nx, ny := x, y
			if event&1 == 0 {
				nx, ny = x+move[0], y+move[1]
			}
			ny += event >> 1
			least = min(least, d.worst(max(0, min(d.side, nx)), max(0, min(d.side, ny)), left-1, budget-spent))
		}
		if move != [2]int{} {
			least--
		}
		best = max(best, least)
	}
	d.known[key] = best
	return best
}

// TestDrift compares least horizons and worst rewards of the grids with an independent minimax.
func TestDrift(t *testing.T) {
	pits := map[[2]int]bool{{2, 1}: true, {2, 3}: true, {3, 1}: true}
	for name, d := range map[string]*drift{
		"slippery": {side: 3, slip: true}, "pits": {side: 4, slip: true, north: true, pits: pits}, "wind": {side: 4, north: true},
	} {
		p, err := load.Load(t.Context(), load.Ref{
			Source: load.Source{Domain: "../../../examples/drift/drift.rddl", Instance: "../../../examples/drift/" + name + ".rddl", Goal: "x == SIDE ^ y == SIDE ^ ~lost"}, Chance: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		d.known = map[[4]int]float64{}
		for budget := range 3 {
			h, want := 1, d.worst(0, 0, 1, budget)
			for ; math.IsInf(want, -1); want = d.worst(0, 0, h, budget) {
				h++
			}
			r := policy.Request{Horizon: 12, Robust: &policy.Robust{Disturbances: budget, MinHorizon: 1}, Now: time.Now, Started: time.Now()}
			r.Limits.Memory = 1 << 30
			got, err := policy.Plan(t.Context(), p, r)
			if err != nil {
				t.Fatal(err)
			}
			if got.Value == nil || got.Horizon != h || *got.Value != want {
				t.Errorf("%s with %d disturbances: %s; expected horizon %d, reward %v", name, budget, got.Says(), h, want)
			}
		}
	}
}

// machines is the worst reward of the five machines of examples/machines in a ring; a set bit is one that runs.
func machines(now, left, budget int, known map[[3]int]float64) float64 {
	key := [3]int{now, left, budget}
	if v, ok := known[key]; ok || left == 0 {
		return v
	}
	best := math.Inf(-1)
	for reboot := -1; reboot < 5; reboot++ {
		least := math.Inf(1)
		for next := range 32 {
			spent, possible := 0, true
			for c := range 5 {
				runs, then := now>>c&1 == 1, next>>c&1 == 1
				if c == reboot {
					possible = possible && then
				} else if runs != then { // a running one mostly runs on, and one that is down stays so
					spent++
				}
			}
			if possible && spent <= budget {
				least = min(least, machines(next, left-1, budget-spent, known))
			}
		}
		least += float64(bits.OnesCount(uint(now)))
		if reboot >= 0 {
			least -= 0.5
		}
		best = max(best, least)
	}
	known[key] = best
	return best
}

func TestMachines(t *testing.T) {
	p, err := load.Load(t.Context(), load.Ref{Source: load.Source{Domain: "../../../examples/machines/machines.rddl"}, Chance: true})
	if err != nil {
		t.Fatal(err)
	}
	for budget := range 4 {
		r := policy.Request{Objective: solver.Reward, Horizon: 6, Robust: &policy.Robust{Disturbances: budget}, Now: time.Now, Started: time.Now()}
		r.Limits.Memory = 1 << 30
		got, err := policy.Plan(t.Context(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		if want := machines(31, 6, budget, map[[3]int]float64{}); *got.Value != want {
			t.Errorf("%d disturbances: the worst reward is %v, expected %v", budget, *got.Value, want)
		}
	}
}
