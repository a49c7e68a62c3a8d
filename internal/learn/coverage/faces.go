package coverage

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/cubes"
	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/internal/learn/structure"
)

const (
	// mostCubes bounds the cubes of an exception.
	mostCubes = 4096
	// mostNoisy bounds those of one with errors, where a cube more costs a few rows alone.
	mostNoisy = 4 * mostCubes
	// mostWords bounds the words of row sets that are joined for one.
	mostWords = 400_000_000
	// coveredBits is the most bits of a set of variables whose cells are covered by cubes.
	coveredBits = 12
)

// faces finds the cubes in which some row has the values of a set of variables, and no row has
// these together with some values of up to extra others: the least such combinations.
type faces struct {
	s     *space
	noise *noise   // decides how many rows settle a value; nil where one does
	ones  []uint64 // rows in which the output is 1, with noise
	set   []int    // variables
	extra int
	lits  []valueOf
	index map[valueOf]int
	rows  [][]uint64 // of lits, sets of places in rows
	cells []cellRows
	words int // left to join
	bad   map[string]*badness
	order []*badness
}

type valueOf struct{ variable, value int }

// cellRows are the rows that have a joint value of the set.
type cellRows struct {
	row   int // one of them, of the space
	bits  []uint64
	value bool // that they settle, with noise
}

// badness is a combination of values of other variables, and the cells with which no row has it.
type badness struct {
	lits  []int
	cells []int
}

// exceptions returns the cubes; false where they are too many. With noise, in place of no row too
// few settle a value.
func (s *space) exceptions(rows []int, set mask, extra int, noise *noise) ([][]Literal, bool) {
	if extra == 0 && noise == nil {
		return nil, true
	}
	x := &faces{s: s, noise: noise, set: set.List(), extra: extra, words: mostWords, index: map[valueOf]int{}, bad: map[string]*badness{}}
	var out [][]Literal
	for v := range s.vars {
		if !set.Has(v) {
			x.addValues(v)
			if extra > 0 {
				out = append(out, s.vars[v].others...)
			}
		}
	}
	outside := len(x.lits)
	if noise != nil { // to tell neighbours of cells
		for _, v := range x.set {
			x.addValues(v)
		}
	}
	x.read(rows)
	all := integer.Below[int](outside)
	x.decide()
	for c := range x.cells {
		if extra == 0 {
			if !x.settled(c, nil, x.cells[c].bits) {
				x.take(c, nil)
			}
			continue
		}
		if !x.walk(c, x.cells[c].bits, nil, all) {
			return nil, false
		}
	}
	for _, b := range x.order {
		if out = append(out, x.cubes(b)...); len(out) > x.most() {
			return nil, false
		}
	}
	for _, c := range out {
		slices.Sort(c)
	}
	slices.SortStableFunc(out, slices.Compare)
	return slices.CompactFunc(out, slices.Equal), true
}

// addValues takes the values of a variable.
func (x *faces) addValues(v int) {
	for w := range x.s.vars[v].values {
		x.index[valueOf{v, w}] = len(x.lits)
		x.lits = append(x.lits, valueOf{v, w})
	}
}

// read finds the rows with each value, and the cells.
func (x *faces) read(rows []int) {
	width := (len(rows) + 63) / 64
	for range x.lits {
		x.rows = append(x.rows, make([]uint64, width))
	}
	at := map[uint64]int{}
	for k, r := range rows {
		key := x.s.cell(x.set, r)
		c, ok := at[key]
		if !ok {
			c = len(x.cells)
			at[key] = c
			x.cells = append(x.cells, cellRows{row: r, bits: make([]uint64, width)})
		}
		x.cells[c].bits[k/64] |= 1 << (k % 64)
		for v := range x.s.vars {
			if i, ok := x.index[valueOf{v, int(x.s.vars[v].code[r])}]; ok {
				x.rows[i][k/64] |= 1 << (k % 64)
			}
		}
	}
}

// walk goes through the combinations of a path with candidates, each of which some row has
// together with the path but for its last value.
func (x *faces) walk(cell int, with []uint64, path, candidates []int) bool {
	var live []int
	var joined [][]uint64
	both, further := make([]uint64, len(with)), append(slices.Clone(path), 0)
	for _, q := range candidates {
		if x.words -= len(with); x.words < 0 {
			return false
		}
		further[len(path)] = q
		if join(both, with, x.rows[q]) && x.settled(cell, further, both) {
			live, joined = append(live, q), append(joined, both)
			both = make([]uint64, len(with))
		} else if x.least(cell, path, q) {
			x.take(cell, append(slices.Clone(path), q))
			if len(x.order) > 4*x.most() {
				return false
			}
		}
	}
	if len(path)+1 == x.extra {
		return true
	}
	for i, q := range live {
		rest := slices.DeleteFunc(slices.Clone(live[i+1:]), func(r int) bool { return x.lits[r].variable == x.lits[q].variable })
		if further[len(path)] = q; !x.walk(cell, joined[i], further, rest) {
			return false
		}
	}
	return true
}

// decide leaves the cells out in which rows with noise settle no value.
func (x *faces) decide() {
	if x.noise == nil {
		return
	}
	x.ones = make([]uint64, len(x.rows[0]))
	for k, y := range x.noise.y {
		if y {
			x.ones[k/64] |= 1 << (k % 64)
		}
	}
	x.cells = slices.DeleteFunc(x.cells, func(c cellRows) bool { return !x.settledOn(c.bits, true, 0) && !x.settledOn(c.bits, false, 0) })
	for i := range x.cells {
		x.cells[i].value = x.settledOn(x.cells[i].bits, true, 0)
	}
}

// settled reports whether rows of a cell with a path, of which there are some, settle its value. Where
// the path has as many values as any, errors in the recorded state count too.
func (x *faces) settled(cell int, path []int, rows []uint64) bool {
	switch c := &x.cells[cell]; {
	case x.noise == nil:
		return true
	case len(path) < x.extra:
		return x.settledOn(rows, c.value, 0)
	default:
		return x.settledOn(rows, c.value, x.strangers(c.row, path, rows))
	}
}

// strangers is how many rows errors in the recorded state put among those that have the values of a
// path and a cell, given by one of its rows, where one value of a variable is recorded for any other.
func (x *faces) strangers(row int, path []int, rows []uint64) float64 {
	lits := slices.Clone(path)
	for _, v := range x.set {
		lits = append(lits, x.index[valueOf{v, int(x.s.vars[v].code[row])}])
	}
	x.words -= len(lits) * len(lits) * len(rows)
	sum := 0.0
	near := make([]uint64, len(rows))
	for i, l := range lits {
		values := len(x.s.vars[x.lits[l].variable].values)
		if values < 2 {
			continue
		}
		for w := range near {
			near[w] = ^rows[w]
		}
		if len(lits) == 1 && len(rows) > 0 {
			near[len(near)-1] &= 1<<((len(x.noise.rows)-1)%64+1) - 1
		}
		for j, m := range lits {
			if j != i {
				join(near, near, x.rows[m])
			}
		}
		sum += float64(rules.Members(near)) / float64(values-1)
	}
	return x.noise.rate * sum
}

func (x *faces) settledOn(rows []uint64, value bool, strangers float64) bool {
	n, with := 0, 0
	for i, w := range rows {
		n += bits.OnesCount64(w)
		with += bits.OnesCount64(w & x.ones[i])
	}
	if !value {
		with = n - with
	}
	k := x.noise.most(strangers)
	return x.noise.settles(n-k, with-k, value)
}

// most is how many cubes an exception may have.
func (x *faces) most() int {
	if x.noise != nil {
		return mostNoisy
	}
	return mostCubes
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
		both := make([]uint64, len(x.rows[q]))
		any := join(both, x.cells[cell].bits, x.rows[q])
		for k, p := range path {
			if k != out {
				any = join(both, both, x.rows[p])
			}
		}
		x.words -= len(path) * len(x.rows[q])
		if !any || !x.settled(cell, nil, both) {
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
