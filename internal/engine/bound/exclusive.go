package bound

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
)

// maxExclusive bounds the pairs of state bits that are tried.
const maxExclusive = 20_000

// findExclusive finds, among pairs of state bits, those that are never both true: by propagation at the initial state, and by
// induction over a step, in which they are clauses.
func (r *relation) findExclusive(pairs [][2]int32) {
	first := r.first.NewState()
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p [2]int32) bool { return !refutes(first, model.Lit(p[0]), model.Lit(p[1])) })
	for before := -1; len(pairs) != before && !r.stop(); {
		before = len(pairs)
		st := r.stepWith(pairs).NewState()
		pairs = slices.DeleteFunc(pairs, func(p [2]int32) bool { return !refutes(st, model.Lit(p[0]+r.stride), model.Lit(p[1]+r.stride)) })
	}
	if !r.stop() {
		r.exclusive = pairs
	}
}

// refutes reports whether propagation shows that two literals are not both true.
func refutes(st *propagate.State, a, b model.Lit) bool {
	st.Reset()
	return !st.Assign(a) || !st.Assign(b)
}

// stepWith compiles the constraints of a step, those over amounts apart, with pairs that are exclusive.
func (r *relation) stepWith(pairs [][2]int32) *propagate.System {
	var rows []int
	for i := range r.rows {
		if last := r.rows[i].vars; len(last) == 0 || last[len(last)-1] <= r.Model.NumVars() {
			rows = append(rows, i)
		}
	}
	sums := make([]model.Sum, 0, len(pairs))
	for _, p := range pairs {
		sums = append(sums, clauseOf([]model.Lit{-model.Lit(p[0]), -model.Lit(p[1])}))
	}
	return r.systemAnd(rows, sums)
}

// addExclusive gives each group what follows from exclusive pairs of what it reads and its state: who waits for a lift is
// not in it, so that nobody boards a lift that he is in.
func (s *structure) addExclusive() {
	if len(s.r.exclusive) == 0 {
		return
	}
	all := s.r.stepWith(s.r.exclusive).NewState()
	for _, g := range s.groups {
		known := s.r.system(g.rows).NewState()
		for _, a := range g.reads {
			for _, b := range g.own {
				if s.r.role[a] != action || !refutes(all, model.Lit(a), model.Lit(b)) || refutes(known, model.Lit(a), model.Lit(b)) {
					continue
				}
				g.rows = append(g.rows, s.r.add(clauseRow(-model.Lit(a), -model.Lit(b))))
			}
		}
	}
}
