package veripb

import (
	"errors"
	"io"
	"slices"
)

// CheckDRAT checks a DRAT proof that a CNF has no solution; see package drat.
func CheckDRAT(cnf, proof io.Reader) error {
	c := &dratChecker{index: map[uint64][]*constraint{}}
	if err := c.formula(newClauses("formula", cnf)); err != nil {
		return err
	}
	r := newClauses("proof", proof)
	for !c.settle() {
		word, err := r.next()
		if err != nil {
			return err
		}
		if word == nil {
			return r.words.errorf("the proof ends without the empty clause")
		}
		at := r.words
		deletion := string(word) == "d"
		if deletion {
			if word, err = r.next(); err != nil {
				return err
			}
			if word == nil {
				return r.words.errorf("the file ends after \"d\", expected a clause")
			}
		}
		lits, err := r.clause(word)
		if err != nil {
			return err
		}
		switch {
		case deletion && !c.delete(lits):
			return at.errorf("there is no clause %v to delete", signed(lits))
		case deletion:
		case !c.justified(lits):
			return at.errorf("the clause %v has neither RUP nor RAT on its first literal", signed(lits))
		default:
			c.insert(lits)
		}
	}
	return nil
}

// dratChecker is a database of clauses. The variables of its literals are those of the file.
type dratChecker struct {
	propagator
	index map[uint64][]*constraint // by hash of the set of literals
}

// formula reads the CNF.
func (c *dratChecker) formula(r *clauses) error {
	for _, want := range []string{"p", "cnf"} {
		if word, err := r.next(); err != nil {
			return err
		} else if string(word) != want {
			return r.words.errorf("%s, expected %q of the header p cnf VARIABLES CLAUSES", r.found(word), want)
		}
	}
	var size [2]int64 // variables and clauses
	for i := range size {
		word, err := r.next()
		if err != nil {
			return err
		}
		n, ok := parseNumber(word)
		if !ok || n.big != nil || n.small < 0 || n.small > maxDRAT {
			return r.words.errorf("%s, expected a number from 0 to %d", r.found(word), maxDRAT)
		}
		size[i] = n.small
	}
	for n := int64(0); ; n++ {
		word, err := r.next()
		if err != nil {
			return err
		}
		if word == nil {
			if n != size[1] {
				return r.words.errorf("the file has %d clauses, its header says %d", n, size[1])
			}
			return nil
		}
		lits, err := r.clause(word)
		if err != nil {
			return err
		}
		for _, l := range lits {
			if int64(l.variable()) > size[0] {
				return r.words.errorf("found variable %d, the header says %d variables", l.variable(), size[0])
			}
		}
		c.insert(lits)
	}
}

// set sorts literals, removes duplicates and returns a hash of the set.
func set(lits []lit) (sorted []lit, hash uint64) {
	sorted = slices.Clone(lits)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	hash = 14695981039346656037
	for _, l := range sorted {
		hash = (hash ^ uint64(l)) * 1099511628211
	}
	return sorted, hash
}

// insert adds a clause.
func (c *dratChecker) insert(lits []lit) {
	sorted, hash := set(lits)
	if n := len(sorted); n > 0 {
		c.grow(sorted[n-1].variable() + 1)
	}
	k := &constraint{lits: sorted, degree: one}
	c.index[hash] = append(c.index[hash], k)
	c.add(k)
}

// delete removes one copy of a clause; it returns false if there is none. A clause that a literal follows from stays.
func (c *dratChecker) delete(lits []lit) bool {
	sorted, hash := set(lits)
	at := slices.IndexFunc(c.index[hash], func(k *constraint) bool {
		have, _ := set(k.lits)
		return slices.Equal(have, sorted)
	})
	if at < 0 {
		return false
	}
	k := c.index[hash][at]
	if !slices.ContainsFunc(k.lits, func(l lit) bool { return c.value[l] > 0 && c.reason[l.variable()] == k }) {
		c.remove(k)
		if c.index[hash] = slices.Delete(c.index[hash], at, at+1); len(c.index[hash]) == 0 {
			delete(c.index, hash)
		}
	}
	return true
}

// denied is the negation of a clause without a literal.
func denied(lits []lit, save lit) *constraint {
	k := &constraint{}
	for _, l := range lits {
		if l != save {
			k.lits = append(k.lits, l.not())
		}
	}
	k.degree = number(int64(len(k.lits)))
	return k
}

// justified reports whether a clause has RUP, or RAT on its first literal.
func (c *dratChecker) justified(lits []lit) bool {
	for _, l := range lits {
		c.grow(l.variable() + 1)
	}
	if c.refute(denied(lits, -1)) {
		return true
	}
	if len(lits) == 0 {
		return false
	}
	pivot := lits[0].not()
	for _, k := range c.live {
		if !k.deleted && slices.Contains(k.lits, pivot) && !c.refute(denied(lits, -1), denied(k.lits, pivot)) {
			return false
		}
	}
	return true
}

// maxDRAT is the greatest number of a variable: it bounds memory.
const maxDRAT = 1 << 27

// clauses reads words over the lines of a file. Lines that begin with c are comments.
type clauses struct {
	lines *lines
	words words
}

func newClauses(file string, in io.Reader) *clauses {
	return &clauses{newLines(file, in), words{file: file, line: 1}}
}

// next returns the next word, or nil at the end of the file.
func (r *clauses) next() ([]byte, error) {
	for {
		if word := r.words.next(); word != nil {
			return word, nil
		}
		w, err := r.lines.next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if r.words = w; len(w.text) > 0 && w.text[0] == 'c' {
			r.words.text = nil
		}
	}
}

func (r *clauses) found(word []byte) string {
	if word == nil {
		return "the file ends"
	}
	return found(word)
}

// clause reads literals up to 0, from a word that was read already.
func (r *clauses) clause(word []byte) (lits []lit, err error) {
	for {
		if word == nil {
			return nil, r.words.errorf("the file ends inside a clause, expected a literal or 0")
		}
		n, ok := parseNumber(word)
		switch {
		case !ok || n.big != nil || max(n.small, -n.small) > maxDRAT:
			return nil, r.words.errorf("%s, expected a literal from -%d to %d, or 0", found(word), maxDRAT, maxDRAT)
		case n.small == 0:
			return lits, nil
		case n.small < 0:
			lits = append(lits, lit(-n.small)<<1|1)
		default:
			lits = append(lits, lit(n.small)<<1)
		}
		if word, err = r.next(); err != nil {
			return nil, err
		}
	}
}

// signed formats literals as files do.
func signed(lits []lit) []int {
	out := make([]int, len(lits))
	for i, l := range lits {
		if out[i] = l.variable(); l.negated() {
			out[i] = -out[i]
		}
	}
	return out
}
