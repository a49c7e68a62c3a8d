// Command fdplan-highs is HiGHS from its WebAssembly build, for machines on which the native
// program highs is not installed. It takes those flags of highs that fdplan uses, prints HiGHS's log
// and writes solution files as highs does.
//
// The relative gap is always 0, and there is one thread. SIGTERM and an interrupt stop it as its time
// limit does: what is known by then is written.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fdplan/fdplan/highs/internal/highs"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/internal/source"
)

const usage = "expected [--time_limit SECONDS] [--read_solution_file FILE] [--solution_file FILE] [--options_file FILE] MODEL.lp|MODEL.mps, or --version"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fdplan-highs:", err)
		stop()
		os.Exit(2)
	}
}

// request is a command line.
type request struct {
	model, start, solution string
	time                   time.Duration
}

func parse(args []string) (r request, err error) {
	for ; len(args) > 0; args = args[1:] {
		name, value, ok := strings.Cut(args[0], "=")
		if !strings.HasPrefix(name, "--") {
			if r.model != "" {
				return r, errors.New(usage)
			}
			r.model = args[0]
			continue
		}
		if !ok {
			if len(args) < 2 {
				return r, fmt.Errorf("%s needs a value; %s", name, usage)
			}
			args = args[1:]
			value = args[0]
		}
		switch name {
		case "--time_limit":
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil || !(seconds > 0) || seconds > 1e9 {
				return r, fmt.Errorf("--time_limit %q; expected seconds", value)
			}
			r.time = time.Duration(seconds * float64(time.Second))
		case "--read_solution_file":
			r.start = value
		case "--solution_file":
			r.solution = value
		case "--options_file": // says what holds anyhow
		default:
			return r, fmt.Errorf("there is no flag %s; %s", name, usage)
		}
	}
	if r.model == "" {
		return r, errors.New(usage)
	}
	return r, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 1 && args[0] == "--version" {
		_, err := fmt.Fprintf(out, "HiGHS %s, WebAssembly\n", highs.Version)
		return err
	}
	r, err := parse(args)
	if err != nil {
		return err
	}
	in := external.Input{File: r.model}
	if r.start != "" {
		if in.Start, err = readStart(r.start); err != nil {
			return err
		}
	}
	engine, err := highs.Open(ctx)
	if err != nil {
		return err
	}
	a, err := engine.Solve(ctx, in, external.Limits{Time: r.time}, highs.Options{Log: out}, nil)
	if err != nil && !errors.Is(err, highs.ErrMemory) {
		return err
	}
	if err != nil {
		fmt.Fprintln(out, err)
	}
	if err := writeSummary(out, &a); err != nil {
		return err
	}
	if r.solution == "" {
		return nil
	}
	return atomicfile.Write(r.solution, func(w io.Writer) error { return writeSolution(w, &a) })
}

// readStart reads a solution file of MIPLIB: the columns with their values, a line each.
func readStart(name string) (map[int32]int64, error) {
	text, err := source.ReadFile(name)
	if err != nil {
		return nil, err
	}
	start := map[int32]int64{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		var column, value string
		if _, err := fmt.Sscan(line, &column, &value); err != nil {
			return nil, source.Errorf(name, n, 1, "expected a column and its value")
		}
		v, err := highs.Column(column)
		x, notWhole := strconv.ParseInt(value, 10, 64)
		if err == nil && notWhole == nil && v != 0 {
			start[max(v, -v)] = x
		}
	}
	return start, nil
}

// writeSummary writes the last lines of the log, which HiGHS leaves out where it was stopped.
func writeSummary(w io.Writer, a *external.Answer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  Model status      %s\n", status(a))
	if a.Objective != nil {
		fmt.Fprintf(&b, "  Primal bound      %d\n", *a.Objective)
	}
	if a.Bound != nil {
		fmt.Fprintf(&b, "  Dual bound        %d\n", *a.Bound)
	}
	fmt.Fprintf(&b, "  Nodes             %d\n", a.Nodes)
	_, err := io.WriteString(w, b.String())
	return err
}

func status(a *external.Answer) string {
	switch a.Status {
	case external.Optimal:
		return "Optimal"
	case external.Unsatisfiable:
		return "Infeasible"
	}
	return "Limit reached"
}

// writeSolution writes a raw solution file. Columns that are 0 are left out.
func writeSolution(w io.Writer, a *external.Answer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Model status\n%s\n\n# Primal solution values\n", status(a))
	if a.True == nil {
		fmt.Fprintln(b, "None")
		return b.Flush()
	}
	fmt.Fprintln(b, "Feasible")
	if a.Objective != nil {
		fmt.Fprintf(b, "Objective %d\n", *a.Objective)
	}
	fmt.Fprintf(b, "# Columns %d\n", len(a.True))
	for _, v := range slices.Sorted(maps.Keys(a.True)) {
		if a.True[v] {
			fmt.Fprintf(b, "x%d 1\n", v)
		}
	}
	fmt.Fprintln(b, "# Rows 0")
	return b.Flush()
}
