//go:build unix

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	loading "github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
)

// engines are search as it is, and without one of its parts.
var engines = []struct {
	name   string
	engine search.Engine
}{
	{"all", search.Engine{}}, {"no-tables", search.Engine{Without: search.Tables}}, {"no-cheapest-way", search.Engine{Without: search.CheapestWay}},
	{"no-patterns", search.Engine{Without: search.Patterns}}, {"no-local-search", search.Engine{Without: search.LocalSearch}},
	{"no-beam", search.Engine{Without: search.Beam}}, {"no-compilation", search.Engine{Without: search.Compilation}},
}

// competition has instances of IPPC 2011 and 2014, if they are there.
const competition = "../../../shared/data/rddl/"

// BenchmarkAblation solves the rows, and instances of IPPC over 10 and 25 steps, by search without
// one part at a time. It measures seconds of CPU, of which each run has early, and the reward and the
// bound of the answer, in units of the model's reward.
func BenchmarkAblation(b *testing.B) {
	for _, r := range rows {
		b.Run(strings.ReplaceAll(r.args, " ", "_"), func(b *testing.B) {
			what, h := load(b, r.args)
			benchParts(b, what, h)
		})
	}
	files, err := filepath.Glob(competition + "*/*/instance[123].rddl")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		for _, h := range []int{10, 25} {
			b.Run(fmt.Sprintf("%s/H=%d", strings.TrimPrefix(file, competition), h), func(b *testing.B) {
				p, err := loading.Load(context.Background(), loading.Ref{
					Source: loading.Source{Domain: filepath.Join(filepath.Dir(file), "domain.rddl"), Instance: file, IgnoreDiscount: true, Determinize: "most-likely"},
				})
				if err != nil {
					b.Fatal(err)
				}
				benchParts(b, p.Task, h)
			})
		}
	}
}

func benchParts(b *testing.B, what engine.Task, h int) {
	for _, e := range engines {
		b.Run(e.name, func(b *testing.B) {
			before := cpu(b)
			var res *engine.Result
			for b.Loop() {
				res, _ = solveEarly(b, e.engine, what, h, early)
			}
			b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
			if res.Trace != nil {
				b.ReportMetric(float64(res.Reward), "reward")
			}
			if res.Bound != nil {
				b.ReportMetric(float64(*res.Bound), "bound")
			}
		})
	}
}
