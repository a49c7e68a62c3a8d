// Command acting measures how many steps it takes to learn bundled problems by acting until an optimum is
// certified, and compares that with random exploration, with a fifth of the steps at random, with resets to any state beside random states, and with
// Algorithm 1 after random rows (docs/acting.md):
//
//	go run -C examples ./acting -seeds 20
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/problem/factored"
)

// most is the number of steps after which a run is given up.
const most = 4000

type problem struct {
	name  string
	reset bool
}

var problems = []problem{
	{"navigation/3x3", false}, {"navigation/4x4", false}, {"navigation/5x5", false}, {"inventory/2", true}, {"inventory/4", true},
	{"sysadmin/4", true}, {"sysadmin/5", true}, {"cellda/x", true}, {"cellda/y", true}, {"two-product/task.toml", true},
}

func main() {
	seeds := flag.Int("seeds", 20, "runs of each, whose median is printed")
	only := flag.String("problem", "", "one problem, or a task file")
	flag.Parse()
	fmt.Println("| problem | `learn` | random .2 | random | `--resets any` | random states | Algorithm 1 after 20/60/200 rows | seconds a step |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- |")
	if i := slices.IndexFunc(problems, func(p problem) bool { return p.name == *only }); i >= 0 {
		problems = problems[i : i+1]
	} else if *only != "" {
		problems = []problem{{*only, true}}
	}
	for _, p := range problems {
		if err := rows(context.Background(), p, *seeds); err != nil {
			fmt.Fprintln(os.Stderr, "acting:", err)
			os.Exit(1)
		}
	}
}

// rows measures a problem, with functions that objects share, if there are any, and without.
func rows(ctx context.Context, of problem, seeds int) error {
	p, err := load.Load(ctx, load.Ref{Name: of.name, Untrained: true})
	if err != nil {
		return err
	}
	name := of.name + map[bool]string{false: ", no resets"}[of.reset]
	if shared := acting.Objects(p.Problem, p.Truth.Compiled.Ground); shared != nil {
		if err := row(ctx, p, name, of.reset, shared, seeds); err != nil {
			return err
		}
		name += ", `--no-lift`"
	}
	return row(ctx, p, name, of.reset, nil, seeds)
}

// row measures a problem with the functions that objects share.
func row(ctx context.Context, p *load.Problem, name string, reset bool, shared []acting.Shared, seeds int) error {
	fmt.Printf("| %s", name)
	var perStep time.Duration
	for i, o := range []acting.Options{{Reset: reset}, {Reset: reset, Random: .2}, {Reset: reset, Random: 1}, {Reset: true, Anywhere: true}} {
		var all []int
		began := time.Now()
		o.Steps, o.Shared = most, shared
		for seed := range seeds {
			r, err := act(ctx, p, o, uint64(seed))
			if err != nil {
				return err
			}
			all = append(all, r.Steps)
		}
		if i == 0 {
			perStep = time.Since(began) / time.Duration(max(1, sum(all)))
		}
		fmt.Print(" | ", median(all))
	}
	var all []int
	for seed := range seeds {
		n, err := restarts(ctx, p, shared, uint64(seed))
		if err != nil {
			return err
		}
		all = append(all, n)
	}
	fmt.Print(" | ", median(all), " | ")
	for i, rows := range []int{20, 60, 200} {
		text, err := algorithm1(ctx, p, rows)
		if err != nil {
			return err
		}
		fmt.Print(map[bool]string{true: "/"}[i > 0], text)
	}
	fmt.Printf(" | %.3f |\n", perStep.Seconds())
	return nil
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

func median(list []int) string {
	slices.Sort(list)
	m := list[len(list)/2]
	if m >= most {
		return fmt.Sprintf("> %d", most)
	}
	return fmt.Sprint(m)
}

// act learns in the RDDL until the optimum is certified.
func act(ctx context.Context, p *load.Problem, o acting.Options, seed uint64) (*acting.Result, error) {
	real, err := execute.OpenSimulator(ctx, p, execute.SimulatorRef{Name: "rddl"})
	if err != nil {
		return nil, err
	}
	defer real.Close()
	rng := rand.New(rand.NewPCG(seed, 1))
	o.Horizon, o.K, o.Limits, o.Rand = p.Problem.Horizon, 2, engine.Limits{Threads: 1}, rng
	o.Draw = func(now *simulator.Answer) (factored.Valuation, error) { return real.Random(p, now, rng) }
	return acting.Learn(ctx, p.Problem, real.Session, o)
}

// restarts is how many rows from random states it takes, with the run of the plan: the least number, by bisection.
func restarts(ctx context.Context, p *load.Problem, shared []acting.Shared, seed uint64) (int, error) {
	dir, err := os.MkdirTemp("", "acting")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	file := dir + "/rows.csv"
	if err := learn.Collect(ctx, p, file, collect.Options{Rows: most, Policy: collect.Restart, Seed: seed, Threads: 1}); err != nil {
		return 0, err
	}
	rows, err := learn.ReadTransitions(ctx, p, file)
	if err != nil {
		return 0, err
	}
	enough := func(n int) (bool, error) {
		o := acting.Options{Reset: true, Shared: shared, Steps: p.Problem.Horizon}
		for _, t := range rows[:n] {
			o.Known = append(o.Known, simulator.Transition{Now: t.Now, Next: t.Next})
		}
		r, err := act(ctx, p, o, seed)
		return err == nil && r.Status == engine.Optimal, err
	}
	lo, hi := 0, 1 // lo rows are not enough
	for ; hi < most; hi *= 2 {
		if ok, err := enough(hi); ok || err != nil {
			break
		}
		lo = hi
	}
	if hi >= most {
		return most, nil
	}
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		ok, err := enough(mid)
		if err != nil {
			return 0, err
		}
		if ok {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi + p.Problem.Horizon, nil
}

// algorithm1 trains a network on rows of exploration and plans with Algorithm 1: what comes of it.
func algorithm1(ctx context.Context, p *load.Problem, n int) (string, error) {
	rows, err := learn.Explore(ctx, p, n, 1)
	if err != nil {
		return "", err
	}
	trained, err := learn.TrainOn(ctx, p, rows, learn.Training{Recipe: learn.RecipeStructure})
	if err != nil {
		return "", err
	}
	q, err := learn.With(p, trained)
	if err != nil {
		return "", err
	}
	real, err := execute.OpenSimulator(ctx, q, execute.SimulatorRef{Name: "rddl", MaxSteps: most})
	if err != nil {
		return "", err
	}
	defer real.Close()
	r := execute.IncrementalRequest{LoopOptions: execute.LoopOptions{Landmarks: "prefix"}}
	r.Engine, r.Horizon = "auto", bind.Steps(p.Problem.Horizon)
	r.Limits = engine.Limits{Threads: 1}
	d, err := execute.Incremental(ctx, q, real, r)
	switch {
	case err != nil:
		return "", err
	case d.Status == engine.Infeasible:
		return "none", nil
	case d.Simulated == nil:
		return string(d.Status), nil
	}
	return fmt.Sprint(*d.Simulated), nil
}
