package tests

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// cellOf is a place in a grid.
type cellOf [2]int

// kernel has the probabilities of the next cells, by cell and action.
type kernel map[cellOf]map[string]map[cellOf]float64

// kernelOf counts the rows of logs.
func kernelOf(t *testing.T, action string, files ...string) kernel {
	t.Helper()
	k := kernel{}
	for _, file := range files {
		header, rows := readCSV(t, file)
		at := func(r []string, name string) string {
			for i, h := range header {
				if h == name {
					return r[i]
				}
			}
			t.Fatalf("%s has no column %s", file, name)
			return ""
		}
		for _, r := range rows {
			now, next := cellOf{atoi(t, at(r, "row")), atoi(t, at(r, "col"))}, cellOf{atoi(t, at(r, "row'")), atoi(t, at(r, "col'"))}
			a := at(r, action)
			if k[now] == nil {
				k[now] = map[string]map[cellOf]float64{}
			}
			if k[now][a] == nil {
				k[now][a] = map[cellOf]float64{}
			}
			k[now][a][next]++
		}
	}
	for _, actions := range k {
		for _, next := range actions {
			sum := 0.0
			for _, n := range next {
				sum += n
			}
			for c := range next {
				next[c] /= sum
			}
		}
	}
	return k
}

func readCSV(t *testing.T, file string) ([]string, [][]string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// lake is FrozenLake 8x8: a move goes to its direction or to one beside it, each with a probability of a third.
func lake() (k kernel, holes map[cellOf]bool) {
	holes = map[cellOf]bool{{2, 3}: true, {3, 5}: true, {4, 3}: true, {5, 1}: true, {5, 2}: true, {5, 6}: true, {6, 1}: true, {6, 4}: true, {6, 6}: true, {7, 3}: true}
	names, moves := []string{"left", "down", "right", "up"}, []cellOf{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}
	k = kernel{}
	for row := range 8 {
		for col := range 8 {
			k[cellOf{row, col}] = map[string]map[cellOf]float64{}
			for a, name := range names {
				next := map[cellOf]float64{}
				for _, d := range []int{3, 0, 1} {
					m := moves[(a+d)%4]
					next[cellOf{min(max(row+m[0], 0), 7), min(max(col+m[1], 0), 7)}] += 1. / 3
				}
				k[cellOf{row, col}][name] = next
			}
		}
	}
	return k, holes
}

// policyFile is what the judge reads of a policy.
type policyFile struct {
	Value   float64
	Horizon int
	Table   struct {
		Variables []string
		States    [][]any
		Actions   []map[string]any
		Rows      [][4]int
	}
}

// readPolicy reads policy.json of a folder, as plan --policy writes it.
func readPolicy(t *testing.T, dir string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "policy.json"))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// success is the true probability that a policy reaches the goal. The judge knows nothing of the planner.
func (p *policyFile) success(t *testing.T, k kernel, action string, start, goal cellOf, holes map[cellOf]bool) float64 {
	t.Helper()
	type key struct {
		at   cellOf
		step int
	}
	does := map[key]string{}
	for _, r := range p.Table.Rows {
		var at cellOf
		for i, name := range p.Table.Variables {
			x, ok := p.Table.States[r[0]][i].(float64)
			if !ok {
				t.Fatalf("a state has the value %v", p.Table.States[r[0]][i])
			}
			if name == "row" {
				at[0] = int(x)
			} else if name == "col" {
				at[1] = int(x)
			}
		}
		a := p.Table.Actions[r[3]][action]
		text, ok := a.(string)
		if x, number := a.(float64); number {
			text, ok = strconv.Itoa(int(x)), true
		}
		if !ok {
			t.Fatalf("an action is %v", a)
		}
		for step := r[1]; step <= r[2]; step++ {
			does[key{at, step}] = strings.TrimPrefix(text, "@")
		}
	}
	memo := map[key]float64{}
	var value func(at cellOf, step int) float64
	value = func(at cellOf, step int) (v float64) {
		switch {
		case at == goal:
			return 1
		case holes[at] || step > p.Horizon:
			return 0
		}
		if v, ok := memo[key{at, step}]; ok {
			return v
		}
		for next, q := range k[at][does[key{at, step}]] {
			v += q * value(next, step+1)
		}
		memo[key{at, step}] = v
		return v
	}
	return value(start, 1)
}

// TestPoliciesOfForeignLogs learns what can happen from a few rows, makes a policy of it, and judges it by all rows or
// by the rules of the system.
func TestPoliciesOfForeignLogs(t *testing.T) {
	logs, err := filepath.Abs("../../shared/data/logs")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(logs, "aa_small_tr.csv")); err != nil {
		t.Skipf("no foreign logs at %s", logs)
	}
	grid := kernelOf(t, "a", filepath.Join(logs, "aa_small_tr.csv"), filepath.Join(logs, "aa_small_te.csv"))
	ice, holes := lake()
	var final []string
	for h := range holes {
		final = append(final, strconv.Quote("row == "+strconv.Itoa(h[0])+" ^ col == "+strconv.Itoa(h[1])))
	}
	for _, c := range []struct {
		name, file, action, horizon string
		rows                        int
		k                           kernel
		start, goal                 cellOf
		holes                       map[cellOf]bool
		least, within               float64
	}{
		{"grid 1000", "aa_small_tr.csv", "a", "20", 1000, grid, cellOf{8, 4}, cellOf{9, 9}, nil, .79, 1},
		{"grid 10000", "aa_small_tr.csv", "a", "20", 10000, grid, cellOf{8, 4}, cellOf{9, 9}, nil, .813, .02},
		{"lake 1000", "fl_tr.csv", "action", "100", 1000, ice, cellOf{0, 0}, cellOf{7, 7}, holes, .63, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			head(t, filepath.Join(logs, c.file), filepath.Join(dir, "log.csv"), c.rows)
			run := runner(t, dir)
			run("init", "log.csv", "--actions", c.action, "-o", "made")
			file := filepath.Join(dir, "made", "task.toml")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			set := "goal = \"row == " + strconv.Itoa(c.goal[0]) + " ^ col == " + strconv.Itoa(c.goal[1]) + "\"\n"
			if c.holes != nil {
				set += "final = [" + strings.Join(final, ", ") + "]\n"
			}
			text = append([]byte(set), regexp.MustCompile(`(?m)^(goal|final) = .*$`).ReplaceAll(text, nil)...)
			if err := os.WriteFile(file, text, 0o666); err != nil {
				t.Fatal(err)
			}
			run("train", "log.csv", "--task", "made/task.toml", "-o", "made/network.bnn")
			run("plan", "made/task.toml", "--policy", "-H", c.horizon, "-o", "policy.json")
			var p policyFile
			readPolicy(t, dir, &p)
			truth := p.success(t, c.k, c.action, c.start, c.goal, c.holes)
			t.Logf("said %.4f, true %.4f", p.Value, truth)
			if truth < c.least || math.Abs(truth-p.Value) > c.within {
				t.Errorf("said %.4f, true %.4f; expected at least %.3f, and %.2f away from it at most", p.Value, truth, c.least, c.within)
			}
		})
	}
}

// runner returns a function that runs a command of the program in a folder, which must not fail, and returns what it prints.
func runner(t *testing.T, dir string) func(args ...string) string {
	program := commandtest.Link(t, dir)
	return func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
}

// head copies the header and the first rows of a file.
func head(t *testing.T, from, to string, rows int) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfterN(string(text), "\n", rows+2)
	if err := os.WriteFile(to, []byte(strings.Join(lines[:rows+1], "")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestWrongCells learns Taxi from rows in which 5 % of the next values are wrong: of the clean rows none is, nothing is drawn, and the
// answer names recording errors.
func TestWrongCells(t *testing.T) {
	logs, err := filepath.Abs("../../shared/data/logs")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(logs, "taxid_tr.csv")); err != nil {
		t.Skipf("no foreign logs at %s", logs)
	}
	header, rows := readCSV(t, filepath.Join(logs, "taxid_tr.csv"))
	rows = rows[:10_000]
	values := make([][]string, len(header)) // of each column
	for _, r := range rows {
		for i, x := range r {
			if !slices.Contains(values[i], x) {
				values[i] = append(values[i], x)
			}
		}
	}
	seeds := uint64(1)
	if *allForeign {
		seeds = 5
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		wrong := [][]string{header}
		for _, r := range rows {
			r = slices.Clone(r)
			for i, name := range header {
				if strings.HasSuffix(name, "'") && rng.Float64() < .05 {
					r[i] = values[i][rng.IntN(len(values[i]))] // which may be the value that is right
				}
			}
			wrong = append(wrong, r)
		}
		dir := t.TempDir()
		file, err := os.Create(filepath.Join(dir, "log.csv"))
		if err == nil {
			err = csv.NewWriter(file).WriteAll(wrong)
		}
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		program := commandtest.Link(t, dir)
		run := func(answer any, args ...string) {
			t.Helper()
			cmd := exec.Command(program, args...)
			cmd.Dir = dir
			out, err := cmd.Output()
			if err == nil && answer != nil {
				err = json.Unmarshal(out, answer)
			}
			if err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		var trained struct {
			Chance struct {
				Reading  string `json:"reading"`
				Contexts int    `json:"contexts"`
			} `json:"chance"`
		}
		var tested struct {
			Rows  int `json:"rows"`
			Wrong int `json:"wrong"`
		}
		run(nil, "init", "log.csv", "--actions", "action", "-o", "made")
		run(&trained, "train", "log.csv", "--task", "made/task.toml", "-o", "network.bnn", "--json")
		run(&tested, "test", "network.bnn", filepath.Join(logs, "taxid_te.csv"), "--task", "made/task.toml", "--json")
		if trained.Chance.Reading != "recording errors" || trained.Chance.Contexts != 0 || tested.Rows < 10_000 || tested.Wrong > 0 {
			t.Errorf("seed %d: %+v, %+v", seed, trained, tested)
		}
	}
}
