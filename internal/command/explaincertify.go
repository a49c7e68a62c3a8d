package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/proofs"
	"github.com/fdplan/fdplan/internal/engine"
	outcome "github.com/fdplan/fdplan/internal/engine/explain"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// explainProofs writes the certificate of an explanation.
type explainProofs struct {
	w    *proofs.Writer // nil where none is asked for
	none error          // why there is none
}

// proofs reads the flags about the certificate, and has the request tell of what is decided.
func (c *explainCmd) proofs(ctx context.Context, a *environment, r *explain.Request) (*explainProofs, error) {
	e := &explainProofs{}
	if c.Certify == "" {
		return e, nil
	}
	version, err := proof.ParseFormat(c.ProofFormat)
	if err != nil {
		return nil, err
	}
	e.w = &proofs.Writer{Dir: string(c.Certify), Options: a.proofOptions(version, r.Limits)}
	r.Solved = func(t engine.Task, horizon int, res *engine.Result) error {
		return e.keep(ctx, func() error { return e.w.Solved(ctx, t, horizon, res) })
	}
	r.Completed = func(x outcome.Completion) error {
		return e.keep(ctx, func() error { return e.w.Completed(ctx, x) })
	}
	return e, nil
}

// keep runs a step of the certificate unless one before it failed. That there is no proof is
// no error: the explanation stands.
func (e *explainProofs) keep(ctx context.Context, write func() error) error {
	if e.none != nil {
		return nil
	}
	_, err := proveInTime(ctx, func() (struct{}, error) { return struct{}{}, write() })
	switch {
	case errors.Is(err, certify.ErrNoProof):
		e.none = err
	case err != nil && ctx.Err() != nil:
		e.none = fmt.Errorf("%w: %w", certify.ErrNoProof, context.Cause(ctx))
	default:
		return err
	}
	return nil
}

// finish makes the folder complete, and has it read.
func (e *explainProofs) finish(ctx context.Context, a *environment, d *explain.Explanation) error {
	switch {
	case e.w == nil:
		return nil
	case d.Status == explain.StatusInvalid:
		e.none = fmt.Errorf("%w: the plan is invalid, which validate replays", certify.ErrNoProof)
	case d.Status == string(engine.Unknown) && e.none == nil:
		e.none = fmt.Errorf("%w: nothing is known", certify.ErrNoProof)
	}
	if e.none != nil {
		a.warn(e.none.Error())
		return nil
	}
	d.Certificate = e.w.Dir
	if err := a.toFile(filepath.Join(e.w.Dir, proofs.File), func(w io.Writer) error { return app.WriteJSON(w, d) }); err != nil {
		return err
	}
	r, err := proofs.Check(ctx, certify.Files{Folder: e.w.Dir}, nil)
	if err == nil && !r.Accepted {
		err = fmt.Errorf("%w: the certificate in %s is refused: %s", app.ErrInternal, e.w.Dir, r.Refused)
	}
	return err
}
