package reward

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCurves: of products of numbers and levels beyond which they count, those of a random function are chosen, so that it is
// found exactly though some rows are wrong, and none are chosen of a function that has none.
func TestCurves(t *testing.T) {
	const rows, levels = 1500, 40
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 5))
		table := &Table{}
		add := func(a Atom, value func(k int) float64) {
			col := make([]float64, rows)
			for k := range col {
				col[k] = value(k)
			}
			table.Atoms, table.Columns = append(table.Atoms, a), append(table.Columns, col)
		}
		for i := range 4 {
			name := fmt.Sprintf("x%d", i)
			add(Atom{Text: name, Variable: i, Plain: true}, func(int) float64 { return float64(r.IntN(levels)) / 4 })
		}
		add(Atom{Text: "b", Negation: "~b", Variable: 4, Plain: true}, func(int) float64 { return float64(r.IntN(2)) })
		plain := len(table.Atoms)
		for i := range 4 {
			x := table.Columns[i]
			for j := range i {
				y := table.Columns[j]
				add(Atom{Text: fmt.Sprintf("x%d*x%d", i, j), Variable: -1, Curved: true}, func(k int) float64 { return x[k] * y[k] })
			}
			for l := 1; l < levels-1; l++ {
				level := float64(l) / 4
				add(Atom{Text: fmt.Sprintf("max[0, x%d - %v]", i, level), Variable: i, Curved: true}, func(k int) float64 { return max(0, x[k]-level) })
				add(Atom{Text: fmt.Sprintf("max[0, %v - x%d]", level, i), Variable: i, Curved: true}, func(k int) float64 { return max(0, level-x[k]) })
			}
		}
		bent := seed%5 != 4
		for k := range rows {
			y := 3*table.Columns[4][k] - 2*table.Columns[1][k]
			if bent {
				level := 1 + float64(seed)/2
				y += 1.5*table.Columns[0][k]*table.Columns[2][k] - 4*max(0, table.Columns[3][k]-level) + 6*max(0, 2-table.Columns[1][k])
			}
			if table.Rewards = append(table.Rewards, y); k%97 == 0 {
				table.Rewards[k] += 50
			}
		}
		chosen, _, err := table.Curves(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if bent != (len(chosen) > 0) {
			t.Errorf("seed %d: %d features are chosen", seed, len(chosen))
		}
		less := &Table{Atoms: slices.Clone(table.Atoms[:plain]), Columns: table.Columns[:plain:plain], Rewards: table.Rewards}
		for _, a := range chosen {
			less.Atoms, less.Columns = append(less.Atoms, table.Atoms[a]), append(less.Columns, table.Columns[a])
		}
		f, err := Learn(t.Context(), less, 1)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := less.Wrong(f); !f.Exact || len(wrong) != (rows+96)/97 {
			t.Errorf("seed %d: %s, exact: %v, with %d wrong rows", seed, less.Text(f), f.Exact, len(wrong))
		}
	}
}
