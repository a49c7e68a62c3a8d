// Package simulator is the real system that plans are tried in: Algorithm 1 of
// the paper asks it whether a plan holds, `fdplan validate` says where one
// fails, and `fdplan run` acts in it.
//
// A System can be reset and can take a joint action. There are two: RDDL, which
// simulates a problem's RDDL (package rddl/sim), and Process, any program that
// speaks one JSON object a line, as docs/simulators.md specifies.
//
// A Session is one user of a System. It holds the problem's own rules (Rules)
// against what is observed, counts steps against a budget, hands every
// transition that it saw to an observer, and replays plans: Replay remembers
// what was answered, notices when the same call gets another answer, and does
// not ask again what a deterministic system has answered already.
//
// A rule that is broken is an answer, a Violation. Errors are about the system:
// *ProcessError (it does not start, is silent, crashes, talks nonsense,
// refuses), *ResetError, *NonDeterminismError, *PartialError, *BudgetError; or
// the context's, when it ended.
//
// Steps are numbered as in package factored: actions at 1..H, states at 1..H+1.
package simulator
