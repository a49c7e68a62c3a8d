package coverage

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/cubes"
)

// TestCovers compares covers with the definition, cell by cell: gaps cover what no row
// settled and no seen cell, sides what rows settled on one value and none of the other.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, inputs := range []int{0, 1, 3, 5, 6, 7, 9, 18} {
		for range 10 {
			s := &Support{Inputs: inputs, Outputs: 1}
			tab := Table{}
			for b := range inputs {
				tab.Inputs = append(tab.Inputs, b)
			}
			for range r.IntN(4) {
				if inputs > 1 {
					s.Unseen = append(s.Unseen, [3]Literal{r.IntN(inputs), inputs + r.IntN(inputs/2), inputs + inputs/2 + r.IntN(inputs/2)})
				}
			}
			has := map[uint64]int{}
			for range r.IntN(40) {
				c := r.Uint64() & (1<<inputs - 1)
				if !s.Known([]uint64{c}) || has[c] > 0 {
					continue
				}
				if has[c] = 1 + r.IntN(2); has[c] == 2 {
					tab.On = append(tab.On, c)
				} else {
					tab.Off = append(tab.Off, c)
				}
			}
			slices.Sort(tab.On)
			slices.Sort(tab.Off)
			gaps, on, within := s.Gaps(&tab), s.Side(&tab, true, false), s.Side(&tab, true, true)
			in := func(list []cubes.Cube, c uint64) bool {
				return slices.ContainsFunc(list, func(k cubes.Cube) bool { return c&k.Care == k.Value })
			}
			for c := range uint64(1) << inputs {
				known := s.Known([]uint64{c})
				if got := in(gaps, c); known && got != (has[c] == 0) && inputs <= tabled || known && has[c] == 0 && !got || got && has[c] != 0 {
					t.Fatalf("%d inputs, cell %b: in a gap %v", inputs, c, got)
				}
				if got := in(on, c); has[c] == 2 && !got || has[c] == 1 && got {
					t.Fatalf("%d inputs, cell %b: on %v", inputs, c, got)
				}
				if got := in(within, c); known && got != (has[c] == 2) {
					t.Fatalf("%d inputs, cell %b: within %v", inputs, c, got)
				}
			}
		}
	}
}
