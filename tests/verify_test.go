package tests

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
)

// tank is the log of a tank whose level y moves by less than a bin at a step.
func tank(t *testing.T, name string) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	b.WriteString("u,y,y'\n")
	y := 4.0
	for i := range 600 {
		u := float64(2 + i/40%3*2)
		next := min(9.9, max(0.1, y+0.1*(u-y)+0.01*r.NormFloat64()))
		fmt.Fprintf(&b, "%.3f,%.4f,%.4f\n", u, y, next)
		y = next
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// refuting lists the lines of a log with columns u, y and y' that lead from below a level to it.
func refuting(t *testing.T, name string, level float64) (lines []int32) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows[1:] {
		y, _ := strconv.ParseFloat(row[1], 64)
		next, _ := strconv.ParseFloat(row[2], 64)
		if y < level && next >= level {
			lines = append(lines, int32(i+2))
		}
	}
	return lines
}

// answered runs verify, and reads its answer.
func answered(t *testing.T, want int, args ...string) (a struct {
	Status   string
	Lines    []int32
	Warnings []string
}) {
	t.Helper()
	status, out, errs := session(append([]string{"verify", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &a); err != nil || status != want {
		t.Fatalf("status %d, want %d; %v: %s%s", status, want, err, out, errs)
	}
	return a
}

// TestRefutedByTheLog learns tanks in bins from their logs, and asks what rows of these refute.
func TestRefutedByTheLog(t *testing.T) {
	for _, c := range []struct {
		name  string
		log   string // beside the repository; empty for one of our own
		level float64
		some  []int32 // lines that are known to refute it
	}{
		{"own", "", 4, nil},
		{"cascaded tanks", "../../shared/data/logs/tq_est_t.csv", 7, []int32{146, 842}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			log := c.log
			if log == "" {
				log = filepath.Join(dir, "tank.csv")
				tank(t, log)
			} else if _, err := os.Stat(log); err != nil {
				t.Skipf("%s is not here", log)
			}
			folder := filepath.Join(dir, "task")
			task, network := filepath.Join(folder, "task.toml"), filepath.Join(folder, "network.bnn")
			const edges = "0,1,2,3,4,5,6,7,8,9,10,11"
			for _, args := range [][]string{
				{"init", log, "-o", folder, "--actions", "u", "--bins", "y=" + edges, "--bins", "u=" + edges},
				{"train", log, "--task", task, "-o", network},
			} {
				if status, out, errs := session(args...); status != 0 {
					t.Fatalf("%v: %d %s%s", args, status, out, errs)
				}
			}
			lines := refuting(t, log, c.level)
			if len(lines) == 0 {
				t.Fatal("the log refutes nothing")
			}
			for _, line := range c.some {
				if !slices.Contains(lines, line) {
					t.Errorf("line %d is not among %v", line, lines)
				}
			}
			property := fmt.Sprintf("y < %v => y' < %v", c.level, c.level)
			check := func(args ...string) {
				t.Helper()
				a := answered(t, 4, append([]string{task, "--property", property}, args...)...)
				if a.Status != "refuted by the log" || !slices.Equal(a.Lines, lines) {
					t.Errorf("%v: %s by lines %v, want %v", args, a.Status, a.Lines, lines)
				}
			}
			check()
			check("--data", log)
			_, text, _ := session("verify", task, "--property", property)
			if want := fmt.Sprintf("%s:%d", filepath.Base(log), lines[0]); !strings.Contains(text, want) {
				t.Errorf("%s is not in %s", want, text)
			}

			// A file that does not keep the rows: the answer says so, and the log refutes.
			forget(t, network)
			status, text, _ := session("verify", task, "--property", property)
			if !strings.Contains(text, "does not keep the rows of its log") {
				t.Errorf("status %d: %s", status, text)
			}
			check("--data", log)
		})
	}
}

// forget removes the rows from a network's file.
func forget(t *testing.T, network string) {
	t.Helper()
	data, err := os.ReadFile(network)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bnn.ReadFile(network, strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	f.Meta = slices.DeleteFunc(f.Meta, func(kv [2]string) bool { return strings.HasPrefix(kv[0], "log") })
	w, err := os.Create(network)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := bnn.WriteFile(w, f); err != nil {
		t.Fatal(err)
	}
}
