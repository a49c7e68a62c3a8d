// Package format writes a planning model as a file for external solvers: DIMACS CNF, WCNF
// (the format of the MaxSAT Evaluations since 2022 and the older one), OPB of the
// pseudo-Boolean competitions, CPLEX LP and MPS. The clause formats contain the paper's
// WP-MaxSAT compilation, the linear ones its BLP compilation, with two inequalities per
// neuron.
//
// Files are streamed: memory does not depend on the horizon, and nothing seeks, so that files
// can be written to a pipe. Formats whose header contains counts get them from a first pass
// over the model that writes nothing.
//
// # Objective
//
// Every optimising format minimises minus the reward. Weights are integers, so that
//
//	reward = -(objective + CONSTANT) / SCALE
//
// where objective is what a solver reports for the file: the weight of the falsified soft
// clauses in WCNF, the value of the min: line in OPB, the objective value in LP and MPS.
// CONSTANT and SCALE are in a comment at the top of the file, in the map and in Objective. In
// LP and MPS CONSTANT is 0: a column named one, fixed at 1, represents it, because readers
// interpret the right-hand side of the objective row differently. Readers of LP and MPS
// compute in double precision: integers beyond 2^53 are not exact there.
//
// # Variables
//
// A variable of the model has the same number in all formats: 12 in CNF and WCNF, x12 in the
// others. Auxiliary variables of the clause encodings have higher numbers. LP and MPS omit
// variables that occur in no row and not in the objective. Any value is valid for these;
// Trace makes them false. WriteMap maps a number to the variable of the problem and its step.
//
// # Corner cases
//
// A model that propagation found infeasible becomes two contradicting constraints on variable
// 1. A file without an objective has the objective 0 x1 if the format requires one. A file
// without constraints has, in LP and MPS, the row x1 >= 0.
package format
