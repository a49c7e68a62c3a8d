package versions

import "math"

// mostSets bounds the sets that a census lists, and mostCells the combinations of values of one of them.
const mostSets, mostCells = 1 << 14, 64

// census lists the sets of k variables that are consistent with the rows, each with the values that rows have shown.
type census struct {
	k    int
	rows int // that it has
	sets []ballot
}

// ballot is a set of variables with the combinations of their values, by number, at which some row has the value 0, and 1.
type ballot struct {
	vars  []int
	shown [2]uint64
}

// Doubt is how uncertain the value at a point is, in bits: the entropy of a value that is drawn by a consistent set of k variables, drawn
// itself, one of which no row shows the value having either. It reports false where there are too many sets.
func (f *Function) Doubt(k int, at Point) (float64, bool) {
	if f.census == nil || f.census.k != k {
		f.census = &census{k: k}
		if !f.census.list(f.domain, nil, 1, k) {
			f.census.sets = nil
		}
	}
	c := f.census
	for ; c.rows < len(f.rows); c.rows++ {
		c.add(f.domain, &f.rows[c.rows])
	}
	var says [2]int
	for i := range c.sets {
		cell := c.sets[i].cell(f.domain, at)
		for v, shown := range c.sets[i].shown {
			says[v] += int(shown >> cell & 1)
		}
	}
	if len(c.sets) == 0 {
		return 0, false
	}
	one := 0.5 * (1 + float64(says[1]-says[0])/float64(len(c.sets)))
	if one <= 0 || one >= 1 {
		return 0, true
	}
	return -one*math.Log2(one) - (1-one)*math.Log2(1-one), true
}

// list adds all sets of k more variables, and reports whether they are few enough.
func (c *census) list(domain, set []int, cells, k int) bool {
	if k == 0 {
		c.sets = append(c.sets, ballot{vars: set})
		return len(c.sets) <= mostSets
	}
	first := 0
	if len(set) > 0 {
		first = set[len(set)-1] + 1
	}
	for v := first; v <= len(domain)-k; v++ {
		if cells*(domain[v]+1) > mostCells || !c.list(domain, append(set[:len(set):len(set)], v), cells*(domain[v]+1), k-1) {
			return false
		}
	}
	return true
}

// add takes a row, and drops the sets that do not tell it from one with the other value.
func (c *census) add(domain []int, r *row) {
	value := 0
	if r.on {
		value = 1
	}
	keep := c.sets[:0]
	for _, b := range c.sets {
		cell := b.cell(domain, r.at)
		if b.shown[1-value]>>cell&1 == 1 {
			continue
		}
		b.shown[value] |= 1 << cell
		keep = append(keep, b)
	}
	c.sets = keep
}

// cell numbers the values that a point has of the variables of a set; all that are not legal are one.
func (b *ballot) cell(domain []int, at Point) (n int) {
	for _, v := range b.vars {
		n = n*(domain[v]+1) + min(int(at[v]), domain[v])
	}
	return n
}
