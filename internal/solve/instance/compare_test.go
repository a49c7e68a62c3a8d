package instance_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/internal/solve/instance"
)

// outsideLimit bounds a single run of an external solver.
const outsideLimit = time.Minute

// kind is a kind of random instances and the solver to compare with.
type kind struct {
	name    string
	tool    string // "" for brute force
	dialect Dialect
	draw    func(seed uint64, vars int) *instance.Instance
	solve   extsolver.Solve
}

var kinds = []kind{
	{"cnf", "cadical", Dialect{instance.CNF, true}, ThreeSAT, extsolver.SolveCNF},
	{"wcnf", "clasp", Dialect{instance.WCNFOld, true}, func(seed uint64, vars int) *instance.Instance { return WCNF(seed, vars, 1e6) }, extsolver.SolveWCNFOld},
	{"opb", "clasp", Dialect{instance.OPB, true}, func(seed uint64, vars int) *instance.Instance { return OPB(seed, vars, 1e6) }, extsolver.SolveOPB},
	{"wcnf-large-weights", "", Dialect{}, func(seed uint64, vars int) *instance.Instance {
		return WCNF(seed, min(vars, 12), 1e15)
	}, nil},
	{"opb-large-coefficients", "", Dialect{}, func(seed uint64, vars int) *instance.Instance {
		return OPB(seed, min(vars, 12), 1e15)
	}, nil},
}

// Compare runs a solver on n random instances of each kind, as files of the competitions'
// formats, and compares status and least cost with those of an external solver: CNF of vars
// variables with cadical, WCNF and OPB with clasp. Both of the latter with numbers up to
// 1e15, on at most 12 variables, are compared with brute force. A failing instance is logged
// in full if it is small, otherwise by its seed.
func Compare(t *testing.T, solver instance.Solver, n, vars int) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			if k.tool != "" {
				extsolver.Require(t, k.tool)
			}
			file := filepath.Join(t.TempDir(), "random")
			var statuses [4]int
			for seed := range uint64(n) {
				in := k.draw(seed, vars)
				want, cost, err := k.expect(file, in)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				statuses[want]++
				if err := agree(solver, in, seed, want, cost); err != nil {
					text, _ := Text(in, Dialect{Format: in.Format})
					if len(text) > 4000 {
						text = nil
					}
					t.Errorf("seed %d of %d variables: %v\n%s", seed, vars, err, text)
				}
			}
			t.Logf("%d instances: %d satisfiable, %d unsatisfiable, %d optimal", n, statuses[instance.Satisfiable], statuses[instance.Unsatisfiable], statuses[instance.Optimal])
			if n >= 14 && (statuses[instance.Unsatisfiable] == 0 || statuses[instance.Unsatisfiable] == n) {
				t.Errorf("%d of %d are unsatisfiable; expected some of both", statuses[instance.Unsatisfiable], n)
			}
		})
	}
}

// outcome is the status and the least cost of an instance.
type outcome struct {
	status instance.Status
	cost   int64
}

// outcomes are those that expect has found, by the instances.
var outcomes = map[string]outcome{}

// expect runs the external solver on a file, or tries every assignment, where the instance is new.
func (k *kind) expect(file string, in *instance.Instance) (instance.Status, int64, error) {
	d := k.dialect
	if k.tool == "" {
		d.Format = in.Format
	}
	text, err := Text(in, d)
	if err != nil {
		return 0, 0, err
	}
	a, ok := outcomes[k.name+string(text)]
	if !ok {
		if a.status, a.cost, err = k.find(file, in, text); err != nil {
			return 0, 0, err
		}
		outcomes[k.name+string(text)] = a
	}
	return a.status, a.cost, nil
}

func (k *kind) find(file string, in *instance.Instance, text []byte) (instance.Status, int64, error) {
	if k.tool == "" {
		_, cost, feasible := BruteForce(in)
		switch {
		case !feasible:
			return instance.Unsatisfiable, 0, nil
		case in.Optimises:
			return instance.Optimal, cost, nil
		}
		return instance.Satisfiable, 0, nil
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return 0, 0, err
	}
	r, err := k.solve(file, outsideLimit)
	if err != nil {
		return 0, 0, err
	}
	switch {
	case r.Status == external.Unsatisfiable:
		return instance.Unsatisfiable, 0, nil
	case r.Status == external.Satisfiable && !in.Optimises:
		return instance.Satisfiable, 0, nil
	case r.Status == external.Optimal && r.Objective != nil:
		return instance.Optimal, *r.Objective, nil
	case r.Status == external.Satisfiable && r.Objective == nil:
		return instance.Optimal, 0, nil // clasp reports in this way that no soft clause can be false
	}
	return 0, 0, fmt.Errorf("%s ended without an answer", k.tool)
}

// agree solves an instance as a file would be solved, and compares the output.
func agree(solver instance.Solver, in *instance.Instance, seed uint64, want instance.Status, cost int64) error {
	d := Dialect{Format: in.Format}
	if d.Format == instance.WCNF && seed%2 == 1 {
		d.Format = instance.WCNFOld
	}
	text, err := Text(in, d)
	if err != nil {
		return err
	}
	read, err := instance.Read(context.Background(), "random", bytes.NewReader(text), d.Format, instance.Limits{})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	status, err := instance.Solve(context.Background(), read, solver, &out)
	if err != nil {
		return err
	}
	if status != want {
		return fmt.Errorf("status %v, expected %v", status, want)
	}
	if status != instance.Optimal {
		return nil
	}
	got := int64(math.MaxInt64)
	for line := range bytes.Lines(out.Bytes()) {
		if line[0] != 'o' {
			continue
		}
		var next int64
		if _, err := fmt.Sscanf(string(line), "o %d\n", &next); err != nil || next >= got && got != math.MaxInt64 {
			return fmt.Errorf("the line %q after cost %d: %v", line, got, err)
		}
		got = next
	}
	if got != cost {
		return fmt.Errorf("optimum %d, expected %d", got, cost)
	}
	return nil
}
