package bundled

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/validate"
)

func TestRDDLOptima(t *testing.T) {
	const none = 1
	for _, c := range []struct {
		name   string
		from   int
		reward []float64 // by horizon, starting at `from`; none means no plan
	}{
		{"navigation/3x3", 3, []float64{none, -4, -4, -4}},
		{"navigation/4x4", 4, []float64{none, -5, -5, -5}},
		{"navigation/5x5", 7, []float64{none, -8, -8, -8}},
		{"inventory/2", 5, []float64{-9, -16, -18}},
		{"inventory/4", 6, []float64{-10, -10, -17}},
		{"sysadmin/4", 2, []float64{0, -1, -3}},
		{"sysadmin/5", 2, []float64{0, -4, -4}},
		{"cellda/x", 9, []float64{none, -9, -9, -9, -9}},
		{"cellda/y", 7, []float64{none, -6, -6, -6, -6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			comp, err := RDDL(context.Background(), c.name, true)
			if err != nil {
				t.Fatal(err)
			}
			p := comp.Problem
			loaded := time.Since(began)
			for i, want := range c.reward {
				h := c.from + i
				res, err := search.Engine{}.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: p}, MinHorizon: h, MaxHorizon: h}, engine.Limits{Threads: 1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if want == none {
					if res.Status != engine.Infeasible {
						t.Errorf("H %d: %s %v", h, res.Status, res.Reward)
					}
					continue
				}
				if res.Status != engine.Optimal || p.Reward.Float(res.Reward) != want {
					t.Errorf("H %d: %s %v, want %v", h, res.Status, p.Reward.Float(res.Reward), want)
					continue
				}
				rep, err := validate.Check(p, nil, validate.FromTrace(res.Trace))
				if err != nil || !rep.Valid {
					t.Errorf("H %d: %v %v", h, err, rep.Failure)
				}
			}
			t.Log(fmt.Sprint(len(p.Bits(2)), " aux, ", len(p.Global), " global, ", len(p.Transition), " transition; load ", loaded, ", all ", time.Since(began)))
		})
	}
}
