package cnf

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// Sum encodes one linear constraint: positive coefficients that sum to less than 2^61,
// distinct variables, any right-hand side. A constraint that always holds has no clauses. One
// that never holds becomes two contradicting units over one of its variables (or over a new
// one if it has none).
//
// Forced literals become units and a disjunction becomes one clause. Anything else is counted
// with the encoding's networks or counters if all coefficients are equal; otherwise it
// becomes a decision diagram, the same for all encodings. Unit propagation is complete for <=
// and >=, and for == with equal coefficients. It is not complete if binary adders replace a
// diagram of more than 100,000 nodes, nor for == with general coefficients, which is encoded
// as <= and >=.
func (e Encoding) Sum(s Sink, c model.Sum) { e.sum(s, c, diagramLimit) }

// diagramLimit bounds the nodes of the decision diagram of one constraint.
const diagramLimit = 100_000

// maxTotal bounds the sum of a constraint's coefficients.
const maxTotal = 1 << 61

func (e Encoding) sum(s Sink, c model.Sum, limit int) {
	terms := slices.Clone(c.Terms)
	var total int64
	for _, t := range terms {
		if t.Coef <= 0 || t.Coef >= maxTotal-total {
			panic(fmt.Sprintf("cnf: coefficient %d of a sum, after %d", t.Coef, total))
		}
		total += t.Coef
	}
	var first model.Lit // for a contradiction
	if len(terms) > 0 {
		first = terms[0].Lit
	}
	op, k := c.Op, c.K
	if op == factored.GE {
		// At most total-k of the negations. A k out of bounds is decided first, since the
		// difference may overflow.
		if k > total {
			contradiction(s, first)
			return
		}
		if k <= 0 {
			return
		}
		op, k = factored.LE, total-k
		for i := range terms {
			terms[i].Lit = -terms[i].Lit
		}
	}
	n := &normal{terms: terms, equal: op == factored.EQ, k: k, total: total}
	if !n.reduce(s) {
		contradiction(s, first)
		return
	}
	if len(n.terms) == 0 {
		return
	}
	if n.terms[0].Coef == 1 {
		e.cardinality(s, n.lits(), n.equal, int(n.k))
		return
	}
	n.general(s, limit)
}

// normal is a sum on its way to its normal form: sum of terms <= k, or == k, with 0 < k <
// total, greatest common divisor 1, no coefficient that forces its literal, and the largest
// coefficient first. It has no terms if nothing remains.
type normal struct {
	terms []model.Term
	equal bool
	k     int64
	total int64
}

// reduce normalises n and writes the units that it finds. It returns false if the sum is
// infeasible.
func (n *normal) reduce(s Sink) bool {
	for changed := true; changed; {
		if n.k < 0 || n.equal && n.k > n.total {
			return false
		}
		if n.k >= n.total && !n.equal {
			n.terms = nil
			return true
		}
		changed = n.force(s)
		if len(n.terms) == 0 {
			return !n.equal || n.k == 0
		}
		if g := divisor(n.terms); g > 1 {
			if n.equal && n.k%g != 0 {
				return false
			}
			for i := range n.terms {
				n.terms[i].Coef /= g
			}
			n.total /= g
			n.k /= g // rounded down, as k >= 0
			changed = true
		}
	}
	slices.SortStableFunc(n.terms, func(a, b model.Term) int { return cmp.Compare(b.Coef, a.Coef) })
	return true
}

// force removes the terms whose literals cannot be true, or cannot be false.
func (n *normal) force(s Sink) bool {
	rest := n.terms[:0]
	for _, t := range n.terms {
		switch {
		case t.Coef > n.k:
			s.Clause(-t.Lit)
			n.total -= t.Coef
		case n.equal && t.Coef > n.total-n.k:
			s.Clause(t.Lit)
			n.total -= t.Coef
			n.k -= t.Coef
		default:
			rest = append(rest, t)
		}
	}
	forced := len(rest) < len(n.terms)
	n.terms = rest
	return forced
}

func divisor(terms []model.Term) int64 {
	g := int64(0)
	for _, t := range terms {
		for a := t.Coef; a != 0; {
			g, a = a, g%a
		}
	}
	return g
}

func (n *normal) lits() []model.Lit {
	out := make([]model.Lit, len(n.terms))
	for i, t := range n.terms {
		out[i] = t.Lit
	}
	return out
}
