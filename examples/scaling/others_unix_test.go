//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	loading "github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/problem/bnn"
)

// BenchmarkLearned learns fifty computers in a tree from 1,000 transitions, and plans with the
// network for the row of that size, whose best reward is the same. It measures seconds of CPU.
func BenchmarkLearned(b *testing.B) {
	const args, reward = "sysadmin -n 50 -k 15 -graph tree -H 40", -345
	dir := b.TempDir()
	if err := run(append([]string{"-o", dir}, strings.Fields(args)...)); err != nil {
		b.Fatal(err)
	}
	_, p := untrained(b, dir, "running", "age")
	data := drawRows(b, p, filepath.Join(dir, "rows.csv"), collect.Options{Rows: 1000, Policy: collect.Restart, Seed: 1})
	before := cpu(b)
	_, network := trainOn(b, p, data)
	training := cpu(b) - before
	file, err := bnn.ReadFile("network", bytes.NewReader(network))
	if err != nil {
		b.Fatal(err)
	}
	what := engine.Task{Problem: p.Problem, Network: file.Network}
	before = cpu(b)
	for b.Loop() {
		if res := solve(b, search.Engine{}, what, p.Problem.Horizon); res.Status != engine.Optimal || res.Reward != reward {
			b.Fatalf("%s %d, expected %d", res.Status, res.Reward, reward)
		}
	}
	b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
	b.ReportMetric(training, "training-cpu-s")
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
