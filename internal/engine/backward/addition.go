package backward

import (
	"maps"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// linear is a linear inequality: the sum of terms, coefficients by variable, is at least
// degree.
type linear struct {
	terms  map[model.Lit]int64
	degree int64
}

// add adds coef times a literal to the terms.
func (s *linear) add(lit model.Lit, coef int64) {
	if s.terms == nil {
		s.terms = map[model.Lit]int64{}
	}
	if lit < 0 { // c*(1-x)
		s.degree -= coef
		lit, coef = -lit, -coef
	}
	if s.terms[lit] += coef; s.terms[lit] == 0 {
		delete(s.terms, lit)
	}
}

// addTerms adds factor times the terms.
func (s *linear) addTerms(terms []proof.Term, factor int64) {
	for _, t := range terms {
		s.add(t.Lit, factor*t.Coef)
	}
}

// plus adds factor times an inequality; factor is positive.
func (s *linear) plus(o linear, factor int64) {
	for v, c := range o.terms {
		s.add(v, factor*c)
	}
	s.degree += factor * o.degree
}

// known is an inequality that the proof has.
type known struct {
	id proof.ID // 0 of 0 >= 0
	linear
}

// addition is a sum of constraints that are there.
type addition struct {
	w     *writer
	parts []part
	linear
	contradiction proof.ID
}

// part is a constraint, or a literal that is not negative, with its factor.
type part struct {
	id     proof.ID // 0 of a literal
	lit    model.Lit
	factor int64
}

func (a *addition) include(id proof.ID, factor int64) {
	a.parts = append(a.parts, part{id: id, factor: factor})
}

// use adds factor times a constraint.
func (a *addition) use(k known, factor int64) {
	if k.id != 0 {
		a.include(k.id, factor)
		a.plus(k.linear, factor)
	}
}

// cancel adds coef times a literal, as a unit clause where it is known to be true.
func (a *addition) cancel(x model.Lit, coef int64) {
	if a.w.value(x) > 0 {
		a.parts = append(a.parts, part{id: a.w.log.Learn([]model.Lit{x}), factor: coef})
		a.degree += coef
	} else {
		a.parts = append(a.parts, part{lit: x, factor: coef})
	}
	a.add(x, coef)
}

// become adds literals until the sum has the terms of want, whose degree does not matter.
func (a *addition) become(want linear) {
	surplus := linear{terms: maps.Clone(a.terms)}
	for v, c := range want.terms {
		surplus.add(v, -c)
	}
	for _, v := range slices.Sorted(maps.Keys(surplus.terms)) {
		if c := surplus.terms[v]; c > 0 {
			a.cancel(-v, c)
		} else {
			a.cancel(v, -c)
		}
	}
}

// write begins the line that adds up the parts.
func (a *addition) write() {
	log := a.w.log
	for i, p := range a.parts {
		switch {
		case i == 0 && p.id != 0:
			log.BeginPol(p.id)
			log.Multiply(p.factor)
		case i == 0:
			log.BeginPolAxiom(p.lit)
			log.Multiply(p.factor)
		case p.id != 0:
			log.Add(p.id, p.factor)
		default:
			log.AddAxiom(p.lit, p.factor)
		}
	}
}

// known writes the line of the sum.
func (a *addition) known() known {
	if len(a.parts) == 0 {
		return known{}
	}
	a.write()
	return known{a.w.log.EndPol(), a.linear}
}

// nonnegative derives that terms with positive coefficients are not negative; 0 without
// terms.
func (w *writer) nonnegative(terms []proof.Term) proof.ID {
	a := &addition{w: w}
	for _, t := range terms {
		a.parts = append(a.parts, part{lit: t.Lit, factor: t.Coef})
	}
	return a.known().id
}
