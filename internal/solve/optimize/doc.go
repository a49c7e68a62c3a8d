// Package optimize minimizes a linear objective over what a solver holds, and
// proves the minimum. Two searches take turns in one solver and share what it
// learns:
//
//   - from above: each solution found adds the constraint that the next must
//     cost less (one linear constraint, native in package sat);
//   - from below: all costs are assumed away, the heaviest first; each core
//     that cannot be, found and made smaller, raises the lower bound and is
//     replaced by counters of its literals (Morgado, Dodaro and Marques-Silva,
//     "Core-Guided MaxSAT with Soft Cardinality Constraints", 2014; stratified
//     as by Ansótegui, Bonet and Levy, 2013). The counters are neurons, native
//     too, and made one at a time.
//
// At every moment there is a best solution and a lower bound.
//
// A Prover has all of it written down as a VeriPB proof: cores, counters and the
// sum that the lower bound is.
package optimize
