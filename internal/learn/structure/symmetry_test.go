package structure

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fdplan/fdplan/internal/integer"
)

// exchange is the exchange of objects 0 and k among n, whose inputs and outputs are numbered
// kind by kind.
func exchange(n, k, inputs, outputs int) Permutation {
	p := identity(inputs, outputs)
	for _, list := range [][]int{p.Inputs, p.Outputs} {
		for at := 0; at < len(list); at += n {
			list[at], list[at+k] = at+k, at
		}
	}
	return p
}

// visitors is a world of n objects, as of visitors: one that asks enters if nobody is in, and
// one that is in stays. The special one never enters.
func visitors(n, special int) []func(x []int) bool {
	var fs []func(x []int) bool
	for o := range n {
		fs = append(fs, func(x []int) bool {
			some := false
			for k := range n {
				some = some || x[k] == 1
			}
			return x[o] == 1 || x[n+o] == 1 && !some && o != special
		})
	}
	return fs
}

// TestSymmetry: outputs of exchangeable objects are learned from rows that do not suffice for
// each by itself.
func TestSymmetry(t *testing.T) {
	const n, rows = 9, 150
	var group []Permutation
	for k := 1; k < n; k++ {
		group = append(group, exchange(n, k, 2*n, n))
	}
	wrong := func(special int, symmetries [][]Permutation) int {
		fs := visitors(n, special)
		tab := NewTable(2*n, n, nil)
		rng := rand.New(rand.NewPCG(3, 4))
		draw := func() (x []int, in []uint64) {
			x, in = make([]int, 2*n), []uint64{0}
			for i := range x {
				if x[i] = rng.IntN(2); i < n && rng.IntN(4) > 0 {
					x[i] = 0
				}
				in[0] |= uint64(x[i]) << i
			}
			return x, in
		}
		for range rows {
			x, in := draw()
			out := []uint64{0}
			for o, f := range fs {
				if f(x) {
					out[0] |= 1 << o
				}
			}
			tab.Add(in, out, nil, nil)
		}
		if err := tab.Close(); err != nil {
			t.Fatal(err)
		}
		tab.Symmetries = symmetries
		st, err := Learn(context.Background(), tab, Options{Seed: 1, Sums: true})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Learn(context.Background(), tab, Options{Seed: 1, Sums: true, Threads: 3})
		if err != nil || !reflect.DeepEqual(st, again) {
			t.Errorf("three threads give another result; error %v", err)
		}
		bad := 0
		for range 2000 {
			x, in := draw()
			for o, f := range fs {
				if st.Outputs[o].Eval(in) != f(x) {
					bad++
				}
			}
		}
		return bad
	}
	alone, together := wrong(-1, nil), wrong(-1, [][]Permutation{group})
	if together > 0 || alone == 0 {
		t.Errorf("%d wrong values with symmetries, %d without; expected 0 and some", together, alone)
	}
	// Where one object differs, rows contradict the symmetry, and nothing changes.
	if alone, together := wrong(4, nil), wrong(4, [][]Permutation{group}); alone != together {
		t.Errorf("an object that differs: %d wrong values with symmetries, %d without", together, alone)
	}
}

// TestMoved: the description of an output is that of another one for renamed rows.
func TestMoved(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const n = 8
	tab := sampled(t, n, 200, 0, nil, 1, func(x []int) bool { return x[0]&x[1]|x[5]&x[7] == 1 })
	l := &learner{ctx: context.Background(), t: tab, o: Options{Sums: true}, x: newXlog2(tab.Rows())}
	all := integer.Below[int32](tab.Rows())
	for _, kind := range []Kind{ByTable, ByRules, ByTree} {
		out := l.learn(0, all, false, kind)
		p := Permutation{rng.Perm(n), []int{0}}
		moved := out.moved(p)
		for in := range uint64(1 << n) {
			var renamed uint64
			for i, to := range p.Inputs {
				renamed |= in >> i & 1 << to
			}
			if out.Eval([]uint64{in}) != moved.Eval([]uint64{renamed}) {
				t.Fatalf("%s: renaming by %v changes the value at %b", kind, p.Inputs, in)
			}
		}
	}
}

// TestSharedWhereOpen: outputs of which no row held out is wrong are learned together where rows
// leave much to their descriptions and one for all is shorter, and not otherwise.
func TestSharedWhereOpen(t *testing.T) {
	const n = 4
	tab := sampled(t, 2*n, 100, 0, nil, 3, visitors(n, -1)...)
	var group []Permutation
	for k := 1; k < n; k++ {
		group = append(group, exchange(n, k, 2*n, n))
	}
	all := tab.all()
	folds := []fold{{rows: all[:80], held: all[80:]}}
	for _, c := range []struct {
		open     bool
		literals int
		want     bool
	}{{true, 1000, true}, {true, 1, false}, {false, 1000, false}} {
		l := &learner{ctx: context.Background(), t: tab, o: Options{Sums: true}, x: newXlog2(tab.Rows())}
		st := &Structure{Outputs: make([]Output, n)}
		for o := range st.Outputs {
			st.Outputs[o].Open, st.Outputs[o].Literals = c.open, c.literals
		}
		with := make([]*shared, n)
		better, _ := l.tryOrbit(&tab.orbits(group)[0], folds, st, make([][][]bool, n), with)
		if better != c.want || (with[n-1] != nil) != c.want {
			t.Errorf("open %v, %d literals each: learned together %v, expected %v", c.open, c.literals, better, c.want)
		}
	}
}
