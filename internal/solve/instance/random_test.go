package instance_test

import (
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/internal/solve/instance"
)

// generator draws one instance.
type generator struct {
	*rand.Rand
	in *instance.Instance
}

func newGenerator(seed, kind uint64, f instance.Format, vars int) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, kind)), in: &instance.Instance{Format: f, NumVars: int32(vars)}}
}

// chance returns true with probability percent/100.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *generator) literal() literal.Lit {
	return literal.Lit(1 + g.Int32N(g.in.NumVars)).If(!g.chance(50))
}

// clause draws a clause over distinct variables, fewer if there are fewer.
func (g *generator) clause(size int) []literal.Lit {
	var lits []literal.Lit
	for range min(size, int(g.in.NumVars)) {
	again:
		l := g.literal()
		for _, k := range lits {
			if k == l || k == -l {
				goto again
			}
		}
		lits = append(lits, l)
	}
	return lits
}

// spoil repeats a literal of a clause, or adds a negation of one.
func (g *generator) spoil(lits []literal.Lit) []literal.Lit {
	if len(lits) == 0 || g.chance(90) {
		return lits
	}
	l := lits[g.IntN(len(lits))]
	if g.chance(50) {
		l = -l
	}
	return append(lits, l)
}

// number draws from 0..most, small ones as often as large ones.
func (g *generator) number(most int64) int64 {
	return int64(math.Exp(g.Float64()*math.Log(float64(most)+1))) - int64(g.IntN(2))
}

// ThreeSAT returns random 3-SAT around the threshold, 4.26 clauses per variable plus or minus
// a tenth; about one in ten has repeated or opposite literals, clauses of other lengths, or
// an empty clause.
func ThreeSAT(seed uint64, vars int) *instance.Instance {
	g := newGenerator(seed, 0x636e66, instance.CNF, vars)
	odd := g.chance(10)
	clauses := int(4.26 * float64(vars) * (0.9 + 0.2*g.Float64()))
	for range clauses {
		size := 3
		if odd && g.chance(10) {
			size = 1 + g.IntN(5)
		}
		lits := g.clause(size)
		if odd {
			lits = g.spoil(lits)
		}
		g.in.Clauses.Add(lits...)
	}
	if odd && g.chance(10) {
		g.in.Clauses.Add()
	}
	return g.in
}

// WCNF returns random weighted partial MaxSAT with weights in 0..weight. Some instances have
// no solution; soft clauses may be empty, have weight 0, be repeated, or contradict each
// other.
func WCNF(seed uint64, vars int, weight int64) *instance.Instance {
	g := newGenerator(seed, 0x77636e66, instance.WCNF, vars)
	g.in.Optimises = true
	for range int(float64(vars) * (1 + 2.5*g.Float64())) {
		size := 2 + g.IntN(3)
		if g.chance(4) {
			size = 1
		}
		g.in.Clauses.Add(g.spoil(g.clause(size))...)
	}
	if g.chance(2) {
		g.in.Clauses.Add()
	}
	for range g.IntN(3*vars + 1) {
		s := instance.Soft{Weight: g.number(weight), Clause: g.spoil(g.clause(1 + g.IntN(3)))}
		if g.chance(2) {
			s.Clause = nil
		}
		if n := len(g.in.Soft); n > 0 && g.chance(5) {
			s.Clause = g.in.Soft[g.IntN(n)].Clause
		}
		g.in.Soft = append(g.in.Soft, s)
	}
	return g.in
}

// OPB returns a random linear program over Boolean variables with coefficients in
// -coef..coef. About two thirds are built around an assignment, so that they have a solution;
// one in five has no objective. Variables may be repeated in a sum, also negated.
func OPB(seed uint64, vars int, coef int64) *instance.Instance {
	g := newGenerator(seed, 0x6f7062, instance.OPB, vars)
	planted := make([]bool, vars+1)
	for v := range planted {
		planted[v] = g.chance(50)
	}
	plant := g.chance(70)
	// A bound on the coefficients for each instance, so that sums often coincide.
	coef = max(1, g.number(coef))
	for range 1 + g.IntN(2*vars) {
		l := instance.Linear{Terms: g.terms(coef), Op: [...]instance.Op{instance.GE, instance.GE, instance.LE, instance.EQ}[g.IntN(4)]}
		var sum, least, most int64
		for _, t := range l.Terms {
			if planted[max(t.Lit, -t.Lit)] == (t.Lit > 0) {
				sum += t.Coef
			}
			least += min(t.Coef, 0)
			most += max(t.Coef, 0)
		}
		slack := g.number(max(1, (most-least)/4))
		switch {
		case !plant:
			l.K = least + g.Int64N(most-least+1)
		case l.Op == instance.GE:
			l.K = sum - slack
		case l.Op == instance.LE:
			l.K = sum + slack
		default:
			l.K = sum
		}
		if l.Op == instance.EQ && !plant && g.chance(80) {
			l.Op = instance.GE // random equations are rarely satisfiable
		}
		g.in.Linear = append(g.in.Linear, l)
	}
	if g.chance(80) {
		g.in.Optimises = true
		g.in.Objective = g.terms(coef)
	}
	return g.in
}

// terms draws a sum.
func (g *generator) terms(coef int64) []instance.Term {
	var terms []instance.Term
	for _, l := range g.spoil(g.clause(1 + g.IntN(8))) {
		c := max(1, g.number(coef))
		if g.chance(40) {
			c = -c
		}
		if g.chance(2) {
			c = 0
		}
		terms = append(terms, instance.Term{Coef: c, Lit: l})
	}
	return terms
}
