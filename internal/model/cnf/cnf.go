// Package cnf encodes neurons and linear sums as clauses: the part of the paper from
// "Cardinality Networks" over "Boolean Cardinality Constraints" and "Bi-Directional Neuron
// Activation Encoding" to the appendix "CNF Encoding of the Cardinality Networks".
//
// A neuron is v <-> (x_1 + … + x_n >= p). It has four encodings:
//
//   - Paper and Published are the paper's Act_p written comparator by
//     comparator (network.go, act.go). They differ in k, the number of sorted
//     outputs kept, and serve for comparisons and measurements.
//   - Unidirectional is the encoding of the authors' 2018 paper, two of Sinz's
//     sequential counters (sequential.go), of size O(np).
//   - Default makes all inferences of Definition 1 by unit propagation, as Act_p
//     does, with about a quarter of the clauses of Published. It also sorts,
//     but writes only what the output of some neuron depends on
//     (sorted.go), merges by the cheapest of several methods (merge.go,
//     cost.go), and lets the neurons of a layer share sorted lists of inputs
//     (plan.go, share.go, chunks.go, order.go).
//
// Linear sums are first brought to a normal form (sum.go). Sums with equal coefficients are
// counted by the same networks (cardinality.go). The others become decision diagrams
// (diagram.go) or, if these grow too large, binary adders (adder.go).
package cnf

import "github.com/fdplan/fdplan/internal/model"

// Sink receives the clauses of an encoding and allocates fresh variables, below 2^31-1. A
// clause's slice may be reused after the call.
type Sink interface {
	NewVar() model.Lit
	Clause(lits ...model.Lit)
}
