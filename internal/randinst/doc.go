// Package randinst makes random instances of satisfiability and optimisation,
// solves small ones by looking at every assignment, writes them for outside
// solvers, and compares answers, for tests of solvers and readers. Everything
// belongs to a seed. It shares no code with any solver, and none with the
// readers or the evaluator of package instance.
package randinst
