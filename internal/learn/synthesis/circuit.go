package synthesis

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
)

// wire is a literal of a circuit: twice the number of a gate, plus 1 for its negation. Gate 0 is constantly 1,
// and gates 1 to the number of inputs are these.
type wire int

const (
	high wire = 0
	low  wire = 1
)

// circuit is a network of threshold gates over one another, in topological order. Equal gates are one.
type circuit struct {
	inputs int
	gates  []gate
	number map[string]int
}

// gate is 1 where at least threshold of its wires are. Level is the length of the longest way from
// the inputs to it.
type gate struct {
	in               []wire
	threshold, level int
}

func (c *circuit) input(i int) wire { return wire(2 * (i + 1)) }

// atLeast is whether k of some wires are 1.
func (c *circuit) atLeast(k int, in ...wire) wire {
	in = slices.Sorted(slices.Values(in))
	var some []wire
	whole := k
	for _, w := range in {
		last := len(some) - 1
		switch {
		case w == high:
			k--
		case w == low:
		case last >= 0 && some[last] == w^1:
			some, k = some[:last], k-1 // one of both is 1
		case last >= 0 && some[last] == w:
			return c.twice(whole, in, w)
		default:
			some = append(some, w)
		}
	}
	switch {
	case k <= 0:
		return high
	case k > len(some):
		return low
	case len(some) == 1:
		return some[0]
	}
	// A gate and its negation are one.
	negated := wire(0)
	if some[0]&1 == 1 {
		for i := range some {
			some[i] ^= 1
		}
		k, negated = len(some)-k+1, 1
	}
	return c.gate(fmt.Sprint(k, some), gate{in: some, threshold: k}) | negated
}

// gate is the gate of a name, g where there is none.
func (c *circuit) gate(name string, g gate) wire {
	n, ok := c.number[name]
	if !ok {
		n = len(c.gates)
		c.number[name] = n
		for _, w := range g.in {
			g.level = max(g.level, c.gates[w/2].level+1)
		}
		c.gates = append(c.gates, g)
	}
	return wire(2 * n)
}

// twice is atLeast where a wire is there twice.
func (c *circuit) twice(k int, in []wire, w wire) wire {
	i := slices.Index(in, w)
	rest := slices.Concat(in[:i], in[i+2:])
	return c.or(c.atLeast(k, rest...), c.and(w, c.atLeast(k-2, rest...)))
}

func (c *circuit) or(in ...wire) wire  { return c.atLeast(1, in...) }
func (c *circuit) and(in ...wire) wire { return c.atLeast(len(in), in...) }

// layered writes the circuit of some outputs as layers. A wire that a later layer reads is passed on by a unit of each
// layer between.
func (c *circuit) layered(outputs []wire) *bnn.Network {
	depth := 1
	for _, w := range outputs {
		depth = max(depth, c.gates[w/2].level)
	}
	until := make([]int, len(c.gates)) // the last layer whose units the gate must be among, -1 for none
	for g := range until {
		until[g] = -1
	}
	for _, w := range outputs {
		until[w/2] = max(until[w/2], depth-1)
	}
	for g := len(c.gates) - 1; g > c.inputs; g-- {
		if until[g] < 0 {
			continue
		}
		for _, w := range c.gates[g].in {
			until[w/2] = max(until[w/2], c.gates[g].level-1)
		}
	}
	net := &bnn.Network{}
	place := make([]int, len(c.gates)) // among the units of the layer before
	for g := 1; g <= c.inputs; g++ {
		place[g] = g - 1
	}
	width := c.inputs
	for l := 1; l <= depth; l++ {
		var units []wire
		if l == depth {
			units = outputs
		} else {
			for g := 1; g < len(c.gates); g++ {
				if c.gates[g].level <= l && until[g] >= l {
					units = append(units, wire(2*g))
				}
			}
		}
		if len(units) == 0 {
			units = []wire{low} // a layer has a unit
		}
		layer := bnn.Layer{Inputs: width}
		for _, w := range units {
			c.addUnit(&layer, w, l, place)
		}
		for i, w := range units {
			place[w/2] = i
		}
		net.Layers, width = append(net.Layers, layer), layer.Units()
	}
	return net
}

// addUnit adds the unit of a wire to layer l: its gate, or what passes it on.
func (c *circuit) addUnit(layer *bnn.Layer, w wire, l int, place []int) {
	row := make([]int8, layer.Inputs)
	g := &c.gates[w/2]
	in, threshold := []wire{w &^ 1}, 1
	switch {
	case w/2 == 0:
		in, threshold = nil, 0
	case g.level == l:
		in, threshold = g.in, g.threshold
	}
	if w&1 == 1 {
		threshold = len(in) - threshold + 1
	}
	for _, x := range in {
		row[place[x/2]] = int8(1-2*int(x&1)) * int8(1-2*int(w&1))
	}
	layer.Weights = append(layer.Weights, row...)
	layer.Thresholds = append(layer.Thresholds, int32(threshold))
}

// circuit writes the units of the net and the functions of integers as one circuit.
func (n *net) circuit() *bnn.Network {
	c := &circuit{inputs: n.inputs, gates: make([]gate, n.inputs+1), number: map[string]int{}}
	units := make([]wire, len(n.units))
	for i, u := range n.units {
		in := make([]wire, len(u.lits))
		for k, l := range u.lits {
			in[k] = c.input(l/2) ^ wire(l&1)
		}
		units[i] = c.atLeast(u.threshold, in...)
	}
	outputs := make([]wire, len(n.uses))
	for o, us := range n.uses {
		var in []wire
		if f := n.fixed[o]; f != nil && f.form != nil {
			outputs[o] = c.value(f.form).bit(f.bit)
			continue
		}
		for _, u := range us {
			in = append(in, units[u])
		}
		if f := n.fixed[o]; f != nil {
			in = nil
			threshold := f.threshold
			for i, u := range f.units {
				if w := units[u]; f.weights[i] < 0 {
					in, threshold = append(in, w^1), threshold+1
				} else {
					in = append(in, w)
				}
			}
			outputs[o] = c.atLeast(threshold, in...)
			continue
		}
		if outputs[o] = c.or(in...); n.targets[o].negated {
			outputs[o] ^= 1
		}
	}
	return c.layered(outputs)
}
