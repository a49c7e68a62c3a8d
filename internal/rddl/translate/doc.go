// Package translate compiles a grounded RDDL problem into a factored planning problem, the
// tuple <S, A, C, T, I, G, R>: variables and their bits, the initial state, constraints from
// preconditions and invariants, the goal, the reward, and the transition of every state
// fluent that is not learned. With nothing learned the result is exactly the RDDL problem.
//
// Sums of literals, comparisons of such sums and assignments of them are linear constraints
// directly. An expression over few bits becomes the clauses of its truth table, minimised
// (Minato and Morreale's irredundant sums of products, for the true and the false rows).
// Everything else is defined (Tseitin) by auxiliary Boolean variables for gates and
// comparisons, and auxiliary integers for values that need bits of their own.
//
// Arithmetic is on rational numbers. A constant is read as the simplest fraction that rounds
// to it (see simplest), so that 0.1 is a tenth and a folded 1 - 1/3 is two thirds. Reals may
// be used in a comparison, a rounding or the reward; functions without rational values (exp,
// sqrt, …) only inside expressions over few bits that end in a comparison or a rounding, and
// in the reward, where their values are rounded (see byValues).
// Integers without a range get the one that follows from initial values, conditions and cpfs,
// and reals whose values are finitely many are integers (see inference). Refused, with the
// position: other real state and action fluents and integers without a range, stochastic transitions of fluents that are not learned, divisors that can be zero.
//
// A value that leaves its fluent's range forbids the step; it never wraps. A state in which a
// termination condition holds can only be the last of a plan.
package translate
