package proof_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/solve/proof"
)

// row is the sum of terms >= k, with positive coefficients.
type row struct {
	terms []proof.Term
	k     int64
}

func (r row) slack(value []int8) int64 {
	slack := -r.k
	for _, t := range r.terms {
		if at(value, t.Lit) >= 0 {
			slack += t.Coef
		}
	}
	return slack
}

// at returns a literal's value: 1 true, -1 false, 0 open.
func at(value []int8, l proof.Lit) int8 {
	if l < 0 {
		return -value[-l]
	}
	return value[l]
}

// instance is a small random problem.
type instance struct {
	vars      int32
	rows      []row
	equations map[int]bool // rows whose opposite comes next, written as one
	objective []proof.Term // nil without
}

// opposite is the sum <= k of a row.
func (r row) opposite() row {
	o := row{k: -r.k}
	for _, t := range r.terms {
		o.terms = append(o.terms, proof.Term{Coef: t.Coef, Lit: -t.Lit})
		o.k += t.Coef
	}
	return o
}

func randomInstance(rng *rand.Rand, optimise bool) instance {
	in := instance{vars: 3 + rng.Int32N(6), equations: map[int]bool{}}
	for range 3 + rng.IntN(12) {
		var r row
		sum := int64(0)
		for v := proof.Lit(1); v <= proof.Lit(in.vars); v++ {
			if rng.IntN(2) == 0 {
				continue
			}
			t := proof.Term{Coef: 1 + rng.Int64N(1+rng.Int64N(5)), Lit: v}
			if rng.IntN(2) == 0 {
				t.Lit = -v
			}
			sum += t.Coef
			r.terms = append(r.terms, t)
		}
		r.k = 1 + rng.Int64N(1+(sum+1)/2)
		in.rows = append(in.rows, r)
		if rng.IntN(8) == 0 {
			in.equations[len(in.rows)-1] = true
			in.rows = append(in.rows, r.opposite())
		}
	}
	if optimise {
		in.objective = []proof.Term{}
		for v := proof.Lit(1); v <= proof.Lit(in.vars); v++ {
			if rng.IntN(3) > 0 {
				in.objective = append(in.objective, proof.Term{Coef: rng.Int64N(9) - 3, Lit: v})
			}
		}
	}
	return in
}

func (in instance) opb() []byte {
	var b bytes.Buffer
	list := func(terms []proof.Term) {
		for _, t := range terms {
			if t.Lit < 0 {
				fmt.Fprintf(&b, "%+d ~x%d ", t.Coef, -t.Lit)
			} else {
				fmt.Fprintf(&b, "%+d x%d ", t.Coef, t.Lit)
			}
		}
	}
	fmt.Fprintf(&b, "* #variable= %d #constraint= %d\n", in.vars, len(in.rows)-len(in.equations))
	if in.objective != nil {
		b.WriteString("min: ")
		list(in.objective)
		b.WriteString(";\n")
	}
	for i := 0; i < len(in.rows); i++ {
		list(in.rows[i].terms)
		if in.equations[i] {
			fmt.Fprintf(&b, "= %d ;\n", in.rows[i].k)
			i++
		} else {
			fmt.Fprintf(&b, ">= %d ;\n", in.rows[i].k)
		}
	}
	return b.Bytes()
}

func (in instance) cost(value []int8) (sum int64) {
	for _, t := range in.objective {
		if at(value, t.Lit) > 0 {
			sum += t.Coef
		}
	}
	return sum
}

// least tries all assignments.
func (in instance) least() (best int64, feasible bool) {
	value := make([]int8, in.vars+1)
	for bits := range 1 << in.vars {
		for v := range in.vars {
			value[v+1] = int8(bits>>v&1)*2 - 1
		}
		ok := true
		for _, r := range in.rows {
			ok = ok && r.slack(value) >= 0
		}
		if cost := in.cost(value); ok && (!feasible || cost < best) {
			best, feasible = cost, true
		}
	}
	return best, feasible
}

// backtracker solves an instance by splitting on variables in order, and tells
// a log all it learns: at a dead end that these decisions cannot all be made.
type backtracker struct {
	instance
	log     *proof.Logger
	rng     *rand.Rand
	value   []int8
	problem int // rows of the instance itself, the first
	trail   []proof.Lit
	found   bool
	best    int64
}

// propagate assigns what follows; false at a contradiction.
func (s *backtracker) propagate() bool {
	for changed := true; changed; {
		changed = false
		for _, r := range s.rows {
			slack := r.slack(s.value)
			if slack < 0 {
				return false
			}
			for _, t := range r.terms {
				if at(s.value, t.Lit) == 0 && t.Coef > slack {
					s.assign(t.Lit)
					changed = true
				}
			}
		}
	}
	return true
}

func (s *backtracker) assign(l proof.Lit) {
	s.value[max(l, -l)] = 1
	if l < 0 {
		s.value[-l] = -1
	}
	s.trail = append(s.trail, l)
}

func (s *backtracker) undo(n int) {
	for _, l := range s.trail[n:] {
		s.value[max(l, -l)] = 0
	}
	s.trail = s.trail[:n]
}

// learn adds the clause that not all decisions hold.
func (s *backtracker) learn(decisions []proof.Lit) proof.ID {
	clause := make([]proof.Lit, len(decisions))
	r := row{k: 1}
	for i, d := range decisions {
		clause[i] = -d
		r.terms = append(r.terms, proof.Term{Coef: 1, Lit: -d})
	}
	s.rows = append(s.rows, r)
	if s.rng.IntN(3) == 0 && s.log.Format() != proof.DRAT {
		return s.log.LearnPB(r.terms, 1)
	}
	return s.log.Learn(clause)
}

// search exhausts what the decisions allow and returns the clause that states it.
func (s *backtracker) search(decisions []proof.Lit) proof.ID {
	before := len(s.trail)
	defer s.undo(before)
	if len(decisions) > 0 {
		if last := decisions[len(decisions)-1]; at(s.value, last) == 0 {
			s.assign(last)
		} else if at(s.value, last) < 0 {
			return s.learn(decisions)
		}
	}
	for {
		if !s.propagate() {
			return s.learn(decisions)
		}
		open := proof.Lit(0)
		for v := proof.Lit(1); v < proof.Lit(len(s.value)) && open == 0; v++ {
			if s.value[v] == 0 {
				open = v
			}
		}
		if open == 0 {
			s.solution()
			if s.objective == nil {
				return 0
			}
			continue // the bound now contradicts
		}
		if s.rng.IntN(2) == 0 {
			open = -open
		}
		next := append(decisions[:len(decisions):len(decisions)], open)
		a := s.search(next)
		if s.found && s.objective == nil {
			return 0
		}
		next[len(next)-1] = -open
		b := s.search(next)
		if s.found && s.objective == nil {
			return 0
		}
		id := s.learn(decisions)
		if s.rng.IntN(2) == 0 {
			s.log.Delete(a, s.negated(decisions, open)...)
			s.log.Delete(b, s.negated(decisions, -open)...)
		}
		return id
	}
}

func (s *backtracker) negated(decisions []proof.Lit, last proof.Lit) []proof.Lit {
	var clause []proof.Lit
	for _, d := range append(decisions[:len(decisions):len(decisions)], last) {
		clause = append(clause, -d)
	}
	return clause
}

func (s *backtracker) solution() {
	model := make([]proof.Lit, 0, len(s.value))
	for v := proof.Lit(1); v < proof.Lit(len(s.value)); v++ {
		model = append(model, v*proof.Lit(s.value[v]))
	}
	s.found, s.best = true, s.cost(s.value)
	if s.objective == nil {
		if s.log.Format() != proof.DRAT {
			s.log.Show(model)
		}
		return
	}
	s.log.Solution(model)
	bound := row{k: 1 - s.best} // -objective >= 1 - best, with positive coefficients
	for _, t := range s.objective {
		t.Coef = -t.Coef
		if t.Coef < 0 {
			t = proof.Term{Coef: -t.Coef, Lit: -t.Lit}
			bound.k += t.Coef
		}
		bound.terms = append(bound.terms, t)
	}
	s.rows = append(s.rows, bound)
}

// define introduces a variable for a random sum.
func (s *backtracker) define() {
	var terms []proof.Term
	sum := int64(0)
	for v := proof.Lit(1); v < proof.Lit(len(s.value)); v++ {
		if c := s.rng.Int64N(7) - 3; c != 0 {
			terms = append(terms, proof.Term{Coef: c, Lit: v})
			sum += max(c, -c)
		}
	}
	k := s.rng.Int64N(sum+3) - sum/2
	out := proof.Lit(len(s.value))
	s.value = append(s.value, 0)
	if s.rng.IntN(2) == 0 {
		out = -out
	}
	s.log.Reify(out, terms, k)
	only := row{k: k}
	for _, t := range terms {
		if t.Coef < 0 {
			t = proof.Term{Coef: -t.Coef, Lit: -t.Lit}
			only.k += t.Coef
		}
		only.terms = append(only.terms, t)
	}
	when := only.opposite() // the sum <= k
	when.k++
	if only.k > 0 {
		s.rows = append(s.rows, row{append(only.terms, proof.Term{Coef: only.k, Lit: -out}), only.k})
	}
	if when.k > 0 {
		s.rows = append(s.rows, row{append(when.terms, proof.Term{Coef: when.k, Lit: out}), when.k})
	}
}

// derive adds a random cutting-planes consequence.
func (s *backtracker) derive() {
	id := func() proof.ID { return 1 + proof.ID(s.rng.Int64N(int64(s.log.Last()))) }
	first := s.rng.IntN(s.problem)
	s.log.BeginPol(proof.ID(first + 1))
	for range 1 + s.rng.IntN(4) {
		switch s.rng.IntN(5) {
		case 0:
			s.log.Add(id(), 1+s.rng.Int64N(3))
		case 1:
			s.log.AddAxiom(proof.Lit(1-2*s.rng.Int32N(2)), 1+s.rng.Int64N(3))
		case 2:
			s.log.Multiply(1 + s.rng.Int64N(3))
		case 3:
			s.log.Divide(1 + s.rng.Int64N(3))
		case 4:
			s.log.Add(proof.ID(first+1), 1)
		}
	}
	s.log.EndPol()
}

// solve writes the proof of an instance.
func solve(in instance, format proof.Format, rng *rand.Rand) ([]byte, error) {
	var b bytes.Buffer
	s := &backtracker{instance: in, rng: rng, value: make([]int8, in.vars+1), problem: len(in.rows)}
	s.log = proof.New(&b, proof.Options{Format: format, Constraints: int64(len(in.rows)), Objective: in.objective})
	s.log.Comment("a proof\nof a random problem")
	if format != proof.DRAT {
		for range rng.IntN(3) {
			s.define()
		}
		for range rng.IntN(4) {
			s.derive()
		}
	}
	id := s.search(nil)
	switch {
	case !s.found:
		s.log.ConcludeUnsat(id)
	case s.objective == nil:
		if format != proof.DRAT {
			s.log.ConcludeSat()
		}
	default:
		s.log.ConcludeOptimal(s.best, id)
	}
	err := s.log.Close()
	return b.Bytes(), err
}
