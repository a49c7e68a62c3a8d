package bnn

import (
	"fmt"
	"slices"
)

// Correction is the wanted output of a network for one input; both are packed in bit order.
type Correction struct {
	Inputs, Outputs []bool
}

// Correct returns a network that answers as n does, except on the inputs of corrections,
// where it gives the corrected output. It is n with one more layer. A match neuron in the
// first layer is active only for the input of one correction, units of the later layers pass
// it on, and the unit of output o in the last layer is
//
//	o + sum of m in S1 + sum of not m in S0 >= 1 + |S0|
//
// over the matches m of the corrections that turn o from off to on (S1) and from on to off
// (S0). At most one match is active, since each input is corrected once, so the sum differs
// by at most one from what it is without corrections.
//
// A correction that agrees with n costs nothing; if all agree, Correct returns n itself. n
// must pass Check. It is an error to correct an input in two ways or to use numbers of bits
// other than those of n.
func Correct(n *Network, corrections []Correction) (*Network, error) {
	wrong, err := differing(n, corrections)
	if err != nil || len(wrong) == 0 {
		return n, err
	}
	out := &Network{}
	for i := range n.Layers {
		l := &n.Layers[i]
		if i == 0 {
			out.Layers = append(out.Layers, withMatches(l, wrong))
		} else {
			out.Layers = append(out.Layers, withPasses(l, len(wrong)))
		}
	}
	out.Layers = append(out.Layers, switches(n.Outputs(), wrong))
	return out, nil
}

// mistake is a correction that n disagrees with: flips are the output bits that n has wrong.
type mistake struct {
	Correction
	flips []bool
}

// differing returns the corrections that disagree with n.
func differing(n *Network, corrections []Correction) ([]mistake, error) {
	e := NewEvaluator(n)
	s := e.NewScratch()
	in, out := make([]uint64, Words(n.Inputs())), make([]uint64, Words(n.Outputs()))
	seen := map[string]*Correction{}
	var wrong []mistake
	for i := range corrections {
		c := &corrections[i]
		if len(c.Inputs) != n.Inputs() || len(c.Outputs) != n.Outputs() {
			return nil, fmt.Errorf("%w: correction %d has %d input and %d output bits, the network %d and %d",
				ErrShape, i+1, len(c.Inputs), len(c.Outputs), n.Inputs(), n.Outputs())
		}
		clear(in)
		key := make([]byte, len(c.Inputs))
		for k, x := range c.Inputs {
			if x {
				in[k/64] |= 1 << (k % 64)
				key[k] = 1
			}
		}
		if other := seen[string(key)]; other != nil {
			if !slices.Equal(other.Outputs, c.Outputs) {
				return nil, fmt.Errorf("%w: correction %d contradicts one before of the same input", ErrShape, i+1)
			}
			continue
		}
		seen[string(key)] = c
		e.Forward(out, in, s)
		m := mistake{Correction: *c, flips: make([]bool, len(c.Outputs))}
		for k, x := range c.Outputs {
			m.flips[k] = x != (out[k/64]>>(k%64)&1 == 1)
		}
		if slices.Contains(m.flips, true) {
			wrong = append(wrong, m)
		}
	}
	return wrong, nil
}

// withMatches adds to the first layer one unit per mistake, active only for the mistake's
// input.
func withMatches(l *Layer, wrong []mistake) Layer {
	out := Layer{Inputs: l.Inputs, Weights: slices.Clone(l.Weights), Thresholds: slices.Clone(l.Thresholds)}
	for _, m := range wrong {
		for _, x := range m.Inputs {
			w := int8(-1)
			if x {
				w = 1
			}
			out.Weights = append(out.Weights, w)
		}
		out.Thresholds = append(out.Thresholds, int32(l.Inputs))
	}
	return out
}

// withPasses adds k inputs to a layer, which its units ignore, and k units that pass these
// on.
func withPasses(l *Layer, k int) Layer {
	out := Layer{Inputs: l.Inputs + k}
	for j := range l.Units() {
		out.Weights = append(append(out.Weights, l.Row(j)...), make([]int8, k)...)
	}
	out.Thresholds = slices.Clone(l.Thresholds)
	for j := range k {
		row := make([]int8, out.Inputs)
		row[l.Inputs+j] = 1
		out.Weights = append(out.Weights, row...)
		out.Thresholds = append(out.Thresholds, 1)
	}
	return out
}

// switches is the last layer: the outputs and the terms that correct them.
func switches(outputs int, wrong []mistake) Layer {
	out := Layer{Inputs: outputs + len(wrong)}
	for o := range outputs {
		row := make([]int8, out.Inputs)
		row[o] = 1
		threshold := int32(1)
		for k, m := range wrong {
			switch {
			case !m.flips[o]:
			case m.Outputs[o]:
				row[outputs+k] = 1
			default:
				row[outputs+k] = -1
				threshold++
			}
		}
		out.Weights = append(out.Weights, row...)
		out.Thresholds = append(out.Thresholds, threshold)
	}
	return out
}
