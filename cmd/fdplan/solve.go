package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/instance"
	"github.com/fdplan/fdplan/instance/embedded"
	"github.com/fdplan/fdplan/planner"
	"github.com/fdplan/fdplan/solver"
)

type solveCmd struct {
	File string `arg:"" help:"A .cnf, .wcnf (of either dialect) or .opb file, plain or packed (.gz)."`
	limits
	CuttingPlanes bool   `help:"Learn linear constraints too, from conflicts of linear constraints."`
	Out           string `short:"o" help:"File to write; default: standard output." placeholder:"FILE"`
}

// Run solves the file and prints the lines of the solver competitions, whose
// exit statuses it has too.
func (c *solveCmd) Run(a *app) error {
	ctx, cancel := c.context(a)
	defer cancel()
	var status instance.Status
	solve := func(w io.Writer) (err error) {
		s := embedded.New(embedded.Options{Solver: solver.Options{CuttingPlanes: c.CuttingPlanes}, Memory: int64(c.Memory)})
		status, err = instance.SolveFile(ctx, c.File, instance.Limits{Memory: int64(c.Memory)}, s, w)
		return err
	}
	var err error
	if c.Out == "" {
		err = solve(a.out) // each line as soon as it is known
	} else {
		err = a.toFile(c.Out, solve)
	}
	switch {
	case errors.Is(err, instance.ErrWrongAnswer):
		return fmt.Errorf("%w: %s: %w", planner.ErrInternal, c.File, err)
	case errors.Is(err, solver.ErrOverflow):
		return fmt.Errorf("%s: %w", c.File, err)
	case err != nil:
		return err
	}
	return exitStatus(status.ExitStatus())
}
