package command

import (
	"errors"

	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// gridFlags request several shapes and the criterion for choosing one.
type gridFlags struct {
	Grid        bool       `help:"Try several shapes, and choose the smallest that meets the target error."`
	Widths      widthsFlag `help:"With --grid, the widths of hidden layers; the paper's 36,96,128." placeholder:"N,N"`
	Depths      widthsFlag `help:"With --grid, the numbers of hidden layers; the paper's 1,2,3." placeholder:"N,N"`
	Smallest    string     `help:"With --grid, what the size of a network is: neurons (the default) or edges." enum:"neurons,edges," default:"" placeholder:"neurons|edges"`
	TargetError *float64   `help:"With --grid, the share of wrong bits that held-out rows must stay under; 0 for no wrong row at all. By default 0 for ternary and 0.03 for binary weights."`
	Patience    int        `help:"With --grid, the epochs over which the progress of a cell is measured, to abandon hopeless ones; default: a quarter of all; -1 to abandon none." placeholder:"N"`
}

// grid returns the requested grid, nil for none.
func (f *gridFlags) grid(c *trainCmd) (*learn.Grid, error) {
	if !f.Grid {
		if f.Widths != nil || f.Depths != nil || f.Smallest != "" || f.TargetError != nil || f.Patience != 0 {
			return nil, errors.New("--widths, --depths, --smallest, --target-error and --patience are about a grid; expected --grid")
		}
		return nil, nil
	}
	switch {
	case c.Hidden != nil:
		return nil, errors.New("--hidden and --grid both set the hidden layers; expected one of them")
	case c.Init != "":
		return nil, errors.New("--init and --grid both set the hidden layers; expected one of them")
	}
	g := &learn.Grid{Widths: f.Widths, Depths: f.Depths, Smallest: train.Smallest(f.Smallest), Patience: f.Patience}
	g.TargetError = train.DefaultTarget(train.Weights(c.Weights))
	if f.TargetError != nil {
		g.TargetError = *f.TargetError
	}
	if f.Smallest == "" {
		g.Smallest = train.SmallestNeurons
	}
	return g, nil
}
