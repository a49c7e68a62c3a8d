package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/validate"
)

// load writes an instance and reads it as a task.
func load(t testing.TB, args string) (engine.Task, int) {
	t.Helper()
	dir := t.TempDir()
	if err := run(append([]string{"-o", dir}, strings.Fields(args)...)); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	file, err := task.Load(filepath.Join(dir, "task.toml"), os.ReadFile)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	c, err := file.Problem(context.Background(), task.Options{Known: true, Read: os.ReadFile})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return engine.Task{Problem: c.Problem}, c.Problem.Horizon
}

func solve(t testing.TB, e engine.Engine, what engine.Task, h int) *engine.Result {
	t.Helper()
	res, err := e.Solve(context.Background(), engine.Query{Task: what, MinHorizon: h, MaxHorizon: h}, engine.Limits{Threads: 1, Memory: 4 << 30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Trace != nil {
		report, err := validate.Check(what.Problem, what.Network, validate.FromTrace(res.Trace))
		if err != nil || !report.Valid || report.Reward != res.Reward {
			t.Fatalf("the checker says %+v, %v of a plan of %d", report, err, res.Reward)
		}
	}
	return res
}

// TestSmall compares search with pb on a small instance of each family.
func TestSmall(t *testing.T) {
	for _, args := range []string{
		"sysadmin -n 6 -k 2 -graph ring -H 6", "sysadmin -n 5 -k 2 -graph star -H 8",
		"failing -n 5 -k 2 -graph random -cost 3 -H 5", "inventory -n 2 -H 5", "inventory -n 3 -truck 0 -H 4",
		"robots -n 2 -size 5 -loops 1 -H 12", "robots -n 3 -size 3 -loops 1 -H 6", "tiles -steps 6 -H 7",
		"hanoi -n 3 -H 8", "tour -n 5", "sudoku -fills 5",
		"repair -n 4 -k 2 -size 3 -H 4", "charge -n 2 -H 5", "irrigate -n 2 -H 5",
		"jobs -n 3 -k 2 -kinds 2 -H 6", "lifts -n 2 -k 1 -size 3 -H 7", "warehouse -n 2 -k 2 -size 5 -H 7",
		"bikes -n 1 -size 3 -H 6",
		"staff -n 2 -H 3", "lots -n 2 -H 4", "rivers -n 2 -H 4", "heating -n 2 -H 3", "wards -n 2 -H 4", "fleet -n 3 -H 4", "depot -n 3 -H 3", "canal -n 4 -H 3", "rations -n 3 -H 3", "calls -n 3 -H 3", "crews -n 4 -H 4", "turbines -n 3 -H 5",
	} {
		what, h := load(t, args)
		got, want := solve(t, search.Engine{}, what, h), solve(t, conflict.PB{}, what, h)
		plain := solve(t, search.Engine{Without: search.Tables | search.CheapestWay}, what, h)
		if got.Status != want.Status || got.Reward != want.Reward || plain.Status != want.Status || plain.Reward != want.Reward {
			t.Errorf("%s: search gives %s %d, without tables %s %d, pb %s %d", args, got.Status, got.Reward, plain.Status, plain.Reward, want.Status, want.Reward)
		}
	}
}

// TestAgentsAlone compares search with pb where the groups of single variables are too large, so that without agents there are no tables.
func TestAgentsAlone(t *testing.T) {
	what, h := load(t, "bikes -n 3 -size 11 -H 3")
	got, want := solve(t, search.Engine{}, what, h), solve(t, conflict.PB{}, what, h)
	if got.Status != engine.Optimal || got.Reward != want.Reward || got.Stats["groups"] == 0 {
		t.Errorf("search gives %s %d with %d groups, pb %d", got.Status, got.Reward, got.Stats["groups"], want.Reward)
	}
}

// TestScaling proves the first rows; the others are for BenchmarkScaling.
func TestScaling(t *testing.T) {
	for _, r := range rows[:5] {
		what, h := load(t, r.args)
		if res := solve(t, search.Engine{}, what, h); res.Status != engine.Optimal || res.Reward != r.reward {
			t.Errorf("%s: %s %d, expected %d", r.args, res.Status, res.Reward, r.reward)
		}
	}
}

// TestRefused has options that no family can meet.
func TestRefused(t *testing.T) {
	for _, args := range []string{"nothing", "sysadmin -graph cube", "robots -n 40 -size 3", "tiles -size 5", "sudoku -fills 0", "warehouse -n 9 -size 8", "staff -n 1"} {
		if err := run(append([]string{"-o", t.TempDir()}, strings.Fields(args)...)); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}
