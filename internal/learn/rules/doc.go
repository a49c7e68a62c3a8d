// Package rules learns a Boolean function from rows as a set of rules: conjunctions of
// features, each of which decides some rows, with a default for the rest.
//
// Features are the input bits, comparisons of integers with their values and with one another,
// and whether any bit of a set holds. Rules are found by sequential covering: literals are
// added by information gain (FOIL; Quinlan, Learning Logical Definitions from Relations, 1990)
// until no row contradicts the rule, and those that are not needed are dropped. A function may
// also be described as a change of one input, its anchor: what rules do not mention stays as
// it was, which suits actions that change little. Of the descriptions the shortest one is
// taken.
//
// Rows must not contradict each other; every rule is right on all of them. Count describes
// functions that depend only on how many of their inputs hold.
package rules
