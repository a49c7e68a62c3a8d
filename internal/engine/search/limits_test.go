package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// switches is a problem with 2^n states reachable: at each step at most two of
// n switches are turned on for good, each paying one but the goal's ones.
// Nothing is learned.
func switches(t testing.TB, n, goal int) *factored.Problem {
	p := factored.NewProblem(fmt.Sprintf("switches/%d", n))
	add := func(name string, k factored.Kind) factored.Bit {
		id, err := p.AddVariable(factored.Variable{Name: name, Kind: k, Bool: true})
		if err != nil {
			t.Fatal(err)
		}
		return p.Variables[id].First
	}
	one := func(l factored.Lit) factored.Term { return factored.Term{Coef: 1, Lit: l} }
	atMost := factored.Constraint{Op: factored.LE, K: 2}
	for i := range n {
		a := factored.Lit{Bit: add(fmt.Sprintf("turn-%d", i), factored.Action)}
		s := factored.Lit{Bit: add(fmt.Sprintf("on-%d", i), factored.State)}
		then := factored.Lit{Bit: s.Bit, Next: true}
		atMost.Terms = append(atMost.Terms, one(a))
		p.Initial = append(p.Initial, factored.Constraint{Terms: []factored.Term{one(s)}, Op: factored.EQ})
		// on' <=> on or turned
		p.Transition = append(p.Transition,
			factored.Constraint{Terms: []factored.Term{one(then), one(s.Not())}, Op: factored.GE, K: 1},
			factored.Constraint{Terms: []factored.Term{one(then), one(a.Not())}, Op: factored.GE, K: 1},
			factored.Constraint{Terms: []factored.Term{one(then.Not()), one(s), one(a)}, Op: factored.GE, K: 1})
		if i < goal {
			p.Goal = append(p.Goal, factored.Constraint{Terms: []factored.Term{one(s)}, Op: factored.EQ, K: 1})
		} else {
			p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: then, Weight: 1})
		}
	}
	p.Global = append(p.Global, atMost)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestManyActions reports work before a state with a billion joint actions is expanded, so that other engines have their turns.
func TestManyActions(t *testing.T) {
	p := switches(t, 30, 1)
	p.Global = nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var work []int64
	report := func(x engine.Progress) {
		if work = append(work, x.Work); x.Work > 1<<20 {
			cancel()
		}
	}
	q := engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 2, MaxHorizon: 2}
	if _, err := (search.Engine{Without: search.Tables | search.CheapestWay}).Solve(ctx, q, engine.Limits{Threads: 2}, report); err != nil {
		t.Fatal(err)
	}
	if len(work) < 4 || work[len(work)-1] > 1<<22 || ctx.Err() != context.Canceled {
		t.Errorf("work is reported as %v: %v", work, ctx.Err())
	}
}

// TestManyActionsLater has a second state with a billion joint actions: tables have their turn while it is expanded, and a beam tries few of them.
func TestManyActionsLater(t *testing.T) {
	p := switches(t, 30, 1)
	p.Global = nil
	id, err := p.AddVariable(factored.Variable{Name: "ready", Kind: factored.State, Bool: true})
	if err != nil {
		t.Fatal(err)
	}
	ready := factored.Lit{Bit: p.Variables[id].First}
	then := factored.Lit{Bit: ready.Bit, Next: true}
	p.Initial = append(p.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: ready}}, Op: factored.EQ})
	p.Transition = append(p.Transition, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: then}}, Op: factored.EQ, K: 1})
	for _, v := range p.Variables {
		if v.Kind == factored.Action {
			p.Global = append(p.Global, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: ready}, {Coef: 1, Lit: factored.Lit{Bit: v.First}.Not()}}, Op: factored.GE, K: 1})
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, without := range []search.Part{search.CheapestWay, search.CheapestWay | search.Tables} {
		tried := int64(0)
		q := engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 3, MaxHorizon: 3}
		res, err := search.Engine{Without: without}.Solve(ctx, q, engine.Limits{Threads: 2}, func(x engine.Progress) {
			if tried = x.Work; without&search.Tables != 0 && tried > 1<<20 {
				cancel()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if proven := res.Status == engine.Optimal && res.Reward == 58; proven != (without&search.Tables == 0) {
			t.Errorf("without %d: %s, reward %d after work of %d", without, res.Status, res.Reward, tried)
		}
	}
	if ctx.Err() != context.Canceled {
		t.Error("a state is expanded for a minute with nothing reported")
	}
}

// TestMemoryLimit has a bound on memory far below what a proof needs: a plan
// with a bound, or nothing, but never a proof.
func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		goal int
		want engine.Status
	}{{0, engine.Feasible}, {4, engine.Feasible}, {13, engine.Unknown}} {
		p := switches(t, 18, c.goal) // with 12 turns in 6 steps, 13 cannot be on
		res, err := search.Engine{Without: search.Tables | search.CheapestWay}.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 6, MaxHorizon: 6}, engine.Limits{Threads: 2, Memory: 1 << 20}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.Status != c.want || res.Reason == "" {
			t.Errorf("goal %d: got %s (%q), want %s", c.goal, res.Status, res.Reason, c.want)
		}
		if bytes := res.Stats["table_bytes"]; bytes > 2<<20 {
			t.Errorf("goal %d: the tables hold %d bytes", c.goal, bytes)
		}
		if res.Bound == nil || res.Trace != nil && *res.Bound < res.Reward {
			t.Errorf("goal %d: reward %d, bound %v", c.goal, res.Reward, res.Bound)
		}
		if res.Trace != nil {
			report, err := validate.Check(p, nil, validate.FromTrace(res.Trace))
			if err != nil || !report.Valid || report.Reward != res.Reward {
				t.Errorf("goal %d: the checker says %+v, %v", c.goal, report, err)
			}
		}
	}
}

// TestShortHorizonsSurviveALimit asks for a range of which only the short end
// fits the graph: those are answered for certain, and all by the tables.
func TestShortHorizonsSurviveALimit(t *testing.T) {
	p := switches(t, 18, 0)
	limits := engine.Limits{Threads: 1, Memory: 1 << 20}
	res, err := search.Engine{Without: search.Tables | search.CheapestWay}.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 1, MaxHorizon: 9}, limits, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != engine.Feasible {
		t.Errorf("got %s", res.Status)
	}
	if all := solve(t, engine.Task{Problem: p}, 1, 9, limits); all.Status != engine.Optimal || all.Reward != 90 {
		t.Errorf("with tables %s, reward %d", all.Status, all.Reward)
	}
	for i, h := range res.Horizons {
		best := int64((i + 1) * (i + 2)) // two more are on after each step
		switch {
		case h.Status == engine.Optimal && h.Reward != best:
			t.Errorf("horizon %d: %d, want %d", h.Horizon, h.Reward, best)
		case i < 2 && h.Status != engine.Optimal:
			t.Errorf("horizon %d: %s", h.Horizon, h.Status)
		}
	}
	if last := res.Horizons[8]; last.Status != engine.Unknown {
		t.Errorf("horizon 9: %s, which cannot have fit", last.Status)
	}
	if res.Bound == nil || *res.Bound < 90 {
		t.Errorf("bound %v is below the optimum 90", res.Bound)
	}
}

// TestStops cancels at several moments: the engine returns soon, with whatever
// it has, and claims nothing more.
func TestStops(t *testing.T) {
	p := switches(t, 24, 2)
	for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond} {
		ctx, cancel := context.WithTimeoutCause(context.Background(), after, errors.New("enough"))
		began := time.Now()
		res, err := search.Engine{Without: search.Tables | search.CheapestWay}.Solve(ctx, engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 8, MaxHorizon: 8}, engine.Limits{Threads: 2}, nil)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if res.Status != engine.Unknown && res.Status != engine.Feasible || res.Reason != "enough" {
			t.Errorf("after %v: %s, %q", after, res.Status, res.Reason)
		}
		// Generous: this machine may be busy, a minute would be a hang.
		if d := time.Since(began) - after; d > 20*time.Second {
			t.Errorf("after %v: it went on for %v", after, d)
		}
	}
}

func BenchmarkSwitches(b *testing.B) {
	p := switches(b, 16, 0)
	for range b.N {
		res, err := search.Engine{Without: search.Tables | search.CheapestWay}.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 8, MaxHorizon: 8}, engine.Limits{Threads: 2}, nil)
		if err != nil || res.Status != engine.Optimal {
			b.Fatal(res, err)
		}
	}
}

// TestSettledElsewhere ends a run whose answer is of no use: it does not look for one in what it
// has explored, as it does when time is up.
func TestSettledElsewhere(t *testing.T) {
	for _, cause := range []error{engine.ErrSettled, context.DeadlineExceeded} {
		ctx, cancel := context.WithCancelCause(context.Background())
		q := engine.Query{Task: engine.Task{Problem: switches(t, 14, 0)}, MinHorizon: 1, MaxHorizon: 7}
		res, err := search.Engine{Without: search.Tables | search.CheapestWay}.Solve(ctx, q, engine.Limits{Threads: 1}, func(p engine.Progress) {
			if strings.HasSuffix(p.Phase, "within 2 steps") {
				cancel(cause)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		want := engine.Unknown
		if cause != engine.ErrSettled {
			want = engine.Optimal
		}
		if len(res.Horizons) != 7 || res.Horizons[0].Status != want {
			t.Errorf("after %v: %s, %+v; expected horizon 1 to be %s", cause, res.Status, res.Horizons, want)
		}
	}
}
