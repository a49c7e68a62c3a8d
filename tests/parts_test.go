package tests

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var inventedWorlds = flag.Int("invented-worlds", 3, "logs of each invented system to plan from")

// invented is a system with chance whose states are words, and of which a column matters where few rows tell.
type invented struct {
	name, goal string
	columns    []string // the first one is the case's state
	actions    []string
	weights    []int // of the actions in the log
	horizon    int
	begin      func(rng *rand.Rand) []string
	start      []string
	over       []string // states in which nothing happens
	step       func(s []string, a string) map[string]float64
}

// permits are granted after a reminder, with a third of the chance, unless the fee is high.
var permits = invented{
	name: "permits", goal: "granted", columns: []string{"stage", "fee", "kind"}, actions: []string{"wait", "remind", "check", "appeal"}, weights: []int{3, 2, 4, 2}, horizon: 8,
	begin: func(rng *rand.Rand) []string {
		return []string{"filed", pick(rng, "low", "low", "high"), pick(rng, "a", "b", "c")}
	},
	start: []string{"late", "high", "b"}, over: []string{"granted", "refused"},
	step: func(s []string, a string) map[string]float64 {
		switch {
		case a == "check" && s[0] == "filed":
			return map[string]float64{"open": .6, "filed": .2, "late": .2}
		case a == "appeal" && s[0] == "open":
			return map[string]float64{"granted": .15, "open": .55, "refused": .3}
		case a == "remind" && s[0] == "late" && s[1] == "low":
			return map[string]float64{"granted": 1. / 3, "late": 2. / 3}
		case a == "wait" && s[0] == "late":
			return map[string]float64{"refused": .1, "late": .9}
		case a == "appeal" && s[0] == "late":
			return map[string]float64{"refused": .5, "filed": .5}
		}
		return map[string]float64{s[0]: 1}
	},
}

// wards have a treatment that helps all but young men.
var wards = invented{
	name: "wards", goal: "well", columns: []string{"state", "sex", "age", "blood"}, actions: []string{"first", "second", "rest"}, weights: []int{1, 4, 2}, horizon: 5,
	begin: func(rng *rand.Rand) []string {
		return []string{pick(rng, "ill", "ill", "worse"), pick(rng, "m", "f"), pick(rng, "young", "old"), pick(rng, "o", "a", "b", "ab")}
	},
	start: []string{"ill", "m", "young", "o"}, over: []string{"well", "dead"},
	step: func(s []string, a string) map[string]float64 {
		worse := map[string]string{"ill": "worse", "worse": "dead"}[s[0]]
		switch {
		case a == "first" && s[0] == "ill" && s[1] == "m" && s[2] == "young":
			return map[string]float64{"ill": 1}
		case a == "first" && s[0] == "ill":
			return map[string]float64{"well": .4, "ill": .6}
		case a == "first":
			return map[string]float64{"ill": .1, "dead": .1, "worse": .8}
		case a == "second":
			return map[string]float64{"well": .1, worse: .2, s[0]: .7}
		}
		return map[string]float64{worse: .05, s[0]: .95}
	},
}

func pick(rng *rand.Rand, list ...string) string { return list[rng.IntN(len(list))] }

// after lists what a step leads to, in order.
func (w *invented) after(s []string, a string) (names []string, odds []float64) {
	all := map[string]float64{s[0]: 1}
	if !slices.Contains(w.over, s[0]) {
		all = w.step(s, a)
	}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		odds = append(odds, all[name])
	}
	return names, odds
}

// log draws rows.
func (w *invented) log(rng *rand.Rand, rows int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s,act,%s'\n", strings.Join(w.columns, ","), strings.Join(w.columns, "',"))
	for rows > 0 {
		s := w.begin(rng)
		for step := 0; step < 12 && rows > 0 && !slices.Contains(w.over, s[0]); step++ {
			x, i := rng.IntN(13), 0
			for ; i+1 < len(w.actions) && x >= w.weights[i]; i++ {
				x -= w.weights[i]
			}
			names, odds := w.after(s, w.actions[i])
			y, j := rng.Float64(), 0
			for ; j+1 < len(names) && y >= odds[j]; j++ {
				y -= odds[j]
			}
			t := slices.Clone(s)
			t[0] = names[j]
			fmt.Fprintf(&b, "%s,%s,%s\n", strings.Join(s, ","), w.actions[i], strings.Join(t, ","))
			s, rows = t, rows-1
		}
	}
	return b.String()
}

// supportFile is what the judge reads of a policy with what rows support.
type supportFile struct {
	policyFile
	Supported *struct {
		Value float64
	}
	Divided any
}

// truth is what a policy is worth in the system.
func (w *invented) truth(p *supportFile) float64 {
	does := map[string]string{}
	for _, r := range p.Table.Rows {
		for step := r[1]; step <= r[2]; step++ {
			a := w.actions[0]
			if x, ok := p.Table.Actions[r[3]]["act"]; ok {
				a = fmt.Sprint(x)
			}
			does[fmt.Sprint(step, p.Table.States[r[0]])] = a
		}
	}
	var value func(s []string, step int) float64
	value = func(s []string, step int) (sum float64) {
		if s[0] == w.goal || step > w.horizon || slices.Contains(w.over, s[0]) {
			if s[0] == w.goal {
				return 1
			}
			return 0
		}
		values := make([]any, len(s))
		for i, name := range p.Table.Variables {
			values[i] = s[slices.Index(w.columns, name)]
		}
		a, ok := does[fmt.Sprint(step, values)]
		if !ok {
			return 0
		}
		names, odds := w.after(s, a)
		for i, name := range names {
			t := slices.Clone(s)
			t[0] = name
			sum += odds[i] * value(t, step+1)
		}
		return sum
	}
	return value(w.start, 1)
}

// TestRowsUnlike makes policies from logs of systems in which few rows tell of a column that matters, and holds what the
// rows are said to support against the truth. No policy may be one that never succeeds.
func TestRowsUnlike(t *testing.T) {
	for _, w := range []invented{permits, wards} {
		for seed := range *inventedWorlds {
			t.Run(fmt.Sprint(w.name, seed), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "log.csv"), []byte(w.log(rand.New(rand.NewPCG(uint64(seed), 29)), 3000)), 0o666); err != nil {
					t.Fatal(err)
				}
				run := runner(t, dir)
				run("init", "log.csv", "--actions", "act", "--goal", w.columns[0]+" == @"+w.goal, "-o", "made")
				run("train", "log.csv", "--task", "made/task.toml", "-o", "made/network.bnn")
				args := []string{"plan", "made/task.toml", "--policy", "-H", fmt.Sprint(w.horizon), "-o", "policy.json"}
				for i, name := range w.columns {
					args = append(args, "--set-initial", name+"=@"+w.start[i])
				}
				said := run(args...)
				var p supportFile
				readPolicy(t, dir, &p)
				truth := w.truth(&p)
				t.Logf("said %.4f, supported %.4f, true %.4f", p.Value, p.Supported.Value, truth)
				if p.Supported.Value > truth+1e-9 {
					t.Errorf("the rows are said to support %v; the truth is %v\n%s", p.Supported.Value, truth, said)
				}
				if truth == 0 {
					t.Errorf("the policy never succeeds, and others do:\n%s", said)
				}
				if (p.Divided != nil) != strings.Contains(said, "Rows are counted apart by ") {
					t.Errorf("divided %v, but said:\n%s", p.Divided, said)
				}
				args = append([]string{"validate", "made/task.toml", "policy.json"}, args[7:]...)
				run(args...)
			})
		}
	}
}
