package blp_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

var (
	firstSeed = flag.Uint64("first-seed", 4_000_000, "seed of the first random problem")
	everyFile = flag.Bool("every-file", false, "random problems also through LP and MPS by CBC and GLPK, and instances of some seconds")
)

// each returns the random problems with their optima.
func each(t *testing.T, n int, visit func(seed uint64, task engine.Task, horizon int, want int64, feasible bool)) {
	found := 0
	for i := range n {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		want, feasible := randprob.BruteForce(p, net, horizon)
		if feasible {
			found++
		}
		visit(seed, engine.Task{Problem: p, Network: net}, horizon, want, feasible)
	}
	if found < n/4 {
		t.Errorf("only %d of %d random problems have a plan", found, n)
	}
}

// compare holds an engine to the optimum.
func compare(t *testing.T, seed uint64, name string, e engine.Engine, task engine.Task, horizon int, want int64, feasible bool) {
	t.Helper()
	res, err := solve(context.Background(), e, task, horizon)
	switch {
	case err != nil:
		t.Errorf("seed %d, %s: %v", seed, name, err)
	case !feasible && res.Status != engine.Infeasible:
		t.Errorf("seed %d, %s says %s %d, brute force that there is no plan", seed, name, res.Status, res.Reward)
	case feasible && (res.Status != engine.Optimal || res.Reward != want || *res.Bound != want):
		t.Errorf("seed %d, %s says %s %d, brute force %d", seed, name, res.Status, res.Reward, want)
	case feasible:
		confirm(t, seed, name, task.Problem, task.Network, res.Trace, want)
	}
}

func confirm(t *testing.T, seed uint64, name string, p *factored.Problem, net *bnn.Network, trace *factored.Trace, want int64) {
	t.Helper()
	report, err := validate.Check(p, net, validate.FromTrace(trace))
	if err != nil || !report.Valid || report.Reward != want {
		t.Errorf("seed %d: the checker says of the plan of %s: %+v, %v", seed, name, report, err)
	}
}

// TestRandomProblems compares the engine with brute force, with and without what helps and by
// the solvers in turns.
func TestRandomProblems(t *testing.T) {
	solvers := milpSolvers(t)
	names := slices.Sorted(maps.Keys(solvers))
	kept := blp.Engine{}
	each(t, *blp.Problems, func(seed uint64, task engine.Task, horizon int, want int64, feasible bool) {
		e, solver := kept, names[seed/2%uint64(len(names))]
		e.Solver, e.Help = solvers[solver], blp.Help(seed%3)
		compare(t, seed, fmt.Sprintf("%s, help %s", solver, blp.Helps[e.Help]), e, task, horizon, want, feasible)
	})
}

// TestFiles has HiGHS, CBC and GLPK read LP and MPS.
func TestFiles(t *testing.T) {
	if !*everyFile {
		t.Skip("the flag -every-file is not set")
	}
	needHiGHS(t)
	extsolver.Require(t, "cbc", "glpsol")
	engines := map[string]blp.Engine{"HiGHS": {}, "HiGHS plain": {Help: blp.None}, "HiGHS flow": {Help: blp.Flow}}
	for _, spec := range []string{
		"cbc", "glpsol", "cbc {in:mps} solve solution {out}", "glpsol --freemps {in:mps} -o {out}",
	} {
		s, err := external.Lookup(external.MILP, spec)
		if err != nil {
			t.Fatal(err)
		}
		engines[spec] = blp.Engine{Solver: &s}
		engines[spec+" plain"] = blp.Engine{Solver: &s, Help: blp.None}
		engines[spec+" flow"] = blp.Engine{Solver: &s, Help: blp.Flow}
	}
	each(t, *blp.Problems, func(seed uint64, task engine.Task, horizon int, want int64, feasible bool) {
		for name, e := range engines {
			compare(t, seed, name, e, task, horizon, want, feasible)
		}
		compare(t, seed, "search", search.Engine{}, task, horizon, want, feasible)
		mpsByHiGHS(t, seed, task, horizon, want, feasible)
	})
}

// mpsByHiGHS has HiGHS read the paper's program as MPS.
func mpsByHiGHS(t *testing.T, seed uint64, task engine.Task, horizon int, want int64, feasible bool) {
	t.Helper()
	m, err := model.New(task.Problem, task.Network, horizon, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "p.mps"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := format.Write(context.Background(), f, m, format.Options{Kind: format.MPS}); err != nil {
		t.Fatal(err)
	}
	a, err := external.Run(context.Background(), *known(t, "highs"), external.Input{File: f.Name()}, external.Limits{}, nil)
	switch {
	case err != nil:
		t.Errorf("seed %d, HiGHS on MPS: %v", seed, err)
	case feasible != (a.Status == external.Optimal) || !feasible && a.Status != external.Unsatisfiable:
		t.Errorf("seed %d, HiGHS on MPS: %v, has a plan: %v", seed, a.Status, feasible)
	case feasible && *a.Objective != -want:
		t.Errorf("seed %d, HiGHS on MPS: %d, brute force %d", seed, -*a.Objective, want)
	}
}

// TestExclude takes the best plan away again and again, as Algorithm 1 does, and
// compares with search.
func TestExclude(t *testing.T) {
	solvers := milpSolvers(t)
	names := slices.Sorted(maps.Keys(solvers))
	n := 0
	each(t, max(4, *blp.Problems/5), func(seed uint64, task engine.Task, horizon int, _ int64, feasible bool) {
		if !feasible {
			return
		}
		n++
		ctx := context.Background()
		mine, err := blp.Engine{Solver: solvers[names[n%len(names)]], Help: blp.Help(seed % 3)}.Open(ctx, task, horizon)
		if err != nil {
			t.Fatal(err)
		}
		other, err := search.Engine{}.Open(ctx, task, horizon)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 4 {
			got, err := mine.Solve(ctx, engine.Limits{}, nil)
			if err != nil {
				t.Fatalf("seed %d, round %d: %v", seed, round, err)
			}
			want, err := other.Solve(ctx, engine.Limits{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != want.Status || got.Reward != want.Reward {
				t.Fatalf("seed %d, round %d: %s %d, search says %s %d", seed, round, got.Status, got.Reward, want.Status, want.Reward)
			}
			if got.Trace == nil {
				break
			}
			l := engine.Landmark{Trace: got.Trace, Depth: horizon - round%2}
			for _, s := range []engine.Session{mine, other} {
				if err := s.Exclude(l); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	if n == 0 {
		t.Error("no problem has a plan")
	}
}

// TestMissing names what to install.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	for name, e := range map[string]blp.Engine{"highs": {}, "cbc": {Solver: known(t, "cbc")}} {
		p, net, horizon := randprob.New(1, randprob.Options{})
		_, err := solve(context.Background(), e, engine.Task{Problem: p, Network: net}, horizon)
		var missing *external.MissingError
		if !errors.As(err, &missing) || missing.Solver != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func known(t testing.TB, spec string) *external.Solver {
	t.Helper()
	s, err := external.Lookup(external.MILP, spec)
	if err != nil {
		t.Fatal(err)
	}
	return &s
}
