package reward

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// drawn is a table of random conditions and numbers with the rewards of a random sparse
// function, some rows being wrong.
func drawn(seed uint64, rows int, wrong float64) (t *Table, truth []float64) {
	r := rand.New(rand.NewPCG(seed, 9))
	t = &Table{}
	conditions, numbers := 6+r.IntN(10), r.IntN(4)
	for i := range conditions + numbers {
		a := Atom{Text: fmt.Sprintf("x%d", i), Variable: i, Plain: true}
		if i < conditions {
			a.Negation = "~" + a.Text
		}
		col := make([]float64, rows)
		for k := range col {
			if col[k] = float64(r.IntN(2)); i >= conditions {
				col[k] = float64(r.IntN(8))
			}
		}
		t.Atoms, t.Columns = append(t.Atoms, a), append(t.Columns, col)
	}
	f := &Function{Constant: float64(r.IntN(11) - 5)}
	for range 1 + r.IntN(6) {
		m := Term{Weight: float64(1+r.IntN(40)) / 4}
		if r.IntN(2) == 0 {
			m.Weight = -m.Weight
		}
		lits, c := r.Perm(conditions)[:1+r.IntN(3)], []int(nil)
		if numbers > 0 && r.IntN(3) == 0 {
			lits = []int{conditions + r.IntN(numbers)}
		}
		for _, l := range lits {
			if l < conditions && r.IntN(2) == 0 {
				c = append(c, 2*l+1)
			} else {
				c = append(c, 2*l)
			}
		}
		m.Cases = [][]int{c}
		f.Terms = append(f.Terms, m)
	}
	for k := range rows {
		y := t.Eval(f, k)
		truth = append(truth, y)
		if r.Float64() < wrong {
			y += float64(1+r.IntN(20)) / 4
		}
		t.Rewards = append(t.Rewards, y)
	}
	return t, truth
}

// TestExact: functions of few terms are found exactly, also where some rows are wrong, and
// exactly these rows are.
func TestExact(t *testing.T) {
	for seed := range uint64(12) {
		for _, wrong := range []float64{0, 0.02} {
			table, truth := drawn(seed, 600, wrong)
			f, err := Learn(context.Background(), table, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !f.Exact {
				t.Errorf("seed %d, %v wrong: %s is not exact, error %v", seed, wrong, table.Text(f), f.Error)
				continue
			}
			for r := range truth {
				if !Same(table.Eval(f, r), truth[r]) {
					t.Errorf("seed %d, %v wrong: row %d has %v, expected %v: %s", seed, wrong, r, table.Eval(f, r), truth[r], table.Text(f))
					break
				}
			}
		}
	}
}

// TestRareCase: a conjunction that holds in one row of eight, where no single condition tells
// much, is not taken for wrong rows, and two wrong rows are.
func TestRareCase(t *testing.T) {
	for seed := range uint64(10) {
		table, _ := drawn(seed, 240, 0)
		r := rand.New(rand.NewPCG(seed, 2))
		for k := range table.Rewards {
			table.Rewards[k] = 1.5*table.Columns[0][k] - 7*(1-table.Columns[1][k])*table.Columns[2][k]*table.Columns[3][k]
		}
		wrong := r.Perm(240)[:2]
		table.Rewards[wrong[0]] += 20
		table.Rewards[wrong[1]] -= 1.25
		f, err := Learn(context.Background(), table, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Wrong(f); !f.Exact || len(got) != 2 || len(f.Terms) != 2 || f.Constant != 0 {
			t.Errorf("seed %d: %s, %d rows wrong", seed, table.Text(f), len(got))
		}
	}
}

// TestNoise: rewards that were measured with noise give a function near the truth, which
// does not call itself exact.
func TestNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for seed := range uint64(5) {
		table, truth := drawn(seed, 1000, 0)
		for k := range table.Rewards {
			table.Rewards[k] += 0.1 * r.NormFloat64()
		}
		f, err := Learn(context.Background(), table, 1)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for k := range truth {
			sum += math.Abs(table.Eval(f, k)-truth[k]) / float64(len(truth))
		}
		if f.Exact || sum > 0.05 {
			t.Errorf("seed %d: exact %v, %v from the truth on average: %s", seed, f.Exact, sum, table.Text(f))
		}
	}
}

func TestText(t *testing.T) {
	table := &Table{Atoms: []Atom{{Text: "a", Negation: "~a"}, {Text: "b", Negation: "~b", Variable: 1}, {Text: "n", Variable: 2}}}
	for _, v := range []string{"p", "q", "r", "s", "t"} {
		table.Atoms = append(table.Atoms, Atom{Text: "m == @" + v, Negation: "m ~= @" + v, Variable: 3, Value: true})
	}
	for _, c := range []struct {
		f    Function
		want string
	}{
		{Function{}, "0"},
		{Function{Constant: -2.5}, "-2.5"},
		{Function{Terms: []Term{{Cases: [][]int{{0, 3}}, Weight: -1}, {Cases: [][]int{{4}}, Weight: 0.25}}, Constant: 3}, "-(a ^ ~b) + 0.25*n + 3"},
		{Function{Terms: []Term{{Cases: [][]int{{0, 3}, {2}}, Weight: 2}}}, "2*(a ^ ~b | b)"},
		{Function{Terms: []Term{{Cases: [][]int{{7, 9, 11, 0}}, Weight: 1}}}, "((m == @s | m == @t) ^ a)"},
		{Function{Terms: []Term{{Cases: [][]int{{7, 9}}, Weight: 1}}}, "(m ~= @p ^ m ~= @q)"},
	} {
		if got := table.Text(&c.f); got != c.want {
			t.Errorf("%s, expected %s", got, c.want)
		}
	}
}

// TestNearest: of rewards that are drawn around the values of a function, its values are found up to what chance leaves, whether rows stand there one by one or as
// means of equal ones.
func TestNearest(t *testing.T) {
	const noise = 3
	for seed := range uint64(12) {
		table, truth := drawn(seed, 1500, 0)
		rng := rand.New(rand.NewPCG(seed, 4))
		table.Means, table.Counts = true, make([]int, len(truth))
		for k, y := range truth {
			n := 1 + rng.IntN(4)*rng.IntN(4)
			mean, square := 0.0, 0.0
			for i := range n {
				d := y + noise*rng.NormFloat64() - mean
				mean += d / float64(i+1)
				square += d * d * float64(i) / float64(i+1)
			}
			table.Rewards[k], table.Counts[k], table.Within = mean, n, table.Within+square
		}
		f, err := Learn(context.Background(), table, 1)
		if err != nil {
			t.Fatal(err)
		}
		square, bias, rows := 0.0, 0.0, 0
		for k, y := range truth {
			n := table.Counts[k]
			off := table.Eval(f, k) - y
			square, bias, rows = square+off*off*float64(n), bias+off*float64(n), rows+n
		}
		// Of 30 weights at most, a tenth of the standard deviation each.
		if rms, mean := math.Sqrt(square/float64(rows)), bias/float64(rows); f.Exact || rms > noise*.3 || math.Abs(mean) > 4*noise/math.Sqrt(float64(rows)) {
			t.Errorf("seed %d: %s is off by %.3f, by %.3f on average", seed, table.Text(f), rms, mean)
		}
	}
}
