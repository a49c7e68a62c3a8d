// Package tube plans with quantities whose next values are piecewise linear functions with a bounded error: x' = A x +
// B u + c + w on each of some regions, w in a band. Values are integers, the steps of quantities of fixed decimals.
//
// A tube is a set for each step that contains every state that a plan can lead to, whatever the errors within their
// bands. Reach computes it by zonotopes with constraints (Scott et al., Constrained zonotopes, 2016), in floats that are
// rounded outward, so that what it says holds. None proves that no plan holds against every error, with the same care,
// and Planner finds actions for one course of errors, which Robust and a receding horizon build on. Maximise finds the
// best plan where there are no errors.
package tube
