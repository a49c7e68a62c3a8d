package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/learn"
	loading "github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/prove"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

var learned = flag.Bool("learned", false, "learn SysAdmin of 8 to 50 computers in rings, trees, stars and random graphs, and test each network on 200,000 rows")

// faults are what a log may have wrong: next bits turned round, and cells of states and actions
// that are empty, with these probabilities.
type faults struct{ flipped, empty float64 }

// TestLearned: SysAdmin is learned from 1,000 transitions, and from 5,000 with faults, without
// a wrong row among others that are drawn, and is proven equal to the RDDL.
func TestLearned(t *testing.T) {
	type job struct {
		graph   string
		n, rows int
		faults
	}
	jobs, samples := []job{{"ring", 5, 1000, faults{}}, {"tree", 6, 2000, faults{empty: 0.01}}}, 2000
	if *learned {
		jobs, samples = nil, 200_000
		for _, graph := range []string{"ring", "tree", "star", "random"} {
			for _, n := range []int{8, 12, 20, 50} {
				jobs = append(jobs, job{graph, n, 1000, faults{}})
			}
		}
		jobs = append(jobs, job{"ring", 50, 5000, faults{flipped: 0.05}}, job{"ring", 50, 5000, faults{empty: 0.01}})
	}
	for _, j := range jobs {
		t.Run(fmt.Sprintf("%s of %d, %+v", j.graph, j.n, j.faults), func(t *testing.T) {
			dir := t.TempDir()
			if err := run(append([]string{"-o", dir}, strings.Fields(fmt.Sprintf("sysadmin -n %d -k 3 -graph %s -H 6", j.n, j.graph))...)); err != nil {
				t.Fatal(err)
			}
			learnSysadmin(t, dir, j.rows, samples, j.faults)
		})
	}
}

// TestLearnedStocks: stores that machines draw from, and that hold so much, batteries that trips and power change, and fields that share what
// their rows show of limits, are found to be sums, and proven equal. What machines take is a number of its own in bounds.
func TestLearnedStocks(t *testing.T) {
	type world struct {
		family string
		learns []string
		collect.Options
		edges  int  // at most
		amount bool // bounds see a sum over what many contribute
	}
	worlds := []world{
		{"repair -n 4 -k 2 -size 3 -H 12", []string{"wear", "parts"}, collect.Options{Rows: 500, Policy: collect.Restart}, 1000, true},
		{"charge -n 2 -H 12", []string{"soc"}, collect.Options{Rows: 3000}, 500, false},
		{"irrigate -n 3 -H 12", []string{"moist", "water", "dam"}, collect.Options{Rows: 5000, Seed: 1}, 1500, false},
	}
	if *learned {
		worlds = append(worlds,
			world{"repair -n 10 -k 3 -H 16", []string{"wear", "parts"}, collect.Options{Rows: 5000}, 3500, true},
			world{"charge -n 3 -H 12", []string{"soc"}, collect.Options{Rows: 5000}, 700, false},
			world{"irrigate -n 5 -H 12", []string{"moist", "water", "dam"}, collect.Options{Rows: 5000, Seed: 1}, 2000, false},
		)
	}
	for _, w := range worlds {
		t.Run(w.family, func(t *testing.T) {
			dir := t.TempDir()
			if err := run(append([]string{"-o", dir}, strings.Fields(w.family)...)); err != nil {
				t.Fatal(err)
			}
			ref, p := untrained(t, dir, w.learns...)
			res, network := trainOn(t, p, drawRows(t, p, filepath.Join(dir, "rows.csv"), w.Options))
			proven, err := prove.Network(context.Background(), ref, "network", network, prove.Options{Threads: 2})
			if err != nil || !proven.Equal || res.Edges > w.edges {
				t.Errorf("%d edges, %+v, %v; expected sums that are proven equal", res.Edges, proven, err)
			}
			f, err := bnn.ReadFile("network", bytes.NewReader(network))
			if err != nil {
				t.Fatal(err)
			}
			x, err := bound.Relax(t.Context(), engine.Task{Problem: p.Problem, Network: f.Network}, 6, bound.Wanted{Rounds: 1, Partial: true})
			if err != nil {
				t.Fatal(err)
			}
			if w.amount != slices.ContainsFunc(x.Amounts(), func(a bound.Amount) bool { return len(a.Bits) > 0 }) {
				t.Errorf("amounts %v, expected one: %t", x.Amounts(), w.amount)
			}
		})
	}
}

// learnSysadmin learns the task in a folder, and tests the network on other rows.
func learnSysadmin(t *testing.T, dir string, rows, samples int, f faults) {
	t.Helper()
	ctx := context.Background()
	ref, p := untrained(t, dir, "running", "age")
	data := drawRows(t, p, filepath.Join(dir, "rows.csv"), collect.Options{Rows: rows, Policy: collect.Restart, Seed: 1})
	if f != (faults{}) {
		spoil(t, data, len(p.Truth.Sim.States()), len(p.Truth.Sim.Actions()), f)
	}
	res, network := trainOn(t, p, data)
	tested, err := learn.Test(ctx, p, "network", network, learn.Testing{Data: drawRows(t, p, filepath.Join(dir, "other.parquet"), collect.Options{Rows: samples, Policy: collect.Restart, Seed: 2})})
	if err != nil {
		t.Fatal(err)
	}
	proven, err := prove.Network(ctx, ref, "network", network, prove.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d neurons, %d edges; %d of %d rows wrong; proven equal: %v", res.Neurons, res.Edges, tested.Wrong, tested.Rows, proven.Equal)
	if tested.Wrong > 0 || !proven.Equal {
		t.Errorf("%d of %d rows wrong, differing %v; expected none", tested.Wrong, tested.Rows, proven.Differing)
	}
}

// untrained declares fluents of the task in a folder as learned, and loads it.
func untrained(t testing.TB, dir string, fluents ...string) (loading.Ref, *loading.Problem) {
	t.Helper()
	task := filepath.Join(dir, "task.toml")
	text, err := os.ReadFile(task)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(task, fmt.Appendf(nil, "learned = [\"%s\"]\n%s", strings.Join(fluents, `", "`), text), 0o600); err != nil {
		t.Fatal(err)
	}
	ref := loading.Ref{Name: task, Untrained: true}
	p, err := loading.Load(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return ref, p
}

// drawRows writes transitions to a file, and returns its name.
func drawRows(t testing.TB, p *loading.Problem, file string, o collect.Options) string {
	t.Helper()
	if err := learn.Collect(context.Background(), p, file, o); err != nil {
		t.Fatal(err)
	}
	return file
}

// trainOn learns a network from a file of transitions.
func trainOn(t testing.TB, p *loading.Problem, data string) (*learn.Trained, []byte) {
	t.Helper()
	res, err := learn.Train(context.Background(), p, data, learn.Training{Recipe: learn.RecipeStructure, Config: train.Config{Threads: 2}})
	if err != nil {
		t.Fatal(err)
	}
	var network bytes.Buffer
	if err := res.Write(&network); err != nil {
		t.Fatal(err)
	}
	return res, network.Bytes()
}

// spoil puts faults into a CSV of transitions of so many state and action columns: the next
// state of a Boolean is negated, that of an integer of two bits has each bit turned round.
func spoil(t *testing.T, file string, states, actions int, f faults) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 7))
	for _, line := range lines[1:] {
		for k := range line {
			switch {
			case k < states+actions:
				if rng.Float64() < f.empty {
					line[k] = ""
				}
			default:
				line[k] = flip(line[k], rng, f.flipped)
			}
		}
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// flip turns the bits of a value round with a probability.
func flip(value string, rng *rand.Rand, p float64) string {
	switch value {
	case "true", "false":
		if rng.Float64() < p {
			return map[string]string{"true": "false", "false": "true"}[value]
		}
		return value
	}
	var v int
	if _, err := fmt.Sscan(value, &v); err != nil {
		return value
	}
	for bit := range 2 {
		if rng.Float64() < p {
			v ^= 1 << bit
		}
	}
	return fmt.Sprint(v)
}
