// Package pddl reads problems in the Planning Domain Definition Language, grounds them, and reads, writes and judges
// their plans.
//
// What is read is PDDL 2.1 of level 2 with ADL (Fox and Long, JAIR 20, 2003) and derived predicates (Edelkamp and Hoffmann,
// 2004) without cycles: typing, constants, equality, negation, disjunction, quantifiers, conditional effects, action costs and
// numeric fluents. Durative actions, preferences and constraints on trajectories are refused at their place.
package pddl
