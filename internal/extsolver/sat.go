package extsolver

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// SolveCNF decides a DIMACS CNF file with cadical.
func SolveCNF(file string, limit time.Duration) (Result, error) {
	return competition(file, limit, "cadical", "-q")
}

// SolveWCNFOld finds the least cost of a WCNF file with a p line with clasp.
func SolveWCNFOld(file string, limit time.Duration) (Result, error) {
	return competition(file, limit, "clasp")
}

// SolveOPB finds the least value of an OPB file's objective with clasp.
func SolveOPB(file string, limit time.Duration) (Result, error) {
	return competition(file, limit, "clasp")
}

// competition runs a solver that prints the s, o and v lines of the
// competitions and exits with their codes.
func competition(file string, limit time.Duration, tool string, args ...string) (Result, error) {
	// The file goes through standard input: clasp cuts file names at commas.
	in, err := os.Open(file)
	if err != nil {
		return Result{}, err
	}
	defer in.Close()
	out, ended, err := run(limit, in, []int{10, 20, 30}, tool, args...)
	if err != nil || !ended {
		return Result{}, err
	}
	r := Result{True: map[int32]bool{}}
	seen := false
	for line := range bytes.Lines(out) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch {
		case kind == "c" && strings.HasPrefix(rest, "Answer"):
			clear(r.True)
		case kind == "o":
			if r.Objective, err = strconv.ParseInt(rest, 10, 64); err != nil {
				return Result{}, fmt.Errorf("%w: %s: %s", ErrOutput, tool, line)
			}
		case kind == "s":
			seen = true
			switch rest {
			case "OPTIMUM FOUND":
				r.Status = Optimal
			case "SATISFIABLE":
				r.Status = Satisfiable
			case "UNSATISFIABLE":
				r.Status = Unsatisfiable
			}
		case kind == "v":
			for _, word := range strings.Fields(rest) {
				if word[0] == '-' || word == "0" {
					continue
				}
				if err := r.add(word); err != nil {
					return Result{}, fmt.Errorf("%w: %s", err, tool)
				}
			}
		}
	}
	if !seen {
		return Result{}, fmt.Errorf("%w: %s has no s line:\n%s", ErrOutput, tool, out)
	}
	return r, nil
}

// add makes the variable called x12 or 12 true.
func (r *Result) add(name string) error {
	n, err := strconv.ParseInt(strings.TrimPrefix(name, "x"), 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("%w: variable %q", ErrOutput, name)
	}
	r.True[int32(n)] = true
	return nil
}
