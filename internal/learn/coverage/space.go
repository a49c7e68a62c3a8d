package coverage

import (
	"slices"

	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/versions"
)

const (
	// LeastK is the least number of variables that a next value is taken to depend on at most,
	// however few explain the rows.
	LeastK = 4
	// marginK is how many more variables are allowed than the rows need.
	marginK = 1
	// mostFit bounds the variables of a set that explains the rows.
	mostFit = 8
)

// mask is a set of variables.
type mask = versions.Set

// space holds rows as values of variables, to find the functions that agree with them.
type space struct {
	t    *structure.Table
	vars []variable
	rows []int32 // of the table, without an unknown input
	// pairs are the differences of all pairs of some rows, every step-th, which are the same for all
	// outputs whose values are known.
	pairs []mask
}

// newSpace is nil where the variables are too many.
func newSpace(t *structure.Table) *space {
	s := &space{t: t, vars: variablesOf(t)}
	if len(s.vars) > versions.MaxVariables {
		return nil
	}
	for r := range t.Rows() {
		if t.Complete(r) {
			s.rows = append(s.rows, int32(r))
		}
	}
	for i := range s.vars {
		s.vars[i].read(t, s.rows)
	}
	return s
}

// difference is the set of the variables in which two rows differ.
func (s *space) difference(a, b int) (m mask) {
	for i := range s.vars {
		if c := s.vars[i].code; c[a] != c[b] {
			m.Add(i)
		}
	}
	return m
}

// finder looks for the sets of variables on which the rows of an output are consistent: no two
// rows that agree on the set have different values of the output.
type finder struct {
	s    *space
	rows []int  // of the space, with a known value of the output
	y    []bool // by place in rows
	// apart are differences of rows with different values: each consistent set meets them all.
	apart []mask
	found []mask
	most  int // of found
	steps int // that are left
}

// newFinder collects differences, the smallest first: of all pairs of rows, of many of those of
// a part.
func (s *space) newFinder(output int) *finder {
	const (
		most  = 3000 // differences that are kept
		many  = 60000
		steps = 300_000
	)
	f := &finder{s: s, steps: steps}
	for k, r := range s.rows {
		if s.t.Knows(int(r), output) {
			f.rows, f.y = append(f.rows, k), append(f.y, s.t.Output(int(r), output))
		}
	}
	if len(f.rows) == len(s.rows) && s.pairs == nil {
		s.pairs = s.differences(f.rows)
	}
	pairs := s.pairs
	if len(f.rows) < len(s.rows) {
		pairs = s.differences(f.rows)
	}
	step := sampled(len(f.rows))
	bySize := make([][]mask, len(s.vars)+1)
	kept := 0
	for i := 0; i < len(f.rows); i += step {
		for j := i + step; j < len(f.rows); j += step {
			m := &pairs[0]
			pairs = pairs[1:]
			if f.y[i] == f.y[j] {
				continue
			}
			if n := m.Count(); len(bySize[n]) < most && kept < many {
				bySize[n] = append(bySize[n], *m)
				kept++
			}
		}
	}
	for _, list := range bySize {
		slices.SortStableFunc(list, func(a, b mask) int { return slices.Compare(a[:], b[:]) })
		list = slices.Compact(list)
		f.apart = append(f.apart, list[:min(len(list), max(0, most-len(f.apart)))]...)
	}
	return f
}

// sampled is the step between those of n rows that are compared in pairs.
func sampled(n int) int {
	const part = 600
	return max(1, n/part)
}

// differences lists those of all pairs of the rows that are sampled, by the first and then the second.
func (s *space) differences(rows []int) []mask {
	var out []mask
	step := sampled(len(rows))
	for i := 0; i < len(rows); i += step {
		for j := i + step; j < len(rows); j += step {
			out = append(out, s.difference(rows[i], rows[j]))
		}
	}
	return out
}

// contradicted returns the difference of two rows that agree on a set and have different values.
func (f *finder) contradicted(set mask) (m mask, ok bool) {
	vars := set.List()
	first := make(map[uint64]int, len(f.rows))
	for i, r := range f.rows {
		key := f.s.cell(vars, r)
		k, seen := first[key]
		if !seen {
			first[key] = i
		} else if f.y[k] != f.y[i] {
			m = f.s.difference(f.rows[k], r)
			if !m.Meets(&set) { // else the keys are alike by chance
				return m, true
			}
		}
	}
	return m, false
}

// cell is a number of the joint value that a row has: without doubles where the values fit 64 bits.
func (s *space) cell(vars []int, row int) (key uint64) {
	for _, v := range vars {
		key = key*uint64(len(s.vars[v].values)) + uint64(s.vars[v].code[row])
	}
	return key
}

// sets lists the least consistent sets of at most k variables. It is false where they are more
// than most, or take too long to find.
func (f *finder) sets(k, most int) ([]mask, bool) {
	f.found, f.most = nil, most
	if !f.extend(mask{}, mask{}, k) {
		return nil, false
	}
	var least []mask
	for i, m := range f.found {
		if !slices.ContainsFunc(f.found, func(n mask) bool { return n != m && n.Without(m) == mask{} }) && !slices.Contains(f.found[:i], m) {
			least = append(least, m)
		}
	}
	slices.SortStableFunc(least, func(a, b mask) int {
		if d := a.Count() - b.Count(); d != 0 {
			return d
		}
		return -slices.Compare(a[:], b[:])
	})
	return least, true
}

// extend finds the consistent sets that have the given variables and at most left others, none of
// which is closed.
func (f *finder) extend(set, closed mask, left int) bool {
	if f.steps--; f.steps < 0 {
		return false
	}
	open := -1 // a difference that the set does not meet
	fewest := versions.MaxVariables + 1
	met := 0
	for i := range f.apart {
		if f.apart[i].Meets(&set) {
			continue
		}
		if left == 0 {
			return true
		}
		rest := f.apart[i].Without(closed)
		n := rest.Count()
		if n < fewest {
			open, fewest = i, n
		}
		if met++; n <= 1 || met > 8 {
			break
		}
	}
	if open < 0 {
		m, ok := f.contradicted(set)
		if !ok {
			f.found = append(f.found, set)
			return len(f.found) <= f.most
		}
		if f.apart = append(f.apart, m); left == 0 {
			return true
		}
		open = len(f.apart) - 1
	}
	candidates := f.apart[open].Without(closed)
	if left == 1 { // the last one meets all differences
		for i := range f.apart {
			if !f.apart[i].Meets(&set) {
				if candidates = candidates.And(f.apart[i]); candidates == (mask{}) {
					return true
				}
			}
		}
	}
	for _, v := range candidates.List() {
		next := set
		next.Add(v)
		if !f.extend(next, closed, left-1) {
			return false
		}
		closed.Add(v)
	}
	return true
}

// fit is the least number of variables on which the rows are consistent; -1 where there is none
// up to mostFit, or it takes too long to find.
func (f *finder) fit() int {
	for k := range min(mostFit, len(f.s.vars)) + 1 {
		sets, ok := f.sets(k, 1)
		if len(sets) > 0 || !ok && len(f.found) > 0 {
			return k
		}
		if !ok {
			return -1
		}
	}
	return -1
}
