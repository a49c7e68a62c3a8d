// Package pattern bounds the cost of the way from a state to one in which a plan
// may end, whatever its number of steps, by LM-cut (Cut) and additive pattern databases (Culberson,
// Schaeffer 1998; Felner, Korf, Hanan 2004) over multi-valued variables that are
// found in the model of a step.
//
// A variable is an integer of the problem, or a set of Boolean state bits of
// which at most one is true in every state, such as the places of a tile. Such
// sets are suggested by the names of the fluents and proven by induction over a
// step (Helmert 2009, section 5): they hold at first, and no step leads from
// states where all of them hold to one where some does not.
//
// The moves of a variable, with the least cost of a step that makes each, are
// listed by a conflict-driven solver over one step, everything else free. Two
// variables are exclusive where no step changes both; then the costs of their
// moves add up. A table holds, for the values of some variables, the least cost
// of moves to values that the goal allows. The sum of the tables over disjoint
// sets of pairwise exclusive variables is a consistent bound: a step lowers it by
// its own cost at most.
package pattern
