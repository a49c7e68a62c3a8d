package format

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/factored"
)

// programs are small programs with their optima.
var programs = []struct {
	name   string
	p      Program
	status external.Status
	least  int64
}{
	{"nothing", Program{}, external.Optimal, 0},
	{"a constant", Program{Constant: -7}, external.Optimal, -7},
	{"all relations", Program{
		Objective: []ProgramTerm{{3, 1}, {-2, 4}, {1, 9}}, Constant: 5,
		Rows: []ProgramRow{
			{Terms: []ProgramTerm{{1, 1}, {1, 4}, {1, 9}}, Op: factored.EQ, K: 2},
			{Terms: []ProgramTerm{{2, 4}, {-1, 7}}, Op: factored.LE, K: 1},
			{Terms: []ProgramTerm{{1, 9}, {-1, 7}}, Op: factored.GE, K: -1},
		},
	}, external.Optimal, 4},
	{"a variable in the objective alone", Program{
		Objective: []ProgramTerm{{-4, 3}},
		Rows:      []ProgramRow{{Terms: []ProgramTerm{{1, 2}}, Op: factored.GE, K: 1}},
	}, external.Optimal, -4},
	{"infeasible", Program{
		Rows: []ProgramRow{{Terms: []ProgramTerm{{1, 1}, {1, 2}}, Op: factored.GE, K: 2}, {Terms: []ProgramTerm{{1, 2}}, Op: factored.LE}},
	}, external.Unsatisfiable, 0},
}

// TestWriteProgram runs CBC and GLPK on programs in both formats.
func TestWriteProgram(t *testing.T) {
	extsolver.Require(t, "cbc", "glpsol")
	for _, c := range programs {
		for _, s := range []struct {
			name  string
			kind  Kind
			solve extsolver.Solve
		}{{"cbc", LP, extsolver.Cbc}, {"glpsol", LP, extsolver.GlpsolLP}, {"cbc", MPS, extsolver.Cbc}, {"glpsol", MPS, extsolver.GlpsolFreeMPS}} {
			var b bytes.Buffer
			if err := WriteProgram(context.Background(), &b, &c.p, s.kind); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "p."+s.kind.String())
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			a, err := s.solve(file, solverLimit)
			if err != nil || a.Status != c.status {
				t.Errorf("%s, %s by %v: %v, %v\n%s", c.name, s.name, s.kind, a.Status, err, &b)
			} else if c.status == external.Optimal && (a.Objective == nil || *a.Objective != c.least) {
				t.Errorf("%s, %s by %v: %v, expected %d\n%s", c.name, s.name, s.kind, a.Objective, c.least, &b)
			}
		}
	}
}

func TestWriteProgramRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := WriteProgram(context.Background(), &b, &Program{}, OPB); err == nil {
		t.Error("a program is written as OPB")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, k := range []Kind{LP, MPS} {
		if err := WriteProgram(ctx, &b, &Program{}, k); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", k, err)
		}
	}
}
