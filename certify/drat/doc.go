// Package drat checks proofs of unsatisfiability of a CNF in the text form of DRAT: every
// added clause follows by reverse unit propagation, or has the resolution asymmetric
// tautology property on its first literal (Järvisalo, Heule and Biere, "Inprocessing Rules",
// 2012; Wetzler, Heule and Hunt, "DRAT-trim", 2014). It verifies the embedded solver's
// answers on plain CNF and shares no code with it: propagation is that of package veripb.
//
// Clauses are checked forward, in order. As in drat-trim, the deletion of a clause that is
// unit under the present assignment is ignored: solvers delete clauses that are permanently
// satisfied, including reason clauses.
package drat

import (
	"io"

	"github.com/fdplan/fdplan/certify/veripb"
)

// Check reads a CNF in DIMACS and a DRAT proof, both as text. It returns nil if the proof
// derives the empty clause and every clause up to there is justified. Anything after the
// empty clause is not read. The error is a *source.Error whose File is "formula" or "proof";
// it contains the line.
func Check(cnf, proof io.Reader) error { return veripb.CheckDRAT(cnf, proof) }
