package backward_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/backward"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

var (
	instances = flag.Int("instances", 100, "number of random problems")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random problem")
)

// files are a problem's OPB file, with constants propagated or as the paper has it,
// and what a proof about it is made of.
type files struct {
	m, file   *model.Model
	opb       []byte
	objective format.Objective
}

func compile(t testing.TB, task engine.Task, horizon int, literal bool) files {
	t.Helper()
	m, err := model.New(task.Problem, task.Network, horizon, model.Options{Propagate: true})
	if err != nil {
		t.Fatal(err)
	}
	f := files{m: m, file: m}
	if literal {
		if f.file, err = model.New(task.Problem, task.Network, horizon, model.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := format.Write(context.Background(), &b, f.file, format.Options{Kind: format.OPB}); err != nil {
		t.Fatal(err)
	}
	f.opb, f.objective = b.Bytes(), format.ObjectiveOf(f.file, format.OPB)
	return f
}

// prove writes a proof of a claim.
func (f files) prove(c backward.Claim, v proof.Format) ([]byte, backward.Stats, error) {
	var b bytes.Buffer
	s, err := backward.Write(context.Background(), f.m, c, backward.Options{W: &b, Format: v, File: f.file})
	return b.Bytes(), s, err
}

// claimOf is all that an answer claims.
func claimOf(res *engine.Result) backward.Claim {
	return backward.Claim{Infeasible: res.Status == engine.Infeasible, Trace: res.Trace, Bound: res.Bound}
}

// check has the checker read a proof and compares its verdict with the truth.
func (f files) check(t testing.TB, what any, text []byte, reward int64, feasible bool) {
	t.Helper()
	v, err := veripb.Check(bytes.NewReader(f.opb), bytes.NewReader(text))
	switch {
	case err != nil:
		t.Fatalf("%v: %v\n%s", what, err, text)
	case !feasible && v.Kind != veripb.Unsat:
		t.Fatalf("%v: there is no plan, the proof shows %v", what, v)
	case feasible && (v.Kind != veripb.Optimal || f.objective.Reward(v.Lower.Int64()) != reward):
		t.Fatalf("%v: the reward is %d, the proof shows %v (constant %d)", what, reward, v, f.objective.Constant)
	}
}

var formats = []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}

// random is a random problem, every third with odd weights, and its true answer.
func random(i int) (task engine.Task, horizon int, reward int64, feasible bool) {
	p, net, horizon := randprob.New(*firstSeed+uint64(i), randprob.Options{})
	if i%3 == 0 {
		for j := range p.Reward.Terms {
			p.Reward.Terms[j].Weight = p.Reward.Terms[j].Weight*1_003 + int64(j)*79
		}
	}
	reward, feasible = randprob.BruteForce(p, net, horizon)
	return engine.Task{Problem: p, Network: net}, horizon, reward, feasible
}

// TestRandomProblems has proofs of the answers of search checked, on problems whose
// answer is known by brute force, and wrong claims refused.
func TestRandomProblems(t *testing.T) {
	var plans, wide int
	for i := range *instances {
		task, horizon, reward, feasible := random(i)
		res, err := search.Engine{}.Solve(context.Background(), engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := compile(t, task, horizon, i%2 == 0)
		text, _, err := f.prove(claimOf(res), formats[i/2%len(formats)])
		if err != nil {
			t.Fatalf("problem %d: %v", i, err)
		}
		f.check(t, i, text, reward, feasible)
		if !feasible {
			continue
		}
		plans++
		// A bound alone and with a plan, loose and tight; and one that no plan obeys.
		for k, slack := range []int64{0, 1, 5, 1, 5} {
			bound := reward + slack
			claim := backward.Claim{Bound: &bound}
			if k > 2 {
				claim.Trace = res.Trace
			}
			text, _, err := f.prove(claim, formats[(i+k)%len(formats)])
			if err != nil {
				t.Fatalf("problem %d, bound %d: %v", i, bound, err)
			}
			v, err := veripb.Check(bytes.NewReader(f.opb), bytes.NewReader(text))
			if err != nil {
				t.Fatalf("problem %d, bound %d: %v", i, bound, err)
			}
			switch {
			case k <= 2 && v.Kind == veripb.None: // as low as the costs can be
			case k > 2 && (v.Upper == nil || f.objective.Reward(v.Upper.Int64()) != reward):
				t.Fatalf("problem %d: a plan of reward %d, the proof shows %v", i, reward, v)
			case k > 2 && v.Kind == veripb.Optimal:
			case k > 2 && v.Lower == nil: // as low as the costs can be
			case v.Kind != veripb.Bounds || f.objective.Reward(v.Lower.Int64()) > bound:
				t.Fatalf("problem %d: bound %d, the proof shows %v", i, bound, v)
			default:
				wide++
			}
		}
		for _, claim := range []backward.Claim{{Bound: new(reward - 1)}, {Infeasible: true}, {Trace: res.Trace, Bound: new(reward - 1)}} {
			if _, _, err := f.prove(claim, proof.VeriPB20); !errors.Is(err, backward.ErrClaim) {
				t.Fatalf("problem %d: the false claim %+v gives %v", i, claim, err)
			}
		}
	}
	if *instances >= 100 && (plans < *instances/3 || wide == 0) {
		t.Errorf("only %d problems have plans, %d bounds are proven", plans, wide)
	}
}

// answer is what a proof of a problem is to show: that it has no plan, or that the plan of search is optimal.
func answer(t *testing.T, task engine.Task, horizon int, feasible bool) backward.Claim {
	t.Helper()
	if !feasible {
		return backward.Claim{Infeasible: true}
	}
	res, err := search.Engine{}.Solve(t.Context(), engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return claimOf(res)
}

// TestTables has proofs made of tables and prices checked, of the answers that these
// alone show, and wrong claims refused.
func TestTables(t *testing.T) {
	ctx := context.Background()
	var shown, plans int
	for i := range 3 * *instances {
		task, horizon, reward, feasible := random(i)
		x, err := bound.Relax(ctx, task, horizon, bound.Wanted{Most: reward, Infeasible: !feasible, Rounds: 1000})
		if err != nil && !errors.Is(err, bound.ErrNoGroups) {
			t.Fatal(err)
		}
		if x == nil {
			continue
		}
		shown++
		f := compile(t, task, horizon, i%2 == 0)
		write := func(c backward.Claim, v proof.Format) ([]byte, error) {
			var b bytes.Buffer
			_, err := backward.Tables(ctx, f.m, c, x, backward.Options{W: &b, Format: v, File: f.file})
			return b.Bytes(), err
		}
		claim := answer(t, task, horizon, feasible)
		if feasible {
			plans++
			if _, err := write(backward.Claim{Bound: new(reward - 1)}, proof.VeriPB20); !errors.Is(err, backward.ErrClaim) {
				t.Fatalf("problem %d: a bound that the plan of reward %d breaks gives %v", i, reward, err)
			}
		}
		text, err := write(claim, formats[i/2%len(formats)])
		if err != nil {
			t.Fatalf("problem %d: %v", i, err)
		}
		f.check(t, i, text, reward, feasible)
	}
	t.Logf("tables show the answer of %d problems of %d, %d of which have a plan", shown, 3**instances, plans)
	if *instances >= 100 && plans < *instances/10 {
		t.Errorf("tables show the answer of only %d problems that have plans", plans)
	}
}

// TestStocks has proofs made of tables and prices checked where a store counts what machines take, by a sum or by a network.
func TestStocks(t *testing.T) {
	ctx := context.Background()
	const horizon = 3
	shown, priced := 0, 0
	for seed := range uint64(20) {
		task := engine.Task{Problem: randprob.Stock(seed)}
		if seed%2 == 1 {
			task.Problem, task.Network = randprob.LearnedStock(seed)
		}
		reward, feasible := randprob.BruteForce(task.Problem, task.Network, horizon)
		x, err := bound.Relax(ctx, task, horizon, bound.Wanted{Most: reward, Infeasible: !feasible, Rounds: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if x == nil {
			continue
		}
		f := compile(t, task, horizon, seed%4 < 2)
		claim := answer(t, task, horizon, feasible)
		var b bytes.Buffer
		if _, err := backward.Tables(ctx, f.m, claim, x, backward.Options{W: &b, Format: formats[seed/2%3], File: f.file}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		f.check(t, seed, b.Bytes(), reward, feasible)
		shown++
		for i := range horizon {
			for _, p := range x.AmountPrices(i + 1) {
				if p != 0 && seed%2 == 1 {
					priced++
				}
			}
		}
	}
	if shown < 10 || priced == 0 {
		t.Errorf("%d proofs, with %d prices on what a network counts", shown, priced)
	}
}

// TestNodes has proofs made of tables, prices and the states that these leave checked, and
// wrong claims refused. Prices are improved for every other problem, so that the tables of the others leave
// more states.
func TestNodes(t *testing.T) {
	ctx := context.Background()
	var shown, plans, states int // of most of these small problems the tables leave none
	for i := range 3 * *instances {
		task, horizon, reward, feasible := random(i)
		f := compile(t, task, horizon, i%2 == 0)
		write := func(c backward.Claim, most int64, v proof.Format) ([]byte, backward.Stats, error) {
			x, err := bound.Relax(ctx, task, horizon, bound.Wanted{Most: most, Infeasible: c.Infeasible, Rounds: i % 2 * 1000, Partial: true})
			if err != nil || x == nil {
				return nil, backward.Stats{}, err
			}
			nodes := x.Nodes(ctx, 10_000)
			if nodes == nil {
				return nil, backward.Stats{}, nil
			}
			var b bytes.Buffer
			s, err := backward.Nodes(ctx, f.m, c, x, nodes, backward.Options{W: &b, Format: v, File: f.file})
			return b.Bytes(), s, err
		}
		claim := answer(t, task, horizon, feasible)
		if feasible {
			for _, false := range []backward.Claim{{Bound: new(reward - 1)}, {Infeasible: true}} {
				if text, _, err := write(false, reward-1, proof.VeriPB20); err == nil && text != nil || err != nil && !errors.Is(err, backward.ErrClaim) && !errors.Is(err, bound.ErrNoGroups) {
					t.Fatalf("problem %d: %+v, which the plan of reward %d breaks, gives %v", i, false, reward, err)
				}
			}
		}
		text, s, err := write(claim, reward, formats[i/2%len(formats)])
		if err != nil && !errors.Is(err, bound.ErrNoGroups) {
			t.Fatalf("problem %d: %v", i, err)
		}
		if text == nil {
			continue
		}
		shown++
		if feasible {
			plans++
		}
		if s.States > 0 {
			states++
		}
		f.check(t, i, text, reward, feasible)
	}
	t.Logf("%d problems of %d are proven, %d of which have a plan; %d need states", shown, 3**instances, plans, states)
	if *instances >= 100 && (plans < *instances/10 || states == 0) {
		t.Errorf("only %d problems that have plans are proven, %d with states", plans, states)
	}
}
