package highs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// open returns HiGHS in process, or skips the test.
func open(t *testing.T) *Engine {
	t.Helper()
	e, err := Open(context.Background())
	var missing *external.MissingError
	if errors.As(err, &missing) {
		extsolver.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

// program is a small 0-1 program: minimise cost x + constant, rows x >= rhs.
type program struct {
	cost     []int
	constant int
	rows     [][]int
	rhs      []int
}

func linear(w io.Writer, coefs []int) {
	for i, c := range coefs {
		fmt.Fprintf(w, " %+d x%d", c, i+1)
	}
}

func (p *program) write(w io.Writer) error {
	fmt.Fprint(w, "Minimize\n obj:")
	linear(w, p.cost)
	fmt.Fprintf(w, " %+d one\nSubject To\n", p.constant)
	for i, r := range p.rows {
		fmt.Fprintf(w, " c%d:", i+1)
		linear(w, r)
		fmt.Fprintf(w, " >= %d\n", p.rhs[i])
	}
	fmt.Fprint(w, "Bounds\n one = 1\nBinaries\n")
	for i := range p.cost {
		fmt.Fprintf(w, " x%d", i+1)
	}
	_, err := fmt.Fprint(w, "\nEnd\n")
	return err
}

func (p *program) input() external.Input {
	return external.Input{Write: func(w io.Writer, d external.Dialect) error {
		if d != external.LP {
			return fmt.Errorf("asked for %s", d)
		}
		return p.write(w)
	}}
}

// value returns the objective of x, and whether x keeps the rows.
func (p *program) value(x map[int32]bool) (int64, bool) {
	sum := func(coefs []int) int {
		s := 0
		for i, c := range coefs {
			if x[int32(i)+1] {
				s += c
			}
		}
		return s
	}
	for i, r := range p.rows {
		if sum(r) < p.rhs[i] {
			return 0, false
		}
	}
	return int64(sum(p.cost) + p.constant), true
}

// least finds the optimum by trying everything.
func (p *program) least() (best int64, feasible bool) {
	for bits := range 1 << len(p.cost) {
		x := map[int32]bool{}
		for i := range p.cost {
			x[int32(i)+1] = bits>>i&1 == 1
		}
		if v, ok := p.value(x); ok && (!feasible || v < best) {
			best, feasible = v, true
		}
	}
	return best, feasible
}

func random(seed uint64, variables, rows int) *program {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &program{constant: rng.IntN(21) - 10}
	coefs := func() []int {
		list := make([]int, variables)
		for i := range list {
			list[i] = rng.IntN(19) - 9
		}
		return list
	}
	p.cost = coefs()
	for range rows {
		p.rows = append(p.rows, coefs())
		p.rhs = append(p.rhs, rng.IntN(13)-4)
	}
	return p
}

// TestSmall compares HiGHS in process with brute force, CBC and GLPK.
func TestSmall(t *testing.T) {
	e := open(t)
	extsolver.Require(t, "cbc", "glpsol")
	infeasible := 0
	for seed := range uint64(12) {
		p := random(seed, 8, 5)
		want, feasible := p.least()
		file := filepath.Join(t.TempDir(), "p.lp")
		var text strings.Builder
		if err := p.write(&text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		if !feasible {
			infeasible++
		}
		for name, solve := range map[string]extsolver.Solve{
			"cbc": extsolver.Cbc, "glpsol": extsolver.GlpsolLP,
			"highs": func(file string, limit time.Duration) (external.Answer, error) {
				return e.Solve(context.Background(), external.Input{File: file}, external.Limits{Time: limit}, Options{}, nil)
			},
		} {
			a, err := solve(file, time.Minute)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, name, err)
			}
			if !feasible {
				if a.Status != external.Unsatisfiable || a.True != nil {
					t.Errorf("seed %d, %s: %v, expected unsatisfiable", seed, name, a.Status)
				}
				continue
			}
			v, ok := p.value(a.True)
			if a.Status != external.Optimal || !ok || v != want || a.Objective == nil || *a.Objective != want || a.Bound == nil || *a.Bound != want {
				t.Errorf("seed %d, %s: %v, value %d (keeps the rows: %v), expected %d; %v", seed, name, a.Status, v, ok, want, a)
			}
		}
	}
	if infeasible == 0 || infeasible == 12 {
		t.Errorf("%d of 12 problems are infeasible", infeasible)
	}
}

// TestMPS checks that the format is told by the file's name.
func TestMPS(t *testing.T) {
	e := open(t)
	text := "NAME          t\nROWS\n N  obj\n L  c1\nCOLUMNS\n    x1        obj                 -3\n    x1        c1                   1\n" +
		"    x12       obj                 -2\n    x12       c1                   1\nRHS\n    RHS       c1                   1\n" +
		"BOUNDS\n BV BND       x1\n BV BND       x12\nENDATA\n"
	dir := t.TempDir()
	for _, c := range []struct{ name, text, err string }{
		{"p.mps", text, ""},
		{"p.lp", text, "ended without an answer"},
		{"p.txt", text, ".lp or .mps"},
		{"q.mps", strings.ReplaceAll(text, "x12", "y"), `column "y"`},
	} {
		file := filepath.Join(dir, c.name)
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		a, err := e.Solve(context.Background(), external.Input{File: file}, external.Limits{}, Options{}, nil)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, expected an error with %q", c.name, err, c.err)
			}
		case err != nil || a.Status != external.Optimal || *a.Objective != -3 || !a.True[1] || a.True[12]:
			t.Errorf("%s: %v, %v", c.name, a, err)
		}
	}
}

// split is a market split problem: finding a solution of equations with n
// columns takes branch and cut of the order of 2^n nodes. The slack that its
// inequalities cost is minimised, so that everything is feasible.
func split(n int) *program {
	rng := rand.New(rand.NewPCG(7, 7))
	p := &program{cost: make([]int, n)}
	const digits = 7 // of the slack, which is 0..2^7-1
	for k := range digits {
		p.cost = append(p.cost, 1<<k)
	}
	for range 3 {
		row := make([]int, n+digits)
		sum := 0
		for i := range n {
			row[i] = rng.IntN(100)
			sum += row[i]
		}
		for k := range digits {
			row[n+k] = 1 << k
		}
		low := slices.Clone(row)
		for i := range n {
			low[i] = -low[i]
		}
		p.rows = append(p.rows, row, low)
		p.rhs = append(p.rhs, sum/2, -(sum / 2))
	}
	return p
}

// TestIncumbents checks what is reported, that a start solution is the first
// incumbent.
func TestIncumbents(t *testing.T) {
	e := open(t)
	p := split(30)
	// It is cancelled when enough has been seen, however slow the machine.
	solve := func(in external.Input, o Options, enough func(external.Progress) bool) (external.Answer, []external.Progress) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var seen []external.Progress
		a, err := e.Solve(ctx, in, external.Limits{}, o, func(p external.Progress) {
			seen = append(seen, p)
			if enough(p) {
				cancel()
			}
		})
		if err != nil || a.Status != external.Satisfiable && a.Status != external.Optimal {
			t.Fatalf("%v, %v", a, err)
		}
		return a, seen
	}
	a, seen := solve(p.input(), Options{}, func(p external.Progress) bool { return p.Objective != nil && p.Bound != nil && p.Nodes > 0 })
	if len(seen) == 0 {
		t.Fatal("nothing was reported")
	}
	best, bound := int64(1<<40), int64(-1)
	for _, s := range seen {
		if s.Bound != nil {
			if *s.Bound < bound {
				t.Errorf("the bound falls from %d to %d", bound, *s.Bound)
			}
			bound = *s.Bound
		}
		if s.Objective == nil {
			continue
		}
		if v, ok := p.value(s.True); !ok || v != *s.Objective || v > best {
			t.Errorf("incumbent %d after %d, its value is %d (keeps the rows: %v)", *s.Objective, best, v, ok)
		}
		best = *s.Objective
	}
	if a.Objective == nil || *a.Objective != best {
		t.Errorf("the last incumbent is %d, the answer's %v", best, a)
	}
	if a.Bound == nil || *a.Bound > best || a.Nodes == 0 {
		t.Errorf("no bound, a wrong one or no nodes: %v", a)
	}

	in := p.input()
	in.Start = map[int32]int64{}
	for v := range a.True {
		in.Start[v] = 1
	}
	_, seen = solve(in, Options{}, func(p external.Progress) bool { return p.Objective != nil })
	if len(seen) == 0 || seen[0].Objective == nil || *seen[0].Objective > best {
		t.Errorf("with a start solution of %d the first report is %v", best, seen)
	}
}

// TestStop checks that limits and cancellation are kept.
func TestStop(t *testing.T) {
	e := open(t)
	in := split(50).input()
	for _, c := range []struct {
		name          string
		cancel, limit time.Duration
	}{
		{"cancelled", 700 * time.Millisecond, 0},
		{"cancelled at once", time.Nanosecond, 0},
		{"time limit", 0, 700 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := context.Background()
			if c.cancel > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, c.cancel)
				defer cancel()
			}
			started := time.Now()
			a, err := e.Solve(ctx, in, external.Limits{Time: c.limit}, Options{}, nil)
			if err != nil || a.Status != external.Unknown && a.Status != external.Satisfiable {
				t.Errorf("%v, %v", a, err)
			}
			// A second to stop, and patience for a busy machine.
			if d := time.Since(started); d > c.cancel+c.limit+5*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// TestMemory checks that too little memory is an error.
func TestMemory(t *testing.T) {
	e := open(t)
	_, err := e.Solve(context.Background(), random(1, 600, 600).input(), external.Limits{Time: 2 * time.Minute}, Options{Memory: 1 << 20}, nil)
	if !errors.Is(err, ErrMemory) {
		t.Errorf("%v, expected ErrMemory", err)
	}
}

// TestFind checks where the file is looked for, and what is said where it is
// not.
func TestFind(t *testing.T) {
	root := t.TempDir()
	t.Setenv(Variable, "")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(root, "cache"))
	t.Setenv("HOME", root)
	work := filepath.Join(root, "checkout", "sub")
	if err := os.MkdirAll(work, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	put := func(parts ...string) string {
		t.Helper()
		name := filepath.Join(append([]string{root}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("no WebAssembly"), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	missing := func(want string) {
		t.Helper()
		_, err := Open(context.Background())
		var m *external.MissingError
		if !errors.As(err, &m) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected a MissingError with %q", err, want)
		}
	}
	missing("npm install --prefix " + filepath.Join(cacheDir()) + " highs@" + Version)
	put("checkout", "tools", "highs", "package-lock.json")
	missing("npm ci --prefix " + filepath.Join(root, "checkout", "tools", "highs"))
	// From the last place to the first.
	for _, parts := range [][]string{
		{"cache", "fdplan", "highs.wasm"},
		{"cache", "fdplan", "node_modules", "highs", "build", "highs.wasm"},
		{"checkout", "tools", "highs", "node_modules", "highs", "build", "highs.wasm"},
		{"checkout", "sub", "node_modules", "highs", "build", "highs.wasm"},
		{"elsewhere", "h.wasm"},
	} {
		want := put(parts...)
		if parts[0] == "elsewhere" {
			t.Setenv(Variable, want)
		}
		if got, err := Find(); err != nil || got != want {
			t.Errorf("found %s, %v; expected %s", got, err, want)
		}
	}
	if _, err := Open(context.Background()); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("a wrong file: %v", err)
	}
	t.Setenv(Variable, filepath.Join(root, "nothing"))
	missing(Variable)
}
