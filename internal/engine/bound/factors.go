package bound

import (
	"context"
	"errors"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/factored"
)

// use says how much a bit counts in a relation that is priced.
type use struct {
	rel  int32
	coef int64
}

// rel is what couples groups: sum of uses <= limit, or == limit. Agreements, of
// a group's copy of a bit with the bit itself, are equations.
type rel struct {
	limit int64
	equal bool
	// rule is the number of the rule that it states; -1 of an agreement.
	rule int
	// copier is the group whose copy of variable agrees; -1 of a rule.
	copier   int32
	variable int32
}

// part is a group with its values, moves and what they use of each relation.
type part struct {
	*local
	nowUse   [][]use  // by value: of the group's state bits at step t
	afterUse [][]use  // by value: of its state bits at step t+1
	readUse  [][]use  // by place in reads: when that bit is true
	sigs     [][]use  // what moves use by what they read: those that use the same share one
	allowed  [][]bool // [t-1][value]: propagation allows the value at step t, 1..H+1
	known    []uint64 // [t-1]: places in reads whose bits are known at step t
	fixed    []uint64 // [t-1]: their values
	arcs     []*arcs  // [t-1]
	awake    []uint64 // [t-1]: places in reads that are read at step t; nil for all, at all steps
}

// Factors is a problem over a horizon, cut into groups that relations couple.
// A joint step is one move of each group such that all relations hold. It is
// exact: these are the steps of the problem.
type Factors struct {
	r        *relation
	s        *structure
	parts    []part
	rels     []rel
	horizon  int
	constant int64      // minus the reward of a step that nothing changes
	priceCap int64      // no price is higher, so that sums stay inside 64 bits
	tried    *optimizer // after triedRounds rounds, where there were several ways to cut the problem
	alone    bool       // groups of single variables are too large
	step     int64      // costs of plans are constant*horizon plus a multiple of step
	off      [][]bool   // [t-1][rule]: it says nothing at step t; nil where all rules always hold
}

// New cuts a problem into groups. It gives ErrNoGroups where that does not
// help, and nil where propagation alone finds that there is no plan. Work is told to spend, if it is not nil; see engine.Limits.
func New(ctx context.Context, t engine.Task, horizon int, spend func(work int64)) (*Factors, error) {
	return factor(ctx, t, horizon, spend, true)
}

// factor cuts a problem into groups, of which agents may read others by guards.
func factor(ctx context.Context, t engine.Task, horizon int, spend func(work int64), guards bool) (*Factors, error) {
	plain, err := newRelation(ctx, t, horizon, spend)
	if err != nil || plain == nil {
		return nil, err
	}
	plain.guards = guards
	plainly := plain.define(false)
	r, d, asks := plainly.withAmounts(false)
	s, groups, constant, err := split(ctx, r, d, asks)
	if errors.Is(err, ErrNoGroups) && ctx.Err() == nil {
		if all, d, asks := plainly.withAmounts(true); len(all.amounts) > 0 {
			if s, groups, constant, err = split(ctx, all, d, asks); err == nil {
				r = all
			}
		}
	}
	if errors.Is(err, ErrNoGroups) && ctx.Err() == nil {
		return agentsAlone(ctx, r, d, asks)
	}
	if err != nil {
		return nil, err
	}
	f, err := newFactors(r, s, groups, constant)
	if err != nil {
		return nil, err
	}
	return f.withServers(ctx).withAgents(ctx), nil
}

// withAmounts is the relation with amounts, its definitions, and what is to hold, from the definitions without.
func (d *definitions) withAmounts(all bool) (*relation, *definitions, []assertion) {
	r := d.r.withAmounts(d, all).tightened()
	if r != d.r {
		d = r.define(false)
	}
	asks, _ := d.assertions()
	return r, d, asks
}

// newFactors finds what couples groups that are listed.
func newFactors(r *relation, s *structure, groups []*local, constant int64) (*Factors, error) {
	f := &Factors{r: r, s: s, horizon: r.horizon, constant: constant}
	for _, g := range groups {
		f.parts = append(f.parts, part{local: g, readUse: make([][]use, len(g.reads))})
	}
	if f.tooBig() {
		return nil, ErrNoGroups
	}
	f.addRules()
	f.addAgreements()
	f.addTimes()
	for id := range f.parts {
		f.parts[id].layOut()
	}
	f.findStep()
	if !f.findPriceCap() {
		return nil, ErrNoGroups
	}
	return f, nil
}

// addRules states the rules between groups as relations.
func (f *Factors) addRules() {
	for i := range f.s.rules {
		s := &f.s.rules[i]
		e := rel{limit: s.K, equal: s.Op == factored.EQ, rule: i, copier: -1}
		sign := int64(1)
		if s.Op == factored.GE {
			sign, e.limit = -1, -s.K
		}
		id := int32(len(f.rels))
		for _, t := range s.Terms {
			c := sign * t.Coef
			if t.Lit < 0 { // c*(1-x)
				e.limit -= c
				c = -c
			}
			f.count(t.Lit.Var(), use{id, c})
		}
		f.rels = append(f.rels, e)
	}
}

// count adds a use of a variable to its home.
func (f *Factors) count(v int32, u use) {
	g := &f.parts[f.s.home[v]]
	switch f.r.role[v] {
	case now:
		f.countValues(g, &g.nowUse, g.own, v, u)
	case after:
		f.countValues(g, &g.afterUse, g.next, v, u)
	default:
		for i, w := range g.reads {
			if w == v {
				g.readUse[i] = append(g.readUse[i], u)
			}
		}
	}
}

func (f *Factors) countValues(g *part, uses *[][]use, vars []int32, v int32, u use) {
	if *uses == nil {
		*uses = make([][]use, len(g.values))
	}
	for i, w := range vars {
		if w != v {
			continue
		}
		for k, value := range g.values {
			if value[i/64]>>(i%64)&1 == 1 {
				(*uses)[k] = append((*uses)[k], u)
			}
		}
	}
}

// addAgreements states that copies agree with what they copy. Bits that are
// known at every step need none.
func (f *Factors) addAgreements() {
	for id := range f.parts {
		g := &f.parts[id]
		for i, v := range g.reads {
			if f.s.home[v] == int32(id) || f.s.home[v] < 0 || f.r.clocked(v) {
				continue
			}
			n := int32(len(f.rels))
			f.rels = append(f.rels, rel{equal: true, rule: -1, copier: int32(id), variable: v})
			g.readUse[i] = append(g.readUse[i], use{n, 1})
			f.count(v, use{n, -1})
		}
	}
}

// addTimes notes what propagation over all steps allows at each.
func (f *Factors) addTimes() {
	for id := range f.parts {
		g := &f.parts[id]
		for t := 1; t <= f.horizon+1; t++ {
			ok := make([]bool, len(g.values))
			for k, value := range g.values {
				ok[k] = t <= f.horizon || g.last == nil || g.last[k]
				for i, v := range g.own {
					x := f.r.valueAt(t, v)
					ok[k] = ok[k] && (x == 0 || (x > 0) == (value[i/64]>>(i%64)&1 == 1))
				}
			}
			g.allowed = append(g.allowed, ok)
			if t > f.horizon {
				break
			}
			var known, fixed uint64
			for i, v := range g.reads {
				if x := f.r.valueAt(t, v); x != 0 {
					known |= 1 << i
					if x > 0 {
						fixed |= 1 << i
					}
				}
			}
			g.known, g.fixed = append(g.known, known), append(g.fixed, fixed)
		}
	}
}

// findStep finds what all costs that can vary are multiples of.
func (f *Factors) findStep() {
	all, _ := f.r.weights()
	for _, c := range all {
		f.step = integer.GCD(f.step, c)
	}
	f.step = max(f.step, 1)
}

// findPriceCap bounds prices; false where costs alone are too large.
func (f *Factors) findPriceCap() bool {
	var weight, uses float64
	all, constant := f.r.weights()
	for _, c := range append(all, constant) {
		weight += math.Abs(float64(c))
	}
	for i := range f.s.rules {
		uses += math.Abs(float64(f.s.rules[i].K))
		for _, t := range f.s.rules[i].Terms {
			uses += 2 * float64(t.Coef)
		}
	}
	for i := range f.rels {
		if f.rels[i].rule < 0 {
			uses += 2
		}
	}
	room := float64(infinite) / 8 / float64(f.horizon)
	if weight*scale > room {
		return false
	}
	f.priceCap = int64(min(room/(uses+1), 1<<50))
	return true
}

// infinite is the cost of what leads to no plan.
const infinite = math.MaxInt64 / 8

// tooBig reports whether sums of rules may leave 32 bits.
func (f *Factors) tooBig() bool {
	for i := range f.s.rules {
		var sum int64
		for _, t := range f.s.rules[i].Terms {
			sum += t.Coef
		}
		if sum+max(f.s.rules[i].K, -f.s.rules[i].K) > math.MaxInt32/2 {
			return true
		}
	}
	return false
}
