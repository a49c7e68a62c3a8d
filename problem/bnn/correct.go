package bnn

import (
	"fmt"
	"slices"
)

// Correction says what a network should give for one input: the bits of both
// in order.
type Correction struct {
	Inputs, Outputs []bool
}

// Correct gives a network that answers as n does, except that it gives what
// corrections say for their inputs. It is n with one layer more: a match neuron
// of the first layer is active for the input of one correction alone, units of
// the layers behind pass it on, and the unit of output o in the last layer is
//
//	o + sum of m in S1 + sum of not m in S0 >= 1 + |S0|
//
// over the matches m of the corrections that turn o on where n has it off (S1)
// and off where n has it on (S0). At most one of them is active, since inputs
// are corrected once, so that the sum is as it is without corrections, or one
// more or less.
//
// A correction that n agrees with costs nothing; without any other, n itself is
// the answer. n must pass Check. It is an error to correct an input in two ways
// or to give other numbers of bits than n has.
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

// mistake is a correction that is one: flips are the output bits that n has wrong.
type mistake struct {
	Correction
	flips []bool
}

// differing gives the corrections that n does not agree with.
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

// withMatches adds to the first layer a unit for each mistake that is active for
// its input alone.
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

// withPasses adds to a layer k inputs, which its units ignore, and k units that
// pass these on.
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

// switches is the last layer: the outputs, and what corrects them.
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
