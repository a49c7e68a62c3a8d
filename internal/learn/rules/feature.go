package rules

import (
	"encoding/binary"
	"slices"
)

const (
	widest      = 6 // bits of a variable that is compared
	nearest     = 2 // largest difference of two variables that is a feature
	mostPairs   = 300
	mostAny     = 64 // inputs of a set
	mostBitPair = 16 // inputs of a set that are compared with one another
)

// literal is a feature or its negation: the rows in which it holds, and the conjunctions of
// literals over inputs of which it is the disjunction.
type literal struct {
	col   []uint64
	cubes [][]int
}

// collector gathers literals that differ in some row.
type collector struct {
	s    *Sample
	seen map[string]bool
	lits []literal
}

// literals lists the features of a sample, the simple ones first. Of literals that hold in the
// same rows the first is kept, and those that hold in all rows or in none are left out.
func literals(s *Sample) []literal {
	c := &collector{s: s, seen: map[string]bool{}}
	for i := range s.Inputs {
		col := s.column(func(in []uint64) bool { return in[i/64]>>(i%64)&1 == 1 })
		c.take(col, [][]int{{2 * i}}, [][]int{{2*i + 1}})
	}
	for _, set := range s.Sets {
		c.any(set)
	}
	for _, g := range s.Groups {
		if len(g) <= widest {
			c.values(g)
		}
	}
	c.differences()
	return c.lits
}

// take adds a feature and its negation, as far as they have cubes.
func (c *collector) take(col []uint64, on, off [][]int) {
	n := Members(col)
	if n == 0 || n == len(c.s.Out) {
		return
	}
	c.one(col, on)
	negated := make([]uint64, len(col))
	for w, x := range col {
		negated[w] = ^x
	}
	if n := len(c.s.Out) % 64; n > 0 {
		negated[len(col)-1] &= 1<<n - 1
	}
	c.one(negated, off)
}

func (c *collector) one(col []uint64, cubes [][]int) {
	if cubes == nil {
		return
	}
	key := make([]byte, 8*len(col))
	for w, x := range col {
		binary.LittleEndian.PutUint64(key[8*w:], x)
	}
	if !c.seen[string(key)] {
		c.seen[string(key)] = true
		c.lits = append(c.lits, literal{col, cubes})
	}
}

// any adds whether some input of a set is 1, and the equality of pairs of inputs that are
// not exclusive.
func (c *collector) any(set []int) {
	if len(set) < 2 || len(set) > mostAny {
		return
	}
	col := c.s.column(func(in []uint64) bool {
		return slices.ContainsFunc(set, func(i int) bool { return in[i/64]>>(i%64)&1 == 1 })
	})
	var on [][]int
	var off []int
	for _, i := range set {
		on = append(on, []int{2 * i})
		off = append(off, 2*i+1)
	}
	c.take(col, on, [][]int{off})
	if len(set) > mostBitPair {
		return
	}
	for k, i := range set {
		for _, j := range set[k+1:] {
			both := false
			col := c.s.column(func(in []uint64) bool {
				x, y := in[i/64]>>(i%64)&1, in[j/64]>>(j%64)&1
				both = both || x&y == 1
				return x == y
			})
			if both {
				c.take(col, [][]int{{2 * i, 2 * j}, {2*i + 1, 2*j + 1}}, [][]int{{2 * i, 2*j + 1}, {2*i + 1, 2 * j}})
			}
		}
	}
}

// Number reads bits of a packed row as a number, the first of them the most significant.
func Number(in []uint64, g []int) int {
	v := 0
	for _, b := range g {
		v = v<<1 | int(in[b/64]>>(b%64)&1)
	}
	return v
}

// equal is the conjunction that asks for a value of a variable.
func equal(g []int, v int) []int {
	cube := make([]int, len(g))
	for i, b := range g {
		cube[i] = 2*b + 1 - v>>(len(g)-1-i)&1
	}
	return cube
}

// reaches is the disjunction that asks for a value of a variable that is v or more if ge, and
// below v otherwise.
func reaches(g []int, v int, ge bool) (cubes [][]int) {
	for i := range g {
		bit := v >> (len(g) - 1 - i) & 1
		if (bit == 0) == ge {
			// The bits before are those of v, and this one decides.
			cubes = append(cubes, append(equal(g[:i], v>>(len(g)-i)), 2*g[i]+bit))
		}
	}
	if ge {
		cubes = append(cubes, equal(g, v))
	}
	return cubes
}

// values adds the comparisons of a variable with the values that rows have.
func (c *collector) values(g []int) {
	seen := make([]bool, 1<<len(g))
	for _, in := range c.s.In {
		seen[Number(in, g)] = true
	}
	first := true
	for v, ok := range seen {
		if !ok {
			continue
		}
		if !first {
			c.take(c.s.column(func(in []uint64) bool { return Number(in, g) >= v }), reaches(g, v, true), reaches(g, v, false))
		}
		first = false
		differs := make([][]int, len(g))
		for i, l := range equal(g, v) {
			differs[i] = []int{l ^ 1}
		}
		c.take(c.s.column(func(in []uint64) bool { return Number(in, g) == v }), [][]int{equal(g, v)}, differs)
	}
}

// differences adds, for pairs of variables of as many bits, whether they differ by a small
// number.
func (c *collector) differences() {
	pairs := 0
	for i, g := range c.s.Groups {
		for _, h := range c.s.Groups[i+1:] {
			if len(g) != len(h) || len(g) > widest || pairs == mostPairs {
				continue
			}
			pairs++
			for d := -nearest; d <= nearest; d++ {
				var on [][]int
				for v := range 1 << len(g) {
					if w := v + d; w >= 0 && w < 1<<len(g) {
						on = append(on, slices.Concat(equal(g, v), equal(h, w)))
					}
				}
				c.take(c.s.column(func(in []uint64) bool { return Number(in, h) == Number(in, g)+d }), on, nil)
			}
		}
	}
}
