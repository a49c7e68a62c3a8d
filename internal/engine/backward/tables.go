package backward

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/factored"
)

// Tables writes a proof as Write does, of a bound that tables and prices show:
// each group's table is proven backwards by itself, over its priced costs, and one
// line adds up what the groups cost at least and the rules between them, each as
// often as it is priced. The copies of a bit that groups read are one variable
// here, and their prices cancel out.
func Tables(ctx context.Context, m *model.Model, c Claim, x *bound.Relaxation, o Options) (Stats, error) {
	return run(ctx, m, c, o, func(w *writer) (shown, error) { return w.tables(x) })
}

// tables derives that the objective is at least the target.
func (w *writer) tables(x *bound.Relaxation) (shown, error) {
	if w.target <= 0 {
		return shown{}, nil
	}
	if err := w.addAmounts(x); err != nil {
		return shown{}, err
	}
	sum := &addition{w: w}
	costs := make([][][]model.Term, w.m.Horizon+1)
	for t := 1; t <= w.m.Horizon; t++ {
		costs[t] = x.Costs(t)
	}
	for id := range x.Groups() {
		g := w.group(x, id, costs)
		if err := w.chain(g, sum); err != nil {
			return shown{}, err
		}
		if sum.contradiction != 0 {
			return shown{sum.contradiction, true}, nil
		}
	}
	var made []proof.ID // by the groups
	for _, p := range sum.parts {
		made = append(made, p.id)
	}
	if err := w.eachPriced(x, func(_ int, p priced) { sum.use(p.known, p.price) }); err != nil {
		return shown{}, err
	}
	w.amounts.pay(x, x.Unit(), sum)
	b, err := sum.bound(x.Unit(), x.Step())
	// A solution that is shown afterwards says nothing of the literals that were defined.
	w.log.DeleteAll(made)
	w.amounts.forget(w)
	return b, err
}

// group makes the writer of a group's proof.
func (w *writer) group(x *bound.Relaxation, id int, costs [][][]model.Term) *writer {
	shift := int64(0) // how much the costs without negative coefficients are more
	g := &writer{ctx: w.ctx, m: w.m, log: w.log, most: w.most, vars: w.vars, stats: w.stats, amounts: w.amounts}
	c := x.Group(id)
	systems := x.Systems(id, func() bool { return w.ctx.Err() != nil })
	h := w.m.Horizon
	for t := range h + 2 {
		l := &layer{t: t, st: systems.At(t), offset: w.m.Stride() * int32(max(t-1, 0)), now: c.Now, index: map[string]int32{}}
		if t > 0 && t <= h {
			l.extra = w.amounts.bits[t-1]
		}
		switch {
		case t == 0:
			l.next, l.branch, l.now = c.Now, c.Now, nil
		case t <= h:
			l.next, l.branch, l.rest = c.Next, c.Choices, c.Hidden
			for _, k := range costs[t][id] {
				l.costs = append(l.costs, positive(k, &shift))
			}
		}
		g.layers = append(g.layers, l)
	}
	g.target = dead
	if c.Cost != math.MaxInt64 {
		g.target = c.Cost + shift
	}
	return g
}

// positive is a term without its negative coefficient, by which shift grows.
func positive(t model.Term, shift *int64) model.Term {
	if t.Coef < 0 {
		*shift -= t.Coef
		t.Coef, t.Lit = -t.Coef, -t.Lit
	}
	return t
}

// chain proves what a group costs at least, and adds it to the sum.
func (w *writer) chain(g *writer, sum *addition) error {
	b, err := g.bound()
	w.vars, w.stats = g.vars, g.stats
	if err != nil {
		return err
	}
	if b.contradiction {
		sum.contradiction = b.id
		return nil
	}
	if b.id == 0 {
		return nil
	}
	sum.include(b.id, 1)
	sum.degree += g.target
	for _, l := range g.layers[:g.counted+1] {
		for _, c := range l.costs {
			sum.add(l.global(c.Lit), c.Coef)
		}
	}
	return nil
}

// eachPriced visits what has a price: rules, and what amounts are. A rule that is not in the file, since what is fixed makes it hold, is
// not needed.
func (w *writer) eachPriced(x *bound.Relaxation, visit func(t int, p priced)) error {
	wanted := map[string]int64{}
	for t := 1; t <= w.m.Horizon; t++ {
		for _, p := range w.amounts.priced(x, t) {
			visit(t, p)
		}
		offset := w.m.Stride() * int32(t-1)
		for _, r := range x.Rules(t) {
			if r.Derived < 0 {
				terms, k := unnegated(r.Sum, offset)
				wanted[w.ruleName(t, terms, k)] += r.Price
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	return format.EachInequality(w.ctx, w.file, func(t int, c format.Inequality) {
		name := w.ruleName(t, c.Terms, c.K)
		if price := wanted[name]; price != 0 {
			delete(wanted, name)
			visit(t, priced{ofFile(c), price})
		}
	})
}

// ruleName identifies a constraint of step t, whether constants are propagated or not.
func (w *writer) ruleName(t int, terms []model.Term, k int64) string {
	terms, k, _ = w.open(terms, k)
	slices.SortStableFunc(terms, func(a, b model.Term) int { return cmp.Compare(a.Lit, b.Lit) })
	text := fmt.Append(nil, t)
	for _, a := range terms {
		text = fmt.Appendf(text, " %d x%d", a.Coef, a.Lit)
	}
	return string(fmt.Appendf(text, " >= %d", k))
}

// open is what an inequality says about the variables that are not known. No coefficient is larger than what it asks for; saturated says
// whether one was, as that of a neuron is whose inputs are known in part.
func (w *writer) open(terms []model.Term, k int64) (out []model.Term, degree int64, saturated bool) {
	asked := k
	for _, a := range terms {
		switch v := w.m.Value(a.Lit); {
		case v > 0:
			k, asked = k-a.Coef, asked-a.Coef
		case v == 0:
			out = append(out, a)
			asked += max(0, -a.Coef)
		}
	}
	for i, a := range out {
		if c := min(max(a.Coef, -asked), asked); asked > 0 && c != a.Coef {
			out[i].Coef, saturated = c, true
			k += max(0, c-a.Coef)
		}
	}
	return out, k, saturated
}

// unnegated is a rule, GE or LE, as a sum over unnegated variables of the model that is
// at least k.
func unnegated(s model.Sum, offset int32) (terms []model.Term, k int64) {
	sign := int64(1)
	if s.Op == factored.LE {
		sign = -1
	}
	k = sign * s.K
	for _, a := range s.Terms {
		c := sign * a.Coef
		if a.Lit < 0 {
			k -= c
			c = -c
		}
		terms = append(terms, model.Term{Coef: c, Lit: model.Lit(a.Lit.Var() + offset)})
	}
	return terms, k
}

// bound derives objective >= target from unit times the objective: what is left
// over is cancelled by what propagation fixes and by literal axioms, the rest is
// divided by unit times step, and the fixed costs are added.
func (a *addition) bound(unit, step int64) (shown, error) {
	w := a.w
	fixed := map[model.Lit]int64{} // costs that do not vary
	for t := 1; t <= w.m.Horizon+1; t++ {
		for _, c := range w.m.Objective(t) {
			if w.m.Value(c.Lit) != 0 {
				fixed[c.Lit] = c.Coef
			} else {
				a.add(c.Lit, -unit*c.Coef)
			}
		}
	}
	a.become(linear{})
	lowest := integer.CeilDiv(a.degree, unit*step) * step
	for _, x := range slices.Sorted(maps.Keys(fixed)) {
		if w.m.Value(x) > 0 {
			lowest += fixed[x]
		}
	}
	want := w.target
	if want == dead { // more than all costs together
		want = 1
		for t := 1; t <= w.m.Horizon+1; t++ {
			for _, c := range w.m.Objective(t) {
				want += c.Coef
			}
		}
	}
	if lowest < want {
		return shown{}, fmt.Errorf("%w: the tables show %d of %d", ErrClaim, lowest, want)
	}
	all := addition{w: w}
	if len(a.parts) > 0 {
		a.write()
		w.log.Divide(unit * step)
		w.log.Multiply(step)
		all.include(w.log.EndPol(), 1)
	}
	for _, x := range slices.Sorted(maps.Keys(fixed)) {
		all.cancel(x, fixed[x])
	}
	all.write()
	return shown{w.log.EndPol(), w.target == dead}, nil
}
