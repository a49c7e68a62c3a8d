package bound

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// Relaxation is a bound that tables and prices show alone, without a search, taken
// apart for a proof of it.
type Relaxation struct {
	f      *Factors
	t      *Tables
	shares [][]int64 // [group][variable]: what the group pays for the variable
	shown  int64     // no plan costs less, constants left out
	target int64     // what is to be shown
}

// Chain is a group at any step, in the variables of the one-step model: those of
// the next step are Stride further.
type Chain struct {
	Now, Next []model.Lit // the group's state bits that vary
	Choices   []model.Lit // what a move is chosen by besides: what is read, and what is paid for
	Hidden    []model.Lit // other internal variables of the group
	// Cost is the least priced cost of all steps, math.MaxInt64 if the group alone
	// has no way to the goal.
	Cost int64
}

// PricedRule is a rule between groups at one step, in the variables of the one-step
// model. Times Price, which is positive, it is part of the sum of the groups'
// priced costs. Its operator is GE or LE.
type PricedRule struct {
	Sum     model.Sum
	Price   int64
	Derived int // which of the constraints over amounts it is, -1 for one of the problem
}

// Wanted says what a relaxation is to show, and how far to look for it.
type Wanted struct {
	Most       int64 // no plan has a higher scaled reward
	Infeasible bool  // in place of that: no plan exists, since one would cost more than all costs together
	Rounds     int   // of prices, at most
	Partial    bool  // whether the best that was found is wanted where it is not shown
}

// relaxNodes bounds the work of Relax, in nodes of beams: they are worth some seconds.
const relaxNodes = 10_000_000

// Relax looks for prices with which the tables alone show what is wanted. It gives ErrNoGroups for a
// problem that does not fall into groups and nil where there are no such prices,
// as far as it looks, or where propagation alone finds that there is no plan.
func Relax(ctx context.Context, t engine.Task, horizon int, want Wanted) (*Relaxation, error) {
	f, err := factor(ctx, t, horizon, nil, false)
	if err != nil || f == nil {
		return nil, err
	}
	if f.alone {
		return nil, ErrNoGroups // a proof tells all values apart that a group reads, before they are put into classes
	}
	target := f.beyond()
	if !want.Infeasible {
		target = -want.Most - f.constant*int64(f.horizon)
	}
	o := f.newOptimizer(scale)
	o.improve(ctx, int(min(int64(want.Rounds), 1+relaxNodes/o.roundNodes())), target*scale)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	shown := min(f.cost(o.bound, scale), target)
	if shown < target && !want.Partial {
		return nil, nil
	}
	costs, _ := f.s.shares()
	return &Relaxation{f: f, t: f.simplest(o.best, shown), shares: costs, shown: shown, target: target}, nil
}

// Shows reports whether the tables alone show what is wanted.
func (x *Relaxation) Shows() bool { return x.shown == x.target }

// Most is a scaled reward that no plan exceeds, as the tables show.
func (x *Relaxation) Most() int64 { return x.f.reward(x.shown) }

// beyond is a cost that no plan can have, constants left out.
func (f *Factors) beyond() (cost int64) {
	all, _ := f.r.weights()
	for _, c := range all {
		cost += max(c, 0) * int64(f.horizon)
	}
	return cost + f.step
}

// simplest are tables for the prices of t, rounded to the largest unit with which
// they still show the target: the fewer values there are, the shorter a proof is.
func (f *Factors) simplest(t *Tables, target int64) *Tables {
	for _, unit := range []int64{1, 2, 3, 4, 6, 12, 24, 60, 120, 1000, 10_000} {
		x := f.newTables(unit)
		for i, prices := range t.Price {
			for e, p := range prices {
				x.Price[i][e] = int64(math.Round(float64(p) * float64(unit) / float64(t.Scale)))
			}
		}
		f.fill(x)
		if f.cost(f.root(x), unit) >= target {
			return x
		}
	}
	return t
}

// Exclusive lists pairs of bits of the present state, of which no state that can be reached has both; each follows by
// propagation from the initial state or, a step later, from all of them.
func (x *Relaxation) Exclusive() (out [][2]model.Lit) {
	for _, p := range x.f.r.exclusive {
		out = append(out, [2]model.Lit{model.Lit(p[0]), model.Lit(p[1])})
	}
	return out
}

// Unit is what the objective is multiplied by in priced costs.
func (x *Relaxation) Unit() int64 { return x.t.Scale }

// Step is what all costs that vary are multiples of, before they are priced.
func (x *Relaxation) Step() int64 { return x.f.step }

// Groups is the number of groups.
func (x *Relaxation) Groups() int { return len(x.f.parts) }

// Group describes a group.
func (x *Relaxation) Group(id int) Chain {
	g := &x.f.parts[id]
	c := Chain{Now: lits(g.own), Next: lits(g.next), Cost: math.MaxInt64}
	var paid []model.Lit
	for _, v := range g.hides {
		switch {
		case x.f.s.classed(v): // classes follow
			c.Choices = append(c.Choices, model.Lit(v))
		case x.shares[id][v] != 0:
			paid = append(paid, model.Lit(v))
		default:
			c.Hidden = append(c.Hidden, model.Lit(v))
		}
	}
	c.Choices = slices.Concat(c.Choices, lits(g.reads), lits(g.next), paid)
	for _, v := range g.starts {
		if cost := x.t.At[id][0][v]; cost < infinite {
			c.Cost = min(c.Cost, cost)
		}
	}
	return c
}

// Costs lists the priced costs of each group at step t, 1..H, in ascending order
// of the variables. Coefficients have any sign.
func (x *Relaxation) Costs(t int) [][]model.Term {
	f := x.f
	sums := make([]map[int32]int64, len(f.parts))
	for id := range sums {
		sums[id] = map[int32]int64{}
		for v, c := range x.shares[id] {
			if c != 0 {
				sums[id][int32(v)] += c * x.t.Scale
			}
		}
	}
	for e := range f.rels {
		price := x.t.Price[t-1][e]
		if price == 0 {
			continue
		}
		r := &f.rels[e]
		if r.rule < 0 {
			sums[r.copier][r.variable] += price
			sums[f.s.home[r.variable]][r.variable] -= price
			continue
		}
		s := &f.s.rules[r.rule]
		for _, term := range s.Terms {
			c, v := term.Coef*price, term.Lit.Var()
			if s.Op == factored.GE {
				c = -c
			}
			if term.Lit < 0 {
				c = -c
			}
			sums[f.s.home[v]][v] += c
		}
	}
	out := make([][]model.Term, len(sums))
	for id, sum := range sums {
		for v, c := range sum {
			if c != 0 {
				out[id] = append(out[id], model.Term{Coef: c, Lit: model.Lit(v)})
			}
		}
		slices.SortStableFunc(out[id], func(a, b model.Term) int { return int(a.Lit - b.Lit) })
	}
	return out
}

// Rules lists the rules between groups that have a price at step t, 1..H, without what
// amounts are.
func (x *Relaxation) Rules(t int) (out []PricedRule) {
	for e := range x.f.rels {
		r := &x.f.rels[e]
		price := x.t.Price[t-1][e]
		if price == 0 || r.rule < 0 || x.f.amountOf(e) >= 0 {
			continue
		}
		p := PricedRule{Sum: x.f.s.rules[r.rule], Price: price}
		p.Derived = slices.IndexFunc(x.f.r.derived, func(d Derived) bool { return sameTerms(d.Sum, p.Sum) })
		if p.Sum.Op == factored.EQ {
			p.Sum.Op = factored.LE
		}
		if price < 0 {
			p.Price, p.Sum.Op = -price, factored.GE
		}
		out = append(out, p)
	}
	return out
}

// Systems compiles the constraints of a group, step by step.
type Systems struct {
	f     *Factors
	rows  []int
	vars  []int32 // of the rows
	known map[string]*propagate.State
	stop  func() bool
}

// Systems returns what compiles the constraints of a group; they are interrupted
// when stop returns true.
func (x *Relaxation) Systems(id int, stop func() bool) *Systems {
	g := &x.f.parts[id]
	s := &Systems{f: x.f, rows: g.rows, known: map[string]*propagate.State{}, stop: stop}
	s.vars = slices.Concat(g.own, g.next, g.reads, g.hides)
	for _, i := range g.rows {
		s.vars = append(s.vars, x.f.r.rows[i].vars...)
	}
	slices.Sort(s.vars)
	s.vars = slices.Compact(s.vars)
	return s
}

// At returns the constraints of the group at step t with what propagation over all
// steps fixes there: of the initial state for 0, of the goal for H+1. Equal steps
// share a state.
func (s *Systems) At(t int) *propagate.State {
	r := s.f.r
	var fixed []model.Lit
	for _, v := range s.vars {
		if r.role[v] != now && (t == 0 || t > s.f.horizon) {
			continue
		}
		if x := r.valueAt(max(t, 1), v); x != 0 {
			fixed = append(fixed, model.Lit(v)*model.Lit(x))
		}
	}
	var system func() *propagate.System
	kind := "step"
	switch t {
	case 0:
		kind = "first"
		system = func() *propagate.System {
			return r.First(units(fixed)...)
		}
	case s.f.horizon + 1:
		kind = "last"
		system = func() *propagate.System {
			return r.Final(units(fixed)...)
		}
	default:
		system = func() *propagate.System { return r.system(s.rows, fixed...) }
	}
	key := fmt.Sprint(kind, fixed)
	if s.known[key] == nil {
		s.known[key] = system().NewState()
		s.known[key].SetInterrupt(s.stop)
	}
	return s.known[key]
}
