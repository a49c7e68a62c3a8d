package versions

import (
	"flag"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

var worlds = flag.Int("worlds", 40, "random functions whose version spaces are compared with brute force")

// world draws rows of a random function of some variables.
type world struct {
	domain []int
	reads  []int
	table  map[string]bool
	r      *rand.Rand
}

func newWorld(seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 1)), table: map[string]bool{}}
	for range 2 + w.r.IntN(4) {
		w.domain = append(w.domain, 1+w.r.IntN(3))
	}
	w.reads = w.r.Perm(len(w.domain))[:w.r.IntN(min(4, len(w.domain)+1))]
	return w
}

func (w *world) value(at Point) bool {
	var key []byte
	for _, v := range w.reads {
		key = append(key, byte(at[v]))
	}
	x, ok := w.table[string(key)]
	if !ok {
		x = w.r.IntN(2) == 0
		w.table[string(key)] = x
	}
	return x
}

// points lists all points.
func points(domain []int) []Point {
	all := []Point{{}}
	for _, n := range domain {
		var next []Point
		for _, p := range all {
			for x := range n {
				next = append(next, append(slices.Clone(p), uint16(x)))
			}
		}
		all = next
	}
	return all
}

// values is Values straight from the definition: all sets of at most k variables are tried.
func values(domain []int, rows []row, k int, at Point) (zero, one bool) {
	for set := range 1 << len(domain) {
		var vars []int
		for v := range domain {
			if set>>v&1 == 1 {
				vars = append(vars, v)
			}
		}
		if len(vars) > k {
			continue
		}
		key := func(p Point) string {
			var b []byte
			for _, v := range vars {
				b = append(b, byte(p[v]))
			}
			return string(b)
		}
		seen, ok := map[string]bool{}, true
		for _, r := range rows {
			if was, there := seen[key(r.at)]; there && was != r.on {
				ok = false
			}
			seen[key(r.at)] = r.on
		}
		if !ok {
			continue
		}
		v, there := seen[key(at)]
		zero, one = zero || !there || !v, one || !there || v
	}
	return zero, one
}

// TestValues compares version spaces of random functions with all functions by brute force, at all points, after each
// row, and their cubes.
func TestValues(t *testing.T) {
	for seed := range uint64(*worlds) {
		w := newWorld(seed)
		all := points(w.domain)
		f := New(w.domain)
		for range 1 + w.r.IntN(12) {
			at := all[w.r.IntN(len(all))]
			if !f.Add(at, w.value(at)) {
				t.Fatalf("world %d: a row contradicts itself", seed)
			}
			for k := range len(w.domain) + 1 {
				compare(t, seed, f, k, all)
			}
		}
	}
}

func compare(t *testing.T, seed uint64, f *Function, k int, all []Point) {
	t.Helper()
	for _, at := range all {
		zero, one := f.Values(k, at)
		wantZero, wantOne := values(f.domain, f.rows, k, at)
		if zero != wantZero || one != wantOne {
			t.Fatalf("world %d, %d rows, k %d, at %v: %v %v; expected %v %v", seed, len(f.rows), k, at, zero, one, wantZero, wantOne)
		}
		if (f.Least(len(f.domain)) <= k) != (zero || one) {
			t.Fatalf("world %d: least %d, k %d: %v %v", seed, f.least, k, zero, one)
		}
		if zero == one {
			continue
		}
		fixed := f.Cube(k, at, one, nil)
		for _, other := range all {
			if slices.ContainsFunc(fixed, func(v int) bool { return other[v] != at[v] }) {
				continue
			}
			if z, o := values(f.domain, f.rows, k, other); z != zero || o != one {
				t.Fatalf("world %d, k %d: the cube of %v over %v has %v, where the values are %v %v", seed, k, at, fixed, other, z, o)
			}
		}
	}
}

// TestContradiction is about a point with two values.
func TestContradiction(t *testing.T) {
	f := New([]int{2, 2})
	for i, c := range []struct{ on, want bool }{{true, true}, {true, true}, {false, false}} {
		if f.Add(Point{0, 1}, c.on) != c.want || f.Rows() != 1 {
			t.Errorf("row %d", i)
		}
	}
}

// TestDecisive holds the variables that a function is known to read against all consistent sets.
func TestDecisive(t *testing.T) {
	known := 0
	for seed := range uint64(*worlds) {
		w := newWorld(seed)
		f, all := New(w.domain), points(w.domain)
		for range 1 + w.r.IntN(2*len(all)) {
			at := all[w.r.IntN(len(all))]
			f.Add(at, w.value(at))
		}
		for k := range len(w.domain) + 1 {
			common, any := 1<<len(w.domain)-1, false
			for set := range 1 << len(w.domain) {
				if bits.OnesCount(uint(set)) <= k && agrees(f.rows, set) {
					common, any = common&set, true
				}
			}
			smallest := any && agrees(f.rows, common) // the intersection is consistent itself
			vars, ok := f.Decisive(k)
			got := 0
			for _, v := range vars {
				got |= 1 << v
			}
			if ok != smallest || ok && got != common {
				t.Fatalf("seed %d, k %d: %b %v; expected %b %v", seed, k, got, ok, common, smallest)
			}
			if ok {
				known++
				cells, on := f.Cells(vars)
				for i, at := range cells {
					if !slices.ContainsFunc(f.rows, func(r row) bool { return slices.Equal(r.at, at) && r.on == on[i] }) {
						t.Fatalf("seed %d: a cell that no row has", seed)
					}
				}
			}
		}
	}
	if known == 0 {
		t.Fatal("nothing was ever known")
	}
}

// agrees reports whether no two rows that agree on a set have different values.
func agrees(rows []row, set int) bool {
	for _, a := range rows {
		for _, b := range rows {
			same := true
			for v := range a.at {
				same = same && (set>>v&1 == 0 || a.at[v] == b.at[v])
			}
			if same && a.on != b.on {
				return false
			}
		}
	}
	return true
}

// TestDoubt: nothing is uncertain exactly where all functions have the same value.
func TestDoubt(t *testing.T) {
	known := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		domain := make([]int, 3+r.IntN(4))
		for v := range domain {
			domain[v] = 2 + r.IntN(2)
		}
		draw := func() Point {
			at := make(Point, len(domain))
			for v := range at {
				at[v] = uint16(r.IntN(domain[v]))
			}
			return at
		}
		f, a, b := New(domain), r.IntN(len(domain)), r.IntN(len(domain))
		for range r.IntN(30) {
			at := draw()
			f.Add(at, at[a] == at[b] || at[a] == 0)
			x := draw()
			zero, one := f.Values(2, x)
			d, ok := f.Doubt(2, x)
			if !ok || (d == 0) == (zero && one) || d < 0 || d > 1 {
				t.Fatalf("seed %d: doubt %v, %v at %v, where functions have 0: %v, 1: %v", seed, d, ok, x, zero, one)
			}
			if d == 0 {
				known++
			}
		}
	}
	if known < 100 {
		t.Errorf("%d points were certain; expected at least 100", known)
	}
	if _, ok := New(make([]int, 200)).Doubt(3, make(Point, 200)); ok {
		t.Error("more than a million sets were listed")
	}
}
