package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
)

type collectCmd struct {
	request.Collect
	progressFlags
	Connect
	JSON bool `name:"json" help:"Print one JSON object."`
}

// writeCollection writes the answer as text.
func writeCollection(w io.Writer, d *execute.Collection) {
	if d.Log != "" {
		fmt.Fprintf(w, "%s: %s from %s\n", d.Data, counted.Of(d.Rows, "transition"), d.Log)
		return
	}
	fmt.Fprintf(w, "%s: %s by policy %s, seed %d\n", d.Data, counted.Of(d.Rows, "transition"), d.Policy, *d.Seed)
	if s := d.Shown; s != nil {
		fmt.Fprintf(w, "%s, %d rows with a reward", counted.Of(s.Episodes, "episode"), s.Rewarded)
		if s.Refused+s.Outside > 0 {
			fmt.Fprintf(w, "; no rows: %d steps that were refused, %d to values out of range", s.Refused, s.Outside)
		}
		fmt.Fprintln(w)
		app.WriteStopped(w, s.Stopped)
	}
}

// Run writes the data set.
func (c *collectCmd) Run(ctx context.Context, a *environment) error {
	if c.Simulator != "" && c.Simulator != "rddl" {
		return c.simulated(ctx, a)
	}
	p, err := loadProblem(ctx, truthRef(c.Ref), load.Changes{})
	if err != nil {
		return err
	}
	d := &execute.Collection{Schema: app.Schema, Problem: p.Problem.Name, Data: c.Out, Rows: c.Rows, Policy: c.Policy, Seed: &c.Seed}
	if c.Log != "" {
		rows, err := learn.ConvertLog(p, c.Log, c.Out)
		if err != nil {
			return err
		}
		d.Rows, d.Policy, d.Seed, d.Log = rows, "", nil, c.Log
		return a.answer(c.JSON, "", d, func(w io.Writer) { writeCollection(w, d) })
	}
	progress := c.reporter(a)
	o := collect.Options{Rows: c.Rows, Policy: collect.Policy(c.Policy), Seed: c.Seed, Threads: c.Threads, Horizon: c.Horizon}
	if progress.Enabled() {
		o.Progress = events.Rows(progress, c.Rows)
	}
	if c.URL != "" {
		err = c.spread(ctx, a, o)
	} else {
		err = learn.Collect(ctx, p, c.Out, o)
	}
	progress.Clear()
	switch {
	case errors.Is(err, load.ErrNoRDDL):
		return err
	case err != nil:
		return limited(ctx, err)
	}
	return a.answer(c.JSON, "", d, func(w io.Writer) { writeCollection(w, d) })
}

// simulated collects from a process.
func (c *collectCmd) simulated(ctx context.Context, a *environment) error {
	if c.Log != "" || c.URL != "" || dataset.IsManifest(c.Out) {
		return errors.New("--simulator is one process with one data set; expected neither --log nor --connect nor a manifest")
	}
	ref := c.Ref
	ref.Untrained = true
	p, err := loadProblem(ctx, ref, load.Changes{})
	if err != nil {
		return err
	}
	progress := c.reporter(a)
	r := execute.CollectRequest{
		Rows: c.Rows, Restart: collect.Policy(c.Policy) == collect.Restart, Horizon: c.Horizon,
		Simulator: execute.SimulatorRef{Name: c.Simulator, Timeout: c.SimulatorTimeout, Seed: c.Seed},
	}
	if progress.Enabled() {
		r.Progress = events.Rows(progress, c.Rows)
	}
	shown, err := execute.Collect(ctx, p, c.Out, r)
	progress.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	d := &execute.Collection{Schema: app.Schema, Problem: p.Problem.Name, Data: c.Out, Rows: shown.Rows, Policy: c.Policy, Seed: &c.Seed, Simulator: c.Simulator, Shown: shown}
	return a.answer(c.JSON, "", d, func(w io.Writer) { writeCollection(w, d) })
}

// spread collects on the workers of a server.
func (c *collectCmd) spread(ctx context.Context, a *environment, o collect.Options) error {
	to, end, err := c.coordinator(ctx, a, "collect", int64(c.Memory))
	if err != nil {
		return err
	}
	defer end()
	return to.Collect(ctx, truthRef(c.Ref), c.Out, o)
}
