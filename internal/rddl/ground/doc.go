// Package ground grounds RDDL problems: every fluent has its arguments filled in, every
// expression reads only such fluents, non-fluents and quantifiers are eliminated, and
// constants are folded. Simulation and the compilation to a factored problem start from here.
//
// Ground makes a Problem from a checked program, Load from files. In detail:
//
//   - Objects and the values of enumerations are listed in the order of their
//     declarations; a value is its index there. Names drop the @ that RDDL may
//     write before a value: level(high), robot-at(x14,y20).
//   - forall, exists, sum, prod, min, max and avg become operations with one
//     argument for each choice of values, the last parameter varying fastest;
//     argmin and argmax become chains of conditions that return the first best
//     value. A fluent as the argument of a fluent becomes a switch over its
//     values.
//   - Constants are folded as far as possible. Folding keeps the value of every
//     expression that has one, and may drop the failure of a part that does not
//     matter: 0 * (a / b) is 0 even if b is 0. Sums and products of reals
//     keep their order, and so their rounding, unless the result is the same
//     in any order. Parts that constants make unreachable are not evaluated:
//     if (N > 0) then a / N is accepted for N = 0.
//   - An aggregation over non-fluents alone is evaluated without nodes. A large sum
//     of conjunctions over several parameters becomes a sum of products, whose inner
//     sums are shared.
//   - A division by a constant zero, a probability above 1 and similar faults
//     are errors of the problem if every evaluation would meet them, or if
//     they are literally written. Behind a condition on fluents they remain,
//     and fail when they are evaluated.
//   - KronDelta, DiracDelta and Bernoulli of 0 or 1 are replaced by their value.
//
// The semantics are those of the RDDL description by Sanner (2010) with the additions of
// pyRDDLGym.
package ground
