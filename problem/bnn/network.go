// Package bnn implements binarized neural networks (paper, section "Binarized Neural
// Networks"): layers of units with weights in {-1, 0, +1} and an integer activation threshold
// into which batch normalization has been folded, their bit-packed evaluation, and their file
// formats.
package bnn

import (
	"errors"
	"fmt"
	"slices"
)

// Layer is one layer of binary units over -1/+1 inputs, given as false and
// true. Unit j is active if and only if at least Thresholds[j] of its inputs
// agree with their weights: a true input with +1, a false one with -1. Inputs
// of weight 0 are not counted.
type Layer struct {
	Inputs     int
	Weights    []int8  // len(Thresholds) rows of Inputs entries in {-1, 0, +1}
	Thresholds []int32 // p*, in 0..fan-in+1: 0 is always active, fan-in+1 never
}

// Units is the number of units of the layer.
func (l *Layer) Units() int { return len(l.Thresholds) }

// Row returns the weights of unit j, one per input.
func (l *Layer) Row(j int) []int8 { return l.Weights[j*l.Inputs : (j+1)*l.Inputs] }

// FanIn is the number of inputs of unit j whose weight is not 0.
func (l *Layer) FanIn(j int) int {
	n := 0
	for _, w := range l.Row(j) {
		if w != 0 {
			n++
		}
	}
	return n
}

// Network is a feed-forward stack of layers. The zero value has none, and stands in files for no network.
type Network struct {
	Layers []Layer
}

// Inputs is the number of input bits.
func (n *Network) Inputs() int {
	if len(n.Layers) == 0 {
		return 0
	}
	return n.Layers[0].Inputs
}

// Outputs is the number of output bits.
func (n *Network) Outputs() int {
	if len(n.Layers) == 0 {
		return 0
	}
	return n.Layers[len(n.Layers)-1].Units()
}

// Hidden is the number of units before the last layer.
func (n *Network) Hidden() int {
	sum := 0
	for i := range max(0, len(n.Layers)-1) {
		sum += n.Layers[i].Units()
	}
	return sum
}

// Edges is the number of weights that are not 0.
func (n *Network) Edges() int {
	sum := 0
	for i := range n.Layers {
		for _, w := range n.Layers[i].Weights {
			if w != 0 {
				sum++
			}
		}
	}
	return sum
}

// Shape writes the layer sizes as the paper's Table 1 does: 13:36:36:9.
func (n *Network) Shape() string {
	if len(n.Layers) == 0 {
		return "no network"
	}
	s := fmt.Sprint(n.Inputs())
	for i := range n.Layers {
		s += fmt.Sprintf(":%d", n.Layers[i].Units())
	}
	return s
}

// ErrShape is wrapped by every error of Check.
var ErrShape = errors.New("malformed network")

// Check reports layers that do not fit together, weights outside {-1, 0, +1}, and thresholds
// outside 0..fan-in+1.
func (n *Network) Check() error {
	if len(n.Layers) == 0 {
		return fmt.Errorf("%w: it has no layer", ErrShape)
	}
	inputs := n.Layers[0].Inputs
	for i := range n.Layers {
		l := &n.Layers[i]
		if l.Inputs != inputs || l.Inputs < 1 || l.Units() < 1 {
			return fmt.Errorf("%w: layer %d has %d inputs and %d units after %d inputs or units", ErrShape, i+1, l.Inputs, l.Units(), inputs)
		}
		if len(l.Weights) != l.Inputs*l.Units() {
			return fmt.Errorf("%w: layer %d has %d weights, %d units of %d inputs need %d", ErrShape, i+1, len(l.Weights), l.Units(), l.Inputs, l.Inputs*l.Units())
		}
		for j, w := range l.Weights {
			if w < -1 || w > 1 {
				return fmt.Errorf("%w: layer %d unit %d has the weight %d", ErrShape, i+1, j/l.Inputs+1, w)
			}
		}
		for j, p := range l.Thresholds {
			if p < 0 || int(p) > l.FanIn(j)+1 {
				return fmt.Errorf("%w: layer %d unit %d has the threshold %d, expected 0..%d", ErrShape, i+1, j+1, p, l.FanIn(j)+1)
			}
		}
		inputs = l.Units()
	}
	return nil
}

// Support lists the inputs that an output is connected with by weights that are not 0, in order.
func (n *Network) Support(output int) []int {
	from := []int{output}
	for _, l := range slices.Backward(n.Layers) {
		reached := make([]bool, l.Inputs)
		for _, j := range from {
			for i, w := range l.Row(j) {
				reached[i] = reached[i] || w != 0
			}
		}
		from = from[:0]
		for i, r := range reached {
			if r {
				from = append(from, i)
			}
		}
	}
	return from
}
