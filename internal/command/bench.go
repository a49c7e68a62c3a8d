package command

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/experiment"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/experiment/bench"
)

type benchCmd struct {
	request.Bench
	progressFlags
	Connect
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run makes the runs that are missing from the journal.
func (c *benchCmd) Run(a *environment) error {
	// The time limit is that of each run.
	own := app.Bounds{Memory: c.Memory}
	ctx, cancel := a.contextWith(own, nil)
	defer cancel()
	if c.Parallel < 1 || c.Threads < 1 || c.Repeat < 1 {
		return fmt.Errorf("--parallel %d, --threads %d, --repeat %d; expected at least 1 of each", c.Parallel, c.Threads, c.Repeat)
	}
	program, err := thisProgram()
	if err != nil {
		return err
	}
	solvers, err := experiment.Solvers(c.Solver)
	if err != nil {
		return fmt.Errorf("--solver %w", err)
	}
	progress := c.reporter(a)
	run := experiment.Bench
	if c.URL != "" {
		to, end, err := c.coordinator(ctx, a, "bench", 0)
		if err != nil {
			return limited(ctx, err)
		}
		defer end()
		run = to.Bench
	}
	sum, err := run(ctx, bench.Config{
		Dir: c.Out, Program: program, Files: c.Files, Quick: c.Quick, Tables: c.Tables, Engines: c.Engines, Solvers: solvers,
		TimeLimit: time.Duration(c.TimeLimit), ReachLimit: time.Duration(c.ReachLimit), Total: time.Duration(c.TotalTime),
		Memory: memoryOf(own), Threads: c.Threads, Seed: c.Seed, Repeats: c.Repeat, Parallel: c.Parallel,
		Now: a.now, Progress: events.Runs(progress), Warn: a.warn,
	})
	progress.Clear()
	if err != nil {
		return err
	}
	if err := a.answer(c.JSON, "", benchAnswer(c.Out, sum), func(w io.Writer) error { return writeBench(w, c.Out, sum) }); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return exitStatus(exitLimit)
	}
	return nil
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

func journalOf(dir string) string { return strings.TrimSuffix(dir, "/") + "/" + bench.JournalName }

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
