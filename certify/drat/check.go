package drat

import (
	"io"
	"slices"

	"github.com/fdplan/fdplan/internal/source"
)

// Check reads a CNF in DIMACS and a DRAT proof, both as text. It returns nil if the proof
// derives the empty clause and every clause up to there is justified. Anything after the
// empty clause is not read. The error is a *source.Error whose File is "formula" or "proof";
// it contains the line.
func Check(cnf, proof io.Reader) error {
	c := &checker{index: map[uint64][]*clause{}}
	if err := c.formula(newScanner("formula", cnf)); err != nil {
		return err
	}
	s := newScanner("proof", proof)
	var buf []lit
	for !c.settle() {
		word, err := s.next()
		if err != nil {
			return err
		}
		if word == nil {
			return s.errorf("the proof ends without the empty clause")
		}
		line, col := s.startLine, s.startCol
		deletion := string(word) == "d"
		if deletion {
			word = nil
		}
		lits, done, err := s.clause(buf, word)
		if err != nil {
			return err
		}
		if done {
			return s.errorf("the file ends after \"d\", expected a clause")
		}
		buf = lits
		if deletion {
			if !c.delete(lits) {
				return source.Errorf("proof", line, col, "there is no clause %v to delete", dimacs(lits))
			}
			continue
		}
		c.growTo(lits)
		if !c.justified(lits) {
			return source.Errorf("proof", line, col, "the clause %v has neither RUP nor RAT on its first literal", dimacs(lits))
		}
		c.add(lits)
	}
	return nil
}

// formula reads the CNF.
func (c *checker) formula(s *scanner) error {
	variables, clauses, err := s.header()
	if err != nil {
		return err
	}
	var buf []lit
	for n := 0; ; n++ {
		lits, done, err := s.clause(buf, nil)
		if err != nil {
			return err
		}
		if done {
			if n != clauses {
				return s.errorf("the file has %d clauses, its header says %d", n, clauses)
			}
			return nil
		}
		buf = lits
		for _, l := range lits {
			if int(l>>1) > variables {
				return s.errorf("found variable %d, the header says %d variables", l>>1, variables)
			}
		}
		c.growTo(lits)
		c.add(lits)
	}
}

// dimacs formats literals as files do.
func dimacs(lits []lit) []int {
	out := make([]int, len(lits))
	for i, l := range lits {
		out[i] = int(l >> 1)
		if l&1 != 0 {
			out[i] = -out[i]
		}
	}
	return out
}

// lit is twice the variable, plus 1 for its negation.
type lit int32

func (l lit) not() lit { return l ^ 1 }

type clause struct {
	lits    []lit // the first two are watched; no duplicates
	deleted bool
}

// checker is a database of clauses with unit propagation.
type checker struct {
	value    []int8 // by literal: 1 true, -1 false, 0 open
	reason   []*clause
	trail    []lit
	done     int // number of literals on the trail that were propagated
	root     int // number of literals on the trail that follow from the clauses alone
	watches  [][]*clause
	live     []*clause
	garbage  int
	index    map[uint64][]*clause // by hash of the set of literals
	conflict bool                 // propagation of the clauses alone gives a contradiction
	sorted   []lit
}

func (c *checker) growTo(lits []lit) {
	for _, l := range lits {
		for len(c.value) <= int(l|1) {
			c.value = append(c.value, 0, 0)
			c.reason = append(c.reason, nil)
			c.watches = append(c.watches, nil, nil)
		}
	}
}

// set sorts literals, removes duplicates and returns a hash of the set.
func (c *checker) set(lits []lit) (sorted []lit, hash uint64) {
	c.sorted = append(c.sorted[:0], lits...)
	slices.Sort(c.sorted)
	c.sorted = slices.Compact(c.sorted)
	hash = 14695981039346656037
	for _, l := range c.sorted {
		hash = (hash ^ uint64(l)) * 1099511628211
	}
	return c.sorted, hash
}

// add adds a clause. Its literals may be reordered from here on.
func (c *checker) add(lits []lit) {
	sorted, hash := c.set(lits)
	k := &clause{lits: slices.Clone(sorted)}
	c.live = append(c.live, k)
	c.index[hash] = append(c.index[hash], k)
	// Watch literals that are not false, if there are any.
	n := 0
	for i, l := range k.lits {
		if c.value[l] >= 0 && n < 2 {
			k.lits[n], k.lits[i] = k.lits[i], k.lits[n]
			n++
		}
	}
	if len(k.lits) > 1 {
		c.watches[k.lits[0]] = append(c.watches[k.lits[0]], k)
		c.watches[k.lits[1]] = append(c.watches[k.lits[1]], k)
	}
	switch {
	case n == 0:
		c.conflict = true
	case n == 1 && c.value[k.lits[0]] == 0:
		c.assign(k.lits[0], k)
	}
}

// delete removes one copy of a clause; it returns false if there is none.
func (c *checker) delete(lits []lit) bool {
	sorted, hash := c.set(lits)
	list := c.index[hash]
	for i, k := range list {
		if !sameSet(k.lits, sorted) {
			continue
		}
		if c.isReason(k) {
			return true // ignored, see the package comment
		}
		k.deleted = true
		if len(list) == 1 {
			delete(c.index, hash)
		} else {
			c.index[hash] = slices.Delete(list, i, i+1)
		}
		if c.garbage++; c.garbage > 1000+len(c.live)/2 {
			c.sweep()
		}
		return true
	}
	return false
}

func sameSet(a, sorted []lit) bool {
	if len(a) != len(sorted) {
		return false
	}
	for _, l := range a {
		if _, ok := slices.BinarySearch(sorted, l); !ok {
			return false
		}
	}
	return true
}

func (c *checker) isReason(k *clause) bool {
	return slices.ContainsFunc(k.lits, func(l lit) bool { return c.value[l] > 0 && c.reason[l>>1] == k })
}

// sweep removes deleted clauses from the watch lists.
func (c *checker) sweep() {
	c.garbage = 0
	gone := func(k *clause) bool { return k.deleted }
	c.live = slices.DeleteFunc(c.live, gone)
	for l := range c.watches {
		c.watches[l] = slices.DeleteFunc(c.watches[l], gone)
	}
}

func (c *checker) assign(l lit, why *clause) {
	c.value[l], c.value[l.not()] = 1, -1
	c.reason[l>>1] = why
	c.trail = append(c.trail, l)
}

func (c *checker) undo(n int) {
	for _, l := range c.trail[n:] {
		c.value[l], c.value[l.not()] = 0, 0
		c.reason[l>>1] = nil
	}
	c.trail = c.trail[:n]
	c.done = min(c.done, n)
}

// propagate reports whether it finds a violated clause.
func (c *checker) propagate() bool {
	for c.done < len(c.trail) {
		f := c.trail[c.done].not()
		c.done++
		list := c.watches[f]
		kept := 0
		for i, k := range list {
			if k.deleted {
				continue
			}
			if k.lits[0] == f {
				k.lits[0], k.lits[1] = k.lits[1], f
			}
			first := k.lits[0]
			if c.value[first] <= 0 && c.rewatch(k) {
				continue
			}
			list[kept] = k
			kept++
			if c.value[first] < 0 {
				kept += copy(list[kept:], list[i+1:])
				c.watches[f] = list[:kept]
				return true
			}
			if c.value[first] == 0 {
				c.assign(first, k)
			}
		}
		c.watches[f] = list[:kept]
	}
	return false
}

// rewatch moves the second watch of k to a literal that is not false.
func (c *checker) rewatch(k *clause) bool {
	for j := 2; j < len(k.lits); j++ {
		if l := k.lits[j]; c.value[l] >= 0 {
			k.lits[1], k.lits[j] = l, k.lits[1]
			c.watches[l] = append(c.watches[l], k)
			return true
		}
	}
	return false
}

// settle propagates the clauses alone and reports whether that gives a contradiction.
func (c *checker) settle() bool {
	c.conflict = c.conflict || c.propagate()
	c.root = len(c.trail)
	return c.conflict
}

// deny assigns the negations of literals, except one. It returns true if one of the literals
// already holds.
func (c *checker) deny(lits []lit, save lit) bool {
	for _, l := range lits {
		switch {
		case l == save:
		case c.value[l] > 0:
			return true
		case c.value[l] == 0:
			c.assign(l.not(), nil)
		}
	}
	return false
}

// justified reports whether a clause has RUP, or RAT on its first literal.
func (c *checker) justified(lits []lit) bool {
	defer c.undo(c.root)
	if c.deny(lits, -1) || c.propagate() {
		return true
	}
	if len(lits) == 0 {
		return false
	}
	pivot := lits[0].not()
	base := len(c.trail)
	for _, k := range c.live {
		if k.deleted || !slices.Contains(k.lits, pivot) {
			continue
		}
		refuted := c.deny(k.lits, pivot) || c.propagate()
		c.undo(base)
		if !refuted {
			return false
		}
	}
	return true
}
