package backward

import (
	"maps"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/factored"
)

// amounts are the integers that stand for sums at each step, defined bit by bit, and the
// constraints over them.
type amounts struct {
	bits      []map[int32]model.Lit // [t-1]: by number in package bound
	equations [][]equation          // [t-1]: by amount
	clauses   [][][]model.Lit       // [t-1]: that define classes
	derived   [][][]known           // [t-1]: the ways of each derived constraint
	made      []proof.ID
}

// equation is "terms - bits = 0", both ways.
type equation struct{ atLeast, atMost known }

// addAmounts defines the amounts of every step, and derives the constraints that are over
// them, and what excludes each other.
func (w *writer) addAmounts(x *bound.Relaxation) error {
	a := &amounts{}
	w.amounts = a
	w.addExclusive(x)
	all := x.Amounts()
	for t := 1; t <= w.m.Horizon; t++ {
		bits := map[int32]model.Lit{}
		var equations []equation
		for _, k := range all {
			equations = append(equations, w.defineAmount(t, k, bits))
		}
		a.bits, a.equations, a.clauses = append(a.bits, bits), append(a.equations, equations), append(a.clauses, nil)
	}
	for _, c := range x.Classes() {
		for t := 1; t <= w.m.Horizon; t++ {
			w.defineClass(t, c)
		}
	}
	if len(x.Derived()) == 0 {
		return w.log.Err()
	}
	return w.derive(x.Derived())
}

// addExclusive derives that pairs of state bits exclude each other, step by step.
func (w *writer) addExclusive(x *bound.Relaxation) {
	for t := 1; t <= w.m.Horizon+1; t++ {
		for _, p := range x.Exclusive() {
			var clause []model.Lit
			holds := false
			for _, l := range p {
				l = -l.Shift(w.m.Stride() * int32(t-1))
				if holds = holds || w.m.Value(l) > 0; w.m.Value(l) == 0 {
					clause = append(clause, l)
				}
			}
			if !holds {
				w.amounts.made = append(w.amounts.made, w.log.Learn(clause))
			}
		}
	}
}

// forget deletes what is known of the amounts.
func (a *amounts) forget(w *writer) {
	w.log.DeleteAll(a.made)
	for _, equations := range a.equations {
		for _, e := range equations {
			for _, k := range []known{e.atLeast, e.atMost} {
				if k.id != 0 {
					w.log.Delete(k.id)
				}
			}
		}
	}
}

// pay adds what moves the costs of terms to amounts that pay for them, times factor, at all steps.
func (a *amounts) pay(x *bound.Relaxation, factor int64, sum *addition) {
	for i, p := range x.Payments() {
		for _, equations := range a.equations {
			if p > 0 {
				sum.use(equations[i].atLeast, factor*p)
			} else if p < 0 {
				sum.use(equations[i].atMost, -factor*p)
			}
		}
	}
}

// priced lists what is over amounts and has a price at step t: what they are, and rules.
func (a *amounts) priced(x *bound.Relaxation, t int) (out []priced) {
	for i, p := range x.AmountPrices(t) {
		e := a.equations[t-1][i]
		switch {
		case p > 0: // the sum is no more than the bits say
			out = append(out, priced{e.atMost, p})
		case p < 0:
			out = append(out, priced{e.atLeast, -p})
		}
	}
	for _, r := range x.Rules(t) {
		if r.Derived >= 0 {
			ways := a.derived[t-1][r.Derived]
			k := ways[0]
			if r.Sum.Op == factored.LE {
				k = ways[len(ways)-1]
			}
			out = append(out, priced{k, r.Price})
		}
	}
	return out
}

// defineAmount defines the bits of an amount, the highest first: each is true if what is
// left of the sum is at least its weight. From 0 <= rest < 2^(j+1) before bit j follows
// 0 <= rest < 2^j after it.
func (w *writer) defineAmount(t int, a bound.Amount, bits map[int32]model.Lit) (e equation) {
	if len(a.Bits) == 0 {
		return e
	}
	low, high := &addition{w: w}, &addition{w: w} // rest >= 0, and -rest >= 1 - 2^(j+1)
	for _, c := range a.Terms {
		l := c.Lit.Shift(w.m.Stride() * int32(t-1))
		switch v := w.m.Value(l); {
		case v > 0:
			low.degree -= c.Coef
		case v == 0:
			low.parts = append(low.parts, part{lit: l, factor: c.Coef})
			high.parts = append(high.parts, part{lit: -l, factor: c.Coef})
			low.add(l, c.Coef)
			high.add(-l, c.Coef)
		}
	}
	least, most := known{low.known().id, low.linear}, known{high.known().id, high.linear}
	for j := len(a.Bits) - 1; j >= 0; j-- {
		w.vars++
		bit := w.vars
		bits[a.Bits[j].Var()] = bit
		terms := least.proofTerms()
		only, when := w.log.Reify(bit, terms, int64(1)<<j+least.degree)
		var below, above known
		below.plus(least.linear, 1)
		below.add(bit, -(1 << j))
		above.plus(most.linear, 1)
		above.add(bit, 1<<j)
		above.degree = -least.degree - (1<<j - 1)
		below.id = w.either(below.linear, least.id, only)
		above.id = w.either(above.linear, when, most.id)
		for _, id := range []proof.ID{only, when, least.id, most.id} {
			if id != 0 {
				w.log.Delete(id)
			}
		}
		least, most = below, above
	}
	return equation{least, most}
}

// proofTerms lists the terms.
func (s *linear) proofTerms() (out []proof.Term) {
	for _, v := range slices.Sorted(maps.Keys(s.terms)) {
		out = append(out, proof.Term{Coef: s.terms[v], Lit: v})
	}
	return out
}

// either derives an inequality that follows from one of two constraints if a variable is true and from
// the other if it is false; 0 is a constraint that always holds.
func (w *writer) either(want linear, a, b proof.ID) proof.ID {
	terms := want.proofTerms()
	degree := want.degree
	for _, t := range terms {
		if t.Coef < 0 {
			degree -= t.Coef
		}
	}
	w.vars++
	z := w.vars
	only, when := w.log.Reify(z, terms, want.degree)
	made := []proof.ID{only, when}
	for _, id := range []proof.ID{a, b} {
		if id != 0 {
			w.log.BeginPol(id)
			w.log.Add(when, 1)
			made = append(made, w.log.EndPol())
		}
	}
	unit := w.log.Learn([]model.Lit{z})
	made = append(made, unit)
	w.log.BeginPol(only)
	if degree > 0 {
		w.log.Add(unit, degree)
	}
	id := w.log.EndPol()
	w.log.DeleteAll(made)
	return id
}

// defineClass defines a bit as "the inputs have one of these values", by a literal for each.
func (w *writer) defineClass(t int, c bound.Class) {
	a := w.amounts
	offset := w.m.Stride() * int32(t-1)
	var made []proof.ID
	var sum []proof.Term
	for _, value := range c.Values {
		var all []proof.Term
		possible := true
		for i, l := range c.Inputs {
			l = l.Shift(offset).If(value>>i&1 == 1)
			switch v := w.m.Value(l); {
			case v < 0:
				possible = false
			case v == 0:
				all = append(all, proof.Term{Coef: 1, Lit: l})
			}
		}
		if !possible {
			continue
		}
		w.vars++
		only, when := w.log.Reify(w.vars, all, int64(len(all)))
		made = append(made, only, when)
		sum = append(sum, proof.Term{Coef: 1, Lit: w.vars})
	}
	w.vars++
	bit := w.vars
	a.bits[t-1][c.Bit.Var()] = bit
	only, when := w.log.Reify(bit, sum, 1)
	made = append(made, only, when)
	for _, s := range c.Clauses {
		var clause []model.Lit
		holds := false
		for _, x := range s.Terms {
			l := x.Lit.Shift(offset)
			if x.Lit.Var() == c.Bit.Var() {
				l = bit.If(x.Lit > 0)
			}
			if v := w.value(l); v > 0 {
				holds = true
			} else if v == 0 {
				clause = append(clause, l)
			}
		}
		if !holds {
			a.made = append(a.made, w.log.Learn(clause))
			a.clauses[t-1] = append(a.clauses[t-1], clause)
		}
	}
	w.log.DeleteAll(made)
}

// derive derives the constraints over amounts at every step.
func (w *writer) derive(rows []bound.Derived) error {
	sources := map[string]*known{}
	name := func(t int, s model.Sum) string {
		terms, k := unnegated(s, w.m.Stride()*int32(t-1))
		return w.ruleName(t, terms, k)
	}
	for t := 1; t <= w.m.Horizon; t++ {
		for _, d := range rows {
			for _, f := range d.From {
				for _, s := range ways(f.Sum) {
					sources[name(t, s)] = &known{}
				}
			}
		}
	}
	err := format.EachInequality(w.ctx, w.file, func(t int, c format.Inequality) {
		if k := sources[w.ruleName(t, c.Terms, c.K)]; k != nil && k.id == 0 {
			*k = w.source(c)
		}
	})
	if err != nil {
		return err
	}
	for t := 1; t <= w.m.Horizon; t++ {
		derived := make([][]known, len(rows))
		source := func(s model.Sum) known { return *sources[name(t, s)] }
		for j, d := range rows {
			if d.Room > 0 {
				derived[j] = []known{w.tighten(t, d, source)}
				continue
			}
			for i, s := range ways(d.Sum) {
				derived[j] = append(derived[j], w.deriveRow(t, d, i, s, source))
			}
		}
		w.amounts.derived = append(w.amounts.derived, derived)
	}
	return w.log.Err()
}

// ofFile is a constraint of the file.
func ofFile(c format.Inequality) known {
	k := known{id: proof.ID(c.Number), linear: linear{degree: c.K}}
	for _, x := range c.Terms {
		k.add(x.Lit, x.Coef)
	}
	return k
}

// source is a constraint of the file; where a coefficient is too large beside what is known, without that and saturated.
func (w *writer) source(c format.Inequality) known {
	k := ofFile(c)
	terms, degree, saturated := w.open(c.Terms, c.K)
	if !saturated {
		return k
	}
	var want linear
	for _, x := range c.Terms {
		if w.m.Value(x.Lit) == 0 {
			want.add(x.Lit, x.Coef)
		}
	}
	a := &addition{w: w}
	a.use(k, 1)
	a.become(want)
	a.write()
	w.log.Saturate()
	k = known{w.log.EndPol(), linear{degree: degree}}
	for _, x := range terms {
		k.add(x.Lit, x.Coef)
	}
	w.amounts.made = append(w.amounts.made, k.id)
	return k
}

// ways are an equation as two inequalities, first at least, and an inequality alone.
func ways(s model.Sum) []model.Sum {
	if s.Op != factored.EQ {
		return []model.Sum{s}
	}
	least, most := s, s
	least.Op, most.Op = factored.GE, factored.LE
	return []model.Sum{least, most}
}

// deriveRow derives one of the ways of a row at step t, s.
func (w *writer) deriveRow(t int, d bound.Derived, way int, s model.Sum, source func(model.Sum) known) known {
	a := &addition{w: w}
	for _, f := range d.From {
		a.use(source(ways(f.Sum)[way]), f.Factor)
	}
	for i, factor := range d.Amounts {
		e := w.amounts.equations[t-1][i]
		if s.Op == factored.LE {
			factor = -factor
		}
		if factor > 0 {
			a.use(e.atLeast, factor)
		} else if factor < 0 {
			a.use(e.atMost, -factor)
		}
	}
	terms, k := unnegated(s, 0)
	want := linear{degree: k}
	for _, c := range terms {
		if v := placed(c.Lit, w.amounts.bits[t-1], w.m.Stride()*int32(t-1)); w.value(v) == 0 {
			want.add(v, c.Coef)
		}
	}
	a.become(want)
	return w.keep(a.known())
}
