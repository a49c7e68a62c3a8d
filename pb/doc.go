// Package pb is the conflict-driven planning engine: the model of a problem
// goes into package solver as it is, neurons and sums native, and the solver
// is told what planning knows. Its ideas:
//
//   - Action variables are decided first, earliest step first: they determine
//     everything else, so that what follows is propagation.
//   - The cost of the steps before t is a row of counters, one literal for
//     each value x that it can have: "at least x". Each row follows from the
//     row before and the costs of a step, by one reified threshold a literal.
//     A bound on the plan's cost is then one literal, and what a conflict says
//     about the past is a handful of literals instead of a list of actions.
//   - At each conflict the solver also learns a stage cut: a nogood over the
//     state after a step and its counters, whatever led there. It is what the
//     table of a dynamic program would hold, with only the bits that mattered.
//
// The search goes from above: each plan found tightens the bound, until none
// is left.
package pb
