// Package sat is a conflict-driven solver for clauses, pseudo-Boolean
// constraints and reified neurons over Boolean variables, which answers again
// and again under assumptions while constraints and variables are added and
// everything learned is kept.
//
// # Constraints
//
//   - Clauses with two watched literals and blockers (Moskewicz and others,
//     Chaff, 2001; Eén and Sörensson, MiniSat, 2003); those of two and three
//     literals in one list by literal (small.go).
//   - Linear constraints, sum of coefficients times literals at least a bound,
//     by counters of their slack.
//   - Neurons, out <=> at least p of these literals (the paper's Act_p), by two
//     counters each, as in Jia and Rinard, "Efficient Exact Verification of
//     Binarized Neural Networks", 2020. A neuron propagates all four inferences
//     of the paper's Definition 1; the clauses that explain them are built only
//     when conflict analysis asks, from whichever inputs serve it best.
//
// # Search
//
// First unique implication points, recursive minimization, activities with
// saved phases, restarts that follow the quality of what is learned (Audemard
// and Simon, 2012), and a database of learned clauses in
// three tiers by the number of decision levels that they join. On top of that a
// caller who knows the problem may say three things: the priority of variables,
// by which decisions are made before activities count; the phase to try first;
// and the stage of variables, from which state nogoods are learned: a clause over
// one stage alone that states that this stage leads nowhere.
//
// Where linear constraints conflict, analysis may learn a linear constraint
// instead of a clause, by cutting planes with division (Elffers and Nordström,
// "Divide and Conquer", 2018); see Options.
//
// The solver has no randomness and no clock: the same calls give the same
// answers.
package sat
