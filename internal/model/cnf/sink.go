package cnf

import (
	"math"

	"github.com/fdplan/fdplan/internal/model"
)

// Counter is a Sink that only counts. Set Next to the number of variables already in use.
type Counter struct {
	Next     model.Lit // the latest variable allocated
	Vars     int64     // number of variables allocated
	Clauses  int64
	Literals int64
}

// NewVar allocates the next variable.
func (c *Counter) NewVar() model.Lit {
	c.Next++
	c.Vars++
	return c.Next
}

// Clause counts one clause.
func (c *Counter) Clause(lits ...model.Lit) {
	c.Clauses++
	c.Literals += int64(len(lits))
}

// The constants. They may stand wherever a literal can, so that bounds of sorted lists (at
// least 0 hold, at least n+1 hold) need no special cases; the emitter removes them from
// clauses.
const (
	litTrue  model.Lit = math.MaxInt32
	litFalse model.Lit = -math.MaxInt32
)

// emitter writes clauses over literals and constants to a Sink.
type emitter struct {
	Sink
	buf []model.Lit
}

// clause writes the disjunction of lits, unless it is a tautology.
func (e *emitter) clause(lits ...model.Lit) {
	e.buf = e.buf[:0]
	for _, l := range lits {
		switch l {
		case litTrue:
			return
		case litFalse:
		default:
			e.buf = append(e.buf, l)
		}
	}
	e.Clause(e.buf...)
}

// contradiction makes the clauses unsatisfiable without an empty clause, which some readers
// of DIMACS files refuse.
func contradiction(s Sink, x model.Lit) {
	if x == 0 {
		x = s.NewVar()
	}
	s.Clause(x)
	s.Clause(-x)
}

// negated returns the negations of lits in a new slice.
func negated(lits []model.Lit) []model.Lit {
	out := make([]model.Lit, len(lits))
	for i, l := range lits {
		out[i] = -l
	}
	return out
}
