package blp

import (
	"context"
	"slices"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// tables is what package bound makes of a problem.
type tables struct {
	result *engine.Result
	cuts   []engine.Cut // none where they bound the whole reward no better than the costs alone
}

// maxCutTerms bounds the terms of all rows.
const maxCutTerms = 1 << 20

// askTables bounds the problem by tables and prices, and hands a judge their plan and
// bound. It reports whether they show that there is no plan.
func (x *Session) askTables(ctx context.Context, l engine.Limits, j *outsource.Judge) (infeasible bool, err error) {
	if x.known.tables == nil {
		tablesCtx, cancel := part(ctx, learnShare, time.Minute)
		defer cancel()
		if err := x.learnTables(tablesCtx, l, j); err != nil || x.known.tables == nil {
			return false, err
		}
	}
	r := x.known.tables.result
	if r.Trace != nil {
		j.Know(r.Trace)
	}
	if r.Bound != nil {
		j.Show(*r.Bound)
	}
	return r.Status == engine.Infeasible, nil
}

// learnTables looks for tables and prices. There are none where the problem does not
// fall into groups.
func (x *Session) learnTables(ctx context.Context, l engine.Limits, j *outsource.Judge) error {
	start, reward := j.Best()
	bounds := func(r *engine.Result) bool { return r.Bound != nil && *r.Bound < -x.known.m.ObjectiveConstant() }
	over := &reward
	if start == nil {
		over = nil
	}
	s, err := bound.Assist(ctx, x.task, x.horizon, l, start, over, nil, bounds)
	if s == nil || err != nil {
		return err
	}
	k := &tables{result: s.Result()}
	x.known.tables = k
	if bounds(k.result) {
		k.cuts = s.Cuts()
	}
	return nil
}

// count adds what the tables took to a result's figures.
func (x *tables) count(r *engine.Result) {
	if x == nil {
		return
	}
	if r.Stats == nil {
		r.Stats = map[string]int64{}
	}
	for k, v := range x.result.Stats {
		r.Stats["bound_"+k] = v
	}
	r.Stats["bound_cuts"] = int64(len(x.cuts))
}

// addCuts adds a row for each step: what is earned from there on, with what the values
// of the groups take off. The later the step, the fewer terms there are.
func (b *builder) addCuts() {
	if b.tables == nil {
		return
	}
	var earned []model.Term
	var constant int64
	size := 0
	for i := len(b.tables.cuts) - 1; i >= 0; i-- {
		c := &b.tables.cuts[i]
		more, free := b.m.StepReward(c.Step)
		earned, constant = append(earned, more...), constant+free
		if size += len(earned) + len(c.Values); size > maxCutTerms {
			return
		}
		var terms []model.Term
		for _, r := range earned {
			terms = append(terms, model.Term{Coef: c.Unit * r.Coef, Lit: r.Lit})
		}
		for _, v := range c.Values {
			if has := b.value(v); has != 0 {
				terms = append(terms, model.Term{Coef: v.Less, Lit: has})
			}
		}
		b.row(terms, factored.LE, c.Most-c.Unit*constant)
	}
}

// value returns a variable that is true where a group has a value, or 0 for a value that
// no plan has.
func (b *builder) value(v engine.CutValue) model.Lit {
	var terms []model.Term
	for _, bit := range v.Bits {
		terms = append(terms, model.Term{Coef: 1, Lit: bit})
	}
	n := int64(len(v.Bits))
	switch {
	case v.Never:
		b.row(terms, factored.LE, n-1)
		return 0
	case n == 1:
		return v.Bits[0]
	}
	has := model.Lit(b.add())
	b.values = append(b.values, indicator{has.Var(), v.Bits})
	b.row(append(terms, model.Term{Coef: -1, Lit: has}), factored.LE, n-1)
	return has
}

// indicator is a variable that is true if all bits are.
type indicator struct {
	has  int32
	bits []model.Lit
}

// indicators marks the indicators whose bits a solution has.
func (b *builder) indicators(isTrue map[int32]bool) {
	for _, v := range b.values {
		all := !slices.ContainsFunc(v.bits, func(l model.Lit) bool { return isTrue[l.Var()] != (l > 0) })
		if all {
			isTrue[v.has] = true
		}
	}
}
