// Package versions keeps the version space of one output of a deterministic system: the functions
// of at most K of its variables that agree with all observed rows. It tells which values these
// functions have at a point, and on which cube around the point they all have the same one.
//
// A variable has finitely many values; a group of bits of which at most one is true, and an integer, is one
// variable each. A set of variables is consistent if no two rows that agree on it have different values of
// the output. Some function of the class has value v at a point exactly if there is a consistent set of at
// most K variables on which no row with another value agrees with the point: the set hits the difference
// of the point and each of these rows, and those of all pairs of rows with different values. Such hitting
// sets are looked for by branching over the smallest difference that is not hit. (Version spaces: Mitchell,
// Generalization as Search, 1982; structure from consistent sets: Strehl, Diuk, Littman, Efficient Structure
// Learning in Factored-State MDPs, 2007.)
package versions
