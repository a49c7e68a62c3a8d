package command

import (
	"context"
	"errors"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/lift"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/progress"
	"github.com/fdplan/fdplan/internal/source"
)

type liftCmd struct {
	app.Effort
	progressFlags
	Network string `arg:"" help:"Network of fdplan train --lift."`
	Task    string `help:"Bundled problem or task file, of the same domain, whose network to build." required:"" placeholder:"PROBLEM"`
	Out     string `short:"o" help:"Network file to write." required:"" placeholder:"NETWORK"`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// Run builds and writes the network.
func (c *liftCmd) Run(ctx context.Context, a *environment) error {
	p, err := load.Load(ctx, load.Ref{Name: c.Task, Untrained: true})
	if err != nil {
		return err
	}
	text, err := source.ReadFile(c.Network)
	if err != nil {
		return err
	}
	r := c.reporter(a)
	res, err := lift.Apply(ctx, p, c.Network, text, liftOptions(c.Seed, c.Threads, r))
	r.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if err := a.toFile(c.Out, res.Write); err != nil {
		return err
	}
	return a.tell(c.JSON, "", res)
}

// lift learns lifted functions and writes the network.
func (c *trainCmd) lift(ctx context.Context, a *environment, p *load.Problem) error {
	switch {
	case c.Recipe == string(learn.RecipeDense):
		return errors.New("--lift finds the structure; expected no --recipe dense, and none of its flags")
	case c.Also != "":
		return errors.New("--lift learns from one data set; expected no --also")
	case c.Report != "":
		return errors.New("--lift prints what it found, with --json in full; expected no --report")
	}
	r := c.reporter(a)
	res, err := lift.Train(ctx, p, c.Data, liftOptions(c.Seed, c.Threads, r))
	r.Clear()
	if err != nil {
		return limited(ctx, err)
	}
	if err := a.toFile(c.Out, res.Write); err != nil {
		return err
	}
	return a.tell(c.JSON, "", res)
}

func liftOptions(seed uint64, threads int, r *progress.Reporter) lift.Options {
	o := lift.Options{Seed: seed, Threads: threads}
	if r.Enabled() {
		o.Progress = events.Step(r)
	}
	return o
}
