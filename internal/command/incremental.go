package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/proofs"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/execution/incremental"
)

// check refuses options of plan that cannot be combined.
func (c *planCmd) check() error {
	switch {
	case c.Recheck && c.Resume == "":
		return errors.New("--recheck needs landmarks to replay; expected --resume FILE")
	case c.Incremental && c.Proof != "":
		return errors.New("--proof goes with one query, --incremental makes many; expected --certify")
	case !c.Incremental && (c.Resume != "" || c.Corrected != ""):
		return errors.New("--resume and --corrected go with --incremental")
	}
	return nil
}

// loop runs Algorithm 1.
func (c *planCmd) loop(ctx context.Context, a *environment, p *load.Problem, r plan.Request, progress *events.Planning, m *proofs.Maker) (doc *execute.Document, err error) {
	if c.SimulatorRef.Name == "" {
		c.SimulatorRef.Name = "rddl"
	}
	real, err := c.SimulatorRef.Open(ctx, p, c.Effort.Seed)
	if err != nil {
		return nil, limited(ctx, err)
	}
	defer func() {
		if err2 := real.Close(); err2 != nil && err == nil {
			doc, err = nil, err2
		}
	}()
	doc, err = execute.Incremental(ctx, p, real, execute.IncrementalRequest{
		Request: r, LoopOptions: c.LoopOptions, Write: a.toFile, Iteration: progress.Iteration,
		Prove: func(res *incremental.Result) (string, error) { return m.Loop(ctx, p, real.Name, r.Horizon.Max, res) },
	})
	if err == nil && c.Corrected != "" {
		err = a.toFile(c.Corrected, doc.Loop.WriteNetwork)
	}
	if err != nil {
		return nil, limited(ctx, err)
	}
	return doc, nil
}

// shownIterations is how many iterations are listed as text; --json has all.
const shownIterations = 10

// writeLoop writes the plans that failed.
func writeLoop(b io.Writer, d *execute.Document) {
	failed := 0
	for _, l := range d.Loop.Iterations {
		if l.Failure == nil {
			continue
		}
		if failed++; failed > shownIterations {
			continue
		}
		fmt.Fprintf(b, "iteration %d: reward %v, fails in the simulator: %s\n", l.Iteration, *l.Reward, l.Failure.Text)
		if l.Corrected > 0 {
			fmt.Fprintf(b, "  %s corrected in the network\n", counted.Of(l.Corrected, "transition"))
		}
		if l.NotCorrected != "" {
			fmt.Fprintf(b, "  not all is corrected: %s\n", l.NotCorrected)
		}
	}
	if failed > shownIterations {
		fmt.Fprintf(b, "and %d more\n", failed-shownIterations)
	}
	fmt.Fprintf(b, "%s, %s (%s)", counted.Of(len(d.Loop.Iterations), "iteration"), counted.Of(d.Landmarks, "landmark"), d.Loop.Kind)
	if d.Loop.Resumed > 0 {
		fmt.Fprintf(b, ", %d of them from before", d.Loop.Resumed)
	}
	if d.Loop.Forgotten > 0 {
		fmt.Fprintf(b, ", %d forgotten", d.Loop.Forgotten)
	}
	if d.Loop.Corrected > 0 {
		fmt.Fprintf(b, ", %s corrected", counted.Of(d.Loop.Corrected, "transition"))
	}
	fmt.Fprintf(b, ", %s\n", counted.Of(d.Loop.Simulations, "simulator step"))
	if d.Loop.Predicted != nil {
		fmt.Fprintf(b, "predictions: %v\n", d.Loop.Predicted)
	}
	if d.Loop.Recorded > 0 {
		fmt.Fprintf(b, "recorded: %s\n", counted.Of(d.Loop.Recorded, "transition"))
	}
	if n := d.Loop.Resumed - (d.Loop.Rechecked - d.Loop.Forgotten); n > 0 && d.Status != "unknown" {
		other := ""
		if d.Loop.ResumedFrom != d.Loop.Simulator {
			other = ", of the simulator " + d.Loop.ResumedFrom + ","
		}
		fmt.Fprintf(b, "%s taken from %s%s and not tried in this run; --recheck replays them\n", wereWas(n, "landmark"), d.Loop.State, other)
	}
	if d.Status == "unknown" && d.Loop.State != "" {
		fmt.Fprintf(b, "The landmarks are in %s; go on from there with --resume %s\n", d.Loop.State, d.Loop.State)
	}
}

// wereWas is a count with its verb.
func wereWas(n int, what string) string {
	if n == 1 {
		return counted.Of(n, what) + " was"
	}
	return counted.Of(n, what) + " were"
}
