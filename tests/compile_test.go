package tests

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// TestOutsideSolversOnPublished compiles published problems and has outside
// solvers find the known optima in every format that they read.
func TestOutsideSolversOnPublished(t *testing.T) {
	if _, err := os.Stat(published); err != nil {
		t.Skipf("no published FD-SAT-Plan files: %v", err)
	}
	extsolver.Require(t, "clasp", "cadical", "cbc", "glpsol")
	storage := filepath.Join(t.TempDir(), "storage")
	lines := "quant_bit_3[$c1],-8\nquant_bit_2[$c1],-4\nquant_bit_1[$c1],-2\nquant_bit_0[$c1],-1\n"
	if err := os.WriteFile(storage, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		args      []string
		solve     extsolver.Solve
		status    external.Status
		objective int64
	}{
		{"wcnf-old", []string{"navigation/3x3", "-H", "4", "--format", "wcnf-old"}, extsolver.SolveWCNFOld, external.Optimal, 4},
		{"wcnf-old published", []string{"navigation/3x3", "-H", "4", "--format", "wcnf-old", "--encoding", "published"}, extsolver.SolveWCNFOld, external.Optimal, 4},
		{"opb", []string{"navigation/3x3", "-H", "4", "--format", "opb"}, extsolver.SolveOPB, external.Optimal, 4},
		{"opb cellda", []string{"cellda/x", "-H", "10", "--format", "opb"}, extsolver.SolveOPB, external.Optimal, 9},
		{"opb infeasible", []string{"cellda/x", "-H", "8", "--format", "opb"}, extsolver.SolveOPB, external.Unsatisfiable, 0},
		{"lp cbc", []string{"inventory/1", "-H", "5", "--format", "lp", "--reward", storage}, extsolver.Cbc, external.Optimal, 9},
		{"mps cbc", []string{"inventory/1", "-H", "5", "--format", "mps", "--reward", storage}, extsolver.Cbc, external.Optimal, 9},
		{"cnf H 3", []string{"navigation/3x3", "-H", "3", "--format", "cnf"}, extsolver.SolveCNF, external.Unsatisfiable, 0},
		{"cnf H 4", []string{"navigation/3x3", "-H", "4", "--format", "cnf"}, extsolver.SolveCNF, external.Satisfiable, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f."+extension(c.args))
			args := append([]string{"compile", "--files", published, "-o", file}, c.args...)
			if status, _, stderr := session(args...); status != exitDone {
				t.Fatalf("compile: status %d, %s", status, stderr)
			}
			res, err := c.solve(file, 5*time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != c.status || res.Status == external.Optimal && (res.Objective == nil || *res.Objective != c.objective) {
				t.Errorf("got %v %+v, want %v %d", res.Status, res, c.status, c.objective)
			}
		})
	}
}

// extension is the format, under which solvers expect a file's name to end.
func extension(args []string) string {
	for i, a := range args {
		if a == "--format" {
			return args[i+1]
		}
	}
	return ""
}
