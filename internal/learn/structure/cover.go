package structure

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/cubes"
)

const (
	coverInputs = 16   // most inputs of a function that is covered
	coverCells  = 4096 // most joint values
	coverLeaves = 2048 // most leaves of its tree
)

// complete replaces the tree of an output over some inputs by one with the same values for all
// rows that is better where rows do not have all values. That is the tree of a sum, also where it
// reads other inputs, or that of a disjunction if this is shorter. A tree divides the values that no
// row has as it divides the rows. A disjunction adds them where they make conjunctions shorter,
// which is right for functions such as "the robot is in a neighbouring cell and goes this way".
func (s *search) complete(out *Output, inputs []int) {
	const wide = 3 // bits of an integer whose sums are worth looking for where rows have all values
	if out.Tree.Zero == nil {
		return
	}
	var v values
	some, integer := false, s.integer()
	if len(inputs) <= coverInputs {
		var ok bool
		v, ok = s.values(inputs)
		some = ok && len(v.on)+len(v.off) < 1<<len(inputs)
	}
	if integer != nil && (some || len(integer) >= wide) {
		if s.wideSum(integer) != nil {
			out.Open = true // the adders of a function of integers are smaller than a tree
			return
		}
		if sum := s.linear(integer); sum != nil {
			out.Kind, out.Tree = BySum, sum
			return
		}
	}
	if !some {
		return
	}
	out.Open = true
	own := -1
	if s.t.Own != nil {
		own = slices.Index(inputs, s.t.Own(s.out))
	}
	d := v.describe(len(inputs), own)
	if d.literals() >= out.literals() {
		return
	}
	if n := d.tree(inputs); n != nil {
		out.Tree, out.Literals = n, d.literals()
	}
}

// values are the joint values of inputs that rows have, by the output.
type values struct{ on, off []uint64 }

// values is false if the joint values are too many, or if rows contradict each other.
func (s *search) values(inputs []int) (v values, ok bool) {
	seen := map[uint64]bool{}
	for _, r := range s.rows {
		cell := Cell(s.t.Input(int(r)), inputs)
		y := s.t.Output(int(r), s.out)
		if was, known := seen[cell]; known && was != y {
			return v, false
		}
		if seen[cell] = y; len(seen) > coverCells {
			return v, false
		}
	}
	for cell, y := range seen {
		v.take(cell, y)
	}
	slices.Sort(v.on)
	slices.Sort(v.off)
	return v, true
}

func (v *values) take(cell uint64, y bool) {
	if y {
		v.on = append(v.on, cell)
	} else {
		v.off = append(v.off, cell)
	}
}

// against is where the output differs from one of the inputs, in place of where it is 1.
func (v *values) against(input int) (w values) {
	for _, cell := range v.on {
		w.take(cell, cell>>input&1 == 0)
	}
	for _, cell := range v.off {
		w.take(cell, cell>>input&1 == 1)
	}
	return w
}

// describe returns the shortest of three descriptions over n inputs: of where the output is 1, of
// where it is 0, and of where it differs from the input own, if that is not negative.
func (v *values) describe(n, own int) description {
	best := description{cubes: cover(n, v.on, v.off), own: -1}
	take := func(d description) {
		if d.literals() < best.literals() {
			best = d
		}
	}
	take(description{cubes: cover(n, v.off, v.on), negated: true, own: -1})
	if own >= 0 {
		w := v.against(own)
		take(description{cubes: cover(n, w.on, w.off), own: own})
	}
	return best
}

// description is a disjunction of cubes. It holds where an output is 1; where it is 0, if
// negated; or where it differs from the input own, if that is not negative.
type description struct {
	cubes   []cubes.Cube
	negated bool
	own     int
}

// literals counts the literals of the cubes.
func (d description) literals() (n int) {
	for _, c := range d.cubes {
		n += bits.OnesCount64(c.Care)
	}
	return n
}

// tree is the tree of the output; nil if it has too many leaves.
func (d description) tree(inputs []int) *Tree {
	left := coverLeaves
	if d.own < 0 {
		return grow(d.cubes, inputs, d.negated, &left)
	}
	zero, one := grow(side(d.cubes, d.own, 0), inputs, false, &left), grow(side(d.cubes, d.own, 1), inputs, true, &left)
	return fork(inputs[d.own], zero, one)
}

// grow makes the tree of cubes over inputs, which asks for the input of most cubes first. It is
// nil if more leaves are needed than are left.
func grow(list []cubes.Cube, inputs []int, negated bool, left *int) *Tree {
	if len(list) == 0 || slices.ContainsFunc(list, func(c cubes.Cube) bool { return c.Care == 0 }) {
		*left--
		return &Tree{Value: (len(list) > 0) != negated}
	}
	if *left <= 0 {
		return nil
	}
	at, most := 0, -1
	for i := range inputs {
		n := 0
		for _, c := range list {
			n += int(c.Care >> i & 1)
		}
		if n > most {
			at, most = i, n
		}
	}
	zero, one := grow(side(list, at, 0), inputs, negated, left), grow(side(list, at, 1), inputs, negated, left)
	return fork(inputs[at], zero, one)
}

// side is what is left of cubes where an input has a value.
func side(list []cubes.Cube, input int, value uint64) (some []cubes.Cube) {
	for _, c := range list {
		if c.Care>>input&1 == 0 || c.Value>>input&1 == value {
			some = append(some, cubes.Cube{Care: c.Care &^ (1 << input), Value: c.Value})
		}
	}
	return some
}

// cover returns cubes over n inputs that have all values of on and none of off. Each cube is a
// value of on from which inputs are dropped one after the other. Cubes that others make needless
// are left out.
func cover(n int, on, off []uint64) []cubes.Cube {
	var list []cubes.Cube
	rest := slices.Clone(on)
	for len(rest) > 0 {
		c := widen(n, rest, on, off)
		list = append(list, c)
		rest = slices.DeleteFunc(rest, c.Has)
	}
	for i := len(list) - 1; i >= 0; i-- {
		others := slices.Delete(slices.Clone(list), i, i+1)
		needed := slices.ContainsFunc(on, func(v uint64) bool {
			return list[i].Has(v) && !slices.ContainsFunc(others, func(c cubes.Cube) bool { return c.Has(v) })
		})
		if !needed {
			list = others
		}
	}
	return list
}

// widen drops inputs from the first value of rest as long as no value of off comes in: first that
// without which the cube has most values of rest, and of these most values of on.
func widen(n int, rest, on, off []uint64) cubes.Cube {
	c := cubes.Cube{Care: 1<<n - 1, Value: rest[0]}
	for {
		drop, most := -1, [2]int{-1, -1}
		for i := range n {
			d := cubes.Cube{Care: c.Care &^ (1 << i), Value: c.Value}
			if d.Care == c.Care || slices.ContainsFunc(off, d.Has) {
				continue
			}
			if n := [2]int{count(d, rest), count(d, on)}; slices.Compare(n[:], most[:]) > 0 {
				drop, most = i, n
			}
		}
		if drop < 0 {
			return c
		}
		c.Care &^= 1 << drop
	}
}

// count counts the values that a cube has.
func count(c cubes.Cube, values []uint64) (n int) {
	for _, v := range values {
		if c.Has(v) {
			n++
		}
	}
	return n
}
