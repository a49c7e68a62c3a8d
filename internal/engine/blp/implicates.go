package blp

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// columns is a table turned: for each literal of interest the rows in which it
// is true.
type columns struct {
	rows int
	all  bitset
	of   map[model.Lit]bitset
}

func (s *relation) columns(rows table, lits ...[]model.Lit) *columns {
	c := &columns{rows: len(rows), all: newBitset(len(rows)), of: map[model.Lit]bitset{}}
	for i := range rows {
		c.all.add(i)
	}
	for _, list := range lits {
		for _, l := range list {
			yes, no := newBitset(len(rows)), newBitset(len(rows))
			for i, row := range rows {
				if row.has(int(l)) {
					yes.add(i)
				} else {
					no.add(i)
				}
			}
			c.of[l], c.of[-l] = yes, no
		}
	}
	return c
}

func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b bitset) and(c bitset) bitset {
	out := make(bitset, len(b))
	for i := range b {
		out[i] = b[i] & c[i]
	}
	return out
}

func (b bitset) without(c bitset) bitset {
	out := make(bitset, len(b))
	for i := range b {
		out[i] = b[i] &^ c[i]
	}
	return out
}

func (b bitset) meets(c bitset) bool {
	for i := range b {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

func (b bitset) empty() bool { return !b.meets(b) }

// first is the least member.
func (b bitset) first() int {
	for i, w := range b {
		if w != 0 {
			return 64*i + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// maxCubes bounds the implications about one literal.
const maxCubes = 600

// cover finds conjunctions of lits that together are true in every row of on and
// in none of off, each grown from one row by the literal that leaves the least
// of off, then freed of what it does not need. ok is false where they are too
// many, lits do not tell the rows apart, or the context ends.
func (c *columns) cover(ctx context.Context, on, off bitset, lits []model.Lit) (cubes [][]model.Lit, ok bool) {
	for left := on; !left.empty(); {
		if len(cubes) == maxCubes || ctx.Err() != nil {
			return cubes, false
		}
		seed := left.first()
		var cube []model.Lit
		bad, good := off, left
		for !bad.empty() {
			best, least, most := model.Lit(0), 0, 0
			for _, v := range lits {
				l := v
				if !c.of[l].has(seed) {
					l = -l
				}
				b := bad.and(c.of[l]).count()
				g := good.and(c.of[l]).count()
				if best == 0 || b < least || b == least && g > most {
					best, least, most = l, b, g
				}
			}
			if best == 0 || least == bad.count() {
				return cubes, false
			}
			cube = append(cube, best)
			bad, good = bad.and(c.of[best]), good.and(c.of[best])
		}
		cube = c.shrink(cube, off)
		covered := c.all
		for _, l := range cube {
			covered = covered.and(c.of[l])
		}
		left = left.without(covered)
		cubes = append(cubes, cube)
	}
	return cubes, true
}

// shrink leaves out literals that a conjunction can do without.
func (c *columns) shrink(cube []model.Lit, off bitset) []model.Lit {
	for i := 0; i < len(cube); {
		rest := off
		for j, l := range cube {
			if j != i {
				rest = rest.and(c.of[l])
			}
		}
		if rest.empty() {
			cube = append(cube[:i:i], cube[i+1:]...)
		} else {
			i++
		}
	}
	return cube
}

// lifted makes of "cube implies y" the row sum of cube - y <= |cube| - 1, and
// adds every literal that no row forbids: all rows keep it, and the relaxation
// is cut the more. Several sources of one state become one row that way.
func (c *columns) lifted(cube []model.Lit, y model.Lit, lits []model.Lit) model.Sum {
	slack := make([]int16, c.rows) // |cube| - 1 + y - sum
	full := newBitset(c.rows)      // where it is 0
	inCube := map[int32]bool{y.Var(): true}
	terms := []model.Term{{Coef: 1, Lit: -y}} // 1 - y
	change := func(rows bitset, by int16) {
		for i, w := range rows {
			for ; w != 0; w &= w - 1 {
				at := 64*i + bits.TrailingZeros64(w)
				if slack[at] += by; slack[at] == 0 {
					full.add(at)
				}
			}
		}
	}
	note := func(l model.Lit) {
		inCube[l.Var()] = true
		terms = append(terms, model.Term{Coef: 1, Lit: l})
		change(c.of[l], -1)
	}
	for i := range slack {
		slack[i] = int16(len(cube)) - 1
	}
	change(c.of[y], 1)
	clear(full)
	for i := range slack {
		if slack[i] == 0 { // an empty sum, or a single literal's row
			full.add(i)
		}
	}
	for _, l := range cube {
		note(l)
	}
	for _, v := range lits {
		for _, l := range [2]model.Lit{v, -v} {
			// A literal that is never true adds nothing.
			if inCube[v.Var()] || c.of[l].empty() || full.meets(c.of[l]) {
				continue
			}
			note(l)
		}
	}
	slices.SortFunc(terms, func(a, b model.Term) int { return cmp.Compare(a.Lit, b.Lit) })
	return model.Sum{Terms: terms, Op: factored.LE, K: int64(len(cube))}
}

// implicates lists rows that say what the network makes of a legal state and
// action, as far as implications of reasonable number can. complete reports whether
// they leave nothing open in any row of the table; it is false when the context
// ends before.
func (s *relation) implicates(ctx context.Context, rows table) (sums []model.Sum, complete bool) {
	c := s.columns(rows, s.Now, s.Actions, s.Learned)
	var lits []model.Lit // that vary
	for _, list := range [][]model.Lit{s.Now, s.Actions} {
		for _, l := range list {
			if !c.of[l].empty() && !c.of[-l].empty() {
				lits = append(lits, l)
			}
		}
	}
	complete = true
	seen := map[string]bool{}
	for _, v := range s.Learned {
		for _, y := range [2]model.Lit{v, -v} {
			cubes, ok := c.cover(ctx, c.of[y], c.of[-y], lits)
			complete = complete && ok
			for _, cube := range cubes {
				// Different implications may be lifted to the same row.
				sum := c.lifted(cube, y, lits)
				if key := fmt.Sprint(sum); !seen[key] {
					seen[key] = true
					sums = append(sums, sum)
				}
			}
		}
	}
	return sums, complete
}

// equals lists units, outputs and inputs that have the same or opposite values
// in all rows, as rows; a unit that is constant is one that equals nothing.
func (s *relation) equals(rows table) (sums []model.Sum) {
	var order []model.Lit
	for _, list := range [][]model.Lit{s.Now, s.Actions} {
		order = append(order, list...)
	}
	for _, layer := range s.units {
		for i := range layer {
			order = append(order, model.Lit(layer[i].out))
		}
	}
	c := s.columns(rows, order)
	byValue := map[string]model.Lit{}
	isInput := len(s.Now) + len(s.Actions)
	for i, v := range order {
		l := v
		if len(rows) > 0 && c.of[l].has(0) {
			l = -l // the one that is false in the first row
		}
		key := c.of[l].text()
		first, known := byValue[key]
		switch {
		case c.of[l].empty():
			if i >= isInput {
				sums = append(sums, model.Sum{Terms: []model.Term{{Coef: 1, Lit: -l}}, Op: factored.GE, K: 1})
			}
		case !known:
			byValue[key] = l
		case i >= isInput:
			sums = append(sums, model.Sum{Terms: []model.Term{{Coef: 1, Lit: l}, {Coef: 1, Lit: -first}}, Op: factored.EQ, K: 1})
		}
	}
	return sums
}

func (b bitset) text() string {
	out := make([]byte, 0, 8*len(b))
	for _, w := range b {
		for i := range 8 {
			out = append(out, byte(w>>(8*i)))
		}
	}
	return string(out)
}
