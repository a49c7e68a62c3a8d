package fromlog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestQuantitiesDiffer: machines whose quantities differ are told from each other, and equal ones are not, though a coarse quantity makes
// many groups of few rows in which a Boolean, true in half of all rows, is now and then that of one machine.
func TestQuantitiesDiffer(t *testing.T) {
	made := func(seed uint64, gain, noise float64) *Result {
		rng := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		b.WriteString("machine,step,level,alarm,act\n")
		for m := range 3 {
			level, g, n := 5., 1., .2
			if m == 1 {
				g, n = gain, noise
			}
			for i := range 800 {
				act := float64(rng.IntN(4)) / 2
				fmt.Fprintf(&b, "%d,%d,%.1f,%v,%.1f\n", 101+7*m, i, level, rng.IntN(2) == 0, act)
				level = max(0, .8*level+g*act+n*rng.NormFloat64())
			}
		}
		return ofMachines(t, b.String())
	}
	for seed := range uint64(2) {
		if r := made(seed, 1, .2); told(r) {
			t.Errorf("seed %d: equal machines are told apart: %q", seed, r.Notes)
		}
		for gain, says := range map[float64]string{.5: "held-out rows of 108 a function of all machines is wrong by", 1: "errors of level are of another size in 796 held-out rows of 108: "} {
			noise := .2
			if gain == 1 {
				noise = .6
			}
			r := made(seed, gain, noise)
			names := slices.IndexFunc(r.Fluents, func(f FluentLine) bool {
				return f.Name == "machine" && f.Type == "enum" && slices.Equal(f.Values, []string{"101", "108", "115"})
			})
			if !told(r) || names < 0 || !strings.Contains(r.Notes[0], says) {
				t.Errorf("seed %d, gain %v: %q", seed, gain, r.Notes)
			}
		}
	}
}
