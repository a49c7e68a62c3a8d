// Command acting measures how many steps it takes to learn bundled problems by acting until an optimum is
// certified, and compares that with a fifth of the steps at random, with rows of collect by its policies exploration and restart (resets
// to any state beside it), and with Algorithm 1 after rows of exploration (docs/acting.md):
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
const most = 1024

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
	fmt.Println("| problem | `learn` | random .2 | `exploration` | Algorithm 1 | `--resets any` | `restart` | seconds a step |")
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
	learned := func(o acting.Options) measure {
		o.Steps, o.Shared = most, shared
		return func(seed uint64) (int, error) {
			r, err := act(ctx, p, o, seed)
			if err != nil || r.Status != engine.Optimal { // a run may end where nothing new is in reach
				return most, err
			}
			return r.Steps, nil
		}
	}
	collected := func(policy collect.Policy) measure {
		return func(seed uint64) (int, error) { return enough(ctx, p, shared, policy, seed) }
	}
	for i, of := range []measure{
		learned(acting.Options{Reset: reset}), learned(acting.Options{Reset: reset, Random: .2}), collected(collect.Exploration),
		func(seed uint64) (int, error) { return algorithm1(ctx, p, seed) },
		learned(acting.Options{Reset: true, Anywhere: true}), collected(collect.Restart),
	} {
		var all []int
		began := time.Now()
		for seed := range seeds {
			n, err := of(uint64(seed))
			if err != nil {
				return err
			}
			all = append(all, n)
		}
		if i == 0 {
			perStep = time.Since(began) / time.Duration(max(1, sum(all)))
		}
		fmt.Print(" | ", median(all))
	}
	fmt.Printf(" | %.3f |\n", perStep.Seconds())
	return nil
}

// measure tells how many steps something takes.
type measure func(seed uint64) (int, error)

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

// median is the middle of a list, or half way between the two in the middle.
func median(list []int) string {
	slices.Sort(list)
	low, high := list[(len(list)-1)/2], list[len(list)/2]
	if high >= most {
		return fmt.Sprintf("> %d", most)
	}
	return fmt.Sprint(float64(low+high) / 2)
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

// enough is how many rows of a policy it takes, with the run of the plan: the least number, by bisection.
func enough(ctx context.Context, p *load.Problem, shared []acting.Shared, policy collect.Policy, seed uint64) (int, error) {
	dir, err := os.MkdirTemp("", "acting")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	file := dir + "/rows.csv"
	if err := learn.Collect(ctx, p, file, collect.Options{Rows: most, Policy: policy, Seed: seed, Threads: 1}); err != nil {
		return 0, err
	}
	rows, err := learn.ReadTransitions(ctx, p, file)
	if err != nil {
		return 0, err
	}
	are := func(n int) (bool, error) {
		o := acting.Options{Reset: true, Shared: shared, Steps: p.Problem.Horizon}
		for _, t := range rows[:n] {
			o.Known = append(o.Known, simulator.Transition{Now: t.Now, Next: t.Next})
		}
		r, err := act(ctx, p, o, seed)
		return err == nil && r.Status == engine.Optimal, err
	}
	lo, hi := 0, 1 // lo rows are not enough
	for ; hi <= most; hi *= 2 {
		if ok, err := are(hi); ok || err != nil {
			break
		}
		lo = hi
	}
	if hi > most {
		return most, nil
	}
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		ok, err := are(mid)
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

// algorithm1 is how many rows of exploration and steps of its plans Algorithm 1 takes until a plan that it ends with is the best one, which it does
// not know: rows are doubled from 10, and a network is trained on them.
func algorithm1(ctx context.Context, p *load.Problem, seed uint64) (int, error) {
	best, err := act(ctx, p, acting.Options{Reset: true, Steps: most}, seed)
	if err != nil || best.Status != engine.Optimal {
		return most, err
	}
	for n := 10; n < most; n *= 2 {
		rows, err := learn.Explore(ctx, p, n, seed)
		if err != nil {
			return 0, err
		}
		reward, steps, err := incremental(ctx, p, rows)
		if err != nil {
			return 0, err
		}
		if reward != nil && *reward == p.Problem.Reward.Float(*best.Reward) {
			return n + steps, nil
		}
	}
	return most, nil
}

// incremental plans with a network that is trained on rows by Algorithm 1: the reward of the plan that holds, nil for none, and the steps taken.
func incremental(ctx context.Context, p *load.Problem, rows []learn.Transition) (*float64, int, error) {
	trained, err := learn.TrainOn(ctx, p, rows, learn.Training{Recipe: learn.RecipeStructure})
	if err != nil {
		return nil, 0, err
	}
	q, err := learn.With(p, trained)
	if err != nil {
		return nil, 0, err
	}
	real, err := execute.OpenSimulator(ctx, q, execute.SimulatorRef{Name: "rddl", MaxSteps: most})
	if err != nil {
		return nil, 0, err
	}
	defer real.Close()
	r := execute.IncrementalRequest{LoopOptions: execute.LoopOptions{Landmarks: "prefix"}}
	r.Engine, r.Horizon = "auto", bind.Steps(p.Problem.Horizon)
	r.Limits = engine.Limits{Threads: 1}
	d, err := execute.Incremental(ctx, q, real, r)
	if err != nil {
		return nil, 0, err
	}
	return d.Simulated, d.Loop.Simulations, nil
}
