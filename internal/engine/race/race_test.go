package race_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// lamps is a row of n lamps, all open at first, that can be switched one by one
// at a cost; at the end all have to be on. The states are too many for search,
// and the answer is plain: they are on already.
func lamps(t *testing.T, n int) *factored.Problem {
	t.Helper()
	p := factored.NewProblem("lamps")
	var lamp, press []factored.Bit
	for i := range n {
		for _, v := range []factored.Variable{{Name: fmt.Sprintf("lamp%d", i), Kind: factored.State, Bool: true}, {Name: fmt.Sprintf("press%d", i), Kind: factored.Action, Bool: true}} {
			id, err := p.AddVariable(v)
			if err != nil {
				t.Fatal(err)
			}
			if v.Kind == factored.State {
				lamp = append(lamp, p.Variables[id].First)
			} else {
				press = append(press, p.Variables[id].First)
			}
		}
	}
	p.Reward = factored.Reward{Scale: 1}
	for i := range n {
		now, next := factored.Lit{Bit: lamp[i]}, factored.Lit{Bit: lamp[i], Next: true}
		pressed := factored.Lit{Bit: press[i]}
		// next <=> now xor pressed
		for _, c := range [][3]factored.Lit{{next.Not(), now, pressed}, {next.Not(), now.Not(), pressed.Not()}, {next, now.Not(), pressed}, {next, now, pressed.Not()}} {
			p.Transition = append(p.Transition, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: c[0]}, {Coef: 1, Lit: c[1]}, {Coef: 1, Lit: c[2]}}, Op: factored.GE, K: 1})
		}
		p.Goal = append(p.Goal, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: now}}, Op: factored.EQ, K: 1})
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: pressed, Weight: -1}, factored.RewardTerm{Lit: next.Not(), Weight: -2})
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPBWins has the race answered where search alone has no end, and a limit
// kept where nobody answers in time.
func TestPBWins(t *testing.T) {
	p := lamps(t, 30)
	q := engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 3, MaxHorizon: 3}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	bounds := 0
	res, err := race.New(search.Engine{}, conflict.PB{}).Solve(ctx, q, engine.Limits{Threads: 1, Memory: 1 << 28}, func(p engine.Progress) {
		if p.Bound != nil {
			bounds++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != engine.Optimal || res.Reward != 0 || res.Winner != "pb" {
		t.Fatalf("%+v, expected pb to prove the reward 0", res)
	}
	if bounds == 0 {
		t.Error("no bound was reported on the way")
	}
	report, err := validate.Check(p, nil, validate.FromTrace(res.Trace))
	if err != nil || !report.Valid || report.Reward != 0 {
		t.Fatalf("the checker says %+v, %v", report, err)
	}
	over, stop := context.WithCancel(context.Background())
	stop()
	res, err = race.New(search.Engine{}, conflict.PB{}).Solve(over, q, engine.Limits{Threads: 1}, nil)
	if err != nil || res.Status != engine.Unknown || res.Reason == "" {
		t.Fatalf("an ended context gives %+v, %v", res, err)
	}
}

// TestSearchWins has small problems answered by search before pb begins, so
// that the plan is that of search.
func TestSearchWins(t *testing.T) {
	p := lamps(t, 4)
	q := engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 2, MaxHorizon: 4}
	res, err := race.New(search.Engine{}, conflict.PB{}).Solve(context.Background(), q, engine.Limits{Threads: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := search.Engine{}.Solve(context.Background(), q, engine.Limits{Threads: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Winner != "search" || res.Reward != alone.Reward || res.Horizon != 2 || fmt.Sprint(res.Trace) != fmt.Sprint(alone.Trace) {
		t.Fatalf("%+v, search alone %+v", res, alone)
	}
}

// TestRepeats has the same answer by the same engine in every run, on one thread and on more.
func TestRepeats(t *testing.T) {
	p := lamps(t, 30)
	q := engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 4, MaxHorizon: 4}
	var first string
	for _, threads := range []int{1, 2, 1, 3} {
		var reports int
		res, err := race.New(search.Engine{}, conflict.PB{}).Solve(context.Background(), q, engine.Limits{Threads: threads, Memory: 1 << 28}, func(engine.Progress) { reports++ })
		if err != nil || res.Winner != "pb" || reports == 0 {
			t.Fatalf("%+v, %v, expected pb to win", res, err)
		}
		if got := fmt.Sprint(res.Winner, res.Trace, res.Stats); first == "" {
			first = got
		} else if got != first {
			t.Errorf("%d threads: %s\nbefore: %s", threads, got, first)
		}
	}
}

// TestSessionSearch takes all plans of a small problem one after the other, and
// compares their rewards with those of search alone.
func TestSessionSearch(t *testing.T) {
	p := lamps(t, 2)
	rewards := func(e engine.Opener) (out []int64) {
		t.Helper()
		s, err := e.Open(context.Background(), engine.Task{Problem: p}, 2)
		if err != nil {
			t.Fatal(err)
		}
		for range 17 {
			res, err := s.Solve(context.Background(), engine.Limits{Threads: 1, Memory: 1 << 28}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status == engine.Infeasible {
				return out
			}
			report, err := validate.Check(p, nil, validate.FromTrace(res.Trace))
			if err != nil || !report.Valid || report.Reward != res.Reward {
				t.Fatalf("the checker says %+v, %v of the reward %d", report, err, res.Reward)
			}
			out = append(out, res.Reward)
			if err := s.Exclude(engine.Landmark{Trace: res.Trace, Depth: 2}); err != nil {
				t.Fatal(err)
			}
		}
		t.Fatal("the plans have no end")
		return nil
	}
	got, want := rewards(race.New(search.Engine{}, conflict.PB{})), rewards(search.Engine{})
	// A lamp has four plans: two presses, each made or not, and the goal then
	// determines its first state.
	if len(got) != 16 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rewards %v, of search alone %v, expected 16 of them", got, want)
	}
}

// TestSessionPB has pb win the first query of a session and answer the next
// alone, with what was excluded before it joined and after.
func TestSessionPB(t *testing.T) {
	p := lamps(t, 30)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := race.New(search.Engine{}, conflict.PB{}).Open(ctx, engine.Task{Problem: p}, 3)
	if err != nil {
		t.Fatal(err)
	}
	// The best plan, in which all lamps are on and nothing is pressed.
	best := &factored.Trace{Steps: make([]factored.Valuation, 4)}
	for i := range best.Steps {
		best.Steps[i] = make(factored.Valuation, p.NumBits())
		for _, b := range p.Bits(factored.State) {
			best.Steps[i][b] = true
		}
	}
	seen := []engine.Landmark{{Trace: best, Depth: 3}}
	if err := s.Exclude(seen[0]); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		res, err := s.Solve(ctx, engine.Limits{Threads: 1, Memory: 1 << 28}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// One lamp is off at first and pressed at once.
		if res.Status != engine.Optimal || res.Reward != -1 || res.Winner != "pb" {
			t.Fatalf("%+v, expected pb to prove the reward -1", res)
		}
		for _, l := range seen {
			if l.Covers(p, res.Trace) {
				t.Fatal("an excluded plan came again")
			}
		}
		report, err := validate.Check(p, nil, validate.FromTrace(res.Trace))
		if err != nil || !report.Valid || report.Reward != -1 {
			t.Fatalf("the checker says %+v, %v", report, err)
		}
		seen = append(seen, engine.Landmark{Trace: res.Trace, Depth: 3})
		if err := s.Exclude(seen[len(seen)-1]); err != nil {
			t.Fatal(err)
		}
	}
}

// worker is an engine that works, and tells of its work, without an answer.
type worker struct {
	name string
	work *atomic.Int64
	at   func(work int64) // nil for nothing
}

func (w worker) Name() string { return w.name }

func (w worker) Open(context.Context, engine.Task, int) (engine.Session, error) {
	return nil, errors.ErrUnsupported
}

func (w worker) Solve(ctx context.Context, _ engine.Query, _ engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	for n := int64(0); n <= 1_000_000; n += 10_000 {
		w.work.Store(n)
		if w.at != nil {
			w.at(n)
		}
		report(engine.Progress{Work: n})
	}
	return &engine.Result{Status: engine.Unknown, Reason: w.name + " is done"}, nil
}

// TestTurns has the second engine begin after a little of the first one's work, do some more than that, and wait until the first has done a lot.
func TestTurns(t *testing.T) {
	for _, threads := range []int{1, 2} {
		first := worker{name: "first", work: &atomic.Int64{}}
		var begun, joined int64
		second := worker{name: "second", work: &atomic.Int64{}, at: func(n int64) {
			switch n {
			case 10_000:
				begun = first.work.Load()
			case 160_000:
				joined = first.work.Load()
			}
		}}
		res, err := race.New(first, second).Solve(t.Context(), engine.Query{Task: engine.Task{Problem: lamps(t, 1)}, MinHorizon: 1, MaxHorizon: 1}, engine.Limits{Threads: threads}, nil)
		if err != nil || res.Status != engine.Unknown {
			t.Fatalf("%+v, %v", res, err)
		}
		if begun < 50_000 || begun > 70_000 || joined < 400_000 || joined > 600_000 {
			t.Errorf("on %d threads the second engine began after %d of the first one's work, and joined it after %d", threads, begun, joined)
		}
	}
}
