// Package sim simulates grounded RDDL problems (package ground), deterministic and
// stochastic, and reports with reasons when a step is not allowed.
//
// New compiles every expression of a problem once; the Simulator is immutable and may be
// shared. A Runner has one state and one source of random numbers and belongs to one
// goroutine; its steps allocate nothing.
//
// One step proceeds in this order. The preconditions and max-nondef-actions are checked in
// the present state under the joint action; the cpfs are evaluated in the problem's order;
// the reward is evaluated, with unprimed fluents from before the step and primed ones from
// after it; the next state becomes the present one; the invariants are checked in it.
// Invariants are also checked in an initial state.
//
// Termination: an episode ends in a state, possibly the initial one, in which at least one
// condition of the domain's termination block holds, as in pyRDDLGym. The step into that
// state counts, with its reward; no action is taken in the state itself. The horizon ends an
// episode too. Being terminal is not a violation.
//
// Values are float64: 0 and 1 for Booleans, integers exact up to 2^53, the index in the list
// of values for enumerations and objects. A fraction in an integer fluent, any value that is
// infinite or not a number, and a value outside the range given by WithRanges are errors;
// values are never wrapped or rounded.
//
// The meaning of functions and of the parameters of distributions is pyRDDLGym's (M. Taitler
// et al., pyRDDLGym: From RDDL to Gym Environments, 2022): Normal takes mean and variance,
// Exponential its mean, Gamma and Weibull shape and scale, Geometric counts trials from 1,
// div and mod round towards minus infinity, fmod has the sign of its divisor, round rounds
// halves to even, log(x, base). One difference: where NumPy returns infinity or NaN, such as
// for a division by zero, this package returns an error.
package sim
