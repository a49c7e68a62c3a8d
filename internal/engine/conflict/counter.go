package conflict

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// counters hold, for each step, what the plan has cost until then.
type counters struct {
	// layers[t-1] are the literals "the costs of the blocks 1..t are at least
	// values[t-1][i]"; the last layer is the whole cost. There are none where
	// the costs are bounded by linear constraints.
	layers [][]sat.Lit
	values [][]int64
	paid   int64      // what every plan pays; it is not counted in values
	fixed  []sat.Term // what it is paid for
	bound  int64      // layers do not tell apart costs from there on
	lit    []sat.Term
	p      *prover // nil where no proof is written
	// Without layers: for costs below that of the best plan, and below what lies beneath.
	high, low question
}

// maxLayer and maxCounters bound the literals of one layer and of all layers, and
// maxTerms the terms of their definitions: each literal is defined by a sum over the
// layer before. Beyond, costs that have too many different sums are kept in one linear
// constraint.
const (
	maxLayer    = 1 << 11
	maxCounters = 1 << 15
	maxTerms    = 1 << 18
)

// costs returns the costs of each block as solver literals, without those that are
// known, those known to be paid, and the sum of these.
func costs(s *sat.Solver, m *model.Model) (blocks [][]sat.Term, fixed []sat.Term, paid int64) {
	blocks = make([][]sat.Term, m.Horizon+1)
	for i := range blocks {
		for _, c := range m.Objective(i + 1) {
			t := sat.Term{Coef: c.Coef, Lit: lit(c.Lit, 0)}
			switch s.Fixed(t.Lit) {
			case 0:
				blocks[i] = append(blocks[i], t)
			case 1:
				fixed = append(fixed, t)
				paid += t.Coef
			}
		}
	}
	return blocks, fixed, paid
}

// newCounters adds counter layers for the costs up to bound, that of the best
// plan so far; all sums from there on are one value. Where the sums are too
// many it adds no layers, and costs are bounded by linear constraints. It does
// the same where p, which may be nil, has no proof for the layers (the sums have
// gaps), and where layers are not wanted. When the context ends, its error is returned.
func newCounters(ctx context.Context, s *sat.Solver, m *model.Model, bound int64, p *prover, layered bool) (*counters, error) {
	c := &counters{p: p, bound: bound}
	var blocks [][]sat.Term
	blocks, c.fixed, c.paid = costs(s, m)
	c.lit = slices.Concat(blocks...)
	if !layered || !c.list(blocks) {
		return c, nil
	}
	return c, c.define(ctx, s, blocks)
}

// list fills values with the sums that the costs of each block lead to. It is false, and
// there are none, if they are too many, or if there is no proof for them.
func (c *counters) list(blocks [][]sat.Term) bool {
	total, defining := 0, 0
	var last []int64 // of the layer before, without 0
	for _, terms := range blocks {
		width := len(last) + len(terms)
		last = sums(last, terms, c.bound-c.paid)
		if len(terms) > 0 {
			defining += width * len(last)
		}
		if total += len(last); len(last) > maxLayer || total > maxCounters || defining > maxTerms || c.p != nil && !contiguous(last) {
			c.values = nil
			return false
		}
		c.values = append(c.values, last)
	}
	return true
}

// define adds the layers to the solver.
func (c *counters) define(ctx context.Context, s *sat.Solver, blocks [][]sat.Term) error {
	var before []sat.Term // the layer before as a sum
	for i, values := range c.values {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(blocks[i]) == 0 && i > 0 {
			c.layers = append(c.layers, c.layers[i-1])
			continue
		}
		terms := append(slices.Clone(before), blocks[i]...)
		var layer []sat.Lit
		for range values {
			l := s.NewVar()
			s.SetStage(l.Var(), int32(2*i+4))
			layer = append(layer, l)
		}
		if c.p != nil {
			c.p.layer(layer, terms)
		}
		for j, x := range values {
			l := layer[j]
			if _, err := s.AddReified(l, terms, x); err != nil {
				return err
			}
			if j > 0 {
				s.AddClause(l.Not(), layer[j-1])
			}
		}
		c.layers = append(c.layers, layer)
		before = before[:0]
		var prev int64
		for j, x := range values {
			before = append(before, sat.Term{Coef: x - prev, Lit: layer[j]})
			prev = x
		}
	}
	return nil
}

// sums returns the values other than 0 that old values, or 0, plus some of terms
// can have, in order; those at or above bound become one, bound.
func sums(old []int64, terms []sat.Term, bound int64) []int64 {
	set := append([]int64{0}, old...)
	for _, t := range terms {
		n := len(set)
		for _, x := range set[:n] {
			set = append(set, min(bound, x+t.Coef))
		}
		slices.Sort(set)
		set = slices.Compact(set)
		if len(set) > 2*maxLayer {
			break
		}
	}
	return set[1:]
}

// next returns the least cost above x that a plan can have, as far as layers know.
func (c *counters) next(x int64) int64 {
	if c.layers == nil {
		return x + 1
	}
	values := c.values[len(c.values)-1]
	i, _ := slices.BinarySearch(values, x-c.paid+1)
	if i == len(values) {
		return x + 1
	}
	return values[i] + c.paid
}

// below returns a literal that implies that the whole plan costs less than x, which is what the best
// plan costs where improving. It is made for the purpose where there are no layers. It returns false when no plan
// does.
func (c *counters) below(s *sat.Solver, x int64, improving bool) (sat.Lit, bool, error) {
	x -= c.paid
	if x <= 0 {
		return sat.NoLit, false, nil
	}
	if c.layers != nil {
		values := c.values[len(c.values)-1]
		i, _ := slices.BinarySearch(values, x)
		if i == len(values) {
			// Every sum is below x.
			l := s.NewVar()
			s.AddClause(l)
			return l, true, nil
		}
		return c.layers[len(c.layers)-1][i].Not(), true, nil
	}
	if c.p != nil {
		l := s.NewVar()
		c.p.bound(l, c.lit, x)
		return l, true, c.limit(s, &sat.Limit{}, l, x)
	}
	if !improving {
		return c.ask(s, &c.low, x)
	}
	if x <= c.low.x { // what it implies then is too much
		c.low.lit = sat.NoLit
	}
	return c.ask(s, &c.high, x)
}

// question is whether plans cost less than x. Where x falls, it keeps its literal, and the
// solver what it learned.
type question struct {
	x     int64
	lit   sat.Lit
	limit sat.Limit
}

// ask makes a question that of costs below x.
func (c *counters) ask(s *sat.Solver, q *question, x int64) (sat.Lit, bool, error) {
	if q.lit != sat.NoLit && q.x == x {
		return q.lit, true, nil
	}
	if q.lit == sat.NoLit || q.x < x {
		q.lit = s.NewVar()
		if q == &c.low && c.high.lit != sat.NoLit && x <= c.high.x {
			s.AddClause(q.lit.Not(), c.high.lit)
		}
	}
	q.x = x
	return q.lit, true, c.limit(s, &q.limit, q.lit, x)
}

// limit has l imply that the costs are less than x.
func (c *counters) limit(s *sat.Solver, in *sat.Limit, l sat.Lit, x int64) error {
	var total int64
	terms := make([]sat.Term, 0, len(c.lit)+1)
	for _, t := range c.lit {
		terms = append(terms, sat.Term{Coef: -t.Coef, Lit: t.Lit})
		total += t.Coef
	}
	// l => sum <= x-1, as -sum + (total-x+1) ~l >= -(x-1).
	if total >= x {
		terms = append(terms, sat.Term{Coef: total - x + 1, Lit: l.Not()})
	}
	_, err := s.Tighten(in, terms, -(x - 1))
	return err
}
