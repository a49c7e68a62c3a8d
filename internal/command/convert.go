package command

import (
	"context"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/source"
)

type convertCmd struct {
	Network       string `arg:"" help:"Network trained elsewhere: .npz, or the published layout's weights with --normalization."`
	Normalization string `help:"Batch normalization in the published layout." placeholder:"FILE"`
	Task          string `help:"Bundled problem or task file of the network." required:"" placeholder:"PROBLEM"`
	Out           string `short:"o" help:"Network file to write." required:"" placeholder:"NETWORK"`
	JSON          bool   `name:"json" help:"Print one JSON object."`
	app.Bounds
}

// Run folds a network and writes it.
func (c *convertCmd) Run(ctx context.Context, a *environment) error {
	p, err := load.Load(ctx, load.Ref{Name: c.Task, Untrained: true})
	if err != nil {
		return err
	}
	f := learn.Foreign{Name: c.Network, NormName: c.Normalization}
	if f.Text, err = source.ReadFile(c.Network); err != nil {
		return err
	}
	if c.Normalization != "" {
		if f.Norm, err = source.ReadFile(c.Normalization); err != nil {
			return err
		}
	}
	res, err := learn.ConvertNetwork(p, f)
	if err != nil {
		return err
	}
	if err := a.toFile(c.Out, res.Write); err != nil {
		return err
	}
	return a.answer(c.JSON, "", res, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %s, %s\n", res.Problem, res.Network, counted.Of(res.Edges, "edge"))
		if res.Compared > 0 {
			fmt.Fprintf(w, "Folded, it agrees with the float network on %d random inputs.\n", res.Compared)
		}
	})
}
