package synthesis

import (
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
)

// net is a network in the making: hidden units, and for each output the units
// that it reads.
type net struct {
	inputs  int
	targets []*target
	units   []unit
	uses    [][]int // by output, units in increasing order
	// fixed has the outputs whose units are not shrunk: their targets are empty. Nil
	// elsewhere.
	fixed []*fixed
}

// size is the number of edges plus the number of units.
func (n *net) size() int {
	used := make([]bool, len(n.units))
	sum := len(n.targets)
	for _, us := range n.uses {
		sum += len(us)
		for _, u := range us {
			used[u] = true
		}
	}
	for u, ok := range used {
		if ok {
			sum += len(n.units[u].lits) + 1
		}
	}
	return sum
}

// network writes the net as layers. Where each output is a single unit or
// constant there is no hidden layer. With functions of integers there are as many layers as these take.
func (n *net) network() *bnn.Network {
	if slices.ContainsFunc(n.fixed, func(f *fixed) bool { return f != nil && f.form != nil }) {
		return n.circuit()
	}
	if l, ok := n.direct(); ok {
		return &bnn.Network{Layers: []bnn.Layer{l}}
	}
	number := make([]int, len(n.units))
	hidden := bnn.Layer{Inputs: n.inputs}
	for _, us := range n.uses {
		for _, u := range us {
			number[u] = -1
		}
	}
	for u := range n.units {
		if number[u] < 0 {
			number[u] = hidden.Units()
			addUnit(&hidden, &n.units[u], false)
		}
	}
	out := bnn.Layer{Inputs: hidden.Units()}
	for o, us := range n.uses {
		row := make([]int8, out.Inputs)
		if f := n.fixed[o]; f != nil {
			out.Thresholds = append(out.Thresholds, int32(f.row(row, number)))
			out.Weights = append(out.Weights, row...)
			continue
		}
		weight, threshold := int8(1), 1
		if n.targets[o].negated {
			weight, threshold = -1, len(us) // all of them false
		}
		for _, u := range us {
			row[number[u]] = weight
		}
		out.Weights = append(out.Weights, row...)
		out.Thresholds = append(out.Thresholds, int32(threshold))
	}
	return &bnn.Network{Layers: []bnn.Layer{hidden, out}}
}

// addUnit adds a row to a layer, or with negated the row of the opposite
// function.
func addUnit(l *bnn.Layer, u *unit, negated bool) {
	row := make([]int8, l.Inputs)
	sign, threshold := int8(1), u.threshold
	if negated {
		sign, threshold = -1, len(u.lits)-u.threshold+1
	}
	for _, x := range u.lits {
		row[x/2] = sign * int8(1-2*(x%2))
	}
	l.Weights = append(l.Weights, row...)
	l.Thresholds = append(l.Thresholds, int32(threshold))
}

// direct is the single layer that serves where no output needs two units.
func (n *net) direct() (bnn.Layer, bool) {
	l := bnn.Layer{Inputs: n.inputs}
	for o, us := range n.uses {
		if n.fixed[o] != nil {
			return l, false
		}
		switch len(us) {
		case 0:
			addUnit(&l, &unit{threshold: 1}, n.targets[o].negated)
		case 1:
			addUnit(&l, &n.units[us[0]], n.targets[o].negated)
		default:
			return l, false
		}
	}
	return l, true
}
