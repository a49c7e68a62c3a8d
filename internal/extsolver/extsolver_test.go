package extsolver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSolvers gives each solver a file with an optimum and one without
// solution.
func TestSolvers(t *testing.T) {
	lp := "Minimize\n obj: - 3 x1 - 2 x12 + 4 one\nSubject To\n c1: x1 + x12 <= %s\n c2: x1 >= 1\nBounds\n one = 1\nBinaries\n x1 x12\nEnd\n"
	mps := "NAME          t\nROWS\n N  obj\n L  c1\n G  c2\nCOLUMNS\n" +
		"    x1        obj                 -3\n    x1        c1                   1\n    x1        c2                   1\n" +
		"    x12       obj                 -2\n    x12       c1                   1\n" +
		"    one       obj                  4\n" +
		"RHS\n    RHS       c1        %12s\n    RHS       c2                   1\n" +
		"BOUNDS\n BV BND       x1\n BV BND       x12\n FX BND       one                  1\nENDATA\n"
	solvers := []struct {
		name, tool, file string
		solve            func(string, time.Duration) (Result, error)
		text             string // %s is 1 for an optimum, 0 for no solution
		status           Status
		objective        int64
	}{
		{"cadical", "cadical", "a.cnf", SolveCNF, "p cnf 12 3\n1 0\n-1 -12 0\n%s 0\n", Satisfiable, 0},
		{"clasp wcnf", "clasp", "a,b.wcnf", SolveWCNFOld, "p wcnf 12 5 6\n6 1 0\n6 -1 -12 0\n6 %s 0\n3 1 0\n2 12 0\n", Optimal, 2},
		{"clasp opb", "clasp", "a.opb", SolveOPB, "* #variable= 12 #constraint= 2\nmin: -3 x1 -2 x12 ;\n-1 x1 -1 x12 >= -%s ;\n+1 x1 >= 1 ;\n", Optimal, -3},
		{"cbc lp", "cbc", "a.lp", Cbc, lp, Optimal, 1},
		{"glpsol lp", "glpsol", "a.lp", GlpsolLP, lp, Optimal, 1},
		{"cbc mps", "cbc", "a.mps", Cbc, mps, Optimal, 1},
		{"glpsol mps", "glpsol", "a.mps", GlpsolMPS, mps, Optimal, 1},
		{"glpsol free mps", "glpsol", "a.mps", GlpsolFreeMPS, mps, Optimal, 1},
	}
	for _, s := range solvers {
		t.Run(s.name, func(t *testing.T) {
			Require(t, s.tool)
			file := filepath.Join(t.TempDir(), s.file)
			solve := func(argument string) Result {
				t.Helper()
				if err := os.WriteFile(file, fmt.Appendf(nil, s.text, argument), 0o644); err != nil {
					t.Fatal(err)
				}
				r, err := s.solve(file, time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			r := solve("1")
			if r.Status != s.status || r.Objective != s.objective || !r.True[1] || r.True[12] {
				t.Errorf("answer %v, objective %d, true %v; expected %v, %d, x1 alone", r.Status, r.Objective, r.True, s.status, s.objective)
			}
			no := "0"
			if s.tool != "cbc" && s.tool != "glpsol" && s.file != "a.opb" {
				no = "-1"
			}
			if r := solve(no); r.Status != Unsatisfiable {
				t.Errorf("answer %v, expected unsatisfiable", r.Status)
			}
			if _, err := s.solve(file+".gone", time.Minute); err == nil {
				t.Error("a file that does not exist was solved")
			}
		})
	}
}

// TestLimit checks that a time limit is kept and leaves the status unknown.
func TestLimit(t *testing.T) {
	Require(t, "cadical")
	// Pigeons: 14 in 13 holes.
	var b strings.Builder
	for p := range 14 {
		for h := range 13 {
			fmt.Fprint(&b, p*13+h+1, " ")
		}
		fmt.Fprintln(&b, 0)
		for q := range p {
			for h := range 13 {
				fmt.Fprintln(&b, -(p*13 + h + 1), -(q*13 + h + 1), 0)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "pigeons.cnf")
	text := fmt.Sprintf("p cnf %d %d\n%s", 14*13, strings.Count(b.String(), "\n"), &b)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r, err := SolveCNF(file, 200*time.Millisecond)
	if err != nil || r.Status != Unknown {
		t.Errorf("answer %v, %v; expected unknown", r.Status, err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("a limit of 0.2 s took %v", d)
	}
}

// TestUnreadable checks that strange reports are errors, not answers.
func TestUnreadable(t *testing.T) {
	for _, text := range []string{"", "Optimal\n", "Optimal - objective value 1.5\n", "Optimal - objective value 1\n 0 x1 0.5 0\n", "Optimal - objective value 1\n 0 y 1 0\n"} {
		if r, err := readCbc([]byte(text)); !errors.Is(err, ErrOutput) {
			t.Errorf("cbc %q: %v, %v", text, r, err)
		}
	}
	for _, text := range []string{"", "Status: INTEGER OPTIMAL\nObjective: obj = x (MINimum)\n", "Status: INTEGER OPTIMAL\nNo. Column name\n 1 y * 1 0 1\n"} {
		if r, err := readGlpsol([]byte(text)); !errors.Is(err, ErrOutput) {
			t.Errorf("glpsol %q: %v, %v", text, r, err)
		}
	}
}

// verdict notes what Require does with a test.
type verdict struct {
	testing.TB
	text string
}

func (v *verdict) Helper() {}

func (v *verdict) Skipf(format string, args ...any) { v.text = "skip: " + fmt.Sprintf(format, args...) }

func (v *verdict) Fatalf(format string, args ...any) {
	v.text = "fatal: " + fmt.Sprintf(format, args...)
	panic(v) // Fatalf does not return
}

// TestRequire checks that a missing tool skips a test, or fails it on demand,
// and that the message names tool and package.
func TestRequire(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct{ variable, want string }{{"", "skip: "}, {"1", "fatal: "}} {
		t.Setenv(RequireVariable, c.variable)
		v := &verdict{TB: t}
		func() {
			defer func() {
				if r := recover(); r != nil && r != any(v) {
					panic(r)
				}
			}()
			Require(v, "cbc")
		}()
		if !strings.HasPrefix(v.text, c.want) || !strings.Contains(v.text, "cbc") || !strings.Contains(v.text, "coinor-cbc") {
			t.Errorf("with %s=%q: %q", RequireVariable, c.variable, v.text)
		}
	}
}
