package certify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// versions are those of the proofs.
var versions = []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}

func solve(t *testing.T, e engine.Engine, task engine.Task, from, to int) *engine.Result {
	t.Helper()
	res, err := e.Solve(context.Background(), engine.Query{Task: task, MinHorizon: from, MaxHorizon: to}, engine.Limits{Threads: 1, Memory: 1 << 30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// certificate writes a folder for a result, with the answer file that plan writes.
func certificate(t *testing.T, task engine.Task, res *engine.Result, horizon int, version proof.Format) string {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	l := engine.Limits{Threads: 1, Memory: 1 << 30}
	answers, err := certify.Answers(ctx, task, res, horizon, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := certify.Write(ctx, task, answers, dir, certify.Options{Format: version, Limits: l}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"schema":1,"horizon":%d,"status":%q`, answers[0].Horizon, res.Status)
	if res.Trace != nil {
		fmt.Fprintf(&b, `,"reward":%v`, *app.RewardOf(task.Problem, res.Reward))
	}
	if res.Bound != nil {
		fmt.Fprintf(&b, `,"bound":%v`, *app.RewardOf(task.Problem, *res.Bound))
	}
	b.WriteString("}")
	if err := os.WriteFile(filepath.Join(dir, certify.AnswerFile), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestBundled certifies the bundled problems at their own horizons: proofs of at
// most 100 KB, which are accepted with the problem beside them.
func TestBundled(t *testing.T) {
	for name, horizons := range map[string][]int{
		"navigation/3x3": {3, 4, 5, 6}, "navigation/4x4": {4, 5, 7}, "navigation/5x5": {7, 8, 10}, "inventory/2": {5, 7},
		"inventory/4": {6, 8}, "sysadmin/4": {2, 4}, "sysadmin/5": {2, 4}, "cellda/x": {9, 10, 12}, "cellda/y": {7, 8, 10},
	} {
		for _, known := range []bool{false, true} {
			p, err := load.Load(context.Background(), load.Ref{Name: name, Source: load.Source{Model: map[bool]string{true: load.RDDL}[known]}})
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range horizons {
				if known && i > 0 {
					break
				}
				dir := certificate(t, p.Task, solve(t, search.Engine{}, p.Task, h, h), h, versions[i%len(versions)])
				r, err := certify.Check(context.Background(), certify.Files{Folder: dir}, &certify.Against{Task: p.Task})
				if err != nil || !r.Accepted || len(r.Claims) != 1 || r.Claims[0].Translation == nil {
					t.Fatalf("%s H %d: %+v, %v", name, h, r, err)
				}
				info, err := os.Stat(r.Claims[0].Proof)
				if err != nil {
					t.Fatal(err)
				}
				if info.Size() > 100_000 {
					t.Errorf("%s H %d: the proof has %d bytes", name, h, info.Size())
				}
			}
		}
	}
}

// TestEngines certifies the answers of several engines to random problems, and has
// answers refused that say more than their proofs show.
func TestEngines(t *testing.T) {
	engines := []engine.Engine{search.Engine{}, race.New(search.Engine{}, conflict.PB{}), conflict.PB{}, conflict.MaxSAT{}}
	plans := 0
	for seed := range uint64(120) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		res := solve(t, engines[seed%4], task, horizon, horizon)
		dir := certificate(t, task, res, horizon, versions[seed/4%uint64(len(versions))])
		check := func() *certify.Report {
			r, err := certify.Check(context.Background(), certify.Files{Folder: dir}, &certify.Against{Task: task})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if r := check(); !r.Accepted {
			t.Fatalf("problem %d: %+v", seed, r)
		}
		// Another answer to the same problem.
		other := fmt.Sprintf(`{"schema":1,"horizon":%d,"status":"infeasible"}`, horizon)
		if res.Status == engine.Infeasible {
			other = fmt.Sprintf(`{"schema":1,"horizon":%d,"status":"optimal","reward":0,"bound":0}`, horizon)
		} else {
			plans++
		}
		file := filepath.Join(dir, certify.AnswerFile)
		for i := range 2 {
			if err := os.WriteFile(file, []byte(other), 0o600); err != nil {
				t.Fatal(err)
			}
			if r := check(); r.Accepted {
				t.Fatalf("problem %d is %s %d: accepted %s", seed, res.Status, res.Reward, other)
			}
			if i == 0 && res.Status == engine.Optimal {
				best := *app.RewardOf(p, res.Reward)
				other = fmt.Sprintf(`{"schema":1,"horizon":%d,"status":"optimal","reward":%v,"bound":%v}`, horizon, best-1, best-1)
			}
		}
	}
	if plans < 40 {
		t.Errorf("only %d problems have plans", plans)
	}
}

// TestFalse wants no proof of a false answer.
func TestFalse(t *testing.T) {
	p, err := load.Load(context.Background(), load.Ref{Name: "navigation/3x3"})
	if err != nil {
		t.Fatal(err)
	}
	res := solve(t, search.Engine{}, p.Task, 5, 5)
	low := res.Reward - 1
	for _, a := range []certify.Answer{
		{Horizon: 5, Status: engine.Infeasible},
		{Horizon: 5, Status: engine.Feasible, Bound: &low},
		{Horizon: 5, Status: engine.Optimal, Trace: res.Trace, Reward: low, Bound: &low},
	} {
		if _, err := certify.Prove(context.Background(), p.Task, a, certify.Options{W: new(bytes.Buffer), Format: proof.VeriPB20}); !errors.Is(err, app.ErrInternal) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if _, err := certify.Prove(context.Background(), p.Task, certify.Answer{Horizon: 5, Status: engine.Unknown}, certify.Options{W: new(bytes.Buffer)}); !errors.Is(err, certify.ErrNoProof) {
		t.Errorf("nothing is known: %v", err)
	}
}

// TestBroken changes one line of valid proofs of random problems, backward ones and those of
// pb: a number, its order, a missing line, the end. Whatever is still accepted must be true.
func TestBroken(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	accepted, tried := 0, 0
	for seed := range uint64(*instances) {
		p, net, horizon := randprob.New(seed+1000, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		reward, feasible := randprob.BruteForce(p, net, horizon)
		dir := certificate(t, task, solve(t, search.Engine{}, task, horizon, horizon), horizon, versions[seed%uint64(len(versions))])
		opb, name := filepath.Join(dir, fmt.Sprintf("h%d.opb", horizon)), filepath.Join(dir, fmt.Sprintf("h%d.pbp", horizon))
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 1 {
			text = conflictProof(t, task, horizon, versions[seed%uint64(len(versions))])
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		for range 20 {
			broken := randprob.BreakLine(rng, lines)
			if err := os.WriteFile(name, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := certify.Check(context.Background(), certify.Files{OPB: opb, Proof: name}, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := r.Claims[0]
			if tried++; !c.Accepted {
				continue
			}
			accepted++
			best := *app.RewardOf(p, reward)
			switch {
			case strings.HasPrefix(c.Shows, "unsat") && feasible,
				c.Bound != nil && feasible && *c.Bound < best,
				c.Reward != nil && (!feasible || *c.Reward > best):
				t.Fatalf("problem %d, best %v %v: the proof shows %s:\n%s", seed, best, feasible, c.Shows, broken)
			}
		}
	}
	if accepted == 0 || accepted == tried {
		t.Errorf("%d of %d broken proofs accepted", accepted, tried)
	}
	t.Logf("%d of %d broken proofs are accepted, and true", accepted, tried)
}

// conflictProof is the proof that engine pb writes while it solves.
func conflictProof(t *testing.T, task engine.Task, horizon int, version proof.Format) []byte {
	t.Helper()
	file, err := model.New(task.Problem, task.Network, horizon, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	solve(t, conflict.PB{Proof: &conflict.Proof{W: &text, Format: version, File: file}}, task, horizon, horizon)
	return text.Bytes()
}
