package instance_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/internal/solve/instance"
)

// TestAnswers solves small files by brute force and compares the whole output.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		format instance.Format
		text   string
		want   string
		exit   int
	}{
		{"satisfiable", instance.CNF, "p cnf 3 2\n1 0\n-1 -2 0\n", "s SATISFIABLE\nv 1 -2 -3 0\n", 10},
		{"unsatisfiable", instance.CNF, "p cnf 1 2\n1 0\n-1 0\n", "s UNSATISFIABLE\n", 20},
		{"nothing", instance.CNF, "p cnf 0 0\n", "s SATISFIABLE\nv 0\n", 10},
		{"empty clause", instance.CNF, "p cnf 2 1\n0\n", "s UNSATISFIABLE\n", 20},
		{"opposite literals", instance.CNF, "p cnf 2 2\n1 -1 0\n2 2 0", "s SATISFIABLE\nv -1 2 0\n", 10},
		{"bits", instance.WCNF, "h 1 2 0\n3 -1 0\n2 -2 0\n1 3 0\n", "o 2\ns OPTIMUM FOUND\nv 011\n", 30},
		{"nothing", instance.WCNF, "", "o 0\ns OPTIMUM FOUND\nv \n", 30},
		{"unsatisfiable", instance.WCNF, "h 0\n3 -1 0\n", "s UNSATISFIABLE\n", 20},
		{"empty soft clause", instance.WCNF, "h 1 0\n3 0\n", "o 3\ns OPTIMUM FOUND\nv 1\n", 30},
		{"weight 0", instance.WCNF, "h 1 0\n0 -1 0\n", "o 0\ns OPTIMUM FOUND\nv 1\n", 30},
		{"opposite literals", instance.WCNF, "7 1 -1 0\n3 1 1 0\n3 -1 0\n", "o 3\ns OPTIMUM FOUND\nv 0\n", 30},
		{"largest weights", instance.WCNF, "2305843009213693950 1 0\n1 -1 0\n", "o 1\ns OPTIMUM FOUND\nv 1\n", 30},
		{"all lost", instance.WCNF, "2305843009213693950 0\n1 0\n", "o 2305843009213693951\ns OPTIMUM FOUND\nv \n", 30},
		{"literals", instance.WCNF, "p wcnf 3 3 9\n9 1 2 0\n3 -1 0\n2 -2 0\n", "o 2\ns OPTIMUM FOUND\nv -1 2 -3\n", 30},
		{"no top", instance.WCNF, "p wcnf 1 2\n5 1 0\n9 -1 0\n", "o 5\ns OPTIMUM FOUND\nv -1\n", 30},
		{"objective", instance.OPB, "min: -3 x1 +2 ~x2 ;\n+1 x1 +1 x2 <= 1 ;\n", "o -1\ns OPTIMUM FOUND\nv x1 -x2\n", 30},
		{"no objective", instance.OPB, "+1 x1 +1 x2 = 1 ;\n", "s SATISFIABLE\nv x1 -x2\n", 10},
		{"empty objective", instance.OPB, "min: ;\n+1 x1 >= 1 ;\n", "o 0\ns OPTIMUM FOUND\nv x1\n", 30},
		{"nothing", instance.OPB, "", "s SATISFIABLE\nv\n", 10},
		{"infeasible", instance.OPB, "min: +1 x1 ;\n+2 x1 +2 x2 = 1 ;\n", "s UNSATISFIABLE\n", 20},
		{"opposite literals", instance.OPB, "min: +1 x1 +1 ~x1 ;\n+1 x1 +1 ~x1 >= 2 ;\n", "s UNSATISFIABLE\n", 20},
		{"false empty sum", instance.OPB, ">= 1 ;\n", "s UNSATISFIABLE\n", 20},
		{"true empty sum", instance.OPB, ">= 0 ; <= 0 ; = 0 ;\n", "s SATISFIABLE\nv\n", 10},
	} {
		in, err := read(c.text, c.format)
		if err != nil {
			t.Fatalf("%v, %s: %v", c.format, c.name, err)
		}
		var out bytes.Buffer
		status, err := instance.Solve(context.Background(), in, Solve, &out)
		if err != nil || out.String() != c.want || status.ExitStatus() != c.exit {
			t.Errorf("%v, %s: exit status %d, %v\n%swant\n%s", c.format, c.name, status.ExitStatus(), err, &out, c.want)
		}
	}
}

// TestEvaluateOverflow has sums that leave 64 bits on the way, and at the end.
func TestEvaluateOverflow(t *testing.T) {
	const huge = math.MaxInt64
	for _, c := range []struct {
		coefs []int64
		op    instance.Op
		k     int64
		want  bool
	}{
		{[]int64{huge, huge}, instance.GE, 1, true},
		{[]int64{huge, huge}, instance.LE, huge, false},
		{[]int64{huge, huge}, instance.EQ, -2, false}, // what 64 bits would say
		{[]int64{-huge, -huge}, instance.LE, -huge, true},
		{[]int64{-huge, -huge}, instance.GE, -huge, false},
		{[]int64{-huge, -huge}, instance.EQ, 2, false},
		{[]int64{huge, huge, -huge, -huge}, instance.EQ, 0, true},
		{[]int64{huge, huge, -huge, -huge}, instance.LE, -1, false},
		{[]int64{huge, huge, -huge}, instance.EQ, huge, true},
		{[]int64{huge, huge, -huge}, instance.GE, huge, true},
		{[]int64{-huge, huge, -huge}, instance.EQ, -huge, true},
		{[]int64{-huge, huge, -huge}, instance.LE, -huge, true},
		{[]int64{-huge}, instance.GE, huge, false},
		{[]int64{huge}, instance.LE, -huge, false},
	} {
		l := instance.Linear{Op: c.op, K: c.k}
		for _, x := range c.coefs {
			l.Terms = append(l.Terms, instance.Term{Coef: x, Lit: -1})
		}
		in := &instance.Instance{NumVars: 1, Linear: []instance.Linear{l}}
		if _, err := in.Evaluate([]bool{false, false}); (err == nil) != c.want || err != nil && !errors.Is(err, instance.ErrViolated) {
			t.Errorf("%v %v %d: %v, expected %v", c.coefs, c.op, c.k, err, c.want)
		}
	}
	in := &instance.Instance{NumVars: 2}
	for _, n := range []int{0, 2, 4} {
		if _, err := in.Evaluate(make([]bool, n)); err == nil {
			t.Errorf("an assignment of length %d for 2 variables was evaluated", n)
		}
	}
}

// script is a solver that reports, waits for nothing, and answers.
func script(r instance.Result, reports ...instance.Progress) instance.Solver {
	return func(_ context.Context, _ *instance.Instance, report func(instance.Progress)) (instance.Result, error) {
		for _, p := range reports {
			report(p)
			if p.Model != nil {
				p.Model[1] = !p.Model[1] // it is the solver's own again
			}
		}
		return r, nil
	}
}

func bound(x int64) *int64 { return &x }

// TestSolve plays solvers that are cut short, and solvers that lie. The cost
// is 5 for x1, 3 for x2, and one of them must be true.
func TestSolve(t *testing.T) {
	both := func() []bool { return []bool{false, true, true} }
	first := func() []bool { return []bool{false, true, false} }
	second := func() []bool { return []bool{false, false, true} }
	none := func() []bool { return []bool{false, false, false} }
	for _, c := range []struct {
		name   string
		solver instance.Solver
		want   string // output
		wrong  string // or the error's end
	}{
		{"incumbents", script(instance.Result{Status: instance.Optimal, Model: second()}, instance.Progress{Model: both()}, instance.Progress{Model: first()}, instance.Progress{Model: both()}),
			"o 8\no 5\no 3\ns OPTIMUM FOUND\nv -x1 x2\n", ""},
		{"optimum told before", script(instance.Result{Status: instance.Optimal, Model: second(), Bound: bound(3)}, instance.Progress{Model: second()}),
			"o 3\ns OPTIMUM FOUND\nv -x1 x2\n", ""},
		{"notes", script(instance.Result{Status: instance.Optimal, Model: second(), Notes: []string{"conflicts 7", "two\nlines"}}),
			"o 3\nc conflicts 7\nc two\nc lines\ns OPTIMUM FOUND\nv -x1 x2\n", ""},
		{"cut short", script(instance.Result{Reason: "the time limit of 1s was reached"}),
			"c stopped: the time limit of 1s was reached\ns UNKNOWN\n", ""},
		{"cut short with a bound", script(instance.Result{Reason: "SIGTERM", Bound: bound(2)}),
			"c stopped: SIGTERM\nc lower bound 2\ns UNKNOWN\n", ""},
		{"cut short with an incumbent", script(instance.Result{Status: instance.Satisfiable, Model: first(), Reason: "SIGTERM"}),
			"o 5\nc stopped: SIGTERM\ns SATISFIABLE\nv x1 -x2\n", ""},
		{"cut short, the incumbent told before", script(instance.Result{Bound: bound(1)}, instance.Progress{Model: first(), Bound: bound(3)}, instance.Progress{Bound: bound(2)}),
			"o 5\nc lower bound 3, gap 0.4\ns SATISFIABLE\nv x1 -x2\n", ""},
		{"cut short with a worse end", script(instance.Result{Status: instance.Satisfiable, Model: both()}, instance.Progress{Model: first()}),
			"o 5\ns SATISFIABLE\nv x1 -x2\n", ""},

		{"no model", script(instance.Result{Status: instance.Optimal}), "", "OPTIMUM FOUND without an assignment"},
		{"a lie", script(instance.Result{Status: instance.Satisfiable, Model: none()}), "", "linear constraint 1 of 1 is violated"},
		{"a lie on the way", script(instance.Result{Status: instance.Optimal, Model: second()}, instance.Progress{Model: none()}), "", "linear constraint 1 of 1 is violated"},
		{"a short model", script(instance.Result{Status: instance.Satisfiable, Model: []bool{false}}), "", "an assignment of 0 variables to an instance of 2"},
		{"no solution after one", script(instance.Result{Status: instance.Unsatisfiable}, instance.Progress{Model: first()}), "o 5\n", "UNSATISFIABLE after an assignment was found"},
		{"a worse optimum", script(instance.Result{Status: instance.Optimal, Model: first()}, instance.Progress{Model: second()}), "o 3\n", "the optimum 5 after cost 3"},
		{"a bound above", script(instance.Result{Status: instance.Satisfiable, Model: first(), Bound: bound(6)}), "o 5\n", "cost 5 below the bound 6"},
	} {
		in, err := read("min: +5 x1 +3 x2 ;\n+1 x1 +1 x2 >= 1 ;\n", instance.OPB)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		_, err = instance.Solve(context.Background(), in, c.solver, &out)
		if out.String() != c.want {
			t.Errorf("%s: prints\n%swant\n%s", c.name, &out, c.want)
		}
		if (err != nil) != (c.wrong != "") || err != nil && (!errors.Is(err, instance.ErrWrongAnswer) || !strings.HasSuffix(err.Error(), c.wrong)) {
			t.Errorf("%s: error %v, expected %q", c.name, err, c.wrong)
		}
	}
	plain := &instance.Instance{NumVars: 2}
	if _, err := instance.Solve(context.Background(), plain, script(instance.Result{Status: instance.Optimal, Model: both()}), &bytes.Buffer{}); !errors.Is(err, instance.ErrWrongAnswer) {
		t.Errorf("an optimum of nothing: %v", err)
	}
	broken := errors.New("broken")
	if _, err := instance.Solve(context.Background(), plain, func(context.Context, *instance.Instance, func(instance.Progress)) (instance.Result, error) {
		return instance.Result{}, broken
	}, &bytes.Buffer{}); !errors.Is(err, broken) {
		t.Errorf("a solver's error: %v", err)
	}
	if _, err := instance.Solve(context.Background(), plain, Solve, badWriter{broken}); !errors.Is(err, broken) {
		t.Errorf("a writer's error: %v", err)
	}
}

// TestSolveFile solves files, one that is not right, and one that is still being
// read when the context ends.
func TestSolveFile(t *testing.T) {
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("SIGTERM was received"))
	dir := t.TempDir()
	for _, c := range []struct {
		name, text string
		ctx        context.Context
		want       string
		status     instance.Status
		wrong      string
	}{
		{"a.cnf", "p cnf 2 2\n1 2 0\n-1 0\n", context.Background(), "c cnf: 2 variables, 2 clauses with 3 literals\ns SATISFIABLE\nv -1 2 0\n", instance.Satisfiable, ""},
		{"a.wcnf", "p wcnf 2 2 5\n5 1 2 0\n1 -1 0\n", context.Background(), "c wcnf-old: 2 variables, 1 clauses with 2 literals, 1 soft clauses\no 0\ns OPTIMUM FOUND\nv -1 2\n", instance.Optimal, ""},
		{"a.opb", "min: +1 x1 ;\n+1 x1 +1 x2 >= 2 ;\n", context.Background(), "c opb: 2 variables, 1 linear constraints, 1 terms in the objective\no 1\ns OPTIMUM FOUND\nv x1 x2\n", instance.Optimal, ""},
		{"wrong.opb", "min: +1 x1 ;\n+1 x1 +1 x2 >= 2\n", context.Background(), "", instance.Unknown, "wrong.opb:3:1: the file ends here; expected ; after a constraint"},
		{"late.cnf", "p cnf 2 2\n1 2 0\n-1 0\n", ended, "c stopped while reading: SIGTERM was received\ns UNKNOWN\n", instance.Unknown, ""},
		{"late.txt", "", ended, "", instance.Unknown, "late.txt: the name does not say the format"},
	} {
		file := filepath.Join(dir, c.name)
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		status, err := instance.SolveFile(c.ctx, file, instance.Limits{}, Solve, &out)
		if status != c.status || out.String() != c.want {
			t.Errorf("%s: %v, %v\n%swant %v\n%s", c.name, status, err, &out, c.status, c.want)
		}
		if (err != nil) != (c.wrong != "") || err != nil && !strings.HasPrefix(err.Error(), dir+"/"+c.wrong) {
			t.Errorf("%s: error %v, expected %q", c.name, err, c.wrong)
		}
	}
}

type badWriter struct{ err error }

func (w badWriter) Write([]byte) (int, error) { return 0, w.err }

// TestValues prints assignments of many sizes and lets package external, which
// reads the output of other people's solvers, read them.
func TestValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answer")
	for _, c := range []struct {
		format instance.Format
		kind   external.Kind
		width  int // 0 for any
	}{{instance.CNF, external.SAT, 78}, {instance.WCNF, external.MaxSAT, 0}, {instance.WCNFOld, external.MaxSAT, 78}, {instance.OPB, external.PB, 78}} {
		echo, err := external.Command(c.kind, "cat {in}")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2, 9, 10, 25, 26, 27, 100, 2500} {
			model := make([]bool, n+1)
			count := 0
			for v := 1; v <= n; v++ {
				if model[v] = v*v%7 < 3 || v == n; model[v] {
					count++
				}
			}
			var out bytes.Buffer
			p := instance.NewPrinter(&out, c.format)
			if c.format != instance.CNF {
				if err := p.Cost(-12); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Answer(instance.Satisfiable, model); err != nil {
				t.Fatal(err)
			}
			widest := 0
			for line := range strings.Lines(out.String()) {
				widest = max(widest, len(line)-1)
			}
			if c.width > 0 && (widest > c.width || n >= 100 && widest < c.width-6) {
				t.Errorf("%v, %d variables: the widest line has %d columns", c.format, n, widest)
			}
			if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			a, err := external.Run(context.Background(), echo, external.Input{File: file, Variables: n}, external.Limits{Time: time.Minute}, nil)
			if err != nil {
				t.Fatalf("%v, %d variables: %v", c.format, n, err)
			}
			if a.Status != external.Satisfiable || len(a.True) != count {
				t.Errorf("%v, %d variables: %v with %d true, expected %d\n%s", c.format, n, a.Status, len(a.True), count, &out)
			}
			for v := range a.True {
				if !a.True[v] || !model[v] {
					t.Errorf("%v, %d variables: %d is read as true", c.format, n, v)
				}
			}
		}
	}
}
