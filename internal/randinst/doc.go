// Package randinst makes random instances of satisfiability and optimisation, solves small
// ones by trying every assignment, writes them for external solvers, and compares answers,
// for tests of solvers and readers. Everything is determined by a seed. It shares no code
// with any solver, and none with the readers or the evaluator of package instance.
package randinst
