package act

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

var problems = flag.String("problems", "", "problems to measure, with commas")
var seeds = flag.Int("seeds", 5, "")
var least = flag.Int("k", 2, "")
var resets = flag.Bool("resets", false, "")

func TestMeasure(t *testing.T) {
	if *problems == "" {
		t.Skip("-problems names none")
	}
	for _, name := range strings.Split(*problems, ",") {
		var steps []int
		var ends []string
		began := time.Now()
		for seed := range *seeds {
			p, err := load.Load(context.Background(), load.Ref{Name: name})
			if err != nil {
				t.Fatal(err)
			}
			real, err := execute.OpenSimulator(context.Background(), p, execute.SimulatorRef{Name: "rddl"})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(seed), 1))
			r, err := acting.Learn(context.Background(), p.Problem, real.Session, acting.Options{
				Horizon: p.Problem.Horizon, Steps: 2000, Reset: *resets, K: *least, Limits: engine.Limits{Threads: 1},
				Draw: func(now *simulator.Answer) (factored.Valuation, error) { return real.Random(p, now, rng) },
			})
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, r.Steps)
			b, w := "-", "-"
			if r.Bound != nil {
				b = fmt.Sprint(*r.Bound)
			}
			if r.Reward != nil {
				w = fmt.Sprint(*r.Reward)
			}
			ends = append(ends, fmt.Sprintf("%d:%s %s/%s k%d c%d %s", r.Steps, r.Status, w, b, r.K, r.Clauses, r.Reason))
		}
		slices.Sort(steps)
		fmt.Printf("%s median %d %v, %v a step\n  %s\n", name, steps[len(steps)/2], steps, (time.Since(began) / time.Duration(max(1, sum(steps)))).Round(time.Microsecond), strings.Join(ends, "\n  "))
	}
}

func sum(s []int) (n int) {
	for _, x := range s {
		n += x
	}
	return n
}
