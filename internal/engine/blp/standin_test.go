package blp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/internal/solve/optimize"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// standInVariable is set in the environment of this test binary where it is run
// as a MILP solver: it then reads an LP file, solves it with the embedded
// solver, and writes a solution file.
const standInVariable = "FDPLAN_TEST_MILP"

func TestMain(m *testing.M) {
	if os.Getenv(standInVariable) != "" {
		if err := standIn(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// milpSolvers are the engines' solvers that tests have: the stand-in, which is
// always there, and those of HiGHS, CBC and GLPK that are installed. HiGHS is
// nil.
func milpSolvers(t *testing.T) map[string]*external.Solver {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(standInVariable, "1")
	list := map[string]*external.Solver{"stand-in": known(t, self+" {in} {out}")}
	for _, name := range []string{"cbc", "glpsol"} {
		if _, err := exec.LookPath(name); err == nil {
			list[name] = known(t, name)
		} else if os.Getenv(extsolver.RequireVariable) != "" {
			extsolver.Require(t, name)
		}
	}
	h := known(t, "highs")
	if _, err := h.Program(); err == nil {
		list["HiGHS"] = nil
	} else if os.Getenv(extsolver.RequireVariable) != "" {
		needHiGHS(t)
	}
	return list
}

// lpReader reads the LP files that package format writes.
type lpReader struct {
	s        *sat.Solver
	cost     []sat.Term
	constant int64

	section   string
	terms     []sat.Term
	fixed     int64 // of the column one
	sign      int64
	coef      int64
	op        string
	objective bool
}

// word takes the next word.
func (r *lpReader) word(w string) error {
	switch {
	case strings.HasSuffix(w, ":"):
		r.objective = w == "obj:"
		r.terms, r.fixed, r.sign, r.coef, r.op = nil, 0, 1, 1, ""
	case w == "+", w == "-":
		r.sign, r.coef = 1, 1
		if w == "-" {
			r.sign = -1
		}
	case w == "<=", w == ">=", w == "=":
		r.op, r.sign = w, 1
	case w == "one":
		r.fixed += r.sign * r.coef
	case w[0] == 'x':
		v, err := strconv.ParseInt(w[1:], 10, 32)
		if err != nil {
			return fmt.Errorf("column %q", w)
		}
		r.s.Grow(int32(v))
		r.terms = append(r.terms, sat.Term{Coef: r.sign * r.coef, Lit: sat.Pos(int32(v))})
	default:
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return fmt.Errorf("word %q", w)
		}
		if r.op == "" {
			r.coef = n
			return nil
		}
		return r.row(r.sign*n - r.fixed)
	}
	if r.objective {
		r.cost, r.constant = r.terms, r.fixed
	}
	return nil
}

// row adds the constraint that was read.
func (r *lpReader) row(k int64) error {
	if r.op != "<=" {
		if _, err := r.s.AddLinear(append([]sat.Term{}, r.terms...), k); err != nil {
			return err
		}
	}
	if r.op != ">=" {
		less := make([]sat.Term, len(r.terms))
		for i, t := range r.terms {
			less[i] = sat.Term{Coef: -t.Coef, Lit: t.Lit}
		}
		if _, err := r.s.AddLinear(less, -k); err != nil {
			return err
		}
	}
	return nil
}

// readLP reads a file.
func readLP(text string) (*lpReader, error) {
	r := &lpReader{s: sat.New(sat.Options{}), sign: 1, coef: 1}
	for line := range strings.Lines(text) {
		switch s := strings.TrimSpace(line); {
		case s == "", s[0] == '\\':
		case s == "Minimize", s == "Subject To", s == "Bounds", s == "Binaries", s == "End":
			r.section = s
		case r.section == "Minimize", r.section == "Subject To":
			for _, w := range strings.Fields(s) {
				if err := r.word(w); err != nil {
					return nil, fmt.Errorf("%q: %w", s, err)
				}
			}
		}
	}
	return r, nil
}

// standIn solves in and writes a solution file as CBC does.
func standIn(in, out string) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	r, err := readLP(string(text))
	if err != nil {
		return err
	}
	m, err := optimize.New(r.s, r.cost, r.constant, nil)
	if err != nil {
		return err
	}
	res, err := m.Run(context.Background(), optimize.Limits{})
	if err != nil {
		return err
	}
	var b strings.Builder
	if res.Status == optimize.Infeasible {
		b.WriteString("Infeasible - objective value 0\n")
	} else {
		fmt.Fprintf(&b, "Optimal - objective value %d\n", res.Cost)
		for v, value := range res.Model {
			if value {
				fmt.Fprintf(&b, "%d x%d 1 0\n", v, v)
			}
		}
	}
	return os.WriteFile(out, []byte(b.String()), 0o600)
}
