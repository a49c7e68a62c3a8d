package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/learn/collect"
)

type collectCmd struct {
	problemFlags
	bounds
	progressFlags
	clusterFlags
	Rows    int    `short:"n" help:"Number of transitions." default:"200000"`
	Policy  string `help:"Policy: ${enum}." enum:"exploration,restart,random" default:"exploration"`
	Log     string `help:"Take the transitions from a log instead: a CSV of triplets, or of sequences with episode and step." placeholder:"FILE"`
	Threads int    `help:"Threads to use; 0 for one per core." default:"0"`
	Seed    uint64 `help:"Seed." default:"0"`
	Out     string `short:"o" help:"Data set to write: .parquet, .csv or .npz, or .manifest for one in parts (docs/data.md)." placeholder:"DATA" required:""`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// collected is the answer as JSON.
type collected struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	Data    string `json:"data"`
	Rows    int    `json:"rows"`
	// Policy and Seed are those of a simulation, Log the file of a log.
	Policy string  `json:"policy,omitempty"`
	Seed   *uint64 `json:"seed,omitempty"`
	Log    string  `json:"log,omitempty"`
}

// write writes the answer as text.
func (d *collected) write(w io.Writer) error {
	if d.Log != "" {
		_, err := fmt.Fprintf(w, "%s: %s from %s\n", d.Data, counted.Of(d.Rows, "transition"), d.Log)
		return err
	}
	_, err := fmt.Fprintf(w, "%s: %s by policy %s, seed %d\n", d.Data, counted.Of(d.Rows, "transition"), d.Policy, *d.Seed)
	return err
}

// Run writes the data set.
func (c *collectCmd) Run(a *environment) error {
	ctx, cancel := c.context(a)
	defer cancel()
	p, err := c.loadTruth(ctx)
	if err != nil {
		return err
	}
	if c.Rows < 1 {
		return fmt.Errorf("-n %d asks for no row; expected at least 1", c.Rows)
	}
	d := &collected{Schema: app.Schema, Problem: p.Problem.Name, Data: c.Out, Rows: c.Rows, Policy: c.Policy, Seed: &c.Seed}
	if c.Log != "" {
		rows, err := learn.ConvertLog(p, c.Log, c.Out)
		if err != nil {
			return err
		}
		d.Rows, d.Policy, d.Seed, d.Log = rows, "", nil, c.Log
		return a.answer(c.JSON, "", d, d.write)
	}
	progress := c.reporter(a)
	o := collect.Options{Rows: c.Rows, Policy: collect.Policy(c.Policy), Seed: c.Seed, Threads: c.Threads}
	if progress.Enabled() {
		o.Progress = events.Rows(progress, c.Rows)
	}
	if c.Connect != "" {
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
	return a.answer(c.JSON, "", d, d.write)
}

// spread collects on the workers of a server.
func (c *collectCmd) spread(ctx context.Context, a *environment, o collect.Options) error {
	to, end, err := c.coordinator(ctx, a, "collect", int64(c.Memory))
	if err != nil {
		return err
	}
	defer end()
	return to.Collect(ctx, c.truthRef(), c.Out, o)
}
