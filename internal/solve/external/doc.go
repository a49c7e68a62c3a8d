// Package external runs an external solver on a file and reads its answer: any
// MaxSAT, pseudo-Boolean or MILP solver in the place of the embedded ones, as
// the paper's FD-SAT-Plan+ runs MaxHS and its FD-BLP-Plan+ runs CPLEX.
//
// Solvers tells which solvers are known, by one table: how each is called, how
// it is told the time limit and the number of threads, what it prints, and
// where it is to be had. Command makes a solver of a command line with the
// place {in} for the file, and {out} for the solution file of MILP solvers.
//
// Run writes the file, starts the solver in a process group of its own, reads
// its output while it runs, and reports incumbents and bounds as they come.
// When the context ends, or the time limit is well over, the group gets SIGTERM
// and, a grace time later, SIGKILL; what the solver said until then counts.
//
// An answer here is what the solver claims. Nothing is believed: it is for the
// caller to check every assignment and to count the objective again. What
// cannot be read is an *OutputError that names solver and line, a solver that
// ends without an answer a *CrashError, one that is not installed a
// *MissingError that names the package to install.
package external
