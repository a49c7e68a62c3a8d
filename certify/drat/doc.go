// Package drat checks proofs of unsatisfiability of a CNF in the text form of DRAT: every
// added clause follows by reverse unit propagation, or has the resolution asymmetric
// tautology property on its first literal (Järvisalo, Heule and Biere, "Inprocessing Rules",
// 2012; Wetzler, Heule and Hunt, "DRAT-trim", 2014). It verifies the embedded solver's
// answers on plain CNF and shares no code with it.
//
// Clauses are checked forward, in order. As in drat-trim, the deletion of a clause that is
// unit under the present assignment is ignored: solvers delete clauses that are permanently
// satisfied, including reason clauses.
package drat
