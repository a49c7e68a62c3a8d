// Package drat checks proofs of unsatisfiability of a CNF in the text form of
// DRAT: every added clause follows by reverse unit propagation, or has the
// resolution asymmetric tautology property on its first literal (Järvisalo,
// Heule and Biere, "Inprocessing Rules", 2012; Wetzler, Heule and Hunt,
// "DRAT-trim", 2014). It holds the embedded solver's answers on plain CNF to
// account and shares no code with it.
//
// Clauses are checked forward, one after the other. As in drat-trim the
// deletion of a clause that is unit under what is known is passed over: solvers
// delete clauses that are satisfied for good, also those that were the reason.
package drat
