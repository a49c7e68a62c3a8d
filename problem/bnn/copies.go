package bnn

// Copies returns the network of several copies of n side by side: its inputs are those of the first, then those of the second, and
// so are its outputs.
func Copies(n *Network, copies int) *Network {
	out := &Network{}
	for i := range n.Layers {
		l := &n.Layers[i]
		wide := Layer{Inputs: copies * l.Inputs, Weights: make([]int8, copies*l.Units()*copies*l.Inputs)}
		for c := range copies {
			for j := range l.Units() {
				copy(wide.Weights[((c*l.Units()+j)*copies+c)*l.Inputs:], l.Row(j))
			}
			wide.Thresholds = append(wide.Thresholds, l.Thresholds...)
		}
		out.Layers = append(out.Layers, wide)
	}
	return out
}
