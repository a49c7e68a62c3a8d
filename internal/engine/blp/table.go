package blp

import (
	"context"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }
func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }

// step is the relation of one step in the model's local variables, unsimplified:
// variables of the block at t, and those of the next at stride more.
type step struct {
	m        *model.Model // over one step
	part     *model.Part  // of step 1
	after    *model.Part  // of step 2, local to its own block
	now      []model.Lit  // state bits at t
	next     []model.Lit  // at t+1
	actions  []model.Lit
	learned  []model.Lit // at t+1, what the network gives
	free     []model.Lit // at t+1, what it does not
	aux      []model.Lit // at t that the reward does not mention
	paid     []model.Lit // at t that it does
	paidBits []factored.Bit
	bits     map[model.Lit]factored.Bit // of now, actions and next
	units    [][]unit                   // by layer, constants included
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

func newStep(t engine.Task) (*step, error) {
	m, err := model.New(t.Problem, t.Network, 1, model.Options{})
	if err != nil {
		return nil, err
	}
	p := t.Problem
	s := &step{m: m, part: m.Part(1), after: m.Part(2), bits: map[model.Lit]factored.Bit{}}
	learned := make([]bool, p.NumBits())
	for _, b := range p.Outputs {
		learned[b] = true
		s.learned = append(s.learned, m.Var(2, b))
	}
	for _, b := range p.Bits(factored.State) {
		s.now = append(s.now, m.Var(1, b))
		s.next = append(s.next, m.Var(2, b))
		s.bits[m.Var(1, b)], s.bits[m.Var(2, b)] = b, b
		if !learned[b] {
			s.free = append(s.free, m.Var(2, b))
		}
	}
	for _, b := range p.Bits(factored.Action) {
		s.actions = append(s.actions, m.Var(1, b))
		s.bits[m.Var(1, b)] = b
	}
	pays := make([]bool, p.NumBits())
	for _, r := range p.Reward.Terms {
		pays[r.Lit.Bit] = true
	}
	for _, b := range p.Bits(factored.Auxiliary) {
		if pays[b] {
			s.paid, s.paidBits = append(s.paid, m.Var(1, b)), append(s.paidBits, b)
		} else {
			s.aux = append(s.aux, m.Var(1, b))
		}
	}
	var constant []unit
	for i := range s.part.Sums[model.Network] { // units that are constant
		l := s.part.Sums[model.Network][i].Terms[0].Lit
		u := unit{out: int(l.Var())}
		if l < 0 {
			u.threshold = 1
		}
		constant = append(constant, u)
	}
	s.units = append(s.units, constant)
	for _, layer := range s.part.Layers {
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
func (s *step) forward(row bitset) {
	for _, layer := range s.units {
		for i := range layer {
			if u := &layer[i]; u.count(row) >= u.threshold {
				row.add(u.out)
			}
		}
	}
}

// width is the number of bits of a row: local variables of both blocks, from 1.
func (s *step) width() int { return int(s.m.NumVars()) + 1 }

// shifted are sums over local variables of the block after.
func (s *step) shifted(sums []model.Sum) []model.Sum {
	out := make([]model.Sum, len(sums))
	for i, c := range sums {
		out[i] = model.Sum{Op: c.Op, K: c.K}
		for _, t := range c.Terms {
			l := t.Lit + model.Lit(s.m.Stride())
			if t.Lit < 0 {
				l = t.Lit - model.Lit(s.m.Stride())
			}
			out[i].Terms = append(out[i].Terms, model.Term{Coef: t.Coef, Lit: l})
		}
	}
	return out
}

// table holds rows: pairs of state and action with the values of all units and of
// what the network says of the state after. A row is a bitset over local
// variables.
type table []bitset

// legal enumerates the pairs of a step that C and T do not refute. all has every
// pair that they leave by propagation over single constraints; legal those of
// them after which C holds with the state that the network gives. Both are nil
// when they are more than most or the context ends.
func (s *step) legal(ctx context.Context, most int) (all, legal table) {
	sums := slices.Concat(s.part.Sums[model.Global], s.part.Sums[model.Transition], s.shifted(s.after.Sums[model.Global]))
	st := propagate.NewSystem(int(s.m.NumVars()), sums, nil).NewState()
	st.SetInterrupt(func() bool { return ctx.Err() != nil })
	all, legal = table{}, table{}
	if !st.Consistent() {
		return all, legal
	}
	rest := slices.Concat(s.free, s.aux, s.paid)
	whole := st.Each(slices.Concat(s.now, s.actions), func() bool {
		row := s.row(func(l model.Lit) bool { return st.Value(l) > 0 })
		all = append(all, row)
		mark := st.Mark()
		ok := true
		for _, l := range s.learned {
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
func (s *step) row(value func(model.Lit) bool) bitset {
	row := newBitset(s.width())
	for _, list := range [][]model.Lit{s.now, s.actions} {
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
func (s *step) at(rows table, m *model.Model, t int, lists ...[]model.Lit) table {
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
