package outcome_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestFollowsMostly: a small job takes two steps and a big one four, so that the steps that are left tell the kind of most jobs, but not of big ones near their
// end. That is no function of what is drawn with wrong records.
func TestFollowsMostly(t *testing.T) {
	p := factored.NewProblem("jobs")
	for _, v := range []factored.Variable{
		{Name: "job", Kind: factored.State, Hi: 2, View: &factored.View{Names: []string{"none", "small", "big"}}},
		{Name: "left", Kind: factored.State, Hi: 4},
		{Name: "action", Kind: factored.Action, Hi: 2, Default: -1, View: &factored.View{Names: []string{"work", "drop", "take"}}},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	s := outcome.NewSource(p, states(p))
	rng := rand.New(rand.NewPCG(5, 2))
	now := []int64{0, 0, 0}
	for r := range 2000 {
		now[2] = rng.Int64N(3)
		next := []int64{now[0], now[1], 0}
		switch x := rng.Float64(); {
		case now[2] == 1:
			next[0], next[1] = 0, 0
		case now[2] == 2 && now[0] == 0 && x < .5:
			next[0], next[1] = 1, 2
		case now[2] == 2 && now[0] == 0 && x < .8:
			next[0], next[1] = 2, 4
		case now[2] == 0 && now[0] > 0 && x < .7:
			if next[1]--; next[1] == 0 {
				next[0] = 0
			}
		}
		s.Add(now, next, r == 0)
		now = next
	}
	groups, err := outcome.Learn(t.Context(), &s.Table, seq(len(s.Outputs)), outcome.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, p, s, groups)
	var d chance.Distribution
	for _, left := range []int64{2, 3, 4} {
		for i := range m.Groups {
			g := &m.Groups[i]
			g.Outcomes(&d, []int64{2, left, 0}, nil)
			for k, v := range g.Outputs {
				for j, values := range d.Values {
					if v == 0 && values[k] != 2 {
						t.Errorf("a big job with %d steps left becomes job %d with probability %d/%d", left, values[k], d.Weights[j], d.Total)
					}
				}
			}
		}
	}
}
