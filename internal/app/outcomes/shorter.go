package outcomes

import (
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// Shorten replaces functions of a structure, of rows that do not contradict each other, by trees of contexts without exceptions: those that
// are right more often on the rows held out and, where these do not tell, those that are shorter by more than an accident. Functions that are right on
// all of these rows stay. It returns what predicts the rows held out then.
func Shorten(ctx context.Context, p *load.Problem, q Request, threads int, t *structure.Table, st *structure.Structure) (measure.Predict, error) {
	if q.Held == nil || q.Predict == nil {
		return q.Predict, nil
	}
	x, err := newChanceRows(p, q.Rows)
	if err != nil {
		return nil, err
	}
	x.open = x.outputs
	rows, theirs := len(x.now), x.wrong(q.Held, predictor(p.Problem, q.Predict))
	held := 0
	for r := range x.row {
		if q.Held(&x.row[r]) {
			held++
		}
	}
	untold := untoldOf(p.Problem, st)
	x.open = slices.DeleteFunc(slices.Clone(x.outputs), func(v int) bool { return theirs[v] == 0 || untold[v] })
	if len(x.open) == 0 || held == rows || len(p.Problem.Inputs) > rows { // of fewer rows than inputs nothing can be told
		return q.Predict, nil
	}
	without, cost, err := x.exact(ctx, threads, func(r *train.Row) bool { return !q.Held(r) })
	if err != nil {
		return nil, err
	}
	// The same function is taken for all rows where it is right on those held out.
	mine := x.wrong(q.Held, likely(without))
	gain := func(v int) float64 {
		if n := mine[v] + theirs[v]; n > 0 {
			return noAccident * float64(theirs[v]-mine[v]) / (2 * math.Sqrt(float64(n)))
		}
		return 0
	}
	// A function that is right on the rows held out is that of all rows.
	x.open = slices.DeleteFunc(x.open, func(v int) bool { return mine[v] == 0 || gain(v) <= -noAccident })
	all, more, err := x.exact(ctx, threads, nil)
	if err != nil {
		return nil, err
	}
	x.open = x.outputs
	exceptions, bits := x.functions(st)
	line := &Line{without: without, predict: q.Predict}
	use := func(m *chance.Model, cost map[int]float64, used func(v int) bool) {
		wrong := x.wrong(nil, likely(m))
		for _, g := range m.Groups {
			if v := g.Outputs[0]; used(v) && wrong[v] <= exceptions[v] && (gain(v) >= noAccident || cost[v]+noAccident < bits[v]) {
				line.sure = append(line.sure, g)
			}
		}
	}
	use(without, cost, func(v int) bool { return mine[v] == 0 })
	use(all, more, func(int) bool { return true })
	if err := line.replace(p.Problem, t, st, structure.Exact); err != nil {
		return nil, err
	}
	return line.Predict(p.Problem), nil
}

// untoldOf are the variables of which inputs tell nothing of a bit.
func untoldOf(p *factored.Problem, st *structure.Structure) map[int]bool {
	untold := map[int]bool{}
	for o, b := range p.Outputs {
		if st.Outputs[o].Verdict == structure.Chance {
			owner, _ := p.Owner(b)
			untold[p.Index(owner)] = true
		}
	}
	return untold
}

// exact learns functions of open outputs, without exceptions as far as tests tell, and returns their description lengths, by variable.
func (x *chanceRows) exact(ctx context.Context, threads int, keep func(*train.Row) bool) (*chance.Model, map[int]float64, error) {
	s := x.source(keep)
	learned := make([]*outcome.Group, len(s.Outputs))
	errs := make([]error, len(s.Outputs))
	err := routine.Each(ctx, threads, len(s.Outputs), func(o int) {
		if slices.Contains(x.open, s.Variable(o)) {
			var groups []*outcome.Group
			if groups, errs[o] = outcome.Learn(ctx, &s.Table, []int{o}, outcome.Options{Determined: true, Refined: true, Exact: true}); errs[o] == nil {
				learned[o] = groups[0]
			}
		}
	})
	cost := map[int]float64{}
	var groups []chance.Group
	for o, f := range learned {
		if err == nil {
			err = errs[o]
		}
		if f == nil || err != nil {
			continue
		}
		g, failed := s.Chance(f)
		if failed != nil {
			return nil, nil, failed
		}
		groups, cost[g.Outputs[0]] = append(groups, *g), f.Cost
	}
	if err != nil {
		return nil, nil, err
	}
	m, _, _, err := chance.New(x.p.Problem, groups)
	return m, cost, err
}
