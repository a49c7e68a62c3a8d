package conflict_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
)

// tally counts what a lowering streams.
type tally struct{ variables, clauses, literals int64 }

func (c *tally) Clauses(_ int, _ model.Group, lits []int32) error {
	for _, l := range lits {
		if l == 0 {
			c.clauses++
			continue
		}
		c.literals++
		c.variables = max(c.variables, int64(max(l, -l)))
	}
	return nil
}

// BenchmarkEncodings is the size of each encoding of each published instance,
// and the time of maxsat, with all units, from the problem to the proof, or a minute where that
// was not enough: then unproven is 1. What has more than five million variables
// is counted and not solved.
func BenchmarkEncodings(b *testing.B) {
	for _, name := range []string{"default", "paper", "published", "unidirectional"} {
		e, err := cnf.ParseEncoding(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, in := range paperInstances {
			b.Run(fmt.Sprintf("%s/%s-%s-H%d", name, in.domain, in.name, in.horizon), func(b *testing.B) {
				task := in.load(b)
				m, err := model.New(task.Problem, task.Network, in.horizon, model.Options{Propagate: true})
				if err != nil {
					b.Fatal(err)
				}
				var size tally
				if err := cnf.NewLowering(m, e).Stream(context.Background(), &size); err != nil {
					b.Fatal(err)
				}
				var conflicts, unproven int64
				for b.Loop() {
					if size.variables > 5_000_000 {
						unproven++
						continue
					}
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					q := engine.Query{Task: task, MinHorizon: in.horizon, MaxHorizon: in.horizon}
					res, err := conflict.MaxSAT{Encoding: e, Change: conflict.Implicates}.Solve(ctx, q, engine.Limits{Threads: 1}, nil)
					cancel()
					switch {
					case err != nil:
						b.Fatal(err)
					case res.Status == engine.Optimal && res.Reward != in.reward:
						b.Fatalf("reward %d, expected %d", res.Reward, in.reward)
					case res.Status != engine.Optimal:
						unproven++
					}
					conflicts += res.Stats["conflicts"]
				}
				b.ReportMetric(float64(conflicts)/float64(b.N), "conflicts/op")
				b.ReportMetric(float64(unproven)/float64(b.N), "unproven/op")
				b.ReportMetric(float64(size.variables), "variables")
				b.ReportMetric(float64(size.clauses), "clauses")
				b.ReportMetric(float64(size.literals), "literals")
			})
		}
	}
}
