package extsolver

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// Cbc finds the least objective of a file whose name ends in .lp or .mps.
func Cbc(file string, limit time.Duration) (r Result, err error) {
	err = withTemp(func(solution string) error {
		out, ended, err := run(limit, nil, nil, "cbc", file, "solve", "solution", solution)
		if err != nil || !ended {
			return err
		}
		text, err := os.ReadFile(solution)
		if err != nil {
			return fmt.Errorf("%w: cbc wrote no solution:\n%s", ErrOutput, out)
		}
		if r, err = readCbc(text); err != nil {
			return fmt.Errorf("%w\n%s\n%s", err, text, out)
		}
		return nil
	})
	return r, err
}

// readCbc reads a solution file: the verdict and the objective, then a line
// for each column that is not 0, NUMBER NAME VALUE COST.
func readCbc(text []byte) (Result, error) {
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	verdict, value, ok := strings.Cut(string(head), " - objective value ")
	if !ok {
		return Result{}, fmt.Errorf("%w: cbc says %q", ErrOutput, head)
	}
	switch verdict {
	case "Optimal":
	case "Infeasible", "Integer infeasible":
		return Result{Status: Unsatisfiable}, nil
	default:
		return Result{}, nil
	}
	r := Result{Status: Optimal, True: map[int32]bool{}}
	if err := r.objective(value); err != nil {
		return Result{}, err
	}
	for line := range bytes.Lines(rest) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(string(line)), "**"))
		if len(f) != 4 {
			return Result{}, fmt.Errorf("%w: cbc's line %q", ErrOutput, line)
		}
		if err := r.column(f[1], f[2]); err != nil {
			return Result{}, err
		}
	}
	return r, nil
}

// GlpsolLP, GlpsolMPS and GlpsolFreeMPS find the least objective of a file
// with glpsol, reading it as LP, fixed MPS or free MPS.
func GlpsolLP(file string, limit time.Duration) (Result, error) {
	return glpsol("--lp", file, limit)
}

// GlpsolMPS reads fixed MPS; see GlpsolLP.
func GlpsolMPS(file string, limit time.Duration) (Result, error) {
	return glpsol("--mps", file, limit)
}

// GlpsolFreeMPS reads free MPS; see GlpsolLP.
func GlpsolFreeMPS(file string, limit time.Duration) (Result, error) {
	return glpsol("--freemps", file, limit)
}

func glpsol(format, file string, limit time.Duration) (r Result, err error) {
	err = withTemp(func(solution string) error {
		out, ended, err := run(limit, nil, nil, "glpsol", format, file, "-o", solution)
		if err != nil || !ended {
			return err
		}
		text, err := os.ReadFile(solution)
		if err != nil {
			return fmt.Errorf("%w: glpsol wrote no solution:\n%s", ErrOutput, out)
		}
		if bytes.Contains(out, []byte("HAS NO PRIMAL FEASIBLE SOLUTION")) || bytes.Contains(out, []byte("HAS NO INTEGER FEASIBLE SOLUTION")) {
			r = Result{Status: Unsatisfiable}
			return nil
		}
		if r, err = readGlpsol(text); err != nil {
			return fmt.Errorf("%w\n%s\n%s", err, text, out)
		}
		return nil
	})
	return r, err
}

// readGlpsol reads glpsol's report: Status: and Objective: lines, a table of
// rows, and the table of columns, NUMBER NAME [*] VALUE LOWER UPPER, where a
// long name has a line of its own.
func readGlpsol(text []byte) (Result, error) {
	r := Result{True: map[int32]bool{}}
	columns := false
	var pending []string // a number and a name whose value comes on the next line
	for line := range bytes.Lines(text) {
		s := strings.TrimSpace(string(line))
		f := append(pending, strings.Fields(s)...)
		pending = nil
		switch {
		case strings.HasPrefix(s, "Status:"):
			switch strings.TrimSpace(s[len("Status:"):]) {
			case "INTEGER OPTIMAL", "OPTIMAL":
				r.Status = Optimal
			case "INTEGER EMPTY":
				return Result{Status: Unsatisfiable}, nil
			default:
				return Result{}, nil
			}
		case strings.HasPrefix(s, "Objective:"):
			_, value, _ := strings.Cut(s, "= ")
			value, _, _ = strings.Cut(value, " ")
			if err := r.objective(value); err != nil {
				return Result{}, err
			}
		case strings.Contains(s, "Column name"):
			columns = true
		case !columns || len(f) < 2 || s[0] == '-':
			if columns && s == "" {
				return r, nil
			}
		case len(f) == 2:
			pending = f
		default:
			value := f[2]
			if value == "*" && len(f) > 3 {
				value = f[3]
			}
			if err := r.column(f[1], value); err != nil {
				return Result{}, err
			}
		}
	}
	if r.Status == Unknown {
		return Result{}, fmt.Errorf("%w: glpsol's report has no status", ErrOutput)
	}
	return r, nil
}

// objective takes a value that is a whole number up to rounding.
func (r *Result) objective(value string) error {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || math.Abs(x-math.Round(x)) > 1e-4 {
		return fmt.Errorf("%w: objective %q", ErrOutput, value)
	}
	r.Objective = int64(math.Round(x))
	return nil
}

// column takes the value of a column; one is the constant of the objective.
func (r *Result) column(name, value string) error {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || math.Abs(x-math.Round(x)) > 1e-4 {
		return fmt.Errorf("%w: column %s = %s", ErrOutput, name, value)
	}
	if name == "one" || math.Round(x) == 0 {
		return nil
	}
	return r.add(name)
}
