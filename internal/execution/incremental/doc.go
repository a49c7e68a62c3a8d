// Package incremental implements Algorithm 1 of the paper (section "Incremental Factored
// Planning Algorithm"): plan with the learned model, try the plan in the real system, exclude
// it by a generalized landmark constraint if it fails, and plan again, until a plan holds or
// none is left.
//
// It works with every engine.Opener and every simulator.Session. Kind selects what is
// excluded when a plan fails: the plan alone, all plans that begin with the joint actions to
// blame, or these together with the transitions that the network predicted wrongly, which are
// corrected in the network itself. docs/incremental.md describes which guarantees of
// optimality and completeness each kind preserves.
//
// The knowledge about the real system is a State, with which a later run may begin.
package incremental
