// Package structure finds, from observed transitions, which inputs each output bit depends
// on, and describes the function as a decision tree over them.
//
// The inputs of an output are chosen greedily by information gain. Rows are kept as bit
// columns sorted by class, so that the gain of a candidate is a few population counts a
// class; rows of pure classes are dropped. When no single input has a significant gain, whole
// variables, pairs and triples of bits and sums modulo 2 (elimination over GF(2)) are tried
// before the path continues.
//
// One path gives two sets of inputs: the consistent one continues until no class is mixed,
// and the short one is the prefix of least description length (Rissanen, Modeling by Shortest
// Data Description, 1978). The first is right without noise, the second with it. Rows held
// out decide between them, for all outputs together.
//
// Work is divided by outputs, so that the result does not depend on the number of threads.
package structure
