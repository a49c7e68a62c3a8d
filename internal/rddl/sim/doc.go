// Package sim simulates grounded RDDL problems (package ground), deterministic
// and stochastic, and says with reasons when a step is not allowed.
//
// New compiles every expression of a problem once; the Simulator is immutable
// and may be shared. A Runner holds one state and one source of random numbers
// and belongs to one goroutine; its steps allocate nothing.
//
// One step, in this order: the preconditions and max-nondef-actions are checked
// in the present state under the joint action; the cpfs are evaluated in the
// problem's order; the reward is evaluated, unprimed fluents being those before
// the step and primed ones those after; the next state becomes the present one;
// the invariants are checked in it. Invariants are also checked in an initial
// state.
//
// Termination: an episode ends in a state, the initial one included, in which
// at least one condition of the domain's termination block holds, as in
// pyRDDLGym. The step into that state counts, with its reward; no action is
// taken in the state itself. The horizon ends an episode too. Being terminal
// is no violation.
//
// Values are float64: 0 and 1 for Booleans, integers exact up to 2^53, the index
// in the list of values for enumerations and objects. An integer fluent that
// gets a fraction, any value that is infinite or not a number, and a value that
// leaves the range given by WithRanges are errors, never wrapped or rounded.
//
// The meaning of functions and of the parameters of distributions is
// pyRDDLGym's (M. Taitler et al., pyRDDLGym: From RDDL to Gym Environments,
// 2022): Normal takes mean and variance, Exponential its mean, Gamma and Weibull
// shape and scale, Geometric counts trials from 1, div and mod round to minus
// infinity, fmod has the sign of its divisor, round takes halves to the even
// number, log(x, base). One difference: what NumPy answers with infinity or NaN,
// such as a division by zero, is an error here.
package sim
