package translate

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// walk goes through the values of fluents and leaves together: the rows of a table.
type walk struct {
	scene   *scene
	keys    []fluentKey
	vectors []*vector
	at      []int64 // by key: the value of its bits
	first   []int   // by key: the bit of the row that its first bit is
	row     int
	rest    []*rat // by key: the default of an action; nil of others
	away    []bool // by key: an action that does not have it
	moved   int    // of these
	most    int    // that a step may have
}

// newWalk begins with the least values.
func (c *compiler) newWalk(s *support) *walk {
	n := len(s.keys)
	w := &walk{
		scene: &scene{c: c, val: map[fluentKey]value{}, memo: map[int]value{}, leaves: s.leaves()}, keys: s.keys,
		at: make([]int64, n), rest: make([]*rat, n), away: make([]bool, n), most: math.MaxInt,
	}
	if c.assuming && c.g.MaxActions >= 0 {
		w.most = c.g.MaxActions
	}
	bit := 0
	for i, k := range s.keys {
		v := c.keyVector(k)
		w.vectors, w.first = append(w.vectors, v), append(w.first, bit)
		bit += len(v.lits)
		if k >= 0 && c.g.Fluents[k>>1].Kind == ground.Action {
			r := simplest(c.g.Fluents[k>>1].Default)
			w.rest[i] = &r
		}
		w.set(i, v.lo)
	}
	return w
}

// set gives a key a value.
func (w *walk) set(i int, z int64) {
	w.at[i] = z
	v := w.vectors[i]
	for j := range v.lits {
		if mask := 1 << (w.first[i] + j); v.bit(z, j) {
			w.row |= mask
		} else {
			w.row &^= mask
		}
	}
	x := w.scene.c.keyValue(w.keys[i], z)
	w.scene.val[w.keys[i]] = x
	if r := w.rest[i]; r != nil && w.away[i] != (x.rat != *r) {
		if w.away[i] = !w.away[i]; w.away[i] {
			w.moved++
		} else {
			w.moved--
		}
	}
}

// next goes to the next row; false after the last.
func (w *walk) next() bool {
	clear(w.scene.memo)
	for i, v := range w.vectors {
		if w.at[i] < v.hi {
			w.set(i, w.at[i]+1)
			return true
		}
		w.set(i, v.lo)
	}
	return false
}

// allowed are the rows in which constant inputs have their values, and inputs that are repeated, or negated, have one value.
type allowed struct {
	mask, want int
	twice      []twin
}

// twin is two inputs that are the same, or of which one is the negation of the other.
type twin struct {
	i, j    int
	negated bool
}

func allowedBy(inputs []lit) *allowed {
	a := &allowed{}
	at := map[lit]int{}
	for i, l := range inputs {
		if l == yes || l == no {
			a.mask |= 1 << i
			if l == yes {
				a.want |= 1 << i
			}
			continue
		}
		if j, ok := at[l]; ok {
			a.twice = append(a.twice, twin{i, j, false})
		} else if j, ok := at[-l]; ok {
			a.twice = append(a.twice, twin{i, j, true})
		}
		at[l] = i
	}
	return a
}

// has reports whether a row is allowed.
func (a *allowed) has(row int) bool {
	if row&a.mask != a.want {
		return false
	}
	for _, t := range a.twice {
		if (row>>t.i&1 == row>>t.j&1) == t.negated {
			return false
		}
	}
	return true
}
