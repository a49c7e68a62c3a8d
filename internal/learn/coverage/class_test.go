package coverage

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/structure"
)

var tables = flag.Int("tables", 30, "random tables whose version spaces are compared with brute force")

// drawnRows are random rows of some variables, with outputs that are random functions of a few.
type drawnRows struct {
	r      *rand.Rand
	vars   [][]int // bits
	apart  []bool  // by variable, at most one of its bits is true
	inputs int
	funcs  []map[string]bool
	reads  [][]int
}

func drawRows(seed uint64) *drawnRows {
	d := &drawnRows{r: rand.New(rand.NewPCG(seed, 5))}
	for range 2 + d.r.IntN(4) {
		var bits []int
		for range 1 + d.r.IntN(3)*d.r.IntN(2) {
			bits = append(bits, d.inputs)
			d.inputs++
		}
		d.vars, d.apart = append(d.vars, bits), append(d.apart, len(bits) > 1 && d.r.IntN(2) == 0)
	}
	for range 2 {
		d.reads = append(d.reads, d.r.Perm(len(d.vars))[:d.r.IntN(min(4, len(d.vars))+1)])
		d.funcs = append(d.funcs, map[string]bool{})
	}
	return d
}

// legal lists all rows.
func (d *drawnRows) legal() (rows []uint64) {
rows:
	for x := range uint64(1) << d.inputs {
		for v, bits := range d.vars {
			n := 0
			for _, b := range bits {
				n += int(x >> b & 1)
			}
			if d.apart[v] && n > 1 {
				continue rows
			}
		}
		rows = append(rows, x)
	}
	return rows
}

// joint is the value that a row has of some variables.
func (d *drawnRows) joint(x uint64, vars []int) string {
	var b strings.Builder
	for _, v := range vars {
		for _, bit := range d.vars[v] {
			b.WriteByte('0' + byte(x>>bit&1))
		}
	}
	return b.String()
}

func (d *drawnRows) value(o int, x uint64) bool {
	key := d.joint(x, d.reads[o])
	v, ok := d.funcs[o][key]
	if !ok {
		v = d.r.IntN(3) == 0
		d.funcs[o][key] = v
	}
	return v
}

func (d *drawnRows) table(t *testing.T, rows []uint64) *structure.Table {
	t.Helper()
	tab := structure.NewTable(d.inputs, len(d.reads), nil)
	together := map[[2]int]bool{}
	for v, bits := range d.vars {
		if !d.apart[v] {
			tab.Groups = append(tab.Groups, bits)
			continue
		}
		for _, a := range bits {
			for _, b := range bits {
				together[[2]int{2*a + 1, 2*b + 1}] = a != b
			}
		}
	}
	tab.Exclusive = func(a, b int) bool { return together[[2]int{a, b}] }
	for _, x := range rows {
		var out uint64
		for o := range d.reads {
			if d.value(o, x) {
				out |= 1 << o
			}
		}
		tab.Add([]uint64{x}, []uint64{out}, nil, nil)
	}
	if err := tab.Close(); err != nil {
		t.Fatal(err)
	}
	return tab
}

// values lists what all functions of at most k variables that agree with rows say of x, straight
// from the definition.
func (d *drawnRows) values(o, k int, rows []uint64, x uint64) (zero, one bool) {
	var walk func(from int, set []int)
	walk = func(from int, set []int) {
		if len(set) < k {
			for v := from; v < len(d.vars); v++ {
				walk(v+1, append(set[:len(set):len(set)], v))
			}
			return
		}
		seen := map[string]bool{}
		for _, r := range rows {
			key, y := d.joint(r, set), d.value(o, r)
			if was, ok := seen[key]; ok && was != y {
				return
			}
			seen[key] = y
		}
		y, ok := seen[d.joint(x, set)]
		zero, one = zero || !ok || !y, one || !ok || y
	}
	walk(0, nil)
	return zero, one
}

// TestVersionSpaces compares what is supported with the definition: all functions of the class
// that agree with the rows have the same value.
func TestVersionSpaces(t *testing.T) {
	supported, open := 0, 0
	for seed := range uint64(*tables) {
		d := drawRows(seed)
		legal := d.legal()
		d.r.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
		rows := slices.Clone(legal[:1+d.r.IntN(len(legal))])
		tab := d.table(t, rows)
		st, err := structure.Learn(t.Context(), tab, structure.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if st.Noisy {
			continue
		}
		s := SupportOf(tab, st)
		lines, err := s.Lines()
		if err != nil {
			t.Fatal(err)
		}
		if s, _, err = ParseSupport(lines, s.Inputs, s.Outputs); err != nil {
			t.Fatal(err)
		}
		if s.Variables != len(d.vars) {
			t.Errorf("table %d: %d variables, expected %d", seed, s.Variables, len(d.vars))
		}
		for _, x := range legal {
			var out uint64
			var want []int
			for o, c := range s.Classes {
				if c.K != min(len(d.vars), max(LeastK, c.Fit+1)) {
					t.Fatalf("table %d: K is %d, %d fit", seed, c.K, c.Fit)
				}
				switch zero, one := d.values(o, c.K, rows, x); {
				case zero && one:
					want = append(want, o)
				case one:
					out |= 1 << o
				}
			}
			supported, open = supported+len(s.Classes)-len(want), open+len(want)
			got := slices.DeleteFunc(s.Open([]uint64{x}, []uint64{out}), func(o int) bool { return slices.Contains(want, o) })
			other := s.Open([]uint64{x}, []uint64{^out})
			if len(got) > 0 || len(other) < s.Outputs || len(s.Open([]uint64{x}, []uint64{out})) < len(want) {
				t.Fatalf("table %d of %d rows, row %b: %v are open, expected %v", seed, len(rows), x, s.Open([]uint64{x}, []uint64{out}), want)
			}
		}
	}
	t.Logf("%d values supported, %d open", supported, open)
	if supported == 0 || open == 0 {
		t.Error("expected some of both")
	}
}
