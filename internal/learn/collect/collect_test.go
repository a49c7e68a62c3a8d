package collect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

// simulator makes a simulator of a problem in RDDL.
func simulator(t testing.TB, text string, ranges sim.Ranges) *sim.Simulator {
	t.Helper()
	f, err := rddl.Parse("test.rddl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.File(context.Background(), f, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := sim.New(g, sim.WithRanges(ranges))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sysadmin is a deterministic problem similar to the paper's, with n computers in a ring: all run at
// every step, at most most reboot at once, and the reward is minus their number.
func sysadmin(t testing.TB, n, most int) *sim.Simulator {
	t.Helper()
	var names, links []string
	for i := range n {
		c, d := i+1, (i+1)%n+1
		names = append(names, fmt.Sprintf("c%d", c))
		links = append(links, fmt.Sprintf("LINK(c%d, c%d); LINK(c%d, c%d);", c, d, d, c))
	}
	return simulator(t, fmt.Sprintf(`domain sysadmin {
	types { computer : object; };
	pvariables {
		LINK(computer, computer) : { non-fluent, bool, default = false };
		running(computer) : { state-fluent, bool, default = true };
		age(computer) : { state-fluent, int, default = 0 };
		reboot(computer) : { action-fluent, bool, default = false };
	};
	cpfs {
		running'(?c) = reboot(?c) | running(?c) ^ (age(?c) <= 1 | age(?c) * (1 - [sum_{?d : computer} LINK(?c, ?d) * running(?d)] / 3) <= 0.5);
		age'(?c) = if (~running(?c) | reboot(?c)) then 0 else min[3, age(?c) + 1];
	};
	reward = -(sum_{?c : computer} reboot(?c));
	state-invariants { forall_{?c : computer} running(?c); };
}
non-fluents ring { domain = sysadmin; objects { computer : {%s}; }; non-fluents { %s }; }
instance ring-%d { domain = sysadmin; non-fluents = ring; max-nondef-actions = %d; horizon = 10; discount = 1.0; }
`, strings.Join(names, ", "), strings.Join(links, " "), n, most), sim.Ranges{"age": {Lo: 0, Hi: 3}})
}

// rows collects into memory.
func rows(t testing.TB, s *sim.Simulator, o collect.Options) [][]float64 {
	t.Helper()
	width := 2*len(s.States()) + len(s.Actions())
	var out [][]float64
	if err := collect.Rows(context.Background(), s, o, func(values []float64) error {
		for r := range slices.Chunk(values, width) {
			out = append(out, slices.Clone(r))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRowsAreTransitions replays every row.
func TestRowsAreTransitions(t *testing.T) {
	s := sysadmin(t, 3, 2)
	n := len(s.States())
	for _, policy := range []collect.Policy{collect.Exploration, collect.Restart, collect.Random} {
		got := rows(t, s, collect.Options{Rows: 5000, Policy: policy, Seed: 1})
		if len(got) != 5000 {
			t.Fatalf("%s: %d rows", policy, len(got))
		}
		r := s.NewRunner(nil)
		broken := 0
		for _, row := range got {
			if err := r.SetState(row[:n]); err != nil {
				t.Fatalf("%s: a row begins in a state that is not legal: %v", policy, err)
			}
			_, err := r.Step(row[n : n+3])
			var v *sim.Violation
			if errors.As(err, &v) && v.Kind == sim.Invariant {
				broken++
			} else if err != nil {
				t.Fatalf("%s: %v", policy, err)
			}
			if !slices.Equal(r.State(nil), row[n+3:]) {
				t.Fatalf("%s: the step from %v leads to %v", policy, row, r.State(nil))
			}
		}
		if broken == 0 {
			t.Errorf("%s: no row breaks an invariant, though computers do fail", policy)
		}
	}
}

// TestRestartIsUniform: all 4^3 legal states of three running computers, with all 7 joint
// actions, occur about equally often.
func TestRestartIsUniform(t *testing.T) {
	counts := map[string]int{}
	const n = 64 * 7 * 100
	for _, row := range rows(t, sysadmin(t, 3, 2), collect.Options{Rows: n, Policy: collect.Restart, Seed: 5}) {
		counts[fmt.Sprint(row[:9])]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += float64((c-100)*(c-100)) / 100
	}
	if len(counts) != 64*7 || chi > 447+5*30 {
		t.Errorf("%d different states and actions, chi-square %.1f", len(counts), chi)
	}
}

// TestSameBytes: the file depends on the seed and not on the threads.
func TestSameBytes(t *testing.T) {
	s := sysadmin(t, 4, 2)
	dir := t.TempDir()
	for _, policy := range []collect.Policy{collect.Exploration, collect.Restart} {
		for _, ext := range []string{".parquet", ".csv", ".npz"} {
			file := func(seed uint64, threads int) []byte {
				name := filepath.Join(dir, "data"+ext)
				o := collect.Options{Rows: 10_000, Policy: policy, Seed: seed, Threads: threads}
				if err := collect.ToFile(context.Background(), name, s, o); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			one := file(1, 1)
			if !bytes.Equal(one, file(1, 2)) || !bytes.Equal(one, file(1, 7)) {
				t.Errorf("%s%s: other bytes with more threads", policy, ext)
			}
			if bytes.Equal(one, file(2, 1)) {
				t.Errorf("%s%s: the seed changes nothing", policy, ext)
			}
		}
	}
}

// TestFilesReadBack compares the files with the rows and the schema.
func TestFilesReadBack(t *testing.T) {
	s := sysadmin(t, 2, 1)
	want := rows(t, s, collect.Options{Rows: 3000, Seed: 9})
	schema, err := collect.Schema(s)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range schema.Columns {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "running(c1) running(c2) age(c1) age(c2) reboot(c1) reboot(c2) running(c1)' running(c2)' age(c1)' age(c2)'" {
		t.Errorf("columns %s", got)
	}
	for _, ext := range []string{".parquet", ".csv", ".npz"} {
		name := filepath.Join(t.TempDir(), "data"+ext)
		if err := collect.ToFile(context.Background(), name, s, collect.Options{Rows: 3000, Seed: 9}); err != nil {
			t.Fatal(err)
		}
		d, err := dataset.ReadAs(name, schema)
		var got []float64
		for i := range want {
			if err == nil && i < d.Rows {
				got = append(got, d.Row(i)...)
			}
		}
		if err != nil || d.Rows != 3000 || !slices.Equal(got, slices.Concat(want...)) {
			t.Errorf("%s: the rows do not come back: %v", ext, err)
		}
		if c := d.Schema.Columns[2]; !c.Bounded || c.Lo != 0 || c.Hi != 3 {
			t.Errorf("%s: the schema has lost the range: %+v", ext, c)
		}
	}
}

// counter is increased by inc and must stay in 0..3 by its range. Each change replaces one part of its text by another.
func counter(t *testing.T, changes ...string) *sim.Simulator {
	t.Helper()
	text := strings.NewReplacer(changes...).Replace(`domain counter {
	pvariables {
		x : { state-fluent, int, default = 0 };
		inc : { action-fluent, bool, default = false };
	};
	cpfs {
		x' = x + inc;
	};
	reward = 0;
}
instance counter { domain = counter; horizon = 10; discount = 1.0; }
`)
	return simulator(t, text, sim.Ranges{"x": {Lo: 0, Hi: 3}})
}

// withSection is the change that adds a section to the domain of the counter.
func withSection(text string) []string { return []string{"reward", text + " reward"} }

// TestEpisodeEnds: the horizon, the range, termination and states without a legal action
// start a new episode.
func TestEpisodeEnds(t *testing.T) {
	stuck := withSection("action-preconditions { x < 1 | inc ^ ~(inc ^ x >= 0); };")
	for name, c := range map[string]struct {
		change  []string
		o       collect.Options
		largest float64 // state before a step
	}{
		"range":       {nil, collect.Options{}, 3},
		"horizon":     {nil, collect.Options{Horizon: 2}, 1},
		"termination": {withSection("termination { x == 2; };"), collect.Options{}, 1},
		"no action":   {stuck, collect.Options{}, 0},
		"restart":     {stuck, collect.Options{Policy: collect.Restart}, 0},
	} {
		c.o.Rows = 500
		largest, next := 0.0, 0.0
		for _, row := range rows(t, counter(t, c.change...), c.o) {
			largest, next = max(largest, row[0]), max(next, row[2])
		}
		if largest != c.largest || next > 3 {
			t.Errorf("%s: the largest state before a step is %v, after it %v", name, largest, next)
		}
	}
}

func TestErrors(t *testing.T) {
	never := withSection("action-preconditions { false; };")
	for want, c := range map[string]struct {
		change []string
		o      collect.Options
	}{
		"no policy \"greedy\"": {nil, collect.Options{Policy: "greedy"}},
		"-1 rows":              {nil, collect.Options{Rows: -1}},
		"no horizon":           {[]string{"= 10", "= pos-inf"}, collect.Options{}},
		"termination condition holds in the initial":     {withSection("termination { true; };"), collect.Options{}},
		"the invariant does not hold: x > 0":             {withSection("state-invariants { x > 0; };"), collect.Options{}},
		"no joint action is legal in step 1":             {never, collect.Options{}},
		"no transition: no joint action is legal":        {never, collect.Options{Policy: collect.Restart}},
		"division by zero":                               {[]string{"reward = 0", "reward = 1 / x"}, collect.Options{}},
		"y is a number without a range":                  {[]string{"inc :", "y : { state-fluent, int, default = 0 }; inc :", "x' =", "y' = y; x' ="}, collect.Options{Policy: collect.Restart}},
		"no transition: test.rddl:7:8: step 2: a value ": {[]string{"x + inc", "7"}, collect.Options{}},
	} {
		if c.o.Rows == 0 {
			c.o.Rows = 10
		}
		dir := t.TempDir()
		err := collect.ToFile(context.Background(), filepath.Join(dir, "d.csv"), counter(t, c.change...), c.o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: %v is left", want, left)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	o := collect.Options{Rows: 1 << 30, Threads: 2, Progress: func(n int) {
		if n > 50_000 {
			cancel()
		}
	}}
	if err := collect.ToFile(ctx, filepath.Join(dir, "d.parquet"), sysadmin(t, 3, 1), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// BenchmarkSysAdmin5 collects 200,000 rows on 2 threads.
func BenchmarkSysAdmin5(b *testing.B) {
	s := sysadmin(b, 5, 3)
	for _, policy := range []collect.Policy{collect.Exploration, collect.Restart} {
		for _, ext := range []string{".parquet", ".csv", ".npz"} {
			b.Run(string(policy)+ext, func(b *testing.B) {
				name := filepath.Join(b.TempDir(), "data"+ext)
				for b.Loop() {
					if err := collect.ToFile(context.Background(), name, s, collect.Options{Rows: 200_000, Policy: policy, Threads: 2}); err != nil {
						b.Fatal(err)
					}
				}
				info, err := os.Stat(name)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(info.Size())/1e6, "MB")
			})
		}
	}
}
