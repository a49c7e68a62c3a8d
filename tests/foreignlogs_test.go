package tests

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var allForeign = flag.Bool("foreign", false, "learn the foreign logs that take more than three seconds too")

// foreignLog is a log of another project, by its name in docs/logs.md.
type foreignLog struct {
	name, learn, test string // the files; a log without test is cut in two
	init              []string
	binned, slow      bool
}

var foreignLogs = []foreignLog{
	{name: "grid", learn: "aa_small_tr.csv", test: "aa_small_te.csv", init: []string{"--actions", "a"}, slow: true},
	{name: "tanks", learn: "tq_est_t.csv", test: "tq_val_t.csv", init: []string{"--actions", "u", "--bins", "u", "--bins", "y"}, binned: true},
	{name: "taxi", learn: "taxid_tr.csv", test: "taxid_te.csv", init: []string{"--actions", "action"}},
	{name: "lake", learn: "fl_tr.csv", test: "fl_te.csv", init: []string{"--actions", "action"}, slow: true},
	{name: "house", learn: "thl_tr.csv", test: "thl_te.csv", init: []string{"--actions", "setpoint", "--bins", "setpoint", "--bins", "temp_in"}, binned: true, slow: true},
	{name: "counters", learn: "cnt5.csv", init: []string{"--actions", "act"}, slow: true},
	{name: "counters in bins", learn: "cnt5.csv", binned: true, slow: true, init: []string{
		"--actions", "act", "--bins", "value(c0)=0,40,55,75,90", "--bins", "value(c1)=0,30,40,60,100", "--bins", "value(c2)=5,30,45,90,100",
		"--bins", "value(c3)=0,25,65,85,100", "--bins", "value(c4)=0,25,65,85,100",
	}},
}

// TestForeignLogs holds the tables in docs/logs.md to what the program says of the logs, and both to the rows, counted
// here, where no column is in bins.
func TestForeignLogs(t *testing.T) {
	logs, err := filepath.Abs("../../shared/data/logs")
	if err != nil {
		t.Fatal(err)
	}
	figures, lines := foreignTables(t)
	if len(figures) != len(foreignLogs) || len(lines) != 3 {
		t.Errorf("docs/logs.md has figures of %d logs and lines of %d; expected %d and 3", len(figures), len(lines), len(foreignLogs))
	}
	for _, l := range foreignLogs {
		t.Run(l.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(logs, l.learn)); err != nil {
				t.Skipf("no foreign logs at %s", logs)
			}
			if l.slow && !*allForeign {
				t.Skip("it takes seconds; -foreign learns it")
			}
			dir := t.TempDir()
			learn, test := filepath.Join(logs, l.learn), filepath.Join(logs, l.test)
			if l.test == "" {
				learn, test = cutLog(t, dir, learn)
			}
			said := l.run(t, dir, learn, test)
			for command, quoted := range lines[l.name] {
				for _, line := range quoted {
					if !strings.Contains(said[command], line) {
						t.Errorf("%s does not say %q, as in docs/logs.md, but\n%s", command, line, said[command])
					}
				}
			}
			m := regexp.MustCompile(`(?m)^data: (\S+) % wrong, floor (\S+) %, unchanged (\S+) % \(.* of (\d+) rows\)`).FindStringSubmatch(said["test"])
			if m == nil {
				t.Fatalf("no line of all data in\n%s", said["test"])
			}
			rows, floor, unchanged := countLog(t, test)
			want := figures[l.name]
			got := [4]float64{number(t, m[4]), number(t, m[1]), number(t, m[2]), number(t, m[3])}
			for i, what := range []string{"rows", "wrong", "floor", "unchanged"} {
				if math.Abs(got[i]-want[i]) > .1 {
					t.Errorf("%s: got %v, in docs/logs.md %v", what, got[i], want[i])
				}
			}
			counted := [4]float64{float64(rows), got[1], floor, unchanged}
			for i := range got {
				if !l.binned && math.Abs(got[i]-counted[i]) > .1 {
					t.Errorf("got %v, expected %v as counted", got, counted)
				}
			}
		})
	}
}

// run returns what each command says of a log.
func (l *foreignLog) run(t *testing.T, dir, learn, test string) map[string]string {
	t.Helper()
	run, said := runner(t, dir), map[string]string{}
	for _, args := range [][]string{
		append([]string{"init", learn, "-o", "made"}, l.init...),
		{"train", learn, "--task", "made/task.toml", "-o", "made/network.bnn"},
		{"test", "made/network.bnn", test, "--task", "made/task.toml"},
	} {
		said[args[0]] = run(args...)
	}
	return said
}

// foreignTables reads the figures of each log in docs/logs.md, and the lines of each command about it.
func foreignTables(t *testing.T) (figures map[string][4]float64, lines map[string]map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../docs/logs.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Logs of other projects\n")
	section, _, _ = strings.Cut(section, "\n## ")
	figures, lines = map[string][4]float64{}, map[string]map[string][]string{}
	code := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		switch name := cells[0]; {
		case len(cells) == 5 && name != "name" && !strings.HasPrefix(name, "-"):
			figures[name] = [4]float64{number(t, cells[1]), number(t, cells[2]), number(t, cells[3]), number(t, cells[4])}
		case len(cells) == 3 && (cells[1] == "`init`" || cells[1] == "`train`" || cells[1] == "`test`"):
			if lines[name] == nil {
				lines[name] = map[string][]string{}
			}
			for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
				lines[name][strings.Trim(cells[1], "`")] = append(lines[name][strings.Trim(cells[1], "`")], m[1])
			}
		}
	}
	return figures, lines
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// cutLog writes the first 80 % of the rows of a log to one file and the others to another.
func cutLog(t *testing.T, dir, file string) (first, last string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	cut := 1 + (len(lines)-1)*4/5
	first, last = filepath.Join(dir, "first.csv"), filepath.Join(dir, "last.csv")
	for name, part := range map[string][]string{first: lines[1:cut], last: lines[cut:]} {
		if err := os.WriteFile(name, []byte(lines[0]+strings.Join(part, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return first, last
}

// countLog counts the rows of a log whose next states have a prime, and the shares in per cent that the best function
// of the other columns gets wrong, and "nothing changes".
func countLog(t *testing.T, file string) (rows int, floor, unchanged float64) {
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
	column := map[string]int{}
	for i, name := range all[0] {
		column[name] = i
	}
	outcomes, moved := map[string]map[string]int{}, 0
	for _, row := range all[1:] {
		var now, next []string
		changed := false
		for i, name := range all[0] {
			if state, primed := strings.CutSuffix(name, "'"); primed {
				next, changed = append(next, row[i]), changed || row[i] != row[column[state]]
			} else if name != "reward" {
				now = append(now, row[i])
			}
		}
		if changed {
			moved++
		}
		key := fmt.Sprint(now)
		if outcomes[key] == nil {
			outcomes[key] = map[string]int{}
		}
		outcomes[key][fmt.Sprint(next)]++
	}
	rows = len(all) - 1
	best := 0
	for _, counts := range outcomes {
		most := 0
		for _, n := range counts {
			most = max(most, n)
		}
		best += most
	}
	return rows, 100 * float64(rows-best) / float64(rows), 100 * float64(moved) / float64(rows)
}
