//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	loading "github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/bnn"
)

// learnedRows are learned from rows drawn by --policy random, or restart where a policy that moves at random wears everything out, and planned with.
var learnedRows = []struct {
	args, learns string
	collect.Options
}{
	{"sysadmin -n 20 -k 6 -graph ring -H 40", "running age", collect.Options{Rows: 1000, Policy: collect.Restart, Seed: 1}},
	{"sysadmin -n 50 -k 15 -graph tree -H 40", "running age", collect.Options{Rows: 1000, Policy: collect.Restart, Seed: 1}},
	{"irrigate -n 6 -H 20", "moist water dam", collect.Options{Rows: 5000, Seed: 1}},
	{"repair -n 10 -k 3 -H 20", "wear parts", collect.Options{Rows: 5000, Seed: 1}},
	{"charge -n 8 -H 24", "soc", collect.Options{Rows: 5000, Seed: 1}},
}

// BenchmarkLearned learns networks from transitions, and plans with each by auto and, from the files that fdplan compile writes of the same
// model, by other solvers, for a minute each. The best reward must be that of the RDDL. It measures seconds of CPU, with those of the solvers.
func BenchmarkLearned(b *testing.B) {
	for _, r := range learnedRows {
		b.Run(strings.ReplaceAll(r.args, " ", "_"), func(b *testing.B) {
			dir := b.TempDir()
			if err := run(append([]string{"-o", dir}, strings.Fields(r.args)...)); err != nil {
				b.Fatal(err)
			}
			known, horizon := load(b, r.args)
			_, p := untrained(b, dir, strings.Fields(r.learns)...)
			data := drawRows(b, p, filepath.Join(dir, "rows.csv"), r.Options)
			before := cpu(b)
			_, network := trainOn(b, p, data)
			training := cpu(b) - before
			file, err := bnn.ReadFile("network", bytes.NewReader(network))
			if err != nil {
				b.Fatal(err)
			}
			reward := solve(b, search.Engine{}, known, horizon).Reward
			what := engine.Task{Problem: p.Problem, Network: file.Network}
			for _, o := range []registry.Options{
				{}, {Engine: registry.PB, Solver: "clasp"}, {Engine: registry.MaxSAT, Solver: "evalmaxsat"}, {Engine: registry.MaxSAT, Solver: "open-wbo"},
				{Engine: registry.BLP, Solver: "highs", BLPHelp: "none"}, {Engine: registry.BLP, Solver: "cbc", BLPHelp: "none"},
			} {
				b.Run(cmp.Or(o.Solver, "auto"), func(b *testing.B) {
					benchLearned(b, o, what, horizon, reward)
					b.ReportMetric(training, "training-cpu-s")
				})
			}
		})
	}
}

// benchLearned plans by an engine, for patience seconds at most. Where it proves an optimum, that must be the reward.
func benchLearned(b *testing.B, o registry.Options, what engine.Task, h int, reward int64) {
	e, err := registry.New(o)
	if err != nil {
		b.Fatal(err)
	}
	before := cpu(b) + cpuOf(b, syscall.RUSAGE_CHILDREN)
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), patience*time.Second)
		res, err := e.Solve(ctx, engine.Query{Task: what, MinHorizon: h, MaxHorizon: h}, engine.Limits{Threads: 1, Memory: 4 << 30}, nil)
		cancel()
		if missing := (*external.MissingError)(nil); errors.As(err, &missing) {
			extsolver.Missing(b, err.Error())
		}
		if err != nil {
			b.Fatal(err)
		}
		if res.Status == engine.Optimal && res.Reward != reward || res.Status == engine.Infeasible || res.Trace != nil && res.Reward > reward {
			b.Fatalf("%s %d, expected %d", res.Status, res.Reward, reward)
		}
		if res.Trace != nil {
			b.ReportMetric(float64(res.Reward), "reward")
		}
		b.ReportMetric(map[bool]float64{true: 1}[res.Status == engine.Optimal], "proven")
	}
	b.ReportMetric((cpu(b)+cpuOf(b, syscall.RUSAGE_CHILDREN)-before)/float64(b.N), "cpu-s/op")
}

// published is where the published files are, if they are there.
const published = "../../../shared/data/fd-sat-plan"

// BenchmarkPaper solves the paper's instances one after the other in auto, from the bundled
// networks and from the published files, in which SysAdmin leaves the initial ages open. It measures
// seconds of CPU, over all of them.
func BenchmarkPaper(b *testing.B) {
	auto, err := registry.New(registry.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for name, dir := range map[string]string{"bundled": "", "published": published} {
		b.Run(name, func(b *testing.B) {
			if _, err := os.Stat(dir); dir != "" && err != nil {
				b.Skipf("the published files are not there: %v", err)
			}
			var spent, most float64
			for b.Loop() {
				for _, in := range bundled.Published() {
					what := paperTask(b, in.Problem, dir)
					before := cpu(b)
					if res := solve(b, auto, what, in.Horizon); res.Status != engine.Optimal && res.Status != engine.Infeasible {
						b.Fatalf("%s, horizon %d: %s", in.Problem, in.Horizon, res.Status)
					}
					spent += cpu(b) - before
					most = max(most, cpu(b)-before)
				}
			}
			b.ReportMetric(spent/float64(b.N), "cpu-s/op")
			b.ReportMetric(most, "most-cpu-s")
		})
	}
	for _, h := range []int{3, 4} {
		for _, name := range []string{registry.Search, registry.PB} {
			b.Run(fmt.Sprintf("open-ages/%s/H=%d", name, h), func(b *testing.B) { benchOpenAges(b, name, h) })
		}
	}
}

// benchOpenAges solves the published sysadmin/5 by an engine, for patience seconds of CPU at most.
func benchOpenAges(b *testing.B, name string, h int) {
	if _, err := os.Stat(published); err != nil {
		b.Skipf("the published files are not there: %v", err)
	}
	e, err := registry.New(registry.Options{Engine: name})
	if err != nil {
		b.Fatal(err)
	}
	what := paperTask(b, "sysadmin/5", published)
	before := cpu(b)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var res *engine.Result
	for b.Loop() {
		res, err = e.Solve(ctx, engine.Query{Task: what, MinHorizon: h, MaxHorizon: h}, engine.Limits{Threads: 1, Memory: 4 << 30}, func(engine.Progress) {
			if cpu(b)-before > patience {
				cancel()
			}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
	b.ReportMetric(map[bool]float64{true: 1}[res.Status == engine.Optimal], "proven")
	b.ReportMetric(float64(res.Reward), "reward")
}

// paperTask loads a bundled problem, or with a folder the published one.
func paperTask(b *testing.B, name, dir string) engine.Task {
	b.Helper()
	if dir != "" { // there inventories are numbered
		name = strings.NewReplacer("inventory/2", "inventory/1", "inventory/4", "inventory/2").Replace(name)
	}
	p, err := loading.Load(context.Background(), loading.Ref{Name: name, Source: loading.Source{Files: dir}})
	if err != nil {
		b.Fatal(err)
	}
	return p.Task
}
