// Package format writes a planning model as a file for outside solvers: DIMACS
// CNF, WCNF (the format of the MaxSAT Evaluations since 2022 and the older
// one), OPB of the pseudo-Boolean competitions, CPLEX LP and MPS. The clause
// formats hold the paper's WP-MaxSAT compilation, the linear ones its BLP
// compilation, two inequalities a neuron.
//
// Files are streamed: memory does not depend on the horizon, and nothing seeks,
// so that they can go into a pipe. Formats whose header holds counts get them
// from a first pass over the model that writes nothing.
//
// # Objective
//
// Every optimising format minimises minus the reward. Weights are integers, so
// that
//
//	reward = -(objective + CONSTANT) / SCALE
//
// where objective is what a solver reports for the file: the weight of the
// falsified soft clauses in WCNF, the value of the min: line in OPB, the
// objective value in LP and MPS. CONSTANT and SCALE stand in a comment at the
// top of the file, in the map and in Objective. In LP and MPS CONSTANT is 0: a
// column named one, fixed at 1, carries it, because that means the same to
// every reader, unlike a right-hand side of the objective row. Readers of LP
// and MPS compute in double precision: integers beyond 2^53 are not exact there.
//
// # Variables
//
// A variable of the model keeps its number in all formats: 12 in CNF and WCNF,
// x12 in the others. Auxiliary variables of the clause encodings have higher
// numbers. LP and MPS leave out variables that stand in no row and not in the
// objective; any value of those will do, and ReadMap's Trace makes them false.
// WriteMap says which variable of the problem, at which step, a number is.
//
// # Corner cases
//
// A model that propagation found infeasible becomes two contradicting
// constraints on variable 1. A file without objective has, where the format
// demands one, the objective 0 x1; a file without constraints has, in LP and
// MPS, the row x1 >= 0.
package format
