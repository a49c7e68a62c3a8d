// Package extsolver helps tests that compare with external solvers: it skips or fails tests
// whose solvers are not installed, and runs package external's solvers on files that tests
// have written.
package extsolver

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/solve/external"
)

// RequireVariable names the environment variable that, if not empty, makes a missing solver
// fail a test instead of skipping it.
const RequireVariable = "FDPLAN_REQUIRE_TOOLS"

// install returns what to install for a tool.
func install(tool string) string {
	for _, k := range []external.Kind{external.SAT, external.MaxSAT, external.PB, external.MILP} {
		for _, s := range external.Solvers(k) {
			if slices.Contains(s.Programs, tool) {
				return s.Install
			}
		}
	}
	return "Debian package " + tool
}

// Require skips the test if one of the tools is not installed, or fails it if RequireVariable
// is set. The message names the tool and its package.
func Require(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			Missing(t, tool+" is not installed ("+install(tool)+")")
		}
	}
}

// Missing skips the test for a reason, or fails it if RequireVariable is set.
func Missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(RequireVariable) != "" {
		t.Fatalf("%s, and %s is set", reason, RequireVariable)
	}
	t.Skip(reason)
}

// Solve runs a solver on an existing file.
type Solve func(file string, limit time.Duration) (external.Answer, error)

// Solvers of files, one for each solver and format used in comparisons.
var (
	// SolveCNF decides a DIMACS CNF file with cadical.
	SolveCNF = known(external.SAT, "cadical")
	// SolveWCNFOld finds the least cost of a WCNF file with a p line with clasp.
	SolveWCNFOld = known(external.MaxSAT, "clasp")
	// SolveOPB finds the least value of an OPB file's objective with clasp.
	SolveOPB = known(external.PB, "clasp")
	// Cbc finds the least objective of a file whose name ends in .lp or .mps.
	Cbc = known(external.MILP, "cbc")
	// GlpsolLP, GlpsolMPS and GlpsolFreeMPS find the least objective of a file
	// with glpsol, reading it as LP, fixed MPS or free MPS.
	GlpsolLP      = known(external.MILP, "glpsol")
	GlpsolMPS     = Command(external.MILP, "glpsol --mps {in} -o {out}")
	GlpsolFreeMPS = Command(external.MILP, "glpsol --freemps {in} -o {out}")
)

// Command returns a Solve for a command line, as external.Command parses it.
func Command(k external.Kind, line string) Solve { return by(external.Command, k, line) }

func known(k external.Kind, name string) Solve { return by(external.Lookup, k, name) }

func by(find func(external.Kind, string) (external.Solver, error), k external.Kind, text string) Solve {
	return func(file string, limit time.Duration) (external.Answer, error) {
		s, err := find(k, text)
		if err != nil {
			return external.Answer{}, err
		}
		return external.Run(context.Background(), s, external.Input{File: file}, external.Limits{Time: limit}, nil)
	}
}
