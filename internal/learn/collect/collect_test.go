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
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/sim/simtest"
)

func sysadmin(t testing.TB, n, most int) *sim.Simulator {
	t.Helper()
	s, err := sim.New(simtest.SysAdmin(n, most), sim.WithRanges(sim.Ranges{"age": {Lo: 0, Hi: 3}}))
	if err != nil {
		t.Fatal(err)
	}
	return s
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

// counter is increased by inc and must stay in 0..3 by its range; stop terminates on request.
func counter(t *testing.T, change func(b *simtest.Builder)) *sim.Simulator {
	t.Helper()
	b := simtest.New("counter")
	b.State("x", ground.Int, 0)
	b.Action("inc", ground.Bool, 0)
	b.CPF("x", b.Op(ground.Add, b.Ref("x"), b.Ref("inc")))
	if change != nil {
		change(b)
	}
	s, err := sim.New(b.P, sim.WithRanges(sim.Ranges{"x": {Lo: 0, Hi: 3}}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEpisodeEnds: the horizon, the range, termination and states without a legal action
// start a new episode.
func TestEpisodeEnds(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(b *simtest.Builder)
		o       collect.Options
		largest float64 // state before a step
	}{
		"range":       {nil, collect.Options{}, 3},
		"horizon":     {nil, collect.Options{Horizon: 2}, 1},
		"termination": {func(b *simtest.Builder) { b.Termination("x == 2", b.Op(ground.Eq, b.Ref("x"), b.C(2))) }, collect.Options{}, 1},
		"no action": {func(b *simtest.Builder) {
			b.Precondition("x < 1", b.Op(ground.Or, b.Op(ground.Lt, b.Ref("x"), b.C(1)), b.Op(ground.And, b.Ref("inc"), b.Op(ground.Not, b.Ref("inc")))))
		}, collect.Options{}, 0},
		"restart": {func(b *simtest.Builder) {
			b.Precondition("x < 1", b.Op(ground.Or, b.Op(ground.Lt, b.Ref("x"), b.C(1)), b.Op(ground.And, b.Ref("inc"), b.Op(ground.Not, b.Ref("inc")))))
		}, collect.Options{Policy: collect.Restart}, 0},
	} {
		c.o.Rows = 500
		largest, next := 0.0, 0.0
		for _, row := range rows(t, counter(t, c.change), c.o) {
			largest, next = max(largest, row[0]), max(next, row[2])
		}
		if largest != c.largest || next > 3 {
			t.Errorf("%s: the largest state before a step is %v, after it %v", name, largest, next)
		}
	}
}

func TestErrors(t *testing.T) {
	for want, c := range map[string]struct {
		change func(b *simtest.Builder)
		o      collect.Options
	}{
		"no policy \"greedy\"": {nil, collect.Options{Policy: "greedy"}},
		"-1 rows":              {nil, collect.Options{Rows: -1}},
		"no horizon":           {func(b *simtest.Builder) { b.P.Horizon = 0 }, collect.Options{}},
		"termination condition holds in the initial":     {func(b *simtest.Builder) { b.Termination("true", b.T(true)) }, collect.Options{}},
		"the invariant does not hold: x > 0":             {func(b *simtest.Builder) { b.Invariant("x > 0", b.Op(ground.Gt, b.Ref("x"), b.C(0))) }, collect.Options{}},
		"no joint action is legal in step 1":             {func(b *simtest.Builder) { b.Precondition("false", b.T(false)) }, collect.Options{}},
		"no transition: no joint action is legal":        {func(b *simtest.Builder) { b.Precondition("false", b.T(false)) }, collect.Options{Policy: collect.Restart}},
		"division by zero":                               {func(b *simtest.Builder) { b.P.Reward = b.Op(ground.Div, b.C(1), b.Ref("x")) }, collect.Options{}},
		"y is a number without a range":                  {func(b *simtest.Builder) { b.State("y", ground.Int, 0); b.CPF("y", b.Ref("y")) }, collect.Options{Policy: collect.Restart}},
		"no transition: test.rddl:7:1: step 2: a value ": {func(b *simtest.Builder) { b.P.Fluents[0].CPF = b.C(7); b.P.Fluents[0].CPF.Pos.Line = 7 }, collect.Options{}},
	} {
		if c.o.Rows == 0 {
			c.o.Rows = 10
		}
		dir := t.TempDir()
		err := collect.ToFile(context.Background(), filepath.Join(dir, "d.csv"), counter(t, c.change), c.o)
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
