package structure

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// Tree is a decision tree over input bits: a leaf where Zero is nil.
type Tree struct {
	Input     int
	Zero, One *Tree
	Value     bool // of a leaf
	Free      bool // of a leaf: its values are impossible, and Value says nothing
	Rows      int  // of a leaf: the rows that it was made from
}

// Eval returns the value of the tree for a packed row of inputs.
func (n *Tree) Eval(in []uint64) bool { return n.Leaf(in).Value }

// Leaf returns the leaf that a packed row of inputs leads to.
func (n *Tree) Leaf(in []uint64) *Tree {
	for n.Zero != nil {
		if in[n.Input/64]>>(n.Input%64)&1 == 1 {
			n = n.One
		} else {
			n = n.Zero
		}
	}
	return n
}

// fork asks for an input, unless the answer makes no difference. It is nil if one of the trees is.
func fork(input int, zero, one *Tree) *Tree {
	switch {
	case zero == nil || one == nil:
		return nil
	case zero.Zero == nil && one.Zero == nil && zero.Value == one.Value && zero.Free == one.Free:
		return zero
	}
	return &Tree{Input: input, Zero: zero, One: one}
}

// Leaves is the number of leaves.
func (n *Tree) Leaves() int {
	if n.Zero == nil {
		return 1
	}
	return n.Zero.Leaves() + n.One.Leaves()
}

// Inputs lists the inputs that the tree asks for, in increasing order.
func (n *Tree) Inputs() []int {
	var out []int
	var walk func(*Tree)
	walk = func(n *Tree) {
		if n.Zero != nil {
			out = append(out, n.Input)
			walk(n.Zero)
			walk(n.One)
		}
	}
	walk(n)
	slices.Sort(out)
	return slices.Compact(out)
}

// MaxInputs is the most inputs that a function has.
const MaxInputs = 64

// growAll makes a tree over all inputs, in the order of their rank. Where it asks
// for too many it is made again over those that most rows are asked for.
func (s *search) growAll(strict bool) *Tree {
	inputs := integer.Below[int](s.t.Inputs)
	slices.SortStableFunc(inputs, func(a, b int) int { return s.rank(a) - s.rank(b) })
	n := s.grow(s.rows, inputs, true, strict)
	if len(n.Inputs()) <= MaxInputs {
		return n
	}
	asked := make([]int, s.t.Inputs)
	n.count(asked)
	slices.SortStableFunc(inputs, func(a, b int) int { return asked[b] - asked[a] })
	return s.grow(s.rows, inputs[:MaxInputs], true, strict)
}

// count adds to asked, for each input, the rows of the nodes that ask for it, and
// returns the rows of the node.
func (n *Tree) count(asked []int) int {
	if n.Zero == nil {
		return n.Rows
	}
	rows := n.Zero.count(asked) + n.One.count(asked)
	asked[n.Input] += rows
	return rows
}

// grow makes the tree of some rows over candidate inputs; pairs are tried where
// no single input has a gain. Where strict is set a node is split only when the
// gain pays for it, as noise asks for.
func (s *search) grow(rows []int32, candidates []int, pairs, strict bool) *Tree {
	ones := 0
	for _, r := range rows {
		if s.t.Output(int(r), s.out) {
			ones++
		}
	}
	leaf := &Tree{Value: 2*ones > len(rows), Rows: len(rows)}
	if ones == 0 || ones == len(rows) {
		return leaf
	}
	b := s.test(rows, candidates, pairs, strict)
	if b < 0 {
		return leaf
	}
	var zero, one []int32
	for _, r := range rows {
		if s.t.bit(r, b) == 1 {
			one = append(one, r)
		} else {
			zero = append(zero, r)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(candidates), func(c int) bool { return c == b })
	n := &Tree{Input: b, Zero: s.grow(zero, rest, pairs, strict), One: s.grow(one, rest, pairs, strict)}
	if n.Zero.Zero == nil && n.One.Zero == nil && n.Zero.Value == n.One.Value {
		return leaf
	}
	return n
}

// pairRows is how many rows a node needs for pairs to be tried.
const pairRows = 64

// test chooses the input that a node asks for; -1 for none.
func (s *search) test(rows []int32, candidates []int, pairs, strict bool) int {
	p := newPartition(s.t, rows, s.out)
	best, at, price := 0.0, -1, math.Log2(float64(len(candidates)+1))+math.Log2(float64(len(rows)))/2
	some := -1
	for _, b := range candidates {
		gain, splits := p.gain(p.col(b), s.x)
		if splits == 0 {
			continue
		}
		if some < 0 {
			some = b
		}
		if gain > best+1e-9 {
			best, at = gain, b
		}
	}
	if pairs && best < price && len(rows) >= pairRows && len(candidates) <= pairInputs {
		if pair := s.pair(s.sample(p, 1, tripleRows), candidates); pair != nil {
			return pair[0]
		}
	}
	if strict && best < price {
		return -1
	}
	if at < 0 {
		return some
	}
	return at
}
