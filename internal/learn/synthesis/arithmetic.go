package synthesis

import (
	"math/bits"

	"github.com/fdplan/fdplan/internal/learn/integers"
)

// number is an integer of a circuit in two's complement: its wires, the least significant first, the last one the
// sign. Its values are lo..hi at most.
type number struct {
	wires  []wire
	lo, hi int
}

// bit is the i-th bit, that of weight 2^i.
func (x number) bit(i int) wire { return x.wires[min(i, len(x.wires)-1)] }

// widthFor is how many bits lo..hi takes with its sign.
func widthFor(lo, hi int) int {
	width := func(v int) int {
		if v < 0 {
			v = ^v
		}
		return bits.Len(uint(v)) + 1
	}
	return max(width(lo), width(hi))
}

// within is the number with the bits that its range takes.
func (x number) within(lo, hi int) number {
	n := number{lo: lo, hi: hi}
	for i := range widthFor(lo, hi) {
		n.wires = append(n.wires, x.bit(i))
	}
	return n
}

// fixedNumber is a constant.
func fixedNumber(v int) number {
	x := number{lo: v, hi: v}
	for i := range widthFor(v, v) {
		x.wires = append(x.wires, low^wire(v>>i&1))
	}
	return x
}

// value makes the gates of an expression.
func (c *circuit) value(e *integers.Expr) number {
	if x, ok := c.compared(e); ok {
		return x
	}
	switch e.Op {
	case integers.Value:
		return fixedNumber(e.Constant)
	case integers.Var:
		return c.variable(e.Variable)
	case integers.Sum:
		return c.sum(e)
	case integers.Min, integers.Max:
		a, b := c.value(e.Args[0]), c.value(e.Args[1])
		less := c.negative(c.weighted([]int{1, -1}, []number{a, b}, 0)) // a < b
		if e.Op == integers.Max {
			return c.choose(less, b, a).within(max(a.lo, b.lo), max(a.hi, b.hi))
		}
		return c.choose(less, a, b).within(min(a.lo, b.lo), min(a.hi, b.hi))
	case integers.Abs:
		a := c.value(e.Args[0])
		minus := c.weighted([]int{-1}, []number{a}, 0)
		return c.choose(c.negative(a), minus, a).within(0, max(a.hi, -a.lo))
	case integers.Mod:
		return c.remainder(c.value(e.Args[0]), e.Constant)
	case integers.AtLeast:
		return flag(c.atLeastNumber(c.value(e.Args[0]), e.Constant))
	case integers.Is:
		return flag(c.is(c.value(e.Args[0]), e.Constant))
	}
	last := len(e.Args) - 1
	var all []wire
	for _, a := range e.Args[:last-1] {
		all = append(all, c.value(a).wires[0])
	}
	return c.choose(c.and(all...), c.value(e.Args[last-1]), c.value(e.Args[last]))
}

// flag is a wire as a number.
func flag(w wire) number { return number{wires: []wire{w, low}, lo: 0, hi: 1} }

// variable is the number of some inputs.
func (c *circuit) variable(v *integers.Variable) (x number) {
	x.lo, x.hi = v.Range()
	for i := range v.Bits {
		x.wires = append(x.wires, c.input(v.Bits[len(v.Bits)-1-i]))
	}
	if !v.Signed {
		x.wires = append(x.wires, low)
	}
	return x
}

// negative is whether a number is less than 0.
func (c *circuit) negative(x number) wire { return x.wires[len(x.wires)-1] }

// atLeastNumber is whether a number is k or more.
func (c *circuit) atLeastNumber(x number, k int) wire {
	return c.negative(c.weighted([]int{1}, []number{x}, -k)) ^ 1
}

// is is whether a number is k.
func (c *circuit) is(x number, k int) wire {
	if k < x.lo || k > x.hi {
		return low
	}
	var all []wire
	for i, w := range x.wires {
		all = append(all, w^1^wire(k>>i&1))
	}
	return c.and(all...)
}

// choose is one number where a wire is 1, and else another.
func (c *circuit) choose(w wire, a, b number) number {
	x := number{lo: min(a.lo, b.lo), hi: max(a.hi, b.hi)}
	for i := range widthFor(x.lo, x.hi) {
		x.wires = append(x.wires, c.either(w, a.bit(i), b.bit(i)))
	}
	return x
}

// either is a where w is 1, and else b.
func (c *circuit) either(w, a, b wire) wire {
	if a == b {
		return a
	}
	return c.or(c.and(w, a), c.and(w^1, b))
}

// remainder is a number modulo m. A multiple of m for each range of m values is taken away.
func (c *circuit) remainder(x number, m int) number {
	if m&(m-1) == 0 && m > 0 {
		r := number{lo: 0, hi: m - 1}
		for i := range widthFor(0, m-1) - 1 {
			r.wires = append(r.wires, x.bit(i))
		}
		r.wires = append(r.wires, low)
		return r
	}
	floor := func(v int) int { return (v - ((v%m)+m)%m) / m }
	result := c.weighted([]int{1}, []number{x}, -m*floor(x.lo)).within(0, m-1)
	for k := floor(x.lo) + 1; k <= floor(x.hi); k++ {
		result = c.choose(c.atLeastNumber(x, m*k), c.weighted([]int{1}, []number{x}, -m*k).within(0, m-1), result)
	}
	return result.within(0, m-1)
}

// sum is the number of a weighted sum.
func (c *circuit) sum(e *integers.Expr) number {
	var args []number
	for _, a := range e.Args {
		args = append(args, c.value(a))
	}
	return c.weighted(e.Weights, args, e.Constant)
}

// weighted adds numbers, each times a weight, and a constant: columns of bits of one weight are brought down to two
// each by full adders, and these added with carries that are found in a tree.
func (c *circuit) weighted(weights []int, args []number, k int) number {
	if len(weights) == 1 && weights[0] == 1 && k == 0 {
		return args[0]
	}
	x := number{lo: k, hi: k}
	for i, a := range args {
		x.lo += min(weights[i]*a.lo, weights[i]*a.hi)
		x.hi += max(weights[i]*a.lo, weights[i]*a.hi)
	}
	width := widthFor(x.lo, x.hi)
	columns := make([][]wire, width)
	for i, a := range args {
		w, flip := weights[i], wire(0)
		if w < 0 {
			// -a is ^a + 1.
			w, flip = -w, 1
			k += w
		}
		for s := range bits.Len(uint(w)) {
			if w>>s&1 == 1 {
				for at := s; at < width; at++ {
					columns[at] = append(columns[at], a.bit(at-s)^flip)
				}
			}
		}
	}
	for i := range columns {
		if k>>i&1 == 1 {
			columns[i] = append(columns[i], high)
		}
	}
	x.wires = c.add(columns)
	return x
}

// add adds columns of bits, the least significant first, modulo 2 to the power of their number.
func (c *circuit) add(columns [][]wire) []wire {
	for more := true; more; {
		more = false
		next := make([][]wire, len(columns)+1)
		for i, col := range columns {
			for len(col) > 2 {
				next[i] = append(next[i], c.odd(col[0], col[1], col[2]))
				next[i+1] = append(next[i+1], c.atLeast(2, col[0], col[1], col[2]))
				col = col[3:]
			}
			next[i] = append(next[i], col...)
		}
		columns = next[:len(columns)]
		for _, col := range columns {
			more = more || len(col) > 2
		}
	}
	var both, some []wire
	for i := range columns {
		for len(columns[i]) < 2 {
			columns[i] = append(columns[i], low)
		}
		both, some = append(both, c.and(columns[i]...)), append(some, c.or(columns[i]...))
	}
	carries, _ := c.carries(both, some)
	out := make([]wire, len(columns))
	for i, col := range columns {
		carry := low
		if i > 0 {
			carry = carries[i-1]
		}
		out[i] = c.odd(col[0], col[1], carry)
	}
	return out
}

// odd is whether an odd number of three wires are 1.
func (c *circuit) odd(x, y, z wire) wire {
	return c.atLeast(2, c.or(x, y, z), c.atLeast(2, x, y, z)^1, c.and(x, y, z))
}

// carries is by position whether a carry leaves it, and whether one would if one came in at the first: a carry is
// made where both bits are 1, and passed on where some is (Sklansky, Conditional-Sum Addition Logic, 1960).
func (c *circuit) carries(both, some []wire) (without, with []wire) {
	if len(both) == 1 {
		return both, some
	}
	half := len(both) / 2
	a, b := c.carries(both[:half], some[:half])
	x, y := c.carries(both[half:], some[half:])
	without, with = append(without, a...), append(with, b...)
	for i := range x {
		without = append(without, c.atLeast(2, x[i], y[i], a[half-1]))
		with = append(with, c.atLeast(2, x[i], y[i], b[half-1]))
	}
	return without, with
}
