package command

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/solve"
)

type solveCmd struct {
	File string `arg:"" help:"A .cnf, .wcnf (of either dialect) or .opb file, plain or compressed (.gz)."`
	app.Effort
	progressFlags
	Connect
	CuttingPlanes bool   `help:"Learn linear constraints too, from conflicts of linear constraints."`
	Proof         string `help:"Write a proof of the answer: DRAT for .cnf, VeriPB for .opb and .wcnf; .gz or .zst at the end of its name compresses it." placeholder:"FILE"`
	ProofFormat   string `help:"Version of VeriPB's format: ${enum}." enum:"1.2,2.0,3.0" default:"2.0"`
	Out           string `short:"o" help:"File to write; default: standard output." placeholder:"FILE"`
}

// Run solves the file and prints the lines of the solver competitions, with their exit
// statuses.
func (c *solveCmd) Run(ctx context.Context, a *environment) error {
	r := solve.Request{File: c.File, CuttingPlanes: c.CuttingPlanes, Memory: memoryOf(c.Bounds), ProofFormat: c.ProofFormat}
	work := solve.File
	if c.URL != "" {
		to, end, err := c.coordinator(ctx, a, "solve", int64(c.Memory))
		if err != nil {
			return limited(ctx, err)
		}
		defer end()
		work = func(ctx context.Context, r solve.Request, w io.Writer) (int, error) {
			status, err := to.Solve(ctx, r, c.workerTime(a), w)
			if err != nil && ctx.Err() != nil {
				return solve.Unknown(w, context.Cause(ctx))
			}
			return status, err
		}
	}
	var status int
	run := func(w io.Writer) (err error) {
		status, err = work(ctx, r, w)
		return err
	}
	answer := func() error {
		if c.Out == "" {
			return run(a.out) // each line as soon as it is known
		}
		return a.toFile(c.Out, run)
	}
	if err := c.prove(a, &r, answer); err != nil {
		return err
	}
	return exitStatus(status)
}

// workerTime is the part of the time limit that a worker may use; the rest is for the
// way there and back. 0 is no limit.
func (c *solveCmd) workerTime(a *environment) time.Duration {
	if c.TimeLimit == 0 {
		return 0
	}
	return max(1, (time.Duration(c.TimeLimit)-a.now().Sub(a.started))*9/10)
}

// prove makes answer write its proof to the requested file, if any.
func (c *solveCmd) prove(a *environment, r *solve.Request, answer func() error) error {
	if c.Proof == "" {
		return answer()
	}
	switch {
	case c.Proof == "-":
		return errors.New("--proof - would mix the proof with the answer; expected the name of a file")
	case c.CuttingPlanes:
		return errors.New("--cutting-planes learns what --proof cannot write; expected one of the two")
	}
	return a.toPacked(c.Proof, func(w io.Writer) error {
		r.Proof = w
		return answer()
	})
}
