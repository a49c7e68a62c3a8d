package quantity

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// logs has logs of others, which are not part of the module.
const logs = "../../../../shared/data/logs"

// readLog reads transitions: columns with a prime are next values. Rows follow each other where all next values are
// the present ones of the next row.
func readLog(t *testing.T, name string, roles map[string]Role, step map[string]float64) *Table {
	t.Helper()
	f, err := os.Open(filepath.Join(logs, name))
	if err != nil {
		t.Skipf("%s is absent", name)
	}
	defer f.Close()
	cells, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	get := func(name string) []float64 {
		for j, c := range cells[0] {
			if c == name {
				var out []float64
				for _, row := range cells[1:] {
					x, err := strconv.ParseFloat(row[j], 64)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, x)
				}
				return out
			}
		}
		return nil
	}
	tab := &Table{}
	for _, c := range cells[0] {
		if role, ok := roles[c]; ok {
			col := Column{Name: c, Role: role, Now: get(c), Step: step[c]}
			if role == State {
				col.Next, col.Learn = get(c+"'"), true
			}
			tab.Columns = append(tab.Columns, col)
		}
	}
	for r := range cells[1:] {
		follows := r > 0
		for i := range tab.Columns {
			if c := &tab.Columns[i]; follows && c.Role == State {
				follows = c.Next[r-1] == c.Now[r]
			}
		}
		tab.Follows = append(tab.Follows, follows)
	}
	return tab
}

// errorsOn measures functions on another table.
func errorsOn(tab *Table, outputs []*Output) map[string]Pair {
	tab.runs()
	var fs []*Function
	all := map[int]*sums{}
	for _, o := range outputs {
		fs = append(fs, o.Function)
		all[o.Column] = &sums{}
	}
	var w window
	for r := range tab.Rows() {
		if tab.depth[r] < 3 {
			continue
		}
		steps := 1
		if tab.ahead[r] >= Far {
			steps = Far
		}
		tab.follow(&w, fs, 3, r, steps, func(step, output int, x float64) {
			all[output].add(step, tab.Columns[output].Next[r+step]-x)
		})
	}
	out := map[string]Pair{}
	for c, s := range all {
		out[tab.Columns[c].Name] = s.pair()
	}
	return out
}

func show(t *testing.T, tab *Table, outputs []*Output) {
	t.Helper()
	for _, o := range outputs {
		t.Logf("%s: chosen %+v of %d leaves, clamp %g..%g, held out %.4v, band %.3f\n%s", tab.Columns[o.Column].Name, o.chosen, o.Function.Leaves(), o.Function.Lo, o.Function.Hi, o.Errors, BandOf(o.Residuals, .99),
			o.Function.Text(func(c, lag int) string {
				if lag == 0 {
					return tab.Columns[c].Name
				}
				return fmt.Sprintf("%s_%d", tab.Columns[c].Name, lag)
			}, nil))
	}
}

var (
	tank       = map[string]Role{"u": Action, "y": State}
	thermostat = map[string]Role{"setpoint": Input, "temp_in": State, "aux_min": State}
)

func TestTank(t *testing.T) {
	step := map[string]float64{"y": .01, "u": .01}
	tab := readLog(t, "tq_est_t.csv", tank, step)
	l, err := Learn(t.Context(), tab, Options{Lags: 2, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	show(t, tab, l)
	got := errorsOn(readLog(t, "tq_val_t.csv", tank, step), l)["y"]
	t.Logf("val: %.4f", got)
	if math.IsNaN(got.One) || got.One > .050 || got.Far > .30 {
		t.Errorf("errors %.4f and %.4f V; expected at most .050 and .30", got.One, got.Far)
	}
}

var long = flag.Bool("long", false, "learn from the large logs too")

func TestThermostat(t *testing.T) {
	if !*long {
		t.Skip("-long learns from this log")
	}
	tab := readLog(t, "thl_tr.csv", thermostat, map[string]float64{"temp_in": .5})
	l, err := Learn(t.Context(), tab, Options{Lags: 3, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	show(t, tab, l)
	got := errorsOn(readLog(t, "thl_te.csv", thermostat, nil), l)["temp_in"]
	t.Logf("val: %.4f", got)
	if math.IsNaN(got.One) || got.One > 2.55 || got.Far > 4.45 {
		t.Errorf("errors %.4f and %.4f °F; expected at most 2.55 and 4.45", got.One, got.Far)
	}
}
