// Package solve implements the use case of solving a file: CNF, WCNF or OPB.
package solve

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/solve/instance/embedded"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Request is a file with what is asked about it.
type Request struct {
	File          string
	CuttingPlanes bool
	Memory        int64     // bytes
	Proof         io.Writer // for the proof; nil for none
	ProofFormat   string    // version of VeriPB's format
}

// File solves a file with the embedded solver and prints the lines of the solver
// competitions. It returns their exit status.
func File(ctx context.Context, r Request, w io.Writer) (status int, err error) {
	o := embedded.Options{Solver: sat.Options{CuttingPlanes: r.CuttingPlanes}, Memory: r.Memory}
	if r.Proof != nil {
		version, err := proof.ParseFormat(r.ProofFormat)
		if err != nil {
			return 0, err
		}
		o.Proof = &embedded.Proof{W: r.Proof, Format: version}
	}
	s, err := instance.SolveFile(ctx, r.File, instance.Limits{Memory: r.Memory}, embedded.New(o), w)
	switch {
	case errors.Is(err, instance.ErrWrongAnswer):
		return 0, fmt.Errorf("%w: %s: %w", app.ErrInternal, r.File, err)
	case errors.Is(err, sat.ErrOverflow), errors.Is(err, embedded.ErrNoProof):
		return 0, fmt.Errorf("%s: %w", r.File, err)
	}
	return s.ExitStatus(), err
}

// Check reads a file, and reports what is wrong with it.
func Check(ctx context.Context, file string, memory int64) error {
	_, err := instance.ReadFile(ctx, file, instance.Limits{Memory: memory})
	return err
}

// Unknown prints the answer about a file of which nothing is known, with the reason.
func Unknown(w io.Writer, reason error) (status int, err error) {
	p := instance.NewPrinter(w, instance.CNF) // all formats have the same c and s lines
	p.Comment("%v", reason)
	return instance.Unknown.ExitStatus(), p.Answer(instance.Unknown, nil)
}
