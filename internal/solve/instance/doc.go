// Package instance is satisfiability and optimisation without planning: clauses,
// linear constraints over Boolean variables, weighted soft clauses and a linear
// objective, as the competitions' files hold them. It reads those files, checks
// a solver's answer against them, and prints it as the competitions want it.
//
// These are the problems that the paper's compilations arrive at: weighted
// partial MaxSAT for FD-SAT-Plan+, and the Boolean linear program of
// FD-BLP-Plan+.
//
// # Formats
//
//   - CNF is DIMACS: comment lines with c, the header "p cnf VARIABLES CLAUSES",
//     then clauses ended by 0, over any number of lines. A line that starts with
//     % ends the file, as in SATLIB.
//   - WCNF is the format of the MaxSAT Evaluation since 2022: no header, h before
//     a hard clause and a weight before a soft one.
//   - WCNFOld is the one before: "p wcnf VARIABLES CLAUSES TOP", a weight before
//     every clause, and the clauses whose weight is TOP or more are hard. Without
//     TOP all are soft. Read takes a file for this one if it has a header.
//   - OPB is the linear format of the pseudo-Boolean competitions: comment lines
//     with *, of which "* #variable= V #constraint= C" before the first statement is the header
//     and may be absent, an optional "min:", and constraints with >=, = or <= and
//     an integer. Literals are x1 and ~x1.
//
// A header must be right: a variable beyond the announced number is an error, and
// so is a number of clauses or constraints other than announced. Lines end with
// LF or CR LF, the last one may lack its end. An empty file is an instance
// without constraints, except in CNF, where the header must be there.
//
// Refused, with the place and the reason: max:, products of literals, soft
// constraints (WBO), negative weights, and numbers beyond 64 bits.
//
// # Numbers
//
// Every number lies in -(2^63-1)..2^63-1, so that it can be negated. All soft
// weights and absolute objective coefficients together are at most 2^63-1, so
// that costs cannot overflow; a file beyond that is refused. The sums in linear
// constraints may exceed 64 bits; Evaluate computes them in 128.
package instance
