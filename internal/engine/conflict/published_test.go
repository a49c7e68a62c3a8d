package conflict_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/problem/fdsat"
)

const published = "../../../../shared/data/fd-sat-plan"

// instance is a published problem at a horizon with its best reward; 1 stands
// for no plan.
type instance struct {
	domain, name string
	horizon      int
	reward       int64
	young        bool // all ages are 0 at first
}

// load reads the problem of an instance.
func (in instance) load(t testing.TB) engine.Task {
	t.Helper()
	if _, err := os.Stat(published); err != nil {
		t.Skipf("the published files are not there: %v", err)
	}
	p, net, err := fdsat.Load(published, in.domain, in.name)
	if err != nil {
		t.Fatal(err)
	}
	if in.young {
		for _, b := range p.Bits(factored.State) {
			if v, _ := p.Owner(b); strings.HasPrefix(v.Name, "age") {
				p.Initial = append(p.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b}}}, Op: factored.EQ, K: 0})
			}
		}
	}
	return engine.Task{Problem: p, Network: net}
}

// paperInstances are those of the paper whose files are published.
var paperInstances = []instance{
	{"navigation", "3x3", 4, -4, false}, {"navigation", "3x3", 5, -4, false}, {"navigation", "3x3", 6, -4, false},
	{"navigation", "5x5", 8, -8, false}, {"navigation", "5x5", 9, -8, false}, {"navigation", "5x5", 10, -8, false},
	{"inventory", "1", 5, 5, false}, {"inventory", "1", 6, 6, false}, {"inventory", "1", 7, 7, false},
	{"sysadmin", "4", 2, 0, false}, {"sysadmin", "4", 3, -2, false}, {"sysadmin", "4", 4, -3, false},
	{"cellda", "x", 10, -9, false}, {"cellda", "x", 11, -9, false}, {"cellda", "x", 12, -9, false},
}

// otherInstances lie beyond the paper's horizons, or start young.
var otherInstances = []instance{
	{"navigation", "3x3", 3, 1, false}, {"navigation", "5x5", 7, 1, false},
	{"sysadmin", "4", 2, -1, true}, {"sysadmin", "4", 3, -3, true}, {"sysadmin", "4", 4, -4, true}, {"sysadmin", "4", 8, -9, true},
	{"cellda", "x", 18, -9, false}, {"navigation", "5x5", 24, -8, false}, {"cellda", "x", 60, -9, false},
}

// firsts returns each problem's instance of the fewest steps, or all with -long.
func firsts() []instance {
	if *long {
		return paperInstances
	}
	var list []instance
	for i := 0; i < len(paperInstances); i += 3 {
		list = append(list, paperInstances[i])
	}
	return list
}

// TestPublished proves the optimum of every published problem with pb; at many steps with -long.
func TestPublished(t *testing.T) {
	others := otherInstances
	if !*long {
		others = others[:len(others)-2]
	}
	for _, in := range slices.Concat(firsts(), others) {
		res, err := conflict.PB{}.Solve(context.Background(), engine.Query{Task: in.load(t), MinHorizon: in.horizon, MaxHorizon: in.horizon}, engine.Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if in.reward > 0 && in.domain != "inventory" {
			if res.Status != engine.Infeasible {
				t.Errorf("%+v: %s %d", in, res.Status, res.Reward)
			}
		} else if res.Status != engine.Optimal || res.Reward != in.reward {
			t.Errorf("%+v: %s %d", in, res.Status, res.Reward)
		}
	}
}

// BenchmarkPublished is the time from the problem to the proof, on one thread,
// summed over the instances of the paper whose files are published.
func BenchmarkPublished(b *testing.B) {
	for b.Loop() {
		for _, in := range paperInstances {
			if _, err := (conflict.PB{}).Solve(context.Background(), engine.Query{Task: in.load(b), MinHorizon: in.horizon, MaxHorizon: in.horizon}, engine.Limits{}, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// longInstances are where features tell.
var longInstances = []instance{
	{"navigation", "5x5", 24, -8, false}, {"cellda", "x", 18, -9, false}, {"sysadmin", "4", 8, -9, true}, {"sysadmin", "4", 12, -14, true},
}

// BenchmarkFeatures is the time to the proof with features switched off, or on,
// one at a time: over all of paperInstances, and on single long instances. An
// instance that takes more than 30 s counts as 30 s, and is counted.
func BenchmarkFeatures(b *testing.B) {
	for _, f := range []struct {
		name   string
		change conflict.Feature
	}{
		{"all", 0}, {"without-action-order", conflict.ActionOrder}, {"without-counter-layers", conflict.CounterLayers}, {"without-state-nogoods", conflict.StateNogoods},
		{"without-tables", conflict.Tables}, {"without-implicates", conflict.Implicates},
		{"without-from-below", conflict.FromBelow}, {"without-cores", conflict.Cores}, {"with-cutting-planes", conflict.CuttingPlanes},
		{"with-cutting-planes-without-counter-layers", conflict.CuttingPlanes | conflict.CounterLayers},
	} {
		groups := map[string][]instance{"paper": paperInstances}
		names := []string{"paper"}
		for _, in := range longInstances {
			name := fmt.Sprintf("%s-%s-H%d", in.domain, in.name, in.horizon)
			groups[name] = []instance{in}
			names = append(names, name)
		}
		for _, group := range names {
			b.Run(f.name+"/"+group, func(b *testing.B) {
				var conflicts, late int64
				for b.Loop() {
					for _, in := range groups[group] {
						ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
						res, err := conflict.PB{Change: f.change}.Solve(ctx, engine.Query{Task: in.load(b), MinHorizon: in.horizon, MaxHorizon: in.horizon}, engine.Limits{}, nil)
						cancel()
						if err != nil {
							b.Fatal(err)
						}
						conflicts += res.Stats["conflicts"]
						if res.Status != engine.Optimal {
							late++
						}
					}
				}
				b.ReportMetric(float64(conflicts)/float64(b.N), "conflicts/op")
				b.ReportMetric(float64(late)/float64(b.N), "unproven/op")
			})
		}
	}
}
