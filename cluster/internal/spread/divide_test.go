package spread

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// deathsVariable names a folder with a file for each child process that died at a cube.
const deathsVariable = "FDPLAN_TEST_DEATHS"

// init makes the first two child processes that get a cube die, if there is a folder for that:
// as many as a unit survives.
func init() {
	dir := os.Getenv(deathsVariable)
	if os.Getenv(childVariable) == "" || dir == "" {
		return
	}
	do := kinds["cube"]
	kinds["cube"] = func(ctx context.Context, e *Env, r *request) (*cluster.Outcome, error) {
		for _, name := range []string{"first", "second"} {
			if f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				f.Close()
				os.Exit(9)
			}
		}
		return do(ctx, e, r)
	}
}

// TestDivide has random problems solved by workers of which two processes die, compares
// the answers with brute force, and has the joint proofs checked. Asked again, the same
// problems cost the workers less.
func TestDivide(t *testing.T) {
	deaths := t.TempDir()
	t.Setenv(deathsVariable, deaths)
	c := start(t, 2)
	ctx := t.Context()
	done := func() uint64 {
		s, err := c.Session.Client().Status(ctx, askTime)
		if err != nil {
			t.Fatal(err)
		}
		return s.Done
	}
	var first uint64
	for round := range 2 {
		for seed := range uint64(8) {
			p, net, horizon := randprob.New(seed+50, randprob.Options{})
			task := engine.Task{Problem: p, Network: net}
			o := divide.Options{Executor: Cubes{c}, Cubes: 4, Work: 3, Proof: true, Literal: true}
			res, err := divide.Engine{Options: o}.Solve(ctx, engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			reward, feasible := randprob.BruteForce(p, net, horizon)
			if feasible != (res.Status == engine.Optimal) || feasible && res.Reward != reward {
				t.Fatalf("problem %d: %+v; the best is %d %v", seed, res, reward, feasible)
			}
			m, err := model.New(p, net, horizon, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var opb, text bytes.Buffer
			if _, err := format.Write(ctx, &opb, m, format.Options{Kind: format.OPB}); err != nil {
				t.Fatal(err)
			}
			if _, err := res.Evidence.Write(ctx, &text, proof.VeriPB20); err != nil {
				t.Fatal(err)
			}
			v, err := veripb.Check(&opb, &text)
			if err != nil || feasible != (v.Kind == veripb.Optimal) || !feasible && v.Kind != veripb.Unsat {
				t.Fatalf("problem %d: the proof shows %v, %v", seed, v, err)
			}
		}
		switch n := done(); {
		case round == 0 && n == 0:
			t.Error("the workers did nothing")
		case round == 0:
			first = n
		case n >= 2*first: // the first cubes are the same; how often they are split again depends on the machine's load
			t.Errorf("%d results at first, then %d: none was used again", first, n)
		}
	}
	if died, err := os.ReadDir(deaths); err != nil || len(died) != 2 {
		t.Errorf("%d processes died, error %v; expected 2", len(died), err)
	}
}

// TestPlanEngines: engines that solve no parts are refused.
func TestPlanEngines(t *testing.T) {
	c := start(t, 0)
	for _, name := range registry.Names(nil) {
		make, err := c.Plan(plan.Division{Engine: name})
		if divides := name == registry.Auto || name == registry.PB || name == registry.Search; divides != (err == nil) || err != nil && !errors.Is(err, ErrNotDivided) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		e, err := registry.New(registry.Options{Engine: name})
		if err != nil {
			t.Fatal(err)
		}
		p, net, horizon := randprob.New(3, randprob.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		res, err := make(e).Solve(ctx, engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
		cancel()
		if err != nil || res.Stats["cubes"] != 0 || res.Note == "" {
			t.Errorf("%s: %+v, %v; expected an answer before any worker was there", name, res, err)
		}
	}
}
