// Package conflict holds the two conflict-driven planning engines. Both unroll a
// problem into its model and solve that with package sat: pb as it is,
// neurons and sums native; maxsat, the paper's FD-SAT-Plan+, as clauses in one
// of the encodings of package cnf. The solver is told what planning knows:
//
//   - Action variables are decided first, earliest step first: they determine
//     everything else, so that what follows is propagation.
//   - The cost of the steps before t is a counter layer, one literal for each
//     value x that it can have: "at least x". Each layer follows from the layer
//     before and the costs of a step, by one reified threshold a literal.
//     A bound on the plan's cost is then one literal, and what a conflict says
//     about the past is a handful of literals instead of a list of actions.
//   - At each conflict the solver also learns a state nogood: a clause over the
//     state after a step and its counters, whatever led there. It is what the
//     table of a dynamic program would hold, with only the bits that mattered.
//   - A network of few inputs that vary is stated by the prime implicates of its
//     function too, once a search has had some hundred conflicts: clauses over the
//     state and action before a step and the state after it. A reason is one clause
//     then, where those through a dense network's units have dozens of literals.
//
// The search goes from above, each plan found tightening the bound, and in turns
// from below, asking whether the least cost that is not excluded can be had.
// Both learn from the same conflicts: bounds are assumptions.
package conflict
