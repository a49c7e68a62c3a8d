package plan

import (
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// breakOfStart returns the rule that the initial state itself breaks, with step 1; nil if there
// is none, or if the initial state leaves bits open.
func breakOfStart(p *factored.Problem) *app.Fault {
	val := make(factored.Valuation, p.NumBits())
	given := make([]bool, p.NumBits())
	for i := range p.Initial {
		c := &p.Initial[i]
		if c.Op != factored.EQ || len(c.Terms) != 1 || c.Terms[0].Coef != 1 || c.K != 0 && c.K != 1 {
			continue
		}
		l := c.Terms[0].Lit
		val[l.Bit], given[l.Bit] = (c.K == 1) != l.Neg, true
	}
	for _, b := range p.Bits(factored.State) {
		if !given[b] {
			return nil
		}
	}
	f := validate.CheckPart(p, validate.State, val)
	if f == nil {
		return nil
	}
	f.Step = 1
	return app.CheckerFault(p, f)
}
