package coverage

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/cubes"
	"github.com/fdplan/fdplan/internal/learn/structure"
)

const (
	// mostCubes bounds the cubes of an exception.
	mostCubes = 4096
	// mostWords bounds the words of row sets that are joined for one.
	mostWords = 400_000_000
	// coveredBits is the most bits of a set of variables whose cells are covered by cubes.
	coveredBits = 12
)

// faces finds the cubes in which some row has the values of a set of variables, and no row has
// these together with some values of up to extra others: the least such combinations.
type faces struct {
	s     *space
	set   []int // variables
	extra int
	lits  []valueOf
	rows  [][]uint64 // of lits, sets of places in rows
	cells []cellRows
	words int // left to join
	bad   map[string]*badness
	order []*badness
}

type valueOf struct{ variable, value int }

// cellRows are the rows that have a joint value of the set.
type cellRows struct {
	row  int // one of them, of the space
	bits []uint64
}

// badness is a combination of values of other variables, and the cells with which no row has it.
type badness struct {
	lits  []int
	cells []int
}

// exceptions returns the cubes; false where they are too many.
func (s *space) exceptions(rows []int, set mask, extra int) ([][]Literal, bool) {
	if extra == 0 {
		return nil, true
	}
	x := &faces{s: s, set: set.list(), extra: extra, words: mostWords, bad: map[string]*badness{}}
	var out [][]Literal
	width := (len(rows) + 63) / 64
	for v := range s.vars {
		if set.has(v) {
			continue
		}
		out = append(out, s.vars[v].others...)
		for w := range s.vars[v].values {
			x.lits = append(x.lits, valueOf{v, w})
		}
	}
	index := make(map[valueOf]int, len(x.lits))
	for i, l := range x.lits {
		index[l] = i
		x.rows = append(x.rows, make([]uint64, width))
	}
	at := map[uint64]int{}
	for k, r := range rows {
		key := s.cell(x.set, r)
		c, ok := at[key]
		if !ok {
			c = len(x.cells)
			at[key] = c
			x.cells = append(x.cells, cellRows{r, make([]uint64, width)})
		}
		x.cells[c].bits[k/64] |= 1 << (k % 64)
		for v := range s.vars {
			if i, ok := index[valueOf{v, int(s.vars[v].code[r])}]; ok {
				x.rows[i][k/64] |= 1 << (k % 64)
			}
		}
	}
	all := make([]int, len(x.lits))
	for i := range all {
		all[i] = i
	}
	for c := range x.cells {
		if !x.walk(c, x.cells[c].bits, nil, all) {
			return nil, false
		}
	}
	for _, b := range x.order {
		if out = append(out, x.cubes(b)...); len(out) > mostCubes {
			return nil, false
		}
	}
	for _, c := range out {
		slices.Sort(c)
	}
	slices.SortFunc(out, slices.Compare)
	return slices.CompactFunc(out, slices.Equal), true
}

// walk goes through the combinations of a path with candidates, each of which some row has
// together with the path but for its last value.
func (x *faces) walk(cell int, with []uint64, path, candidates []int) bool {
	var live []int
	var joined [][]uint64
	for _, q := range candidates {
		if x.words -= len(with); x.words < 0 {
			return false
		}
		both := make([]uint64, len(with))
		if join(both, with, x.rows[q]) {
			live, joined = append(live, q), append(joined, both)
		} else if x.least(cell, path, q) {
			x.take(cell, append(slices.Clone(path), q))
			if len(x.order) > 4*mostCubes {
				return false
			}
		}
	}
	if len(path)+1 == x.extra {
		return true
	}
	for i, q := range live {
		rest := slices.DeleteFunc(slices.Clone(live[i+1:]), func(r int) bool { return x.lits[r].variable == x.lits[q].variable })
		if !x.walk(cell, joined[i], append(path[:len(path):len(path)], q), rest) {
			return false
		}
	}
	return true
}

// join intersects two sets of rows and reports whether any is left.
func join(to, a, b []uint64) bool {
	var any uint64
	for i := range to {
		to[i] = a[i] & b[i]
		any |= to[i]
	}
	return any != 0
}

// least reports whether some row has each part of a path with one value more, which no row has in
// full.
func (x *faces) least(cell int, path []int, q int) bool {
	for out := range len(path) - 1 { // some row has the path but for the last, with q
		var any uint64
		for i, w := range x.cells[cell].bits {
			w &= x.rows[q][i]
			for k, p := range path {
				if k != out {
					w &= x.rows[p][i]
				}
			}
			any |= w
		}
		x.words -= len(path) * len(x.rows[q])
		if any == 0 {
			return false
		}
	}
	return true
}

func (x *faces) take(cell int, lits []int) {
	key := make([]byte, 0, 4*len(lits))
	for _, l := range lits {
		key = append(key, byte(l), byte(l>>8), byte(l>>16), ',')
	}
	b := x.bad[string(key)]
	if b == nil {
		b = &badness{lits: lits}
		x.bad[string(key)] = b
		x.order = append(x.order, b)
	}
	b.cells = append(b.cells, cell)
}

// cubes are those of a combination: in all cells of the set if no row has it in any, in few cubes
// where the cells are of few bits.
func (x *faces) cubes(b *badness) [][]Literal {
	var own []Literal
	for _, l := range b.lits {
		own = append(own, x.s.vars[x.lits[l].variable].values[x.lits[l].value]...)
	}
	if len(b.cells) == len(x.cells) {
		return [][]Literal{own}
	}
	var out [][]Literal
	inputs := x.s.bits(x.set)
	if len(inputs) > coveredBits {
		for _, c := range b.cells {
			cube := slices.Clone(own)
			for _, v := range x.set {
				cube = append(cube, x.s.vars[v].values[x.s.vars[v].code[x.cells[c].row]]...)
			}
			out = append(out, cube)
		}
		return out
	}
	bad, seen := cubes.New(len(inputs)), cubes.New(len(inputs))
	place := func(c int) uint64 { return structure.Cell(x.s.t.Input(int(x.s.rows[x.cells[c].row])), inputs) }
	for _, c := range b.cells {
		bad.Add(place(c))
	}
	for c := range x.cells {
		seen.Add(place(c))
	}
	found, _ := cubes.Cover(bad, seen.Not().Or(bad), -1)
	for _, c := range found {
		cube := slices.Clone(own)
		for care := c.Care; care != 0; care &= care - 1 {
			i := bits.TrailingZeros64(care)
			cube = append(cube, 2*inputs[i]+int(c.Value>>i&1))
		}
		out = append(out, cube)
	}
	return out
}

// bits lists the inputs of variables in increasing order.
func (s *space) bits(vars []int) (inputs []int) {
	for _, v := range vars {
		inputs = append(inputs, s.vars[v].bits...)
	}
	slices.Sort(inputs)
	return inputs
}
