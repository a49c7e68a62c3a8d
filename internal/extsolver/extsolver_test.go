package extsolver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/solve/external"
)

// TestSolvers returns each solver a file with an optimum and one without solution.
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
		solve            Solve
		text             string // %s is yes for an optimum, no for no solution
		yes, no          string
		status           external.Status
		objective        int64
	}{
		{"cadical", "cadical", "a.cnf", SolveCNF, "p cnf 12 3\n1 0\n-1 -12 0\n%s 0\n", "1", "-1", external.Satisfiable, 0},
		{"clasp wcnf", "clasp", "a,b.wcnf", SolveWCNFOld, "p wcnf 12 5 6\n6 1 0\n6 -1 -12 0\n6 %s 0\n3 1 0\n2 12 0\n", "1", "-1", external.Optimal, 2},
		{"clasp opb", "clasp", "a.opb", SolveOPB, "* #variable= 12 #constraint= 2\nmin: -3 x1 -2 x12 ;\n-1 x1 -1 x12 >= -%s ;\n+1 x1 >= 1 ;\n", "1", "0", external.Optimal, -3},
		{"cbc lp", "cbc", "a.lp", Cbc, lp, "1", "0", external.Optimal, 1},
		{"glpsol lp", "glpsol", "a.lp", GlpsolLP, lp, "1", "0", external.Optimal, 1},
		{"cbc mps", "cbc", "a.mps", Cbc, mps, "1", "0", external.Optimal, 1},
		{"glpsol mps", "glpsol", "a.mps", GlpsolMPS, mps, "1", "0", external.Optimal, 1},
		{"glpsol free mps", "glpsol", "a.mps", GlpsolFreeMPS, mps, "1", "0", external.Optimal, 1},
	}
	for _, s := range solvers {
		t.Run(s.name, func(t *testing.T) {
			Require(t, s.tool)
			file := filepath.Join(t.TempDir(), s.file)
			solve := func(argument string) external.Answer {
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
			r := solve(s.yes)
			if r.Status != s.status || !r.True[1] || r.True[12] {
				t.Errorf("answer %v, true %v; expected %v, x1 alone", r.Status, r.True, s.status)
			}
			if s.status == external.Optimal && (r.Objective == nil || *r.Objective != s.objective || r.Bound == nil || *r.Bound != s.objective) {
				t.Errorf("objective and bound %v, expected %d", r, s.objective)
			}
			if r := solve(s.no); r.Status != external.Unsatisfiable || r.True != nil {
				t.Errorf("answer %v, expected unsatisfiable", r.Status)
			}
			if _, err := s.solve(file+".gone", time.Minute); err == nil {
				t.Error("a file that does not exist was solved")
			}
		})
	}
}

// verdict records how Require treats a test.
type verdict struct {
	testing.TB
	text string
}

func (v *verdict) Helper() {}

func (v *verdict) Skip(args ...any) {
	v.text = "skip: " + fmt.Sprint(args...)
	panic(v) // Skip does not return
}

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
