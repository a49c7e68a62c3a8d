package structure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/cubes"
)

// TestCover: the description of random values has all of those that are on and none of those
// that are off, and so does its tree; no cube could have one input less.
func TestCover(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rng.IntN(8)
		var v values
		inputs := make([]int, n)
		for i := range inputs {
			inputs[i] = 3 * i
		}
		for cell := range uint64(1) << n {
			if rng.IntN(3) > 0 {
				v.take(cell, rng.IntN(4) == 0)
			}
		}
		d := v.describe(n, rng.IntN(n+1)-1)
		tree := d.tree(inputs)
		is := func(cell uint64) bool {
			y := slices.ContainsFunc(d.cubes, func(c cubes.Cube) bool { return c.Has(cell) })
			if d.own >= 0 {
				return y != (cell>>d.own&1 == 1)
			}
			return y != d.negated
		}
		for cell := range uint64(1) << n {
			in := make([]uint64, 1)
			for i, b := range inputs {
				in[0] |= cell >> i & 1 << b
			}
			if slices.Contains(v.on, cell) && !is(cell) || slices.Contains(v.off, cell) && is(cell) {
				t.Fatalf("seed %d: the description is wrong at %b", seed, cell)
			}
			if tree.Eval(in) != is(cell) {
				t.Fatalf("seed %d: the tree is not that of the description at %b", seed, cell)
			}
		}
		checkPrime(t, v, d)
	}
}

// checkPrime fails if a cube of a description could have one input less.
func checkPrime(t *testing.T, v values, d description) {
	t.Helper()
	out := v.off
	switch {
	case d.negated:
		out = v.on
	case d.own >= 0:
		out = v.against(d.own).off
	}
	for _, c := range d.cubes {
		for i := range 64 {
			wider := cubes.Cube{Care: c.Care &^ (1 << i), Value: c.Value}
			if wider.Care != c.Care && !slices.ContainsFunc(out, wider.Has) {
				t.Fatalf("cube %b of %b does not need input %d", c.Value, c.Care, i)
			}
		}
	}
}

// TestRareValues: a disjunction of conjunctions is found from rows that lack a third of the
// values, where a tree would be wrong on some of these.
func TestRareValues(t *testing.T) {
	f := func(x []int) bool { return x[1]&x[6] == 1 || x[2]&x[7] == 1 || x[3]&x[8] == 1 || x[4]&x[9] == 1 }
	rng := rand.New(rand.NewPCG(5, 5))
	tab := NewTable(12, 1, nil)
	for range 400 {
		x := make([]int, 12)
		in, out := make([]uint64, 1), make([]uint64, 1)
		for i := range x {
			if rng.IntN(4) == 0 {
				x[i], in[0] = 1, in[0]|1<<i
			}
		}
		if f(x) {
			out[0] = 1
		}
		tab.Add(in, out, nil, nil)
	}
	if err := tab.Close(); err != nil {
		t.Fatal(err)
	}
	l := &learner{ctx: context.Background(), t: tab, x: newXlog2(tab.Rows())}
	out := l.learn(0, tab.all(), false, ByTable)
	if !out.Open || out.Cells == 1<<len(out.Inputs) {
		t.Fatal("the rows have all values of the inputs")
	}
	if wrong := wrongValues(&out, 12, f); wrong > 0 {
		t.Errorf("%d of %d values are wrong", wrong, 1<<12)
	}
	s := l.searchFor(0, tab.all())
	out.Tree = s.grow(tab.all(), s.consistent().inputs, true, false)
	if wrong := wrongValues(&out, 12, f); wrong == 0 {
		t.Error("the tree is right as well")
	}
}

// wrongValues counts the values of n inputs for which an output is not f.
func wrongValues(o *Output, n int, f func(x []int) bool) (wrong int) {
	for cell := range uint64(1) << n {
		x := make([]int, n)
		for i := range x {
			x[i] = int(cell >> i & 1)
		}
		if o.Eval([]uint64{cell}) != f(x) {
			wrong++
		}
	}
	return wrong
}

// stock is a table of rows of a stock of 0..15 in bits 0 to 3, an order of 0..3 in bits 4 and 5,
// and sales in bits 6 and 7 of two and three. Rows for which next is negative are left out.
func stock(t *testing.T, rows int, next func(x []int) int) *Table {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	tab := NewTable(10, 4, [][]int{{0, 1, 2, 3}, {4, 5}})
	tab.Own = func(o int) int { return o }
	for tab.Rows() < rows {
		x := make([]int, 10)
		in, out := make([]uint64, 1), make([]uint64, 1)
		for i := range x {
			x[i] = rng.IntN(2)
			in[0] |= uint64(x[i]) << i
		}
		v := next(x)
		for o := range 4 {
			out[0] |= uint64(v>>(3-o)&1) << o
		}
		if v >= 0 {
			tab.Add(in, out, nil, nil)
		}
	}
	if err := tab.Close(); err != nil {
		t.Fatal(err)
	}
	return tab
}

func sold(x []int) int { return number(x, 0, 1, 2, 3) + number(x, 4, 5) - 2*x[6] - 3*x[7] }

// TestIntegerSum: an integer that is a sum is learned from few of its values. Sums beyond its range, or the
// limits that rows show, count as the least and the greatest value.
func TestIntegerSum(t *testing.T) {
	for _, c := range []struct {
		name string
		next func(x []int) int
	}{
		{"possible", func(x []int) int {
			if v := sold(x); v <= 15 {
				return v
			}
			return -1
		}},
		{"limited", func(x []int) int { return min(max(sold(x), 1), 12) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, err := Learn(context.Background(), stock(t, 120, c.next), Options{Seed: 1, Sums: true})
			if err != nil {
				t.Fatal(err)
			}
			for o := range st.Outputs {
				out := &st.Outputs[o]
				if out.Cells < 1<<len(out.Inputs) && out.Kind != BySum {
					t.Fatalf("output %d is described by %s, expected a sum", o, out.Kind)
				}
				if wrong := wrongBits(out, 3-o, c.next); wrong > 0 {
					t.Errorf("output %d: %d values are wrong", o, wrong)
				}
			}
			if out := &st.Outputs[0]; out.Kind != BySum || hasFree(out.Tree) {
				t.Errorf("kind %s, free %v; expected a sum", out.Kind, hasFree(out.Tree))
			}
		})
	}
}

// wrongBits counts the possible values of 10 inputs for which an output is not that bit of next.
func wrongBits(o *Output, bit int, next func(x []int) int) (wrong int) {
	for cell := range uint64(1) << 10 {
		x := make([]int, 10)
		for i := range x {
			x[i] = int(cell >> i & 1)
		}
		leaf := o.Tree.Leaf([]uint64{cell})
		if v := next(x); v >= 0 && (leaf.Free || leaf.Value != (v>>bit&1 == 1)) {
			wrong++
		}
	}
	return wrong
}

// TestNoIntegerSum: an integer is no sum if one row contradicts it.
func TestNoIntegerSum(t *testing.T) {
	for _, limits := range [][2]int{{0, 15}, {1, 12}} {
		tab := stock(t, 120, func(x []int) int { return min(max(sold(x), limits[0]), limits[1]) })
		linear := func() *Tree {
			return (&learner{t: tab, x: newXlog2(tab.Rows())}).searchFor(0, tab.all()).linear([]int{0, 1, 2, 3})
		}
		if linear() == nil {
			t.Error("no sum was found")
		}
		for r := range tab.out {
			if v := tab.out[r] & 15; v != 0 && v != 15 {
				tab.out[r] ^= 6
				break
			}
		}
		if linear() != nil {
			t.Error("a sum was found though a row is none")
		}
	}
}

func hasFree(n *Tree) bool {
	return n != nil && (n.Free || n.Zero != nil && (hasFree(n.Zero) || hasFree(n.One)))
}

// BenchmarkCover describes functions of which half of the values are known.
func BenchmarkCover(b *testing.B) {
	for _, n := range []int{6, 9, 12} {
		b.Run(fmt.Sprintf("inputs=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			var v values
			for cell := range uint64(1) << n {
				if rng.IntN(2) == 0 {
					v.take(cell, cell&3 == 3 || cell&12 == 12 || cell>>4&3 == 3)
				}
			}
			for b.Loop() {
				v.describe(n, 0)
			}
		})
	}
}
