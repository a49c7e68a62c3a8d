// Package cnf encodes neurons and linear sums as clauses.
package cnf

import "github.com/fdplan/fdplan/model"

// Sink takes the clauses of an encoding and hands out fresh variables. A
// clause's slice may be reused after the call.
type Sink interface {
	NewVar() model.Lit
	Clause(lits ...model.Lit)
}
