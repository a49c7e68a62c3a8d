package learn

import (
	"context"
	"github.com/fdplan/fdplan/internal/app/bind"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	appsupport "github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// try replays a plan in a world.
func (w *world) try(_ context.Context, tr *factored.Trace) (*simulator.Run, error) {
	s, sum := w.start, int64(0)
	run := &simulator.Run{Answers: []*simulator.Answer{{State: w.valuation(s)}}}
	for _, val := range tr.Steps[:tr.Horizon()] {
		now := s
		for i := range w.actions {
			if val[w.states+i] {
				now |= 1 << (w.states + i)
			}
		}
		s = w.next(now)
		sum += w.p.Reward.StepReward(w.valuation(now), w.valuation(s))
		run.Answers = append(run.Answers, &simulator.Answer{State: w.valuation(s)})
	}
	reward := float64(sum)
	run.Reward = &reward
	if len(w.p.Goal) > 0 && !w.p.Goal[0].Holds(w.valuation(s), nil) {
		run.Failure = &simulator.Failure{Violation: &simulator.Violation{}, Step: tr.Horizon() + 1}
	}
	return run, nil
}

// TestHeld: a plan that is said to be seen to hold with the reward of the bound is one of the best
// of its world, whether a simulator or the rows show it.
func TestHeld(t *testing.T) {
	by := map[string]int{}
	for seed := range uint64(4 * *worlds) {
		w := newWorld(seed)
		d := w.rows(10<<w.IntN(4), w.IntN(2) == 0)
		horizon := 1 + w.IntN(4)
		p := &load.Problem{Task: engine.Task{Problem: w.p}}
		trained, err := trainFrom(context.Background(), p, &sourced{data: []train.Source{{Data: d, Name: "rows.csv"}}}, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1}})
		if err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		if p, err = With(p, trained); err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		r := plan.Request{
			Query: plan.Query{Options: registry.Options{Engine: registry.Search}, Horizon: bind.Steps(horizon)}, Limits: engine.Limits{Threads: 1}, Now: time.Now, Try: w.try,
		}
		if seed%3 == 0 { // no simulator, and nothing is settled but what rows show
			r.Try = plan.Untried
			for o := range p.Support.Tables {
				p.Support.Tables[o] = nil
			}
		}
		safe, err := appsupport.Safe(p)
		if err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		without := r
		without.Try = nil
		doc, err := plan.Plan(context.Background(), safe, without)
		if err == nil {
			err = doc.Bracket(context.Background(), p, r, nil)
		}
		if err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		best, h := w.best(horizon), doc.Safe.Held
		if h == nil {
			continue
		}
		by[h.By]++
		switch {
		case best == nil || h.Reward != float64(*best) || h.Reward != *doc.Safe.BoundUnseen:
			t.Errorf("world %d: a plan is said to hold with %v under a bound of %v; the best has %v", seed, h.Reward, *doc.Safe.BoundUnseen, best)
		case h.By == "simulator" && seed%3 == 0:
			t.Errorf("world %d: a plan is said to hold in a simulator that was not asked", seed)
		case len(h.Plan) != horizon || len(h.Trace) != horizon+1:
			t.Errorf("world %d: %d steps and %d states of a plan of %d", seed, len(h.Plan), len(h.Trace), horizon)
		}
		if doc.Safe.Reward != nil && *doc.Safe.Reward >= h.Reward {
			t.Errorf("world %d: a plan with supported steps has %v already", seed, *doc.Safe.Reward)
		}
	}
	if by["simulator"] < 3 || by["log"] < 3 {
		t.Errorf("plans held by %v: too few", by)
	}
}

// TestHeldCellda: twenty rows support no plan of cellda/x, and bound all plans by the reward of one
// that holds in its RDDL.
func TestHeldCellda(t *testing.T) {
	for seed := range uint64(3) {
		p, err := load.Load(context.Background(), load.Ref{Name: "cellda/x"})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Explore(context.Background(), p, 20, seed)
		if err != nil {
			t.Fatal(err)
		}
		trained, err := TrainOn(context.Background(), p, rows, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1}})
		if err == nil {
			p, err = With(p, trained)
		}
		if err != nil {
			t.Fatal(err)
		}
		safe, err := appsupport.Safe(p)
		if err != nil {
			t.Fatal(err)
		}
		r := plan.Request{Query: plan.Query{Options: registry.Options{Engine: registry.Search}, Horizon: bind.Steps(10)}, Limits: engine.Limits{Threads: 1}, Now: time.Now}
		doc, err := plan.Plan(context.Background(), safe, r)
		if err == nil {
			err = doc.Bracket(context.Background(), p, r, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if h := doc.Safe.Held; h == nil || h.Reward != -9 || h.By != "simulator" {
			t.Errorf("seed %d: %+v, bound %v: %+v", seed, doc.Safe, *doc.Safe.BoundUnseen, h)
		}
	}
}
