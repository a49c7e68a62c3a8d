// Package ground holds grounded RDDL problems: every fluent with its
// arguments filled in, every expression over such fluents alone, non-fluents
// and quantifiers gone and constants folded. Simulation and the compilation to
// a factored problem start from here.
//
// Ground makes a Problem from a checked program, Load from files. What happens
// on the way:
//
//   - Objects and the values of enumerations are listed in the order of their
//     declarations; a value is its index there. Names drop the @ that RDDL may
//     write before a value: level(high), robot-at(x14,y20).
//   - forall, exists, sum, prod, min, max and avg become operations with one
//     argument for each choice of values, the last parameter running fastest;
//     argmin and argmax become chains of conditions that give the first best
//     value. A fluent as the argument of a fluent becomes a switch over its
//     values.
//   - Constants are folded as far as they go. Folding keeps the value of every
//     expression that has one, and may drop the failure of a part that does not
//     matter: 0 * (a / b) is 0 even where b is 0. Sums and products of reals
//     keep their order, and so their rounding, unless any order gives the same.
//     What cannot be reached because of constants is not looked at:
//     if (N > 0) then a / N is fine for N = 0.
//   - A division by a constant zero, a probability above 1 and the like are
//     errors of the problem where every evaluation would meet them, or where
//     they are literally written; behind a condition on fluents they stay, and
//     fail when they are met.
//   - KronDelta, DiracDelta and Bernoulli of 0 or 1 are their own value.
//
// The meaning of the language is that of the RDDL description by Sanner
// (2010) with the additions of pyRDDLGym.
package ground
