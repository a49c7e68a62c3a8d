// Package search is the exact forward search over reachable states: the
// dynamic program that a plan's future depends only on its state. It needs no
// model of the network, only forward passes, and it proves its answers.
//
// States reachable in at most H-1 steps are expanded once each, breadth first
// and in parallel; the successors of a state, with the best reward of a step
// to each, are kept as edges. W_k(s), the best reward of k more steps from s,
// then follows for all states and all k by k sweeps over the edges, so that
// one run answers every horizon up to H.
//
// Known transitions are completed by propagation, branching where it leaves a
// bit open. Of several optimal plans that the graph gives, the first in
// lexicographic order is returned: the first initial state in the order of its
// bits, then at each step the first joint action, then the first successor, false
// before true and earlier variables first. That depends on neither threads nor
// chance.
//
// Where the graph is large two other searches take turns with it, counted in work:
// that with tables and prices of package bound, and, where the system may rest at
// no cost, A* for a cheapest way with the tables of package pattern. A local search improves
// plans that the tables do not prove soon.
package search
