package plan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"

	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// known contains the optimal rewards of the bundled problems, planned with their RDDL, by
// horizon; a horizon that is missing between the first and the last has no plan. Those of
// sysadmin follow from its constants, as explained in the instance files.
var known = map[string]map[int]float64{
	"navigation/3x3": {4: -4, 5: -4, 6: -4},
	"navigation/4x4": {5: -5, 6: -5, 7: -5},
	"navigation/5x5": {8: -8, 9: -8, 10: -8},
	"inventory/2":    {5: -9, 6: -16, 7: -18},
	"inventory/4":    {6: -10, 7: -10, 8: -17},
	"sysadmin/4":     {2: 0, 3: -1, 4: -3},
	"sysadmin/5":     {2: 0, 3: -4, 4: -4},
	"cellda/x":       {10: -9, 11: -9, 12: -9, 13: -9},
	"cellda/y":       {8: -6, 9: -6, 10: -6, 11: -6},
}

// impossible contains horizons without a plan.
var impossible = map[string]int{"navigation/3x3": 3, "navigation/4x4": 4, "navigation/5x5": 7, "cellda/x": 9, "cellda/y": 7}

func loaded(t *testing.T, name string, known bool) *load.Problem {
	t.Helper()
	p, err := load.Load(context.Background(), load.Ref{Name: name, Source: load.Source{Model: map[bool]string{true: load.RDDL}[known]}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// plan plans for one horizon and checks the document.
func planned(t *testing.T, p *load.Problem, horizon int) *Document {
	t.Helper()
	d, err := Plan(context.Background(), p, Request{
		Query: Query{Options: registry.Options{Engine: "search"}, Horizon: bind.Steps(horizon)}, Limits: engine.Limits{Threads: 2}, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestBundledRDDL plans every bundled problem with everything known: the
// rewards are right, and the plans hold in the simulator with the same reward.
func TestBundledRDDL(t *testing.T) {
	for name, rewards := range known {
		p := loaded(t, name, true)
		for horizon, want := range rewards {
			d := planned(t, p, horizon)
			if d.Status != engine.Optimal || *d.Reward != want {
				t.Errorf("%s H %d: %s, want the reward %v", name, horizon, d.Status, want)
				continue
			}
			if d.Simulated == nil || *d.Simulated != want {
				t.Errorf("%s H %d: the simulator says %v %s", name, horizon, d.Simulated, d.SimulatorSays)
			}
		}
		if h, ok := impossible[name]; ok {
			if d := planned(t, p, h); d.Status != engine.Infeasible {
				t.Errorf("%s H %d: %s, there is no plan", name, h, d.Status)
			}
		}
	}
}

// TestFigure1 checks the paper's Figure 1: at horizon 8 of cellda/y there is only one plan,
// to wait twice, go up three times and right three times.
func TestFigure1(t *testing.T) {
	d := planned(t, loaded(t, "cellda/y", true), 8)
	if got, want := fmt.Sprint(d.Plan), "[(all false) (all false) move-up move-up move-up move-right move-right move-right]"; got != want {
		t.Errorf("got %s", got)
	}
}

// TestBundledNetworks plans all 27 of the paper's instances, and horizons without a plan,
// with the trained networks: the rewards equal those of the RDDL, and the plans hold in it.
func TestBundledNetworks(t *testing.T) {
	instances := 0
	for name, rewards := range known {
		p := loaded(t, name, false)
		for horizon, want := range rewards {
			d := planned(t, p, horizon)
			if d.Status != engine.Optimal || *d.Reward != want || d.Simulated == nil || *d.Simulated != want {
				t.Errorf("%s H %d: %s, want the reward %v; in the simulator %v %s", name, horizon, d.Status, want, d.Simulated, d.SimulatorSays)
			}
			instances++
		}
		if h, ok := impossible[name]; ok {
			if d := planned(t, p, h); d.Status != engine.Infeasible {
				t.Errorf("%s H %d: %s, there is no plan", name, h, d.Status)
			}
		}
	}
	if instances < 27 {
		t.Errorf("only %d instances", instances)
	}
}

// TestBundledNetworksAreExact measures them on every legal row.
func TestBundledNetworksAreExact(t *testing.T) {
	for name := range known {
		k, err := bundled.Task(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := bundled.Read(k.Network)
		if err != nil {
			t.Fatal(err)
		}
		p, err := load.Load(context.Background(), load.Ref{Name: name, Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		res, err := learn.Test(context.Background(), p, k.Network, text, learn.Testing{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Legal == nil || res.Legal.Wrong != 0 {
			t.Errorf("%s: %v", name, res.Legal)
		}
	}
}

// TestOutsideSolversOnBundledRDDL compiles the bundled problems without a
// network at the paper's horizons and has clasp prove the same optima.
func TestOutsideSolversOnBundledRDDL(t *testing.T) {
	extsolver.Require(t, "clasp")
	for name, rewards := range known {
		p := loaded(t, name, true)
		horizons := []int{impossible[name]}
		for h := range rewards {
			horizons = append(horizons, h)
		}
		for _, h := range horizons {
			if h == 0 {
				continue
			}
			res, err := search.Engine{}.Solve(context.Background(), engine.Query{Task: p.Task, MinHorizon: h, MaxHorizon: h}, engine.Limits{Threads: 2}, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := model.New(p.Problem, nil, h, model.Options{Propagate: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range []struct {
				kind  format.Kind
				solve extsolver.Solve
			}{{format.OPB, extsolver.SolveOPB}, {format.WCNFOld, extsolver.SolveWCNFOld}} {
				file := filepath.Join(t.TempDir(), "f")
				w, err := os.Create(file)
				if err != nil {
					t.Fatal(err)
				}
				_, err = format.Write(context.Background(), w, m, format.Options{Kind: f.kind, Encoding: cnf.Default})
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				answer, err := f.solve(file, 5*time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				objective := format.ObjectiveOf(m, f.kind)
				switch {
				case res.Status == engine.Infeasible && answer.Status != external.Unsatisfiable,
					res.Status == engine.Optimal && (answer.Status != external.Optimal || answer.Objective == nil || objective.Reward(*answer.Objective) != res.Reward):
					t.Errorf("%s H %d, %v: search says %s %d, clasp %v %+v", name, h, f.kind, res.Status, res.Reward, answer.Status, answer)
				}
			}
		}
	}
}
