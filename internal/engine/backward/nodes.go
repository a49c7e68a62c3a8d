package backward

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// Nodes writes a proof as Write does, of what tables and prices show together with a beam that
// dropped nothing: nodes are its states by step, those that the tables alone do not exclude.
// In each it is a contradiction that a plan gets there as cheaply as it can and costs less
// than is claimed. Let F(t) be the costs of the steps before t. The proof defines literals
//
//	G(t,c)  <=>  C(t-1) + K(t-1) >= c,   K(t) = sum over c of (c - the value before) G(t,c)
//
// so that F(t) >= K(t), and derives for a node s that is reached at cost c
//
//	s at step t and G(t,c)  =>  the objective is at least the target
//
// from the last step to the first, after a tree over the actions of s. A branch of it ends
// at a node of step t+1, or where the tables show enough: for each number of groups whose
// new values are decided one constraint adds up what was spent, the tables of the new values, and those of
// the old values of the other groups.
func Nodes(ctx context.Context, m *model.Model, c Claim, x *bound.Relaxation, nodes [][]bound.Node, o Options) (Stats, error) {
	return run(ctx, m, c, o, func(w *writer) (shown, error) {
		b := &beam{writer: w, x: x, nodes: nodes, unit: x.Unit() * x.Step(), order: x.Order()}
		return b.bound()
	})
}

// beam is one call of Nodes.
type beam struct {
	*writer
	x     *bound.Relaxation
	nodes [][]bound.Node // [t-1]
	unit  int64          // what costs, as they are counted here, are multiplied by in priced costs
	order []int          // of the groups

	costs  []proof.Term  // of step 1, in units of what all costs are multiples of
	shift  int64         // what costs without negative coefficients are more, at each step
	enough model.Lit     // literal: the objective is at least the target; 0 if there is no plan
	only   proof.ID      // enough implies it
	limit  known         // all costs are less than is to be shown, or enough
	spent  []*thresholds // [t-1]: of F(t); nil for none
	steps  []known       // [t-1]: C(t) + K(t) - K(t+1) >= 0

	groups  []*writer
	rules   [][]priced    // [t-1]
	later   known         // what the steps after the one at hand cost, less the tables of the state before them
	lemmas  []proof.ID    // of the nodes of the step after
	clauses [][]model.Lit // the lemmas
	first   []known       // the cut of the first states
}

// priced is a constraint of the file with its price.
type priced struct {
	known
	price int64
}

// bound derives that the objective is at least the target.
func (b *beam) bound() (shown, error) {
	if b.target <= 0 {
		return shown{}, nil
	}
	if err := b.begin(); err != nil {
		return shown{}, err
	}
	var all, done int64
	for _, n := range b.nodes {
		all += int64(len(n))
	}
	b.stats.States = all
	for t := b.m.Horizon + 1; t >= 1; t-- {
		if err := b.step(t); err != nil {
			return shown{}, err
		}
		if done += int64(len(b.nodes[t-1])); done > 0 {
			b.foresee(done, all)
		}
	}
	return b.end()
}

// begin prepares what the steps need: costs, groups, rules, and what is spent.
func (b *beam) begin() error {
	for _, p := range b.x.Paid() {
		t := positive(model.Term{Coef: p.Coef / b.x.Step(), Lit: p.Lit}, &b.shift)
		b.costs = append(b.costs, t)
	}
	if err := b.addAmounts(b.x); err != nil {
		return err
	}
	costs := make([][][]model.Term, b.m.Horizon+1)
	for t := 1; t <= b.m.Horizon; t++ {
		costs[t] = b.x.Costs(t)
	}
	for id := range b.x.Groups() {
		g := b.group(b.x, id, costs)
		b.states(id, g)
		b.groups = append(b.groups, g)
	}
	if err := b.findRules(); err != nil {
		return err
	}
	if err := b.bar(); err != nil {
		return err
	}
	b.spend()
	return b.log.Err()
}

// states fills the layers of a group with the values that it may have, and with what
// the table says of them.
func (b *beam) states(id int, g *writer) {
	values := b.x.Values(id)
	shift := int64(0) // of the steps from t on
	for t := b.m.Horizon + 1; t >= 1; t-- {
		l := g.layers[t]
		for _, c := range l.costs {
			if c.Lit < 0 {
				shift += c.Coef
			}
		}
		for _, v := range values[t-1] {
			key := make([]byte, (len(l.now)+7)/8)
			for i, x := range b.x.Bits(id, v.Number) {
				if x > 0 {
					key[i/8] |= 1 << (i % 8)
				}
			}
			s := &l.states[l.add(string(key), 0)]
			s.value = dead
			if v.Cost != math.MaxInt64 {
				s.value = v.Cost + shift
			}
			s.closed = !l.assign(s.key)
		}
	}
}

// costsAt is C(t).
func (b *beam) costsAt(t int) []proof.Term {
	offset := b.m.Stride() * int32(t-1)
	out := slices.Clone(b.costs)
	for i, c := range out {
		out[i].Lit = placed(c.Lit, b.amounts.bits[t-1], offset)
	}
	return out
}

// bar derives that all costs are less than is to be shown, or that it is shown.
func (b *beam) bar() error {
	a := &addition{w: b.writer}
	var when proof.ID
	if b.target != dead {
		var objective []proof.Term
		var most int64
		for t := 1; t <= b.m.Horizon+1; t++ {
			objective = append(objective, b.m.Objective(t)...)
		}
		for _, c := range objective {
			most += c.Coef
		}
		if b.target > most {
			return fmt.Errorf("%w: no costs add up to %d", ErrClaim, b.target)
		}
		b.vars++
		b.enough = b.vars
		b.only, when = b.log.Reify(b.enough, objective, b.target)
		a.include(when, 1)
		a.addTerms(objective, -1)
		a.add(b.enough, most-b.target+1)
		a.degree += 1 - b.target
		b.amounts.pay(b.x, 1, a)
	}
	var want linear
	for t := 1; t <= b.m.Horizon; t++ {
		want.addTerms(b.costsAt(t), -b.x.Step())
	}
	if b.enough != 0 {
		want.add(b.enough, a.terms[b.enough])
	}
	a.become(want)
	if len(a.parts) == 0 {
		return nil
	}
	a.write()
	b.log.Divide(b.x.Step())
	b.limit.id = b.log.EndPol()
	for v, c := range a.terms {
		b.limit.add(v, integer.CeilDiv(c, b.x.Step()))
	}
	b.limit.degree = integer.CeilDiv(a.degree, b.x.Step())
	if when != 0 {
		b.log.Delete(when)
	}
	return nil
}

// spend defines the literals for what was spent before each step.
func (b *beam) spend() {
	b.spent = make([]*thresholds, b.m.Horizon+1)
	for t := 1; t <= b.m.Horizon; t++ {
		var values []int64
		for _, n := range b.nodes[t] {
			if c := b.reached(t+1, n); c > 0 {
				values = append(values, c)
			}
		}
		slices.Sort(values)
		values = slices.Compact(values)
		sum := slices.Concat(b.costsAt(t), b.spent[t-1].terms())
		var k known
		k.addTerms(sum, 1)
		if len(values) == 0 {
			k.id = b.nonnegative(sum)
		} else {
			x := b.thresholds(sum, values)
			b.log.DeleteAll(x.rows)
			b.spent[t] = x
			k.id = x.all
			k.addTerms(x.terms(), -1)
		}
		b.steps = append(b.steps, k)
	}
}

// reached is what reaching a node of step t costs at least.
func (b *beam) reached(t int, n bound.Node) int64 {
	return n.Cost/b.x.Step() + int64(t-1)*b.shift
}

// terms is what the thresholds show of the sum; nothing of nil.
func (x *thresholds) terms() (out []proof.Term) {
	if x == nil {
		return nil
	}
	return levels(x.values, x.lits)
}

// levels is the sum of the literals of ascending values, each times its value less the one before.
func levels(values []int64, lits map[int64]model.Lit) (out []proof.Term) {
	low := int64(0)
	for _, v := range values {
		out = append(out, proof.Term{Coef: v - low, Lit: lits[v]})
		low = v
	}
	return out
}

// end derives the bound from the first states.
func (b *beam) end() (shown, error) {
	j := b.root()
	var assumed []model.Lit
	if b.enough != 0 {
		assumed = append(assumed, -b.enough)
	}
	root, err := j.contradict(assumed)
	if err != nil {
		return shown{}, err
	}
	id, made := j.write(root)
	b.log.DeleteAll(made)
	b.forget()
	if b.enough == 0 {
		return shown{id, true}, nil
	}
	b.log.BeginPol(b.only)
	b.log.Add(id, b.target)
	bound := b.log.EndPol()
	b.log.DeleteAll([]proof.ID{id, b.only})
	return shown{bound, false}, nil
}

// forget deletes what is left: a solution that is shown afterwards says nothing of the
// literals that were defined.
func (b *beam) forget() {
	b.log.DeleteAll(b.lemmas)
	for _, g := range b.groups {
		g.retire(g.layers[1])
	}
	var done []proof.ID
	for _, k := range slices.Concat(b.steps, b.first, []known{b.limit, b.later}) {
		if k.id != 0 {
			done = append(done, k.id)
		}
	}
	b.log.DeleteAll(done)
	b.amounts.forget(b.writer)
}
