package certify_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/randprob"
)

var (
	instances = flag.Int("instances", 25, "random problems that every engine solves and whose answers are certified")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random problem")
)

// engines are all that solve without another program.
func engines(t *testing.T) (all []engine.Engine) {
	t.Helper()
	for _, name := range registry.Names(func(e *registry.Entry) bool { return e.Needs == nil }) {
		e, err := registry.New(registry.Options{Engine: name})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// needy are the engines that solve with another program, where one is installed: their own, and
// cbc.
func needy(t *testing.T) (all []engine.Engine) {
	t.Helper()
	add := func(o registry.Options) {
		e, err := registry.New(o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	for _, e := range registry.All() {
		if e.Needs == nil {
			continue
		}
		if registry.Ready(&e) {
			add(registry.Options{Engine: e.Name})
		}
		if _, err := exec.LookPath("cbc"); err == nil {
			add(registry.Options{Engine: e.Name, Solver: "cbc"})
		}
	}
	return all
}

// needyShare is how many random problems there are for one that an engine solves with
// another program, which starts anew for each.
const needyShare = 25

// TestRandom has every engine solve random problems, compares the answers with brute
// force, and certifies one engine's answer to each, in every version of the format. Engines that solve
// with another program take their share of the problems, and all their answers are certified.
func TestRandom(t *testing.T) {
	all := engines(t)
	others := needy(t)
	if len(others) == 0 {
		t.Log("no solver of binary linear programs is installed: engines that need one are left out")
	}
	plans := 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		reward, feasible := randprob.BruteForce(p, net, horizon)
		if feasible {
			plans++
		}
		solvers := all
		if i%needyShare == needyShare-1 && len(others) > 0 {
			solvers = append(slices.Clip(all), others[i/needyShare%len(others)])
		}
		for j, e := range solvers {
			res := solve(t, e, task, horizon, horizon)
			if feasible && (res.Status != engine.Optimal || res.Reward != reward) || !feasible && res.Status != engine.Infeasible {
				t.Fatalf("problem %d: %s finds %s %d; brute force finds %d, a plan %v", seed, e.Name(), res.Status, res.Reward, reward, feasible)
			}
			if j < len(all) && i%len(all) != j {
				continue
			}
			dir := certificate(t, task, res, horizon, versions[i/len(all)%len(versions)])
			r, err := certify.Check(context.Background(), certify.Files{Folder: dir}, &certify.Against{Task: task})
			if err != nil || !r.Accepted {
				t.Fatalf("problem %d, %s: %+v, %v", seed, e.Name(), r, err)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		if *instances > 1000 && (i+1)%1000 == 0 {
			fmt.Fprintf(os.Stderr, "%d problems, %d with a plan: no difference\n", i+1, plans)
		}
	}
	if plans < *instances/3 {
		t.Errorf("only %d of %d problems have plans", plans, *instances)
	}
}
