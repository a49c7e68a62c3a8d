package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
)

// Hidden returns the widths of a network's hidden layers. Training that starts from it needs
// them as Config.Hidden.
func Hidden(net *bnn.Network) []int {
	var widths []int
	for i := range net.Layers[:len(net.Layers)-1] {
		widths = append(widths, net.Layers[i].Units())
	}
	return widths
}

// checkInit reports a network from which training with c on e cannot start.
func checkInit(net *bnn.Network, c Config, e *Examples) error {
	if err := net.Check(); err != nil {
		return err
	}
	if net.Inputs() != e.Inputs || net.Outputs() != e.Outputs || !slices.Equal(Hidden(net), c.Hidden) {
		return fmt.Errorf("the initial network is %s, expected %d inputs, hidden layers %v and %d outputs", net.Shape(), e.Inputs, c.Hidden, e.Outputs)
	}
	if c.Weights == Binary {
		for i := range net.Layers {
			if slices.Contains(net.Layers[i].Weights, 0) {
				return fmt.Errorf("the initial network has weights 0, expected %s weights", Ternary)
			}
		}
	}
	return nil
}

// begin sets all parameters so that folding returns net, and measures it as the network of
// epoch 0. Latent weights that count are set to the middle of their interval; the others are
// drawn from the inner half of theirs. gamma is 1, and beta puts the boundary between two
// numbers of agreements.
func (r *run) begin(net *bnn.Network) error {
	for i, l := range r.s.layers {
		on := float32(1+r.c.WeightThreshold) / 2
		if r.c.Weights == Binary {
			on = 0.5
		}
		for k, w := range net.Layers[i].Weights {
			if w == 0 {
				l.W[k] *= l.threshold / 2 // drawn from [-1, 1)
			} else {
				l.W[k] = on * float32(w)
			}
		}
		for j := range l.Units {
			l.quantise(j)
		}
	}
	r.s.calibrateAs(func(l *layer, i, j int) {
		boundary := float64(2*int(net.Layers[i].Thresholds[j]) - l.fan[j] - 1)
		l.Beta[j] = float32((l.Mean[j] - boundary) / math.Sqrt(l.Var[j]+epsilon))
	})
	for i, l := range r.s.calibrate().Layers {
		if want := &net.Layers[i]; !slices.Equal(l.Weights, want.Weights) || !slices.Equal(l.Thresholds, want.Thresholds) {
			return fmt.Errorf("layer %d of the initial network does not come back from its parameters", i+1)
		}
	}
	return r.judge(0)
}
