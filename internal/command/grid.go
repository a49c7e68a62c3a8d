package command

import (
	"errors"

	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// grid returns the requested grid, nil for none.
func (c *trainCmd) grid() (*learn.Grid, error) {
	if !c.Grid {
		if c.Widths != nil || c.Depths != nil || c.Smallest != "" || c.TargetError != nil {
			return nil, errors.New("--widths, --depths, --smallest and --target-error are about a grid; expected --grid")
		}
		return nil, nil
	}
	switch {
	case c.Hidden != nil:
		return nil, errors.New("--hidden and --grid both set the hidden layers; expected one of them")
	case c.Init != "":
		return nil, errors.New("--init and --grid both set the hidden layers; expected one of them")
	}
	g := &learn.Grid{Widths: c.Widths, Depths: c.Depths, Smallest: train.Smallest(c.Smallest)}
	g.TargetError = train.DefaultTarget(train.Weights(c.Weights))
	if c.TargetError != nil {
		g.TargetError = *c.TargetError
	}
	if c.Smallest == "" {
		g.Smallest = train.SmallestNeurons
	}
	return g, nil
}
