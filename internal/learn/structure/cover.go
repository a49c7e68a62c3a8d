package structure

import (
	"math/bits"
	"slices"
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
		in := s.t.Input(int(r))
		var cell uint64
		for i, b := range inputs {
			cell |= in[b/64] >> (b % 64) & 1 << i
		}
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

// cube is the set of joint values that agree with value in the inputs of care.
type cube struct{ care, value uint64 }

func (c cube) has(v uint64) bool { return (v^c.value)&c.care == 0 }

// description is a disjunction of cubes. It holds where an output is 1; where it is 0, if
// negated; or where it differs from the input own, if that is not negative.
type description struct {
	cubes   []cube
	negated bool
	own     int
}

// literals counts the literals of the cubes.
func (d description) literals() (n int) {
	for _, c := range d.cubes {
		n += bits.OnesCount64(c.care)
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
	if zero == nil || one == nil {
		return nil
	}
	return &Tree{Input: inputs[d.own], Zero: zero, One: one}
}

// grow makes the tree of cubes over inputs, which asks for the input of most cubes first. It is
// nil if more leaves are needed than are left.
func grow(cubes []cube, inputs []int, negated bool, left *int) *Tree {
	if len(cubes) == 0 || slices.ContainsFunc(cubes, func(c cube) bool { return c.care == 0 }) {
		*left--
		return &Tree{Value: (len(cubes) > 0) != negated}
	}
	if *left <= 0 {
		return nil
	}
	at, most := 0, -1
	for i := range inputs {
		n := 0
		for _, c := range cubes {
			n += int(c.care >> i & 1)
		}
		if n > most {
			at, most = i, n
		}
	}
	zero, one := grow(side(cubes, at, 0), inputs, negated, left), grow(side(cubes, at, 1), inputs, negated, left)
	switch {
	case zero == nil || one == nil:
		return nil
	case zero.Zero == nil && one.Zero == nil && zero.Value == one.Value:
		return zero
	}
	return &Tree{Input: inputs[at], Zero: zero, One: one}
}

// side is what is left of cubes where an input has a value.
func side(cubes []cube, input int, value uint64) (some []cube) {
	for _, c := range cubes {
		if c.care>>input&1 == 0 || c.value>>input&1 == value {
			some = append(some, cube{c.care &^ (1 << input), c.value})
		}
	}
	return some
}

// cover returns cubes over n inputs that have all values of on and none of off. Each cube is a
// value of on from which inputs are dropped one after the other. Cubes that others make needless
// are left out.
func cover(n int, on, off []uint64) []cube {
	var cubes []cube
	rest := slices.Clone(on)
	for len(rest) > 0 {
		c := widen(n, rest, on, off)
		cubes = append(cubes, c)
		rest = slices.DeleteFunc(rest, c.has)
	}
	for i := len(cubes) - 1; i >= 0; i-- {
		others := slices.Delete(slices.Clone(cubes), i, i+1)
		needed := slices.ContainsFunc(on, func(v uint64) bool {
			return cubes[i].has(v) && !slices.ContainsFunc(others, func(c cube) bool { return c.has(v) })
		})
		if !needed {
			cubes = others
		}
	}
	return cubes
}

// widen drops inputs from the first value of rest as long as no value of off comes in: first that
// without which the cube has most values of rest, and of these most values of on.
func widen(n int, rest, on, off []uint64) cube {
	c := cube{1<<n - 1, rest[0]}
	for {
		drop, most := -1, [2]int{-1, -1}
		for i := range n {
			d := cube{c.care &^ (1 << i), c.value}
			if d.care == c.care || slices.ContainsFunc(off, d.has) {
				continue
			}
			if n := [2]int{d.count(rest), d.count(on)}; slices.Compare(n[:], most[:]) > 0 {
				drop, most = i, n
			}
		}
		if drop < 0 {
			return c
		}
		c.care &^= 1 << drop
	}
}

// count counts the values that a cube has.
func (c cube) count(values []uint64) (n int) {
	for _, v := range values {
		if c.has(v) {
			n++
		}
	}
	return n
}
