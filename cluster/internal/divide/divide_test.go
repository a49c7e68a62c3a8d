package divide_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/validate"
)

var (
	instances = flag.Int("instances", 150, "random problems")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random problem")
)

func solve(t testing.TB, o divide.Options, task engine.Task, horizon int) *engine.Result {
	t.Helper()
	q := engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}
	res, err := divide.Engine{Options: o}.Solve(context.Background(), q, engine.Limits{Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// agrees compares a result with brute force and has the checker replay its plan.
func agrees(t testing.TB, what any, task engine.Task, horizon int, res *engine.Result) {
	t.Helper()
	reward, feasible := randprob.BruteForce(task.Problem, task.Network, horizon)
	if !feasible {
		if res.Status != engine.Infeasible {
			t.Fatalf("%v: %s, expected no plan", what, res.Status)
		}
		return
	}
	if res.Status != engine.Optimal || res.Reward != reward || *res.Bound != reward {
		t.Fatalf("%v: %+v, expected the optimum %d", what, res, reward)
	}
	report, err := validate.Check(task.Problem, task.Network, validate.FromTrace(res.Trace))
	if err != nil || !report.Valid || report.Reward != reward {
		t.Fatalf("%v: the checker says %+v, %v", what, report, err)
	}
}

// problemFile is the OPB file that a joint proof is about.
func problemFile(t testing.TB, task engine.Task, horizon int, literal bool) ([]byte, *model.Model) {
	t.Helper()
	m, err := model.New(task.Problem, task.Network, horizon, model.Options{Propagate: !literal})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := format.Write(context.Background(), &b, m, format.Options{Kind: format.OPB}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), m
}

// proven has the checker read the joint proof of a result.
func proven(t testing.TB, what any, task engine.Task, horizon int, res *engine.Result, f proof.Format) {
	t.Helper()
	if res.Evidence == nil {
		t.Fatalf("%v: no evidence", what)
	}
	opb, m := problemFile(t, task, horizon, res.Evidence.Literal)
	var text bytes.Buffer
	bound, err := res.Evidence.Write(context.Background(), &text, f)
	if err != nil {
		t.Fatalf("%v: %v", what, err)
	}
	v, err := veripb.Check(bytes.NewReader(opb), bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatalf("%v: %v\n%s\n%s", what, err, opb, text.Bytes())
	}
	if res.Status == engine.Infeasible {
		if v.Kind != veripb.Unsat || bound != nil {
			t.Fatalf("%v: the proof shows %v, expected no plan", what, v)
		}
		return
	}
	o := format.ObjectiveOf(m, format.OPB)
	if v.Kind != veripb.Optimal || o.Reward(v.Lower.Int64()) != res.Reward || *bound != res.Reward {
		t.Fatalf("%v: the proof shows %v, expected the optimum of reward %d", what, v, res.Reward)
	}
}

// TestRandom divides random problems in many ways and compares the answers with brute force,
// and has the joint proofs checked.
func TestRandom(t *testing.T) {
	formats := []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}
	optimal, divided := 0, int64(0)
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		if i%3 == 0 {
			for j := range p.Reward.Terms {
				p.Reward.Terms[j].Weight = p.Reward.Terms[j].Weight*1_003 + int64(j)*79
			}
		}
		task := engine.Task{Problem: p, Network: net}
		o := divide.Options{Executor: divide.Threads{N: 1 + i%3}, Cubes: 1 + i%7, Work: int64(1+i%5) * 20, Literal: i%2 == 0}
		if i%4 == 3 {
			o.Unit = divide.Engines()[1]
		} else {
			o.Proof = true
		}
		res := solve(t, o, task, horizon)
		agrees(t, seed, task, horizon, res)
		if o.Proof {
			proven(t, fmt.Sprint(seed, " ", o.Literal), task, horizon, res, formats[i/2%3])
		}
		if res.Status == engine.Optimal {
			optimal++
		}
		divided += res.Stats["divided_again"]
	}
	if optimal < *instances/3 {
		t.Errorf("only %d problems have a plan", optimal)
	}
	t.Logf("%d cubes were divided again", divided)
}

// TestFirst has an engine work alone at first, and then beside the workers: whoever has the
// answer, it is the same.
func TestFirst(t *testing.T) {
	notes := map[string]int{}
	for seed := range uint64(60) {
		p, net, horizon := randprob.New(seed+400, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		o := divide.Options{Executor: divide.Threads{N: 2}, First: conflict.PB{}, HeadStart: time.Nanosecond, Proof: seed%2 == 0}
		switch seed % 3 {
		case 0:
			o.HeadStart = time.Minute
		case 1:
			o.First = waiting{}
		}
		res := solve(t, o, task, horizon)
		agrees(t, seed, task, horizon, res)
		if res.Evidence != nil {
			proven(t, seed, task, horizon, res, proof.VeriPB20)
		}
		if seed%3 == 0 && res.Stats["cubes"] > 0 || o.Proof && res.Evidence == nil {
			t.Errorf("%d: %+v", seed, res)
		}
		notes[strings.Fields(res.Note)[0]]++
	}
	if notes["one"] < 20 || notes["the"] < 10 {
		t.Errorf("notes %v", notes)
	}
}

// waiting is an engine that finds nothing until its context ends.
type waiting struct{}

func (waiting) Name() string { return "waiting" }

func (waiting) Solve(ctx context.Context, _ engine.Query, _ engine.Limits, _ func(engine.Progress)) (*engine.Result, error) {
	<-ctx.Done()
	return &engine.Result{Status: engine.Unknown, Reason: context.Cause(ctx).Error()}, nil
}

// TestRange divides the problems of a range of horizons, which exchange no bounds.
func TestRange(t *testing.T) {
	for seed := range uint64(30) {
		p, net, _ := randprob.New(seed+700, randprob.Options{})
		q := engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: 1, MaxHorizon: 3}
		e := divide.Engine{Options: divide.Options{Executor: divide.Threads{N: 2}, First: conflict.PB{}, Cubes: 4, Work: 400}}
		res, err := e.Solve(context.Background(), q, engine.Limits{Threads: 1, Shared: &engine.Exchange{}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range res.Horizons {
			reward, feasible := randprob.BruteForce(p, net, line.Horizon)
			if feasible != (line.Status == engine.Optimal) || feasible && line.Reward != reward {
				t.Errorf("problem %d: %+v, the best is %d %v", seed, line, reward, feasible)
			}
		}
	}
}
