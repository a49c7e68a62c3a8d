package acting

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Clause says that a next bit has a value wherever variables have values.
type Clause struct {
	Output factored.Bit
	Value  bool
	// Variables are places among the variables, and Is the values of their bits, bit i for the i-th.
	Variables []int
	Is        []uint64
}

// Literals is a clause over bits: one of them holds at every step.
func (m *Model) Literals(c *Clause) []factored.Lit {
	lits := []factored.Lit{{Bit: c.Output, Neg: !c.Value, Next: true}}
	for i, v := range c.Variables {
		lits = append(lits, m.Variables[v].differs(c.Is[i])...)
	}
	return lits
}

// differs lists literals one of which holds where the bits have other values.
func (v *Variable) differs(x uint64) (lits []factored.Lit) {
	if !v.Count && v.isGroup() && x != 0 {
		return []factored.Lit{{Bit: v.Bits[bits.TrailingZeros64(x)], Neg: true}}
	}
	for i, b := range v.Bits {
		lits = append(lits, factored.Lit{Bit: b, Neg: x>>i&1 == 1})
	}
	return lits
}

// isGroup reports whether at most one bit of each legal value is true.
func (v *Variable) isGroup() bool {
	return !slices.ContainsFunc(v.Legal, func(x uint64) bool { return bits.OnesCount64(x) > 1 })
}

// longClause is how many literals a clause has at least that is not stated in the problem: where a group (package bound) would have to
// read as many bits, there are no tables.
const longClause = 16

// optimistic is the problem with the clauses, but for those of Reward and long ones, which it lists: no plan of the system has a better
// reward than the best of its plans.
func (m *Model) optimistic() (p *factored.Problem, long []int) {
	p = m.Free.Clone()
	for i := range m.Clauses {
		c := factored.Constraint{Op: factored.GE, K: 1, Origin: "learned"}
		for _, l := range m.Literals(&m.Clauses[i]) {
			c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: l})
		}
		if len(c.Terms) >= longClause {
			long = append(long, i)
		} else {
			p.Transition = append(p.Transition, c)
		}
	}
	return p, long
}
