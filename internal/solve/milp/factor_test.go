package milp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFactor solves with random bases, of which columns are exchanged or are no basis, and multiplies the solutions back.
func TestFactor(t *testing.T) {
	exchanged, mended := 0, 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := 1 + r.IntN(30)
		column := func() (list []entry) {
			for i := range m {
				if a := r.IntN(9) - 4; a != 0 && r.IntN(m) < 3 {
					list = append(list, entry{int32(i), float64(a)})
				}
			}
			return list
		}
		columns := make([][]entry, m)
		for k := range columns {
			columns[k] = column()
		}
		if r.IntN(3) == 0 {
			columns[r.IntN(m)] = columns[r.IntN(m)]
		}
		var f factor
		positions, rows := f.build(columns)
		if len(positions) != len(rows) {
			t.Fatalf("seed %d: positions %v and rows %v are without a pivot", seed, positions, rows)
		}
		for k, at := range positions {
			columns[at] = []entry{{rows[k], -1}}
			mended++
		}
		for range 5 {
			checkFactor(t, seed, r, &f, columns)
			at, next := r.IntN(m), column()
			x, y := make([]float64, m), make([]float64, m)
			for _, e := range next {
				x[e.at] += e.a
			}
			if f.solve(x, y); math.Abs(y[at]) > .1 {
				f.exchange(int32(at), y)
				columns[at] = next
				exchanged++
			}
		}
	}
	if exchanged < 500 || mended < 100 {
		t.Errorf("%d columns were exchanged, %d replaced", exchanged, mended)
	}
}

// checkFactor compares products with a random right side.
func checkFactor(t *testing.T, seed uint64, r *rand.Rand, f *factor, columns [][]entry) {
	t.Helper()
	m := len(columns)
	want, x, y := make([]float64, m), make([]float64, m), make([]float64, m)
	for i := range want {
		want[i] = float64(r.IntN(5) - 2)
	}
	copy(x, want)
	f.solve(x, y)
	got := make([]float64, m)
	for k, list := range columns {
		for _, e := range list {
			got[e.at] += e.a * y[k]
		}
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-6 {
			t.Fatalf("seed %d: row %d of basis times solution is %g; want %g", seed, i, got[i], want[i])
		}
	}
	copy(y, want)
	f.solveTransposed(y, x)
	for k, list := range columns {
		sum := 0.0
		for _, e := range list {
			sum += e.a * x[e.at]
		}
		if math.Abs(sum-want[k]) > 1e-6 {
			t.Fatalf("seed %d: solution times column %d is %g; want %g", seed, k, sum, want[k])
		}
	}
}
