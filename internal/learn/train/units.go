package train

import (
	"context"

	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/problem/bnn"
)

const (
	unitsWidth  = 48
	unitsRows   = 300_000 // rows that epochs go over in all
	unitsEpochs = 100
)

// Units returns a function that trains one hidden layer of threshold units on some inputs of a
// sample, with a seed. That gives nil if training fails or its context ends.
func Units(seed uint64) func(ctx context.Context, s *rules.Sample, inputs []int) *rules.Sum {
	return func(ctx context.Context, s *rules.Sample, inputs []int) *rules.Sum {
		if len(inputs) == 0 || len(s.Out) == 0 {
			return nil
		}
		b := NewBuilder(len(inputs), 1)
		in := make([]bool, len(inputs))
		for r, row := range s.In {
			for k, i := range inputs {
				in[k] = row[i/64]>>(i%64)&1 == 1
			}
			b.Add(in, []bool{s.Out[r]})
		}
		epochs := max(3, min(unitsEpochs, unitsRows/len(s.Out)))
		res, err := Run(ctx, Config{Hidden: []int{unitsWidth}, Epochs: epochs, Seed: seed, Threads: 1, PolishRows: -1}, b.Examples(), Options{})
		if err != nil || res.Network == nil || len(res.Network.Layers) != 2 {
			return nil
		}
		return sumOf(res.Network, inputs)
	}
}

// sumOf is the function of a network with one hidden layer and one output, over the inputs with
// the given numbers.
func sumOf(n *bnn.Network, inputs []int) *rules.Sum {
	hidden, out := &n.Layers[0], &n.Layers[1]
	s := &rules.Sum{Threshold: int(out.Thresholds[0])}
	for u, w := range out.Weights {
		if w == 0 {
			continue
		}
		if w < 0 { // counts where the unit does not hold
			s.Threshold--
		}
		unit := rules.Unit{Threshold: int(hidden.Thresholds[u])}
		for k, w := range hidden.Weights[u*hidden.Inputs : (u+1)*hidden.Inputs] {
			switch {
			case w > 0:
				unit.Literals = append(unit.Literals, 2*inputs[k])
			case w < 0:
				unit.Literals = append(unit.Literals, 2*inputs[k]+1)
			}
		}
		s.Units, s.Weights = append(s.Units, unit), append(s.Weights, w)
	}
	return s
}
