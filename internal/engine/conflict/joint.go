package conflict

import (
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Proofs about plans with given bits (PB.Within) are parts of a proof about all plans. A part
// is about the file of the whole problem. It defines one variable, the first beyond the
// model's, as the conjunction of the given bits; each clause that the solver learns has the
// negation of that variable as one literal more, so that it follows from the whole problem.
// Nothing in a part depends on a solution. The last constraint that it derives is its result,
// with s the variable:
//
//	~s >= 1                       no plan has the given bits
//	objective + n ~s >= bound     every plan with the given bits costs at least the bound
//
// Where no bound was found there is no result, and Proof.Done stays false. Package proof
// appends parts to one another (Logger.Append).

// begin defines the variable of a part.
func (p *prover) begin(s *sat.Solver, m *model.Model, within []model.Given) {
	s.Grow(m.NumVars())
	l := s.NewVar()
	bits := make([]proof.Term, len(within))
	for i, g := range within {
		bits[i] = proof.Term{Coef: 1, Lit: m.Var(g.Step, g.Bit).If(g.Value)}
	}
	p.selector = l.DIMACS()
	p.log.Reify(p.selector, bits, int64(len(bits)))
	s.AddClause(l)
}

// part derives the result of a part, and reports whether there is one. The file's objective
// is the cost plus shift.
func (p *prover) part(x *Session, reason string, shift int64) bool {
	defer p.log.ConcludeNone()
	if !x.s.Consistent() || reason == "" && x.incumbent == nil {
		p.Learned(nil)
		return true
	}
	id := p.lower(x.c, x.lower)
	if id == 0 {
		return false
	}
	terms := append(p.objective[:len(p.objective):len(p.objective)], proof.Term{Coef: x.lower, Lit: -p.selector})
	p.log.Implied(id, terms, x.lower+shift)
	return true
}
