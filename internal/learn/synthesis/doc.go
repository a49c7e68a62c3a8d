// Package synthesis builds small binarized networks that compute given Boolean
// functions exactly.
//
// A network has one hidden layer of threshold units, shared by the outputs. An
// output is the disjunction of some of them, which together cover the cells
// where the function is true and none where it is false, or the negation of
// such a disjunction for the opposite function. A unit is a set of literals: its
// threshold is the least that keeps all the cells to be avoided out, so that one
// unit can cover what takes many products (a cube is the unit that asks for all
// of its literals). Functions of a count of literals, such as parities, are made
// of one unit a change instead, added and subtracted in turn.
//
// Functions of integers are circuits of threshold gates, adders and comparators, that
// take as many layers as they are deep; a unit passes on what a later layer reads. A sum of
// many numbers in a small range is compared with each value instead.
//
// Shrink removes units at random and covers again what they covered, and keeps
// the result when it is not larger: large neighbourhood search (Shaw, 1998).
package synthesis
