package learn

import (
	"context"

	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

const (
	denseUnits  = 48
	denseRows   = 300_000 // rows that epochs go over in all
	denseEpochs = 100
)

// dense trains one hidden layer of threshold units on some inputs of an output, by the dense
// recipe. It returns nil if training fails or ctx ends.
func dense(ctx context.Context, seed uint64, s *rules.Sample, inputs []int) *rules.Sum {
	if len(inputs) == 0 || len(s.Out) == 0 {
		return nil
	}
	b := train.NewBuilder(len(inputs), 1)
	in := make([]bool, len(inputs))
	for r, row := range s.In {
		for k, i := range inputs {
			in[k] = row[i/64]>>(i%64)&1 == 1
		}
		b.Add(in, []bool{s.Out[r]})
	}
	epochs := max(3, min(denseEpochs, denseRows/len(s.Out)))
	res, err := train.Run(ctx, train.Config{Hidden: []int{denseUnits}, Epochs: epochs, Seed: seed, Threads: 1, PolishRows: -1}, b.Examples(), train.Options{})
	if err != nil || res.Network == nil || len(res.Network.Layers) != 2 {
		return nil
	}
	return sumOf(res.Network, inputs)
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
