package structure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/integer"
)

// sampled is a table of random rows of n inputs with the outputs of f, each
// wrong with probability noise.
func sampled(t *testing.T, n, rows int, noise float64, groups [][]int, seed uint64, fs ...func(x []int) bool) *Table {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	tab := NewTable(n, len(fs), groups)
	x := make([]int, n)
	for range rows {
		in, out := make([]uint64, (n+63)/64), make([]uint64, (len(fs)+63)/64)
		for i := range x {
			x[i] = rng.IntN(2)
			in[i/64] |= uint64(x[i]) << (i % 64)
		}
		for o, f := range fs {
			if f(x) != (rng.Float64() < noise) {
				out[o/64] |= 1 << (o % 64)
			}
		}
		tab.Add(in, out, nil, nil)
	}
	if err := tab.Close(); err != nil {
		t.Fatal(err)
	}
	return tab
}

func number(x []int, bits ...int) int {
	v := 0
	for _, b := range bits {
		v = 2*v + x[b]
	}
	return v
}

// TestFunctions: the inputs of functions that single gains do not show are
// found, exactly, and nothing else.
func TestFunctions(t *testing.T) {
	groups := [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}
	for _, c := range []struct {
		name  string
		noise float64
		want  []int
		f     func(x []int) bool
	}{
		{"constant", 0, nil, func([]int) bool { return true }},
		{"and", 0, []int{20, 30}, func(x []int) bool { return x[20]&x[30] == 1 }},
		{"and, noise", 0.05, []int{20, 30}, func(x []int) bool { return x[20]&x[30] == 1 }},
		{"xor of two", 0, []int{20, 30}, func(x []int) bool { return x[20]^x[30] == 1 }},
		{"xor of two, noise", 0.05, []int{20, 30}, func(x []int) bool { return x[20]^x[30] == 1 }},
		{"xor of three", 0, []int{20, 30, 40}, func(x []int) bool { return x[20]^x[30]^x[40] == 1 }},
		{"xor of three, noise", 0.02, []int{20, 30, 40}, func(x []int) bool { return x[20]^x[30]^x[40] == 1 }},
		{"xor of six", 0, []int{15, 20, 30, 40, 44, 49}, func(x []int) bool { return x[15]^x[20]^x[30]^x[40]^x[44]^x[49] == 1 }},
		{"multiplexer", 0, []int{13, 14, 20, 21, 22, 23}, func(x []int) bool { return x[20+number(x, 13, 14)] == 1 }},
		{"majority", 0, []int{20, 21, 22, 23, 24}, func(x []int) bool { return x[20]+x[21]+x[22]+x[23]+x[24] >= 3 }},
		{"equal integers", 0, []int{0, 1, 2, 3, 4, 5, 6, 7}, func(x []int) bool { return number(x, 0, 1, 2, 3) == number(x, 4, 5, 6, 7) }},
		{"equal integers, noise", 0.02, []int{0, 1, 2, 3, 4, 5, 6, 7}, func(x []int) bool { return number(x, 0, 1, 2, 3) == number(x, 4, 5, 6, 7) }},
		{"remainder, noise", 0.02, []int{0, 1, 2, 3}, func(x []int) bool { return number(x, 0, 1, 2, 3)%3 == 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := sampled(t, 50, 2000, c.noise, groups, 7, c.f)
			st, err := Learn(context.Background(), tab, Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			out := &st.Outputs[0]
			if !slices.Equal(out.Inputs, c.want) {
				t.Errorf("inputs %v, expected %v; noisy %v, kind %s", out.Inputs, c.want, st.Noisy, out.Kind)
			}
			if st.Noisy != (c.noise > 0) {
				t.Errorf("noisy %v with noise %v", st.Noisy, c.noise)
			}
			x := make([]int, 50)
			rng := rand.New(rand.NewPCG(3, 3))
			for range 1000 {
				in := make([]uint64, 1)
				for i := range x {
					x[i] = rng.IntN(2)
					in[0] |= uint64(x[i]) << i
				}
				if out.Tree.Eval(in) != c.f(x) {
					t.Fatalf("the function is wrong at %v", x)
				}
			}
		})
	}
}

// TestThreads: the result does not depend on the number of threads.
func TestThreads(t *testing.T) {
	var fs []func(x []int) bool
	for o := range 12 {
		fs = append(fs, func(x []int) bool { return x[o]&x[o+1]^x[o+2] == 1 || x[3*o%30] == 1 && x[o+20] == 0 })
	}
	for _, noise := range []float64{0, 0.05} {
		tab := sampled(t, 40, 400, noise, nil, 5, fs...)
		var first *Structure
		for threads := 1; threads <= 3; threads += 2 {
			st, err := Learn(context.Background(), tab, Options{Seed: 4, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = st
			} else if !reflect.DeepEqual(st, first) {
				t.Errorf("noise %v: %d threads give another result", noise, threads)
			}
		}
	}
}

// TestCells compares counts with maps.
func TestCells(t *testing.T) {
	tab := sampled(t, 12, 300, 0.2, nil, 9, func(x []int) bool { return x[1]|x[2] == 1 })
	rows := integer.Below[int32](tab.Rows())
	for _, inputs := range [][]int{nil, {3}, {1, 2}, {0, 5, 7, 11}} {
		cells := map[string][2]int{}
		for _, r := range rows {
			key := ""
			for _, b := range inputs {
				key += fmt.Sprint(tab.bit(r, b))
			}
			c := cells[key]
			if tab.Output(int(r), 0) {
				c[1]++
			} else {
				c[0]++
			}
			cells[key] = c
		}
		wrong := 0
		for _, c := range cells {
			wrong += min(c[0], c[1])
		}
		if n, e := tab.cells(rows, 0, inputs); n != len(cells) || e != wrong {
			t.Errorf("inputs %v: %d cells and %d errors, expected %d and %d", inputs, n, e, len(cells), wrong)
		}
	}
}

// TestMissing: unknown inputs and outputs cost rows, not exactness, and do not
// count as exceptions of the functions found.
func TestMissing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	tab := NewTable(30, 2, [][]int{{0, 1}})
	want := [][]int{{0, 1, 5}, {7, 8}}
	for range 3000 {
		in := rng.Uint64() & (1<<30 - 1)
		b := func(i int) uint64 { return in >> i & 1 }
		out := b(0)&b(1)&^b(5) | (b(7)^b(8))<<1
		inKnown, outKnown := ^uint64(0), ^uint64(0)
		for i := range 30 {
			if rng.IntN(50) == 0 {
				inKnown &^= 1 << i
			}
		}
		if rng.IntN(20) == 0 {
			outKnown &^= 1 << rng.IntN(2)
		}
		seen := in&inKnown | rng.Uint64()&^inKnown&(1<<30-1)
		tab.Add([]uint64{seen}, []uint64{out ^ rng.Uint64()&^outKnown&3}, []uint64{inKnown}, []uint64{outKnown})
	}
	if err := tab.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := Learn(context.Background(), tab, Options{Seed: 1, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	for o, inputs := range want {
		if got := &st.Outputs[o]; !slices.Equal(got.Inputs, inputs) || got.Wrong != 0 || got.Verdict != Exact {
			t.Errorf("output %d: inputs %v, %d wrong, %s, expected %v and none wrong", o, got.Inputs, got.Wrong, got.Verdict, inputs)
		}
	}
}

// TestVerdict tells single wrong values from a variable that is not recorded.
func TestVerdict(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	hidden := func(x []int) bool { return x[3]&x[4] == 1 || x[5] == 1 && rng.IntN(2) == 1 }
	for _, c := range []struct {
		noise float64
		f     func(x []int) bool
		want  Verdict
	}{
		{0, func(x []int) bool { return x[3]&x[4] == 1 || x[5] == 1 }, Exact},
		{0.03, func(x []int) bool { return x[3]&x[4] == 1 || x[5] == 1 }, Noise},
		{0, hidden, Hidden},
	} {
		st, err := Learn(context.Background(), sampled(t, 20, 4000, c.noise, nil, 2, c.f), Options{})
		if err != nil {
			t.Fatal(err)
		}
		// Where chance decides, inputs that it seems to follow may come in.
		o := &st.Outputs[0]
		all := slices.Contains(o.Inputs, 3) && slices.Contains(o.Inputs, 4) && slices.Contains(o.Inputs, 5)
		if o.Verdict != c.want || !all || c.want != Hidden && len(o.Inputs) > 3 {
			t.Errorf("noise %v: %s with inputs %v, expected %s", c.noise, o.Verdict, o.Inputs, c.want)
		}
	}
}

// TestManyInputs: a function of more inputs than a function may have is described
// by a tree over those that matter most.
func TestManyInputs(t *testing.T) {
	tab := sampled(t, 100, 700, 0, nil, 6, func(x []int) bool {
		sum := 0
		for _, v := range x {
			sum += v
		}
		return sum > 50 || sum > 46 && x[0] == 1
	})
	st, err := Learn(context.Background(), tab, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := &search{t: tab, x: newXlog2(tab.Rows()), rows: make([]int32, tab.Rows())}
	for i := range s.rows {
		s.rows[i] = int32(i)
	}
	for _, n := range []int{len(st.Outputs[0].Inputs), len(s.growAll(false).Inputs())} {
		if n > MaxInputs {
			t.Errorf("%d inputs, expected at most %d", n, MaxInputs)
		}
	}
}

// TestRepeated: few distinct rows that are seen again and again, and never contradict each
// other, have no noise, however many the functions leave unexplained.
func TestRepeated(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	tab := NewTable(12, 12, nil)
	for range 600 {
		in := rng.Uint64() % 60 * 67 % 4096
		out := in*in>>3 ^ in<<2
		tab.Add([]uint64{in}, []uint64{out & 4095}, nil, nil)
	}
	if err := tab.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := Learn(context.Background(), tab, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for o := range st.Outputs {
		if st.Noisy || st.Outputs[o].Wrong > 0 {
			t.Errorf("output %d: %d of %d rows wrong, noisy %v", o, st.Outputs[o].Wrong, st.Outputs[o].Rows, st.Noisy)
		}
	}
}

// TestKinds: functions whose table is too large for the rows are learned as counts and rules.
func TestKinds(t *testing.T) {
	groups := [][]int{}
	for _, c := range []struct {
		name string
		kind Kind
		f    func(x []int) bool
	}{
		{"majority of 15", ByCount, func(x []int) bool {
			n := 0
			for _, v := range x[:15] {
				n += v
			}
			return n > 7
		}},
		{"multiplexer of 16", ByRules, func(x []int) bool { return x[4+number(x, 0, 1, 2, 3)] == 1 }},
		{"and of two", ByTable, func(x []int) bool { return x[3]&x[17] == 1 }},
	} {
		tab := sampled(t, 20, 3000, 0, groups, 3, c.f)
		st, err := Learn(context.Background(), tab, Options{Seed: 1, Sums: true})
		if err != nil {
			t.Fatal(err)
		}
		other := sampled(t, 20, 3000, 0, groups, 4, c.f)
		wrong := 0
		for r := range other.Rows() {
			if st.Outputs[0].Eval(other.Input(r)) != other.Output(r, 0) {
				wrong++
			}
		}
		if st.Outputs[0].Kind != c.kind || wrong > 0 {
			t.Errorf("%s: kind %s, %d of %d other rows wrong; expected kind %s and none", c.name, st.Outputs[0].Kind, wrong, other.Rows(), c.kind)
		}
	}
}
