// Package part is the paper's experiments for the commands of fdplan.
package part

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/command"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/progress"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/paper/bench"
	"github.com/fdplan/fdplan/paper/experiment"
)

// Part implements command.Laboratory.
type Part struct{}

// elsewhere is a coordinator that can make the runs of a bench.
type elsewhere interface {
	Bench(ctx context.Context, c bench.Config) (*bench.Summary, error)
}

// Bench implements command.Laboratory.
func (Part) Bench(ctx context.Context, h *command.Host, c *request.Bench, memory int64, on command.Coordinator, p *progress.Reporter) (any, func(io.Writer) error, error) {
	solvers, err := experiment.Solvers(c.Solver)
	if err != nil {
		return nil, nil, fmt.Errorf("--solver %w", err)
	}
	if c.Resume {
		if _, err := os.Stat(journalOf(c.Out)); err != nil {
			return nil, nil, source.Errorf(journalOf(c.Out), 0, 0, "there is no journal to resume; expected the folder of an earlier bench, or no --resume")
		}
	}
	run := experiment.Bench
	if on != nil {
		to, ok := on.(elsewhere)
		if !ok {
			return nil, nil, errors.New("this cluster makes no runs of benches")
		}
		run = to.Bench
	}
	config := bench.Config{
		Dir: c.Out, Program: h.Program, Files: c.Files, Quick: c.Quick, Tables: c.Tables, Problems: c.Problems, Engines: c.Engines, Solvers: solvers,
		TimeLimit: time.Duration(c.TimeLimit), ReachLimit: time.Duration(c.ReachLimit), Total: time.Duration(c.TotalTime),
		Memory: memory, Threads: c.Threads, Seed: c.Seed, Repeats: c.Repeat, Parallel: c.Parallel,
		Now: h.Now, Progress: runs(p), Warn: h.Warn,
	}
	if c.Again > 0 {
		list, err := experiment.Again(ctx, config, c.Again)
		answer := newComparisons(list)
		return answer, answer.write, err
	}
	sum, err := run(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	return benchAnswer(c.Out, sum), func(w io.Writer) error { return writeBench(w, c.Out, sum) }, nil
}

// Report implements command.Laboratory.
func (Part) Report(ctx context.Context, h *command.Host, c *command.Report) error {
	return experiment.Report(ctx, c.Dir, experiment.Output{
		Write: h.ToFile,
		Wrote: func(name string) {
			if !c.Quiet {
				fmt.Fprintln(h.Out, name)
			}
		},
		Warn:   h.Warn,
		Readme: c.Readme,
	})
}

// runs returns a function that reports the runs of a bench.
func runs(r *progress.Reporter) func(bench.Progress) {
	return func(e bench.Progress) {
		kind := "unit"
		if e.Ended {
			kind = "unit done"
		}
		left, rest := e.Left.Round(time.Second), ""
		if e.Left > 0 {
			rest = fmt.Sprintf(", about %v left", left)
		}
		r.Report(progress.Event{
			Kind: kind, Done: &e.Done, Of: &e.Jobs, Unit: e.Current, Left: progress.Left(left, left > 0),
			Line: fmt.Sprintf("%d of %d%s: %.80s", e.Done, e.Jobs, rest, e.Current),
		})
	}
}

// benchResult is the answer as JSON.
type benchResult struct {
	Schema         int            `json:"schema"`
	Journal        string         `json:"journal"`
	Runs           int            `json:"runs"`
	Before         int            `json:"before"`
	Done           int            `json:"done"`
	Status         map[string]int `json:"status"`
	Stopped        string         `json:"stopped,omitempty"`
	Contradictions []string       `json:"contradictions"`
}

func journalOf(dir string) string { return strings.TrimSuffix(dir, "/") + "/" + journal.Name }

func benchAnswer(dir string, s *bench.Summary) benchResult {
	r := benchResult{Schema: 1, Journal: journalOf(dir), Runs: s.Jobs, Before: s.Before, Done: s.Done, Status: s.Status, Stopped: s.Stopped, Contradictions: s.Contradictions}
	if r.Contradictions == nil {
		r.Contradictions = []string{}
	}
	return r
}

// writeBench writes the answer as text.
func writeBench(w io.Writer, dir string, s *bench.Summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %s, %d of them now\n", journalOf(dir), s.Before+s.Done, counted.Of(s.Jobs, "run"), s.Done)
	if s.Torn > 0 {
		fmt.Fprintf(&b, "An unfinished last line of %s was cut off.\n", counted.Of(s.Torn, "byte"))
	}
	var parts []string
	for _, status := range []string{"optimal", "infeasible", "feasible", "unknown", "trained", "measured", "error"} {
		if n := s.Status[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(&b, "%s\n", strings.Join(parts, ", "))
	}
	if s.Status["error"] > 0 {
		b.WriteString("Errors are repeated when the same command is run again.\n")
	}
	for _, c := range s.Contradictions {
		fmt.Fprintf(&b, "CONTRADICTION: %s\n", c)
	}
	if s.Stopped != "" {
		fmt.Fprintf(&b, "Stopped early: %s. The same command goes on from here.\n", s.Stopped)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
