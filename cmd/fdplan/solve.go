package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/solve/instance/embedded"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

type solveCmd struct {
	File string `arg:"" help:"A .cnf, .wcnf (of either dialect) or .opb file, plain or compressed (.gz)."`
	limits
	CuttingPlanes bool   `help:"Learn linear constraints too, from conflicts of linear constraints."`
	Proof         string `help:"Write a proof of the answer: DRAT for .cnf, VeriPB for .opb and .wcnf; .gz or .zst at the end of its name compresses it." placeholder:"FILE"`
	ProofFormat   string `help:"Version of VeriPB's format: ${enum}." enum:"1.2,2.0,3.0" default:"2.0"`
	Out           string `short:"o" help:"File to write; default: standard output." placeholder:"FILE"`
}

// Run solves the file and prints the lines of the solver competitions, with their exit
// statuses.
func (c *solveCmd) Run(a *environment) error {
	ctx, cancel := c.context(a)
	defer cancel()
	options := embedded.Options{Solver: sat.Options{CuttingPlanes: c.CuttingPlanes}, Memory: c.memory()}
	var status instance.Status
	solve := func(w io.Writer) (err error) {
		status, err = instance.SolveFile(ctx, c.File, instance.Limits{Memory: c.memory()}, embedded.New(options), w)
		return err
	}
	answer := func() error {
		if c.Out == "" {
			return solve(a.out) // each line as soon as it is known
		}
		return a.toFile(c.Out, solve)
	}
	err := c.prove(a, &options, answer)
	switch {
	case errors.Is(err, instance.ErrWrongAnswer):
		return fmt.Errorf("%w: %s: %w", app.ErrInternal, c.File, err)
	case errors.Is(err, sat.ErrOverflow), errors.Is(err, embedded.ErrNoProof):
		return fmt.Errorf("%s: %w", c.File, err)
	case err != nil:
		return err
	}
	return exitStatus(status.ExitStatus())
}

// prove makes answer write its proof to the requested file, if any.
func (c *solveCmd) prove(a *environment, o *embedded.Options, answer func() error) error {
	if c.Proof == "" {
		return answer()
	}
	switch {
	case c.Proof == "-":
		return errors.New("--proof - would mix the proof with the answer; expected the name of a file")
	case c.CuttingPlanes:
		return errors.New("--cutting-planes learns what --proof cannot write; expected one of the two")
	}
	version, err := proof.ParseFormat(c.ProofFormat)
	if err != nil {
		return err
	}
	return a.toPacked(c.Proof, func(w io.Writer) error {
		o.Proof = &embedded.Proof{W: w, Format: version}
		return answer()
	})
}
