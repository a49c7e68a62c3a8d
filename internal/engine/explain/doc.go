// Package explain explains why there is no plan, and what forces a plan that
// there is.
//
// Where no plan exists, FindMUS returns a minimal set of constraints of I, C and G
// that cannot hold together over the paper's unrolled model (section "The
// WP-MaxSAT Compilation"): every constraint at every step is loaded into package
// sat under a guard, the guards are assumed, and those that are not in the core
// of an answer, or whose absence leaves it as it is, are dropped (deletion-based
// extraction with clause-set refinement: Belov and Marques-Silva, "Accelerating
// MUS Extraction with Recursive Model Rotation", 2011, describe it). The known
// and the learned part of T are background: they always hold, and the answer reports
// whether they are needed.
//
// Where there is a plan, Plan goes through its steps with everything before
// fixed, tries what costs less there, and names the first thing that it breaks: a
// constraint, the goal, or, with an engine's proof, the best reward.
package explain
