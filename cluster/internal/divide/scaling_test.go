package divide_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/validate"
)

// generated has examples/scaling write an instance, and reads it as a task.
func generated(t testing.TB, args string) (engine.Task, int) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"run", "./scaling", "-o", dir}, strings.Fields(args)...)...)
	cmd.Dir = "../../../examples"
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", args, err, text)
	}
	file, err := task.Load(filepath.Join(dir, "task.toml"), os.ReadFile)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	c, err := file.Problem(t.Context(), task.Options{Known: true, Read: os.ReadFile})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return engine.Task{Problem: c.Problem}, c.Problem.Horizon
}

// checked solves a task by any engine, and has the checker replay the plan.
func checked(t testing.TB, e engine.Engine, what engine.Task, h int) *engine.Result {
	t.Helper()
	res, err := e.Solve(context.Background(), engine.Query{Task: what, MinHorizon: h, MaxHorizon: h}, engine.Limits{Threads: 1, Memory: 4 << 30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := validate.Check(what.Problem, what.Network, validate.FromTrace(res.Trace))
	if err != nil || !report.Valid || report.Reward != res.Reward {
		t.Fatalf("the checker says %+v, %v of a plan of %d", report, err, res.Reward)
	}
	return res
}

// TestDivided divides instances among four workers: the reward is that of one engine, and the
// certificate, with the proofs of all parts joined, is accepted.
func TestDivided(t *testing.T) {
	for _, args := range []string{"sysadmin -n 6 -k 2 -graph ring -H 6", "failing -n 5 -k 2 -graph ring -H 5", "inventory -n 2 -H 5", "robots -n 2 -size 3 -loops 1 -H 6"} {
		what, h := generated(t, args)
		want := checked(t, search.Engine{}, what, h)
		got := checked(t, divide.Engine{Options: divide.Options{Executor: divide.Threads{N: 4}, Work: 50_000, Proof: true, Literal: true}}, what, h)
		if got.Status != want.Status || got.Reward != want.Reward || got.Stats["cubes"] < 2 {
			t.Fatalf("%s: %s %d in %d cubes, by search %s %d", args, got.Status, got.Reward, got.Stats["cubes"], want.Status, want.Reward)
		}
		answers, err := certify.Answers(t.Context(), what, got, h, engine.Limits{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		// Write has the joint proof checked, against the problem too.
		if err := certify.Write(t.Context(), what, answers, t.TempDir(), certify.Options{Format: proof.VeriPB20}); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}
