// Package incremental is Algorithm 1 of the paper (section "Incremental
// Factored Planning Algorithm"): plan with the learned model, try the plan in
// the real system, exclude it by a generalized landmark constraint if it fails,
// and plan again, until a plan holds or none is left.
//
// It works with every engine.Opener and every simulator.Session. What is
// excluded for a plan that fails is chosen by Kind: the plan alone, all plans
// that begin with the joint actions that are to blame, or these and, in the
// network itself, the transitions that it had wrong. docs/incremental.md says
// what each preserves of optimality and completeness.
//
// What was found out about the real system is a State, which a later run may
// begin with.
package incremental
