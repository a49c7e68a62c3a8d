package structure

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
)

var drifts = flag.Int("drifts", 2, "random systems of each kind in whose logs a change is looked for")

// drifting is a random system of some bits, each next bit a function of at most three.
type drifting struct {
	r      *rand.Rand
	bits   int
	states int
	reads  [][]int
	tables []uint64
}

func newDrifting(seed uint64) *drifting {
	d := &drifting{r: rand.New(rand.NewPCG(seed, 0x6472))}
	d.states = 5 + d.r.IntN(10)
	d.bits = d.states + 2 + d.r.IntN(4)
	for i := range d.states {
		d.reads = append(d.reads, append(d.r.Perm(d.bits)[:d.r.IntN(3)], i))
		d.tables = append(d.tables, d.r.Uint64())
	}
	return d
}

func (d *drifting) next(now uint64) (next uint64) {
	for i, reads := range d.reads {
		next |= d.tables[i] >> Cell([]uint64{now}, reads) & 1 << i
	}
	return next
}

// change gives one output another function.
func (d *drifting) change() {
	o := d.r.IntN(d.states)
	switch d.r.IntN(3) {
	case 0: // of the same inputs, in some cells
		d.tables[o] ^= 1 | d.r.Uint64()
	case 1:
		d.reads[o], d.tables[o] = d.r.Perm(d.bits)[:2], 0x6
	default:
		d.tables[o] = ^d.tables[o]
	}
}

// TestDrift: a change of the system in the middle of a log is found, near the row where it
// happens, and none is found in logs of systems that do not change, whatever else is wrong.
func TestDrift(t *testing.T) {
	for _, c := range []struct {
		name   string
		drift  bool
		rate   float64 // of flipped next bits
		walk   bool
		hidden float64 // rate at which a bit turns over that is not recorded; 0 for none
	}{
		{"walk", true, 0, true, 0}, {"drawn", true, 0, false, 0}, {"drawn, noise", true, 0.02, false, 0},
		{"stationary walk", false, 0, true, 0}, {"stationary", false, 0, false, 0}, {"noise", false, 0.03, true, 0},
		{"much noise", false, 0.2, false, 0}, {"hidden", false, 0, true, 0.1},
	} {
		right, wrong := 0, 0
		for seed := range uint64(*drifts) {
			d := newDrifting(seed)
			n := []int{300, 1000, 3000}[d.r.IntN(3)]
			at := n
			if c.drift {
				at = n/5 + d.r.IntN(3*n/5)
			}
			tab := NewTable(d.bits, d.states, nil)
			before, shown := *d, 0 // rows that the system before the change contradicts
			before.reads, before.tables = slices.Clone(d.reads), slices.Clone(d.tables)
			now, hidden := d.r.Uint64()&(1<<d.bits-1), false
			for i := range n {
				if i == at {
					d.change()
				}
				if !c.walk || d.r.IntN(10) == 0 {
					now = d.r.Uint64() & (1<<d.bits - 1)
				}
				next := d.next(now)
				if next != before.next(now) {
					shown++
				}
				for o := range d.states {
					if d.r.Float64() < c.rate || o == 0 && hidden {
						next ^= 1 << o
					}
				}
				hidden = hidden != (d.r.Float64() < c.hidden)
				tab.Add([]uint64{now}, []uint64{next}, nil, nil)
				now = next | d.r.Uint64()&(1<<d.bits-1)>>d.states<<d.states
			}
			found, err := FindDrift(t.Context(), tab, nil)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case found == nil && (!c.drift || shown < 20):
				right++
			case found != nil && c.hidden > 0 && found.Again:
				right++ // it does change, more than once
			case found != nil && c.drift && 50*max(found.Row-at, at-found.Row) <= n:
				right++
			case found == nil:
				t.Logf("%s, system %d: no change is found, at row %d of %d, which %d rows show", c.name, seed, at, n, shown)
			default:
				wrong++
				t.Logf("%s, system %d: a change at row %d of %d (%v, %.0f bits), it is at %d", c.name, seed, found.Row, n, *found, found.Bits, at)
			}
		}
		t.Logf("%s: right of %d of %d, wrong of %d", c.name, right, *drifts, wrong)
		if wrong > 0 || 50*right < 49**drifts {
			t.Errorf("%s: right of %d of %d, wrong of %d", c.name, right, *drifts, wrong)
		}
	}
}
