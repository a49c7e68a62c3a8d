// Package simulator represents the real system in which plans are tried: Algorithm 1 of the
// paper uses it to test whether a plan holds, `fdplan validate` to report where a plan fails,
// and `fdplan run` to act in it.
//
// A System can be reset and can perform a joint action. There are three: RDDL, which simulates
// a problem's RDDL (package rddl/sim); Process, any program that exchanges one JSON
// object per line, as specified in docs/simulators.md; and Rddlsim, a server of the planning
// competitions (package rddlsim).
//
// A Session is one use of a System. It checks observations against the problem's own rules
// (Rules), counts steps against a budget, passes every observed transition to an observer,
// and replays plans. Replay remembers answers, detects when the same call has another answer,
// and does not repeat a call that a deterministic system has already answered.
//
// A violated rule is an answer, a Violation. Errors are about the system: *ProcessError (it
// does not start, does not answer, crashes, sends invalid answers, refuses), ErrReset,
// ErrNonDeterminism, *PartialError, ErrBudget; or the context's, if it ended.
//
// Steps are numbered as in package factored: actions at 1..H, states at 1..H+1.
package simulator
