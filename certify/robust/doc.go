// Package robust checks proofs that no plan with quantities holds against every error within their bands: courses of
// errors of which one breaks a rule or misses the goal, whatever the actions. It shares no code with the engine that found
// them. It goes through the courses itself, and divides where a function has a condition, where a value may leave its
// range and where errors cannot reach what they aim at; in each case multipliers are to show that no values of the actions,
// real ones included, keep all inequalities (Farkas' lemma). It computes with fractions.
package robust
