// Package propagate is a small exact solver for one step's constraints: bounds propagation
// over linear sums and neurons, with chronological backtracking and no learning. The search
// engine completes states with it, and verify enumerates legal states and actions with it.
// Propagation of a neuron is as strong as the unit propagation of the paper's Definition 1.
package propagate

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// code is a literal as an index: 2v for v, 2v+1 for its negation.
type code = int32

func encode(l model.Lit) code {
	if l < 0 {
		return code(-l)<<1 | 1
	}
	return code(l) << 1
}

// occurrence is an entry of an occurrence list: falsifying the literal reduces a row's slack
// by coef.
type occurrence struct {
	row  int32
	coef int64
}

// row is sum of coef*lit >= k. Its slack is the sum over literals that are not
// false, minus k.
type row struct {
	start, end int32 // in System.lits and coefs, coefs descending
	// What tells most often that nothing is forced: the first literal, its coefficient and the
	// next one.
	first        code
	most, second int64
}

// System is a conjunction of constraints over variables 1..NumVars. It is
// immutable and may be shared by many States.
type System struct {
	numVars int
	rows    []row
	slack   []int64 // of rows, with every variable open
	lits    []code
	coefs   []int64
	occ     [][]occurrence // by literal whose falsification matters
	packing
}

// NewSystem compiles sums and neurons over variables 1..numVars.
func NewSystem(numVars int, sums []model.Sum, neurons []model.Neuron) *System {
	s := &System{numVars: numVars, occ: make([][]occurrence, 2*numVars+2)}
	s.packing = packing{byKey: map[string]int32{}, users: make([][]user, numVars/64+1), outs: make([][]place, numVars+1)}
	for i := range sums {
		c := &sums[i]
		if c.Op != factored.LE {
			s.add(c.Terms, 1, c.K)
		}
		if c.Op != factored.GE { // sum a x <= k is sum a (1-x) >= sum a - k
			var total int64
			for _, t := range c.Terms {
				total += t.Coef
			}
			s.add(c.Terms, -1, total-c.K)
		}
	}
	var terms []model.Term
	for i := range neurons {
		n := &neurons[i]
		if s.pack(n) {
			continue
		}
		p, q := int64(n.Threshold), int64(len(n.Inputs)-n.Threshold+1)
		// p*v <= sum of inputs, and q*(1-v) <= sum of negated inputs.
		for _, side := range []struct {
			k   int64
			out model.Lit
			in  model.Lit
		}{{p, -n.Out, 1}, {q, n.Out, -1}} {
			if side.k <= 0 {
				continue
			}
			terms = append(terms[:0], model.Term{Coef: side.k, Lit: side.out})
			for _, l := range n.Inputs {
				terms = append(terms, model.Term{Coef: 1, Lit: side.in * l})
			}
			s.add(terms, 1, side.k)
		}
	}
	return s
}

// add appends one row; sign -1 negates every literal.
func (s *System) add(terms []model.Term, sign model.Lit, k int64) {
	if k <= 0 {
		return
	}
	r, slack := row{start: int32(len(s.lits))}, -k
	for _, t := range terms {
		s.lits = append(s.lits, encode(sign*t.Lit))
		s.coefs = append(s.coefs, t.Coef)
		slack += t.Coef
	}
	r.end = int32(len(s.lits))
	// With descending coefficients, a scan stops at the first that is too small to be forced.
	lits, coefs := s.lits[r.start:], s.coefs[r.start:]
	for i := 1; i < len(lits); i++ {
		for j := i; j > 0 && coefs[j] > coefs[j-1]; j-- {
			coefs[j], coefs[j-1] = coefs[j-1], coefs[j]
			lits[j], lits[j-1] = lits[j-1], lits[j]
		}
	}
	if len(lits) > 0 {
		r.first, r.most = lits[0], coefs[0]
	}
	if len(lits) > 1 {
		r.second = coefs[1]
	}
	id := int32(len(s.rows))
	s.rows, s.slack = append(s.rows, r), append(s.slack, slack)
	for i, l := range lits {
		s.occ[l] = append(s.occ[l], occurrence{id, coefs[i]})
	}
}

// State is a partial assignment closed under propagation.
type State struct {
	sys      *System
	value    []int8 // by literal code: 1 true, -1 false, 0 open
	slack    []int64
	trail    []code
	head     int // trail[:head] has been subtracted from the slacks
	rootBad  bool
	rootMark int
	counting

	interrupt   func() bool
	decisions   uint
	interrupted bool
}

// SetInterrupt makes Each and Satisfiable stop if f returns true; f is called every few
// hundred decisions.
func (st *State) SetInterrupt(f func() bool) { st.interrupt = f }

// Interrupted reports whether an enumeration was stopped, so that its result is meaningless.
func (st *State) Interrupted() bool { return st.interrupted }

// NewState returns the state in which only the literals forced by the constraints are
// assigned.
func (s *System) NewState() *State {
	st := &State{sys: s, value: make([]int8, 2*s.numVars+2), slack: slices.Clone(s.slack)}
	st.bits, st.queued, st.counts = make([]uint64, 2*len(s.users)), make([]bool, len(s.blocks)), make([]bool, s.numVars+1)
	for i := range s.blocks {
		st.enqueue(int32(i))
	}
	for _, slack := range st.slack {
		st.rootBad = st.rootBad || slack < 0
	}
	for i := range s.rows {
		if !st.rootBad {
			st.scan(int32(i))
		}
	}
	st.rootBad = st.rootBad || !st.propagate()
	st.rootMark = len(st.trail)
	return st
}

// Consistent reports whether the constraints are free of contradiction after initial
// propagation. If not, the state must not be assigned to.
func (st *State) Consistent() bool { return !st.rootBad }

// Value returns 1, -1 or 0 if l is true, false or open.
func (st *State) Value(l model.Lit) int8 { return st.value[encode(l)] }

// Mark is a point to which Undo can return.
func (st *State) Mark() int { return len(st.trail) }

// Reset undoes everything but the literals forced by the constraints.
func (st *State) Reset() { st.Undo(st.rootMark) }

// Undo undoes all assignments since mark.
func (st *State) Undo(mark int) {
	for i := len(st.trail) - 1; i >= mark; i-- {
		l := st.trail[i]
		st.value[l], st.value[l^1], st.counts[l>>1] = 0, 0, false
		st.bits[l>>7*2+^l&1] &^= 1 << (l >> 1 & 63)
		if i < st.head {
			for _, o := range st.sys.occ[l^1] {
				st.slack[o.row] += o.coef
			}
		}
	}
	st.forgetQueue()
	st.trail = st.trail[:mark]
	st.head = min(st.head, mark)
}

// Assign makes literals true and propagates. It returns false on a contradiction; the caller
// must then undo to an earlier mark.
func (st *State) Assign(lits ...model.Lit) bool {
	for _, l := range lits {
		switch c := encode(l); st.value[c] {
		case 0:
			st.set(c)
		case -1:
			return false
		}
	}
	return st.propagate()
}

func (st *State) set(c code) {
	st.value[c], st.value[c^1] = 1, -1
	st.bits[c>>7*2+^c&1] |= 1 << (c >> 1 & 63)
	st.trail = append(st.trail, c)
}

func (st *State) propagate() bool {
	for st.head < len(st.trail) || len(st.queue) > 0 {
		if st.head == len(st.trail) {
			if !st.countNext() {
				return false
			}
			continue
		}
		falsified := st.trail[st.head] ^ 1
		st.head++
		low := int64(0) // negative after a contradiction
		for _, o := range st.sys.occ[falsified] {
			slack := st.slack[o.row] - o.coef
			st.slack[o.row] = slack // for every row, so that Undo is symmetric
			low |= slack
			if r := &st.sys.rows[o.row]; slack < r.most && low >= 0 && (slack < r.second || st.value[r.first] == 0) {
				st.scan(o.row)
			}
		}
		if low < 0 || !st.wake(falsified>>1) {
			return false
		}
	}
	return true
}

// scan makes true every open literal without which a row cannot hold.
func (st *State) scan(id int32) {
	r := &st.sys.rows[id]
	slack := st.slack[id]
	for i := r.start; i < r.end && st.sys.coefs[i] > slack; i++ {
		if l := st.sys.lits[i]; st.value[l] == 0 {
			st.set(l)
		}
	}
}

// Each visits every assignment of vars that propagation does not refute, in lexicographic
// order with false before true, until visit returns false. During a visit the assignment is
// in place; Each undoes it. It reports whether all visits returned true.
func (st *State) Each(vars []model.Lit, visit func() bool) bool {
	for i, v := range vars {
		if st.Value(v) != 0 {
			continue
		}
		for _, l := range [2]model.Lit{-v, v} {
			if st.decisions++; st.decisions%256 == 0 && st.interrupt != nil && st.interrupt() {
				st.interrupted = true
			}
			if st.interrupted {
				return false
			}
			mark := st.Mark()
			more := !st.Assign(l) || st.Each(vars[i+1:], visit)
			st.Undo(mark)
			if !more {
				return false
			}
		}
		return true
	}
	return visit()
}

// Satisfiable reports whether vars can be assigned without being refuted. If vars are all
// open variables, it reports whether the constraints are satisfiable.
func (st *State) Satisfiable(vars []model.Lit) bool {
	return !st.Each(vars, func() bool { return false })
}
