package fromlog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// ofMachines makes a task of a log of machines, whose action is act.
func ofMachines(t *testing.T, text string) *Result {
	t.Helper()
	return initOf(t, text, Request{Actions: []string{"act"}, Entity: "machine"})
}

// TestEntitiesDiffer: machines that fail unequally often are told from each other, and equal ones are not, whatever of
// the cells is wrong.
func TestEntitiesDiffer(t *testing.T) {
	made := func(seed uint64, wrong float64, fails map[string]float64) *Result {
		rng := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		b.WriteString("machine,step,place,wear,act\n")
		for _, name := range []string{"a", "b", "c"} {
			place, wear := 0, 0
			for i := range 1500 {
				act := []string{"go", "back", "fix"}[rng.IntN(3)]
				p, w := place, wear
				if rng.Float64() < wrong {
					p, w = rng.IntN(7), rng.IntN(4)
				}
				fmt.Fprintf(&b, "%s,%d,%d,%d,%s\n", name, i, p, w, act)
				switch {
				case act == "back":
					place = max(0, place-1)
				case act == "go" && rng.Float64() >= fails[name]:
					place = min(6, place+1)
				}
				if rng.Float64() < .3 {
					wear = (wear + 1) % 4
				}
			}
		}
		return ofMachines(t, b.String())
	}
	for seed := range uint64(4) {
		for _, wrong := range []float64{0, .03} {
			r := made(seed, wrong, map[string]float64{"a": .3, "b": .3, "c": .3})
			if told(r) {
				t.Errorf("seed %d, %v of the cells wrong: equal machines are told apart: %q", seed, wrong, r.Notes)
			}
			r = made(seed, wrong, map[string]float64{"a": .1, "b": .5, "c": .3})
			if !told(r) || !slices.ContainsFunc(r.Notes, func(n string) bool {
				return strings.HasPrefix(n, "machine is an input, too, since no other column tells its values apart: after place=") && strings.Contains(n, "act=go, place'=")
			}) {
				t.Errorf("seed %d, %v of the cells wrong: unlike machines: %q", seed, wrong, r.Notes)
			}
		}
	}
}

// told reports whether the machine is an input of the task.
func told(r *Result) bool {
	return slices.ContainsFunc(r.Fluents, func(f FluentLine) bool { return f.Name == "machine" && f.Use == "input" })
}
