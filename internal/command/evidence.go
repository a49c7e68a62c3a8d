package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/incremental"
	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// evidence is what plan writes besides its answer.
type evidence struct {
	a       *environment
	file    string // of the proof; empty for none
	folder  string // of the certificate; empty for none
	version proof.Format

	none error // why nothing was written
}

// evidence reads the flags about proofs.
func (c *planCmd) evidence(a *environment, r *plan.Request) (*evidence, error) {
	e := &evidence{a: a, file: c.Proof, folder: string(c.Certify)}
	var err error
	if e.version, err = proof.ParseFormat(c.ProofFormat); err != nil {
		return nil, err
	}
	if e.file != "" && r.Horizon.Min != r.Horizon.Max {
		return nil, errors.New("a proof is about one horizon; expected a single number, not a range, or --certify")
	}
	return e, nil
}

// plan plans, and writes what is wanted.
func (e *evidence) plan(ctx context.Context, p *load.Problem, r plan.Request) (doc *plan.Document, err error) {
	if e.file != "" || e.folder != "" {
		r.Prove = func(res *engine.Result) error { return e.prove(ctx, p.Task, r, res) }
	}
	if doc, err = plan.Plan(ctx, p, r); err != nil || e.folder == "" || e.none != nil {
		return doc, err
	}
	doc.Certified(e.folder)
	return doc, nil
}

// answer makes the certificate's folder complete, if there is one.
func (e *evidence) answer(doc *execute.Document) error {
	if doc.Proof == nil || doc.Proof.Certificate == nil {
		return nil
	}
	if doc.Safe != nil {
		doc.Safe.Unproven = e.none != nil
	}
	return e.a.toFile(filepath.Join(e.folder, certify.AnswerFile), func(w io.Writer) error { return app.WriteJSON(w, doc) })
}

// prove writes the proofs of a result. That there is none is no error: the answer
// stands, and the command says so.
func (e *evidence) prove(ctx context.Context, t engine.Task, r plan.Request, res *engine.Result) error {
	horizon := r.Horizon.Max
	if horizon == 0 {
		horizon = t.Problem.Horizon
	}
	answers, err := proveInTime(ctx, func() ([]certify.Answer, error) {
		answers, err := certify.Answers(ctx, t, res, horizon, r.Limits)
		if err == nil && e.file != "" {
			err = e.a.toPacked(e.file, func(w io.Writer) (err error) {
				o := e.options(r.Limits)
				o.W = w
				answers[0], err = certify.Prove(ctx, t, answers[0], o)
				return err
			})
		}
		if err == nil && e.folder != "" {
			err = certify.Write(ctx, t, answers, e.folder, e.options(r.Limits))
		}
		return answers, err
	})
	switch {
	case err == nil:
		return e.open(ctx, t, r, res, answers)
	case errors.Is(err, certify.ErrNoProof):
		e.none = err
		return nil
	case ctx.Err() != nil:
		e.none = fmt.Errorf("%w: %w", certify.ErrNoProof, context.Cause(ctx))
		return nil
	case res.Prover != "" && errors.Is(err, app.ErrInternal):
		return &plan.ContradictionError{Solver: res.Prover, Msg: "no proof shows what it claims"}
	}
	return err
}

// proveInTime makes proofs until ctx ends. Then the making is left where it is, and the files
// that it was writing are given up: it may look at its context too rarely for the answer,
// which stands without.
func proveInTime[T any](ctx context.Context, make func() (T, error)) (T, error) {
	made, err := inTime(ctx, make)
	if err != nil && ctx.Err() != nil {
		atomicfile.AbortAll()
	}
	return made, err
}

// options are those of a certificate.
func (e *evidence) options(l engine.Limits) certify.Options { return e.a.proofOptions(e.version, l) }

// proofOptions are those of a proof, without where it goes: its size is told of.
func (a *environment) proofOptions(version proof.Format, l engine.Limits) certify.Options {
	return certify.Options{Format: version, Limits: l, Large: a.large, Again: a.again}
}

// unseen writes the proofs of the bound for the case that next values that the training rows
// do not support are free.
func (e *evidence) unseen(ctx context.Context, r plan.Request) func(engine.Task, *engine.Result) error {
	if e.folder == "" || e.none != nil {
		return nil
	}
	bound := &evidence{a: e.a, folder: certify.UnseenFolder(e.folder), version: e.version}
	return func(t engine.Task, res *engine.Result) error {
		err := bound.prove(ctx, t, r, res)
		e.none = bound.none
		return err
	}
}

// loop writes the certificate of an answer of Algorithm 1: that of one query, without
// the plans that failed, and these with what the simulator showed. It returns the
// folder, "" where there is no proof.
func (e *evidence) loop(ctx context.Context, p *load.Problem, system string, r plan.Request, res *incremental.Result) (string, error) {
	if e.folder == "" {
		return "", nil
	}
	t := p.Task
	t.Network = res.Network // corrected, where transitions were
	a := certify.Answer{Horizon: r.Horizon.Max, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound}
	if a.Horizon == 0 {
		a.Horizon = p.Problem.Horizon
	}
	for _, f := range res.Known.Failures {
		a.Excluded = append(a.Excluded, f.Landmark)
	}
	_, err := proveInTime(ctx, func() (struct{}, error) {
		return struct{}{}, certify.Write(ctx, t, []certify.Answer{a}, e.folder, e.options(r.Limits))
	})
	if err == nil && (len(a.Excluded) > 0 || res.Corrected > 0) {
		err = e.a.toFile(filepath.Join(e.folder, certify.ExcludedFile), func(w io.Writer) error {
			return res.Known.Write(w, p.Problem, a.Horizon, system)
		})
	}
	switch {
	case errors.Is(err, certify.ErrNoProof):
		e.none = err
		return "", nil
	case ctx.Err() != nil:
		e.none = fmt.Errorf("%w: %w", certify.ErrNoProof, context.Cause(ctx))
		return "", nil
	case err != nil:
		return "", err
	}
	return e.folder, nil
}

// open proves the bound of a run that was cut short, and lowers it to what was proven. That
// of a range is proven for each horizon that is not settled; where that fails for one, the rest
// of the certificate stands without it.
func (e *evidence) open(ctx context.Context, t engine.Task, r plan.Request, res *engine.Result, answers []certify.Answer) error {
	switch {
	case res.Status == engine.Optimal || res.Status == engine.Infeasible:
		return nil
	case len(res.Horizons) == 0:
		res.Bound = answers[0].Bound
		return nil
	}
	open := certify.Open(res)
	if len(open) > 0 {
		var err error
		open, err = proveInTime(ctx, func() ([]certify.Answer, error) {
			return open, certify.Write(ctx, t, open, e.folder, e.options(r.Limits))
		})
		if err != nil && !errors.Is(err, certify.ErrNoProof) && ctx.Err() == nil {
			return err
		}
		if err != nil {
			open = nil
		}
	}
	res.Bound = certify.Bound(append(answers, open...), len(res.Horizons))
	return nil
}

// toPacked writes a file, compressed if its name says so.
func (a *environment) toPacked(name string, f func(io.Writer) error) error {
	return a.toFile(name, func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 1<<16)
		z, err := packed.Writer(name, buffered)
		if err != nil {
			return err
		}
		if err := f(z); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// again tells of a proof whose time and size are not known.
func (a *environment) again() {
	a.warn("the steps between states are too many for a proof; engine pb solves the problem a second time and writes its own, which may be long and large")
}

// large tells of a proof that will have so many bytes.
func (a *environment) large(bytes int64) {
	a.warn(fmt.Sprintf("the proof will have about %d MB", bytes/1_000_000))
}
