package backward

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/bound"
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
	sum := &addition{w: w}
	costs := make([][][]bound.Weight, w.m.Horizon+1)
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
	if err := w.addRules(x, sum); err != nil {
		return shown{}, err
	}
	return sum.bound(x.Unit(), x.Step())
}

// group makes the writer of a group's proof.
func (w *writer) group(x *bound.Relaxation, id int, costs [][][]bound.Weight) *writer {
	shift := int64(0) // how much the costs without negative coefficients are more
	g := &writer{ctx: w.ctx, m: w.m, log: w.log, most: w.most, vars: w.vars, stats: w.stats}
	c := x.Group(id)
	systems := x.Systems(id, func() bool { return w.ctx.Err() != nil })
	h := w.m.Horizon
	for t := range h + 2 {
		l := &layer{t: t, st: systems.At(t), offset: w.m.Stride() * int32(max(t-1, 0)), now: c.Now, index: map[string]int32{}}
		switch {
		case t == 0:
			l.next, l.branch, l.now = c.Now, c.Now, nil
		case t <= h:
			l.next, l.branch, l.rest = c.Next, c.Choices, c.Hidden
			for _, k := range costs[t][id] {
				if k.Coef > 0 {
					l.costs = append(l.costs, model.Cost{Coef: k.Coef, Lit: model.Lit(k.Var)})
				} else {
					shift -= k.Coef
					l.costs = append(l.costs, model.Cost{Coef: -k.Coef, Lit: -model.Lit(k.Var)})
				}
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

// addRules adds the rules that have a price. One that is not in the file, since
// what is fixed makes it hold, is not needed.
func (w *writer) addRules(x *bound.Relaxation, sum *addition) error {
	wanted := map[string]int64{}
	key := func(t int, terms []model.Term, k int64) string {
		terms = slices.Clone(terms)
		slices.SortFunc(terms, func(a, b model.Term) int { return cmp.Compare(a.Lit, b.Lit) })
		text := fmt.Append(nil, t)
		for _, a := range terms {
			switch v := w.m.Value(int32(a.Lit)); {
			case v > 0:
				k -= a.Coef
			case v == 0:
				text = fmt.Appendf(text, " %d x%d", a.Coef, a.Lit)
			}
		}
		return string(fmt.Appendf(text, " >= %d", k))
	}
	for t := 1; t <= w.m.Horizon; t++ {
		offset := w.m.Stride() * int32(t-1)
		for _, r := range x.Rules(t) {
			terms, k := unnegated(r.Sum, offset)
			wanted[key(t, terms, k)] += r.Price
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	return format.EachInequality(w.ctx, w.file, func(t int, c format.Inequality) {
		name := key(t, c.Terms, c.K)
		price := wanted[name]
		if price == 0 {
			return
		}
		delete(wanted, name)
		sum.include(proof.ID(c.Number), price)
		sum.degree += price * c.K
		for _, a := range c.Terms {
			sum.add(int32(a.Lit), price*a.Coef)
		}
	})
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

// addition is a sum of constraints that are there: the sum of terms is at least
// degree.
type addition struct {
	w             *writer
	parts         []part
	terms         map[int32]int64
	degree        int64
	contradiction proof.ID
}

// part is a constraint, or a literal that is not negative, with its factor.
type part struct {
	id     proof.ID // 0 of a literal
	lit    int32
	factor int64
}

func (a *addition) include(id proof.ID, factor int64) {
	a.parts = append(a.parts, part{id: id, factor: factor})
}

// add adds coef times a literal to the terms.
func (a *addition) add(lit int32, coef int64) {
	if a.terms == nil {
		a.terms = map[int32]int64{}
	}
	if lit < 0 { // c*(1-x)
		a.degree -= coef
		lit, coef = -lit, -coef
	}
	a.terms[lit] += coef
}

// bound derives objective >= target from unit times the objective: what is left
// over is cancelled by what propagation fixes and by literal axioms, the rest is
// divided by unit times step, and the fixed costs are added.
func (a *addition) bound(unit, step int64) (shown, error) {
	w := a.w
	fixed := map[int32]int64{} // costs that do not vary
	for t := 1; t <= w.m.Horizon+1; t++ {
		for _, c := range w.m.Objective(t) {
			if w.m.Value(c.Lit.Var()) != 0 {
				fixed[int32(c.Lit)] = c.Coef
			} else {
				a.add(int32(c.Lit), -unit*c.Coef)
			}
		}
	}
	for _, v := range sortedKeys(a.terms) {
		if c := a.terms[v]; c > 0 {
			a.cancel(-v, c)
		} else if c < 0 {
			a.cancel(v, -c)
		}
	}
	lowest := ceil(a.degree, unit*step) * step
	for _, x := range sortedKeys(fixed) {
		if w.truth(x) {
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
	for _, x := range sortedKeys(fixed) {
		all.cancel(x, fixed[x])
	}
	all.write()
	return shown{w.log.EndPol(), w.target == dead}, nil
}

// truth reports whether propagation makes a literal true.
func (w *writer) truth(x int32) bool {
	if x < 0 {
		return w.m.Value(-x) < 0
	}
	return w.m.Value(x) > 0
}

// cancel adds coef times a literal, as a unit clause where it is known to be true.
func (a *addition) cancel(x int32, coef int64) {
	if a.w.truth(x) {
		a.parts = append(a.parts, part{id: a.w.log.Learn([]int32{x}), factor: coef})
		a.degree += coef
	} else {
		a.parts = append(a.parts, part{lit: x, factor: coef})
	}
	a.add(x, coef)
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

// ceil is a/b rounded up; b is positive.
func ceil(a, b int64) int64 {
	q := a / b
	if q*b < a {
		q++
	}
	return q
}

func sortedKeys(m map[int32]int64) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
