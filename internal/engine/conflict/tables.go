package conflict

import (
	"context"
	"errors"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// tables are what package bound says of the rewards from each step on. For a bound
// on the whole cost they give one linear constraint a step: what was paid before,
// plus what the tables say is still to be paid.
type tables struct {
	cuts []engine.Cut
	left [][]sat.Term // by cut: what each value of the state takes off Most
	// The constraints of the last question about plans better than the best, and of the last from below: those of
	// earlier ones say nothing more, and are in the way.
	above, beneath cutting
	stats          map[string]int64
	work           int64
	turn, taken    int // of the cuts of another engine, and how often these were taken; 0 of its own
}

// workPerNode is how many literals are propagated in the time of a node of a beam.
const workPerNode = 3

// cutting are the constraints of a question, one for each cut.
type cutting struct {
	guard  sat.Lit
	cost   int64
	limits []sat.Limit
}

// maxCutTerms bounds the terms of the constraints of a question.
const maxCutTerms = 1 << 20

// addTables looks for tables and prices, for a better plan on the way, and adds what
// they say, which may be that there is no plan. Nothing is added where the problem does not fall into groups.
func (x *Session) addTables(ctx context.Context, l engine.Limits) error {
	if cuts, turn := l.Shared.Cuts(); turn > 0 {
		x.takeCuts(cuts, turn)
		return nil
	}
	x.tables = &tables{}
	t := engine.Task{Problem: x.m.Problem, Network: x.m.Network}
	report := func(p engine.Progress) {
		x.tables.work = p.Work * workPerNode
		x.reportProgress()
	}
	var over *int64
	if cost := min(x.cost, x.beat); cost < math.MaxInt64 {
		reward := x.reward(cost)
		over = &reward
	}
	s, err := bound.Assist(ctx, t, x.m.Horizon, l, x.incumbent, over, report, x.above)
	if s == nil || err != nil {
		return err
	}
	r := s.Result()
	x.tables.stats = r.Stats
	if r.Status == engine.Infeasible {
		x.s.AddClause()
		return nil
	}
	if r.Trace != nil && x.keeps(r.Trace) && -r.Reward-x.m.ObjectiveConstant() < x.cost {
		x.incumbent, x.cost = r.Trace, -r.Reward-x.m.ObjectiveConstant()
	}
	// Tables that say no more of the whole cost than is known say little of its parts.
	if !x.above(r) {
		return nil
	}
	x.lower = -*r.Bound - x.m.ObjectiveConstant()
	x.setCuts(s.Cuts())
	return nil
}

// setCuts has further questions use cuts.
func (x *Session) setCuts(cuts []engine.Cut) {
	t := x.tables
	t.cuts, t.left = cuts, nil
	for i := range cuts {
		t.left = append(t.left, x.valueTerms(&cuts[i]))
	}
	t.above.guard, t.beneath.guard = sat.NoLit, sat.NoLit // their constraints are to be replaced
}

// maxTurns bounds how often cuts are taken of another engine.
const maxTurns = 4

// takeCuts takes the cuts of an engine that works beside this one, in place of its own: these would be the same work again.
func (x *Session) takeCuts(cuts []engine.Cut, turn int) {
	if x.tables == nil {
		x.tables = &tables{}
	}
	x.tables.turn = turn
	x.tables.taken++
	x.setCuts(cuts)
}

// above reports whether a result has a better bound than the search.
func (x *Session) above(r *engine.Result) bool {
	return r.Bound != nil && -*r.Bound-x.m.ObjectiveConstant() > x.lower
}

// valueTerms returns a term for each value of a cut, and excludes those that no plan
// has.
func (x *Session) valueTerms(c *engine.Cut) (terms []sat.Term) {
	for _, v := range c.Values {
		var differs []sat.Lit // the value is another
		for _, b := range v.Bits {
			differs = append(differs, lit(-b, 0))
		}
		switch {
		case v.Never:
			x.s.AddClause(differs...)
		case len(v.Bits) == 1:
			terms = append(terms, sat.Term{Coef: v.Less, Lit: lit(v.Bits[0], 0)})
		default:
			has := x.s.NewVar()
			x.s.SetStage(has.Var(), int32(2*c.Step))
			x.s.AddClause(append(differs, has)...)
			terms = append(terms, sat.Term{Coef: v.Less, Lit: has})
		}
	}
	return terms
}

// cut adds, for each step, that the rewards before it are enough for the whole reward
// to be that of a cost below bound. The constraints hold where below, which states
// that the cost is, does. They replace those of the question before, from below or about better plans.
func (x *Session) cut(below sat.Lit, cost int64, improving bool) error {
	t := x.tables
	if t == nil {
		return nil
	}
	q := &t.beneath
	if improving {
		q = &t.above
	}
	if q.guard == below && q.cost == cost {
		return nil
	}
	if q.guard, q.cost = below, cost; q.limits == nil {
		q.limits = make([]sat.Limit, len(t.cuts))
	}
	least := x.reward(cost - 1)
	var paid []sat.Term
	var constant int64
	total := 0
	for i := range t.cuts {
		c := &t.cuts[i]
		// Unit * sum before + Most - Less... >= Unit * least
		terms := make([]sat.Term, 0, len(paid)+len(t.left[i])+1)
		for _, p := range paid {
			terms = append(terms, sat.Term{Coef: p.Coef * c.Unit, Lit: p.Lit})
		}
		for _, v := range t.left[i] {
			terms = append(terms, sat.Term{Coef: -v.Coef, Lit: v.Lit})
		}
		k := c.Unit*(least-constant) - c.Most
		lowest := int64(0)
		for _, p := range terms {
			lowest += min(p.Coef, 0)
		}
		if total += len(terms); k > lowest && total <= maxCutTerms {
			terms = append(terms, sat.Term{Coef: k - lowest, Lit: below.Not()})
			if _, err := x.s.Tighten(&q.limits[i], terms, k); err != nil && !errors.Is(err, sat.ErrOverflow) {
				return err
			}
		}
		more, free := x.m.StepReward(c.Step)
		for _, r := range more {
			paid = append(paid, sat.Term{Coef: r.Coef, Lit: lit(r.Lit, 0)})
		}
		constant += free
	}
	return nil
}
