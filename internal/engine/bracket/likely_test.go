package bracket

import (
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/integer"
)

// lock is a row of switches that open in turn, each with probability 0.9; all of them open pay 10 in the step after. Another action pays
// 0.1 at once, and shuts all.
type lock struct{ n int }

func (l lock) Words() int                               { return 1 }
func (l lock) Start(state []uint64)                     { state[0] = 0 }
func (l lock) Kind([]uint64) (k policy.Kind, _ error)   { return k, nil }
func (l lock) Plain() bool                              { return true }
func (l lock) Actions() int                             { return l.n + 2 }
func (l lock) Conditions() []Scope                      { return nil }
func (l lock) Condition(int, []uint64) (bool, error)    { return false, nil }
func (l lock) TermRange(int) (lo, hi float64)           { return 0, 10 }
func (l lock) Rules() []Scope                           { return nil }
func (l lock) Rule(int, []uint64, uint32) (bool, error) { return true, nil }

func (l lock) Fields() (list []Field) {
	for i := range l.n {
		list = append(list, Field{Shift: uint(i), Most: 1})
	}
	return list
}

func (l lock) Legal(_ []uint64, list []uint32) ([]uint32, error) {
	list = list[:0]
	for a := range l.Actions() {
		list = append(list, uint32(a))
	}
	return list, nil
}

// class has an action for itself, with number 0 for all others.
func (l lock) class(of ...int) (c []uint32) {
	for a := range l.Actions() {
		c = append(c, uint32(slices.Index(of, a)+1))
	}
	return c
}

func (l lock) Factors() (list []Scope) {
	for i := range l.n {
		reads := []int{i}
		if i > 0 {
			reads = []int{i - 1, i}
		}
		list = append(list, Scope{Reads: reads, Writes: []int{i}, Classes: l.class(i+1, l.n+1), Count: 3})
	}
	return list
}

func (l lock) Terms() []Scope {
	all := integer.Below[int](l.n)
	return []Scope{{Reads: all, Classes: l.class(l.n + 1), Count: 2}}
}

func (l lock) Draw(i int, state []uint64, a uint32) (*Draw, error) {
	bit := state[0] & (1 << i)
	switch {
	case int(a) == l.n+1:
		bit = 0
	case int(a) == i+1 && bit == 0 && (i == 0 || state[0]>>(i-1)&1 == 1):
		return &Draw{P: []float64{.1, .9}, Bits: []uint64{0, 1 << i}}, nil
	}
	return &Draw{P: []float64{1}, Bits: []uint64{bit}}, nil
}

func (l lock) Needs(i int, _ uint32) []int { return l.Factors()[i].Reads }

func (l lock) Term(_ int, state []uint64, a uint32) (r float64, _ error) {
	if state[0] == 1<<l.n-1 {
		r = 10
	}
	if int(a) == l.n+1 {
		r += .1
	}
	return r, nil
}

// TestLikely: the base plans through the lock, and is what is done where the tables are too small to see the way; neither trials nor
// comparisons lead away from it.
func TestLikely(t *testing.T) {
	m := lock{6}
	s, err := New(t.Context(), m, Options{Objective: policy.Reward, Horizon: 12, Seed: 1, Leaves: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	for left, state := 12, uint64(0); left > 6; left-- {
		a, ok, err := s.Likely([]uint64{state}, left)
		if err != nil || !ok || state<<1|1 != state|1<<(a-1) {
			t.Fatalf("with %d steps left in state %b: action %d, %v, %v", left, state, a, ok, err)
		}
		state |= 1 << (a - 1)
	}
	for _, s.base = range []base{byTables, byLikely} {
		a, ok, err := s.Decide([]uint64{0}, 12, nil)
		if err != nil || !ok || a != 1 {
			t.Errorf("base %d: action %d, %v, %v; expected the first switch", s.base, a, ok, err)
		}
	}
	// A search that takes the small reward is overruled.
	s.base = byLikely
	for range 2000 {
		if err := s.Trial([]uint64{0}, 12, false); err != nil {
			t.Fatal(err)
		}
	}
	n := &s.nodes[s.index[string(s.key([]uint64{0}, 12))]]
	for k := range n.acts {
		n.acts[k].baseV, n.acts[k].kids = 0, nil
		if n.acts[k].id == 7 {
			n.acts[k].baseV, n.acts[k].visits = 100, 1e6
		}
	}
	if a, _, _ := s.Choose([]uint64{0}, 12); a != 7 {
		t.Fatalf("the search takes %d", a)
	}
	if a, _, err := s.Decide([]uint64{0}, 12, nil); err != nil || a != 1 {
		t.Errorf("action %d, %v; expected the first switch", a, err)
	}
	// Without the time for a plan the base says nothing.
	clear(s.likely)
	asked := 0
	stop := func() bool { asked++; return asked > 3 }
	if a, ok, err := s.Decide([]uint64{0}, 12, stop); err != nil || !ok || a != 7 || asked != 4 {
		t.Errorf("action %d, %v, %v when the time was over, which was asked for %d times; expected that of the search, and 4", a, ok, err, asked)
	}
	// What the base takes is not compared where its upper bound is below what the search expects of another.
	n.acts[slices.IndexFunc(n.acts, func(x act) bool { return x.id == 1 })].baseU = 0
	if a, _, err := s.Decide([]uint64{0}, 12, nil); err != nil || a != 7 {
		t.Errorf("action %d, %v; expected that of the search", a, err)
	}
	n.acts[slices.IndexFunc(n.acts, func(x act) bool { return x.id == 1 })].baseU = 1000
	s.base = byTables
	if a, _, err := s.Decide([]uint64{0}, 12, nil); err != nil || a != 1 {
		t.Errorf("by tables: action %d, %v; expected the first switch", a, err)
	}
}

// TestCompare: where the tables are wrong, the base is another.
func TestCompare(t *testing.T) {
	s, err := New(t.Context(), lock{4}, Options{Objective: policy.Reward, Horizon: 8, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for left := 1; left <= 8; left++ {
		for state := range uint64(16) {
			s.known[string(s.key([]uint64{state}, left))] = 5 // it shuts the lock
		}
	}
	if err := s.compare(t.Context()); err != nil || s.By() != "plans with the most likely outcomes" {
		t.Errorf("the base %s, %v; expected plans", s.By(), err)
	}
}
