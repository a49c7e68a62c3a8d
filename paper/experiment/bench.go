// Package experiment implements the use cases of running the paper's experiments
// and of rendering their report.
package experiment

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/paper/bench"
)

// Limits of a bench that sets none. A quick bench promises 5 minutes, and its last
// run needs some seconds to stop.
const (
	timeLimit, quickTimeLimit   = 10 * time.Minute, 10 * time.Second
	reachLimit, quickReachLimit = time.Minute, 2 * time.Second
	trainLimit                  = 30 * time.Minute // at least
	repeatBelow                 = time.Minute
	quickTotal                  = 285 * time.Second
)

// Of a bench that is not quick: runs of each planner on each instance, and the wall-clock time of
// a run, of its CPU time, above which something else must have been at work.
const (
	repeats = 3
	maxLoad = 1.15
)

// Bench makes the runs that are missing from the journal in the folder of c, as
// Complete completes it; see bench.Run.
func Bench(ctx context.Context, c bench.Config) (*bench.Summary, error) {
	return bench.Run(ctx, Complete(ctx, c))
}

// Complete sets the limits of c that are 0, the limit of training, the machine, and
// what engines use whose own solver is missing.
func Complete(ctx context.Context, c bench.Config) bench.Config {
	limit := func(d *time.Duration, full, quick time.Duration) {
		switch {
		case *d != 0:
		case c.Quick:
			*d = quick
		default:
			*d = full
		}
	}
	c.TrainLimit = max(c.TimeLimit, trainLimit)
	limit(&c.TimeLimit, timeLimit, quickTimeLimit)
	limit(&c.ReachLimit, reachLimit, quickReachLimit)
	limit(&c.Total, 0, quickTotal)
	if !c.Quick {
		// A quick bench tells what works; the other one measures.
		c.Repeats, c.RepeatBelow, c.MaxLoad = cmp.Or(c.Repeats, repeats), repeatBelow, maxLoad
	}
	replace(&c)
	c.Machine = bench.Machine(context.WithoutCancel(ctx), c.Program, c.Solvers)
	return c
}

// replace finds what each engine needs for its own solver, and has the runs find
// it too. An engine that lacks it uses the first external solver of the bench that
// it takes, or is left out.
func replace(c *bench.Config) {
	c.Env, c.Instead = os.Environ(), map[string]string{}
	for _, e := range registry.All() {
		if e.Needs == nil || c.Engines != nil && !slices.Contains(c.Engines, e.Name) {
			continue
		}
		env, missing := e.Needs()
		c.Env = append(c.Env, env...)
		if missing == nil {
			continue
		}
		text := fmt.Sprintf("%v; engine %s is left out", missing, e.Name)
		c.Instead[e.Name] = ""
		if i := slices.IndexFunc(c.Solvers, func(s bench.ExternalSolver) bool { return s.Engine == e.Name }); i >= 0 {
			c.Instead[e.Name] = c.Solvers[i].Name
			text = fmt.Sprintf("%v; engine %s uses %s", missing, e.Name, c.Solvers[i].Name)
		}
		if c.Warn != nil {
			c.Warn(text)
		}
	}
}

// Solvers returns the external solvers that names request, each as ENGINE:NAME:
// the installed ones for no names, no solver for the one name none.
func Solvers(names []string) ([]bench.ExternalSolver, error) {
	if len(names) == 0 {
		return bench.Installed(), nil
	}
	if slices.Equal(names, []string{"none"}) {
		return nil, nil
	}
	var out []bench.ExternalSolver
	for _, s := range names {
		engine, name, _ := strings.Cut(s, ":")
		if e, ok := registry.Find(engine); !ok || e.External == nil || name == "" {
			return nil, fmt.Errorf("%q; expected none, or %s with a solver, such as pb:clasp", s, registry.Choice(registry.External))
		}
		out = append(out, bench.ExternalSolver{Engine: engine, Name: name})
	}
	return out, nil
}

// Again makes n runs of the journal in the folder of c again, and compares them with what it says; see bench.Again.
func Again(ctx context.Context, c bench.Config, n int) ([]bench.Comparison, error) {
	j, err := readJournal(c.Dir)
	if err != nil {
		return nil, err
	}
	return bench.Again(ctx, Complete(ctx, c), j.Records, n)
}
