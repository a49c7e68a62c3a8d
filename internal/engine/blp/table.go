package blp

import (
	"context"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
)

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }
func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }

// relation is a step with the neurons of the network as masks over its local variables: those
// of the block at t, and those of the next at stride more.
type relation struct {
	*step.Step
	units [][]unit // by layer, constants included
}

// unit is a neuron whose inputs are masks over a row's words.
type unit struct {
	out       int // local variable
	threshold int
	words     []mask
}

// mask picks the inputs of a unit out of one word.
type mask struct {
	word       int
	plus, less uint64 // inputs that count when true, and when false
}

func newRelation(t engine.Task) (*relation, error) {
	one, err := step.New(t)
	if err != nil {
		return nil, err
	}
	s := &relation{Step: one}
	var constant []unit
	for i := range s.Here.Sums[model.Network] { // units that are constant
		l := s.Here.Sums[model.Network][i].Terms[0].Lit
		u := unit{out: int(l.Var())}
		if l < 0 {
			u.threshold = 1
		}
		constant = append(constant, u)
	}
	s.units = append(s.units, constant)
	for _, layer := range s.Here.Layers {
		var list []unit
		for i := range layer {
			list = append(list, newUnit(&layer[i]))
		}
		s.units = append(s.units, list)
	}
	return s, nil
}

func newUnit(n *model.Neuron) unit {
	u := unit{out: int(n.Out.Var()), threshold: n.Threshold}
	for _, l := range n.Inputs {
		v := int(l.Var())
		i := slices.IndexFunc(u.words, func(m mask) bool { return m.word == v/64 })
		if i < 0 {
			i = len(u.words)
			u.words = append(u.words, mask{word: v / 64})
		}
		if l < 0 {
			u.words[i].less |= 1 << (v % 64)
		} else {
			u.words[i].plus |= 1 << (v % 64)
		}
	}
	return u
}

// count is the number of active inputs in a row.
func (u *unit) count(row bitset) int {
	n := 0
	for _, m := range u.words {
		w := row[m.word]
		n += bits.OnesCount64(w&m.plus) + bits.OnesCount64(^w&m.less)
	}
	return n
}

// forward sets the units of a row whose state and action are in place.
func (s *relation) forward(row bitset) {
	for _, layer := range s.units {
		for i := range layer {
			if u := &layer[i]; u.count(row) >= u.threshold {
				row.add(u.out)
			}
		}
	}
}

// width is the number of bits of a row: local variables of both blocks, from 1.
func (s *relation) width() int { return int(s.Model.NumVars()) + 1 }

// table holds rows: pairs of state and action with the values of all units and of
// what the network says of the state after. A row is a bitset over local
// variables.
type table []bitset

// legal enumerates the pairs of a step that C and T do not refute. all has every
// pair that they leave by propagation over single constraints; legal those of
// them after which C holds with the state that the network gives. Both are nil
// when they are more than most or the context ends.
func (s *relation) legal(ctx context.Context, most int) (all, legal table) {
	st := s.System(s.Here.Sums[model.Global], s.Here.Sums[model.Transition], s.After()).NewState()
	st.SetInterrupt(func() bool { return ctx.Err() != nil })
	all, legal = table{}, table{}
	if !st.Consistent() {
		return all, legal
	}
	rest := slices.Concat(s.Free, s.Aux, s.Paid)
	whole := st.Each(slices.Concat(s.Now, s.Actions), func() bool {
		row := s.row(func(l model.Lit) bool { return st.Value(l) > 0 })
		all = append(all, row)
		mark := st.Mark()
		ok := true
		for _, l := range s.Learned {
			if !row.has(int(l)) {
				l = -l
			}
			ok = ok && st.Assign(l)
		}
		if ok && st.Satisfiable(rest) {
			legal = append(legal, row)
		}
		st.Undo(mark)
		return len(all) <= most
	})
	if !whole || st.Interrupted() {
		return nil, nil
	}
	return all, legal
}

// row makes the row of a state and an action.
func (s *relation) row(value func(model.Lit) bool) bitset {
	row := newBitset(s.width())
	for _, list := range [][]model.Lit{s.Now, s.Actions} {
		for _, l := range list {
			if value(l) {
				row.add(int(l))
			}
		}
	}
	s.forward(row)
	return row
}

// at keeps the rows that agree with what is fixed of lits at step t.
func (s *relation) at(rows table, m *model.Model, t int, lists ...[]model.Lit) table {
	care, want := newBitset(s.width()), newBitset(s.width())
	for _, list := range lists {
		for _, l := range list {
			if v := m.Value(int32(l) + m.Stride()*int32(t-1)); v != 0 {
				care.add(int(l))
				if v > 0 {
					want.add(int(l))
				}
			}
		}
	}
	if care.empty() {
		return rows
	}
	out := table{}
next:
	for _, row := range rows {
		for i := range row {
			if row[i]&care[i] != want[i] {
				continue next
			}
		}
		out = append(out, row)
	}
	return out
}

// ranges are the counts of active inputs that rows give a unit.
type ranges struct {
	least, most   int // of all rows
	leastActive   int // of those in which it is active
	mostInactive  int
	active, quiet bool // there is a row in which it is, or is not
}

func (u *unit) ranges(rows table) ranges {
	var r ranges
	for i, row := range rows {
		c := u.count(row)
		if i == 0 || c < r.least {
			r.least = c
		}
		if i == 0 || c > r.most {
			r.most = c
		}
		if c >= u.threshold {
			if !r.active || c < r.leastActive {
				r.leastActive = c
			}
			r.active = true
		} else {
			if !r.quiet || c > r.mostInactive {
				r.mostInactive = c
			}
			r.quiet = true
		}
	}
	return r
}
