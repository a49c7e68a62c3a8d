package outcomes

import (
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/problem/chance"
)

// Relearn learns functions from rows: the values of all variables before and after steps.
type Relearn func(ctx context.Context, now, next [][]int64) (*structure.Structure, error)

// heldShare is the part of rows that are put right which is held out.
const heldShare = 5

// relearn learns from rows that are put right as from rows without wrong records, and replaces the functions of a structure that describe them
// no better. Whether these or functions with wrong records are right more often is seen on rows held out: it returns, by variable, by how much the
// latter are better, where noAccident is two standard deviations of the difference.
func (x *chanceRows) relearn(ctx context.Context, learn Relearn, t *structure.Table, st *structure.Structure) (map[int]float64, error) {
	again, err := learn(ctx, x.now, x.next)
	if err != nil {
		return nil, err
	}
	x.take(t, st, again)
	held, rest := &chanceRows{p: x.p, open: x.open}, &chanceRows{p: x.p, open: x.open}
	s := outcome.NewSource(x.p.Problem, x.outputs)
	for r := range x.now {
		to := rest
		if r%heldShare == 0 {
			to = held
		} else {
			s.Add(x.now[r], x.next[r], true)
		}
		to.now, to.next = append(to.now, x.now[r]), append(to.next, x.next[r])
	}
	if again, err = learn(ctx, rest.now, rest.next); err != nil {
		return nil, err
	}
	all := integer.Below[int](len(s.Outputs))
	functions, err := outcome.Learn(ctx, &s.Table, all, outcome.Options{Determined: true, Refined: true})
	if err != nil {
		return nil, err
	}
	var groups []chance.Group
	for _, f := range functions {
		g, err := s.Chance(f)
		if err != nil {
			return nil, err
		}
		groups = append(groups, *g)
	}
	m, _, _, err := chance.New(x.p.Problem, groups)
	if err != nil {
		return nil, err
	}
	mine, theirs := held.wrong(nil, likely(m)), held.wrong(nil, predictor(x.p.Problem, again.Predict))
	gains := map[int]float64{}
	for _, v := range x.open {
		if n := mine[v] + theirs[v]; n > 0 {
			gains[v] = noAccident * float64(theirs[v]-mine[v]) / (2 * math.Sqrt(float64(n)))
		}
	}
	return gains, nil
}

// take puts the functions of another structure in the place of those of open outputs that describe the rows no better.
func (x *chanceRows) take(t *structure.Table, st, other *structure.Structure) {
	_, mine := x.functions(st)
	_, theirs := x.functions(other)
	for o, b := range x.p.Problem.Outputs {
		owner, _ := x.p.Problem.Owner(b)
		v := x.p.Problem.Index(owner)
		if slices.Contains(x.open, v) && theirs[v] <= mine[v] {
			out := &st.Outputs[o]
			held := out.Held
			*out = other.Outputs[o]
			out.Held, out.Verdict = held, structure.Noise
			count(out, t, o)
		}
	}
}
