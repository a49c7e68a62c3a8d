// Package divide solves one planning problem by many workers. The plans of a horizon are
// divided into cubes: sets of plans that agree on some action bits of the first steps. Each
// cube is a unit of work that an engine solves as a problem of its own, anywhere.
//
//   - The cubes are the leaves of a binary tree. An inner node is split at one open action
//     bit, the earliest first, so that its two children are all of it. What propagation
//     refutes is a leaf that needs no work. The leaf with the most open bits is split first.
//   - A unit has a budget of work. A cube that is not settled within it is divided again, and
//     its parts have twice the budget, so that what was done in vain stays a small share.
//   - The best plan so far goes to all through a Board, so that a unit only has to show that
//     its cube has no better one. A bound holds for one cube; that of the problem is the
//     highest among the cubes that are still open.
//   - The search ends when no cube is open. Status and reward do not depend on the order in
//     which units end, on which are lost and done again, or on the number of workers.
//
// With Options.Proof each unit returns a proof of its result, and the result of the whole has
// the proofs joined into one (join.go).
//
// An Executor brings units to workers and outcomes back.
// Cubes are due to Heule, Kullmann, Wieringa and Biere, "Cube and Conquer: Guiding CDCL SAT
// Solvers by Lookaheads", 2012.
package divide
