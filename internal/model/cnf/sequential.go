package cnf

import "github.com/fdplan/fdplan/internal/model"

// sequentialAtMost encodes that at most k of x are true, by the sequential counter LT_SEQ of
// Sinz (2005): s_{i,j} holds if at least j of the first i do. The clauses that enforce the
// bound, and only they, contain the literals of unless: the constraint holds unless one of
// them is true.
func sequentialAtMost(s Sink, x []model.Lit, k int, unless ...model.Lit) {
	n := len(x)
	if k >= n {
		return
	}
	final := make([]model.Lit, 0, 4)
	threshold := func(lits ...model.Lit) {
		final = append(append(final[:0], lits...), unless...)
		s.Clause(final...)
	}
	if k == 0 {
		for _, l := range x {
			threshold(-l)
		}
		return
	}
	// k < n, so there are at least two inputs.
	last := registers(s, k)
	s.Clause(-x[0], last[0])
	for j := 1; j < k; j++ {
		s.Clause(-last[j])
	}
	for i := 1; i < n-1; i++ {
		next := registers(s, k)
		s.Clause(-x[i], next[0])
		s.Clause(-last[0], next[0])
		for j := 1; j < k; j++ {
			s.Clause(-x[i], -last[j-1], next[j])
			s.Clause(-last[j], next[j])
		}
		threshold(-x[i], -last[k-1])
		last = next
	}
	threshold(-x[n-1], -last[k-1])
}

func registers(s Sink, k int) []model.Lit {
	out := make([]model.Lit, k)
	for j := range out {
		out[j] = s.NewVar()
	}
	return out
}

// sequentialNeuron is the uni-directional encoding of Say and Sanner (2018): v -> at least p
// and not v -> at most p-1, by two separate counters.
//
// The paper states that this is not efficient with unit propagation (Definition 1). That is
// true if all clauses of a counter depend on v: then v is never inferred. In this form, with
// v in the threshold clauses only, the inferences of Definition 1 are made
// (TestUnidirectional); but the registers are implied in one direction, so that a forward
// pass leaves some of them open.
func sequentialNeuron(s Sink, n *model.Neuron) {
	x, p := n.Inputs, n.Threshold
	sequentialAtMost(s, negated(x), len(x)-p, -n.Out)
	sequentialAtMost(s, x, p-1, n.Out)
}
