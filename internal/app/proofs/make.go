package proofs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine"
	outcomes "github.com/fdplan/fdplan/internal/engine/explain"
	"github.com/fdplan/fdplan/internal/execution/incremental"
	"github.com/fdplan/fdplan/internal/routine"
)

// File is the name of the explanation in a certificate's folder, as `fdplan explain --json`
// prints it.
const File = "explanation.json"

// Maker makes the proofs of one answer or explanation, and has them checked. That there is no proof
// is no error: the answer stands, and None says why. Errors are those of certify.Write.
type Maker struct {
	Folder  string // of the certificate; empty for none
	Options certify.Options
	// Proof writes the file of a proof alone; nil for none.
	Proof func(write func(io.Writer) error) error

	None error
}

// attempt makes proofs until ctx ends, unless there were none before. Then the making is left where
// it is, and the files that it was writing are given up: it may look at its context too
// rarely for the answer, which stands without.
func (m *Maker) attempt(ctx context.Context, make func() error) (made bool, err error) {
	if m.None != nil {
		return false, nil
	}
	_, err = routine.InTime(ctx, func() (struct{}, error) { return struct{}{}, make() })
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		atomicfile.AbortAll()
		m.None = fmt.Errorf("%w: %w", certify.ErrNoProof, context.Cause(ctx))
	case errors.Is(err, certify.ErrNoProof):
		m.None = err
	default:
		return false, err
	}
	return false, nil
}

// complete writes the document that makes the folder complete.
func (m *Maker) complete(name string, doc any) error {
	return atomicfile.Write(filepath.Join(m.Folder, name), func(w io.Writer) error { return app.WriteJSON(w, doc) })
}

// Plan plans, and makes the proofs of the answer.
func (m *Maker) Plan(ctx context.Context, p *load.Problem, r plan.Request) (*plan.Document, error) {
	if m.Proof != nil || m.Folder != "" {
		r.Prove = func(res *engine.Result) error { return m.result(ctx, p.Task, r.Horizon.Max, res) }
	}
	doc, err := plan.Plan(ctx, p, r)
	if err == nil && m.Folder != "" && m.None == nil {
		doc.Certified(m.Folder)
	}
	return doc, err
}

// result makes the proofs of a result, of the problem's own horizon if that is 0. The bound of a run that
// was cut short is lowered to what was proven. That of a range is proven for each horizon that is
// not settled; where that fails for one, the rest of the certificate stands without it.
func (m *Maker) result(ctx context.Context, t engine.Task, horizon int, res *engine.Result) error {
	if horizon == 0 {
		horizon = t.Problem.Horizon
	}
	var answers []certify.Answer
	made, err := m.attempt(ctx, func() (err error) {
		if answers, err = certify.Answers(ctx, t, res, horizon, m.Options.Limits); err == nil && m.Proof != nil {
			err = m.Proof(func(w io.Writer) (err error) {
				o := m.Options
				o.W = w
				answers[0], err = certify.Prove(ctx, t, answers[0], o)
				return err
			})
		}
		if err == nil && m.Folder != "" {
			err = certify.Write(ctx, t, answers, m.Folder, m.Options)
		}
		return err
	})
	switch {
	case res.Prover != "" && errors.Is(err, app.ErrInternal):
		return &plan.ContradictionError{Solver: res.Prover, Msg: "no proof shows what it claims"}
	case !made || res.Status == engine.Optimal || res.Status == engine.Infeasible:
		return err
	case len(res.Horizons) == 0:
		res.Bound = answers[0].Bound
		return nil
	}
	if open := certify.Open(res); len(open) > 0 {
		rest := &Maker{}
		made, err := rest.attempt(ctx, func() error { return certify.Write(ctx, t, open, m.Folder, m.Options) })
		if err != nil {
			return err
		}
		if made {
			answers = append(answers, open...)
		}
	}
	res.Bound = certify.Bound(answers, len(res.Horizons))
	return nil
}

// Unseen makes the proofs of the bound for the case that next values that the training rows do
// not support are free; it is nil where none is wanted.
func (m *Maker) Unseen(ctx context.Context, horizon int) func(engine.Task, *engine.Result) error {
	if m.Folder == "" || m.None != nil {
		return nil
	}
	return func(t engine.Task, res *engine.Result) error {
		bound := &Maker{Folder: certify.UnseenFolder(m.Folder), Options: m.Options}
		err := bound.result(ctx, t, horizon, res)
		m.None = bound.None
		return err
	}
}

// Loop makes the certificate of an answer of Algorithm 1 in a system: that of one query, without
// the plans that failed, and these with what the simulator showed. It returns the folder, ""
// where there is no proof.
func (m *Maker) Loop(ctx context.Context, p *load.Problem, system string, horizon int, res *incremental.Result) (string, error) {
	if m.Folder == "" {
		return "", nil
	}
	if horizon == 0 {
		horizon = p.Problem.Horizon
	}
	t := p.Task
	t.Network = res.Network // corrected, where transitions were
	a := certify.Answer{Horizon: horizon, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound}
	for _, f := range res.Known.Failures {
		a.Excluded = append(a.Excluded, f.Landmark)
	}
	made, err := m.attempt(ctx, func() error {
		err := certify.Write(ctx, t, []certify.Answer{a}, m.Folder, m.Options)
		if err != nil || len(a.Excluded) == 0 && res.Corrected == 0 {
			return err
		}
		return atomicfile.Write(filepath.Join(m.Folder, certify.ExcludedFile), func(w io.Writer) error {
			return res.Known.Write(w, p.Problem, horizon, system)
		})
	})
	if !made {
		return "", err
	}
	return m.Folder, nil
}

// Answer makes the certificate's folder complete, if there is one.
func (m *Maker) Answer(doc *execute.Document) error {
	if doc.Proof == nil || doc.Proof.Certificate == nil {
		return nil
	}
	if doc.Safe != nil {
		doc.Safe.Unproven = m.None != nil
	}
	return m.complete(certify.AnswerFile, doc)
}

// Property makes the certificate of a property that holds.
func (m *Maker) Property(ctx context.Context, t engine.Task, p *explain.Property) error {
	t, err := certify.Property(t, p.Property, p.Steps)
	if err != nil {
		return err
	}
	made, err := m.attempt(ctx, func() error { return certify.Write(ctx, t, certify.NoCounterexample(), m.Folder, m.Options) })
	if !made {
		return err
	}
	p.Certificate = m.Folder
	return m.complete(certify.AnswerFile, p)
}

// Explain explains, and makes the certificate of the explanation, if there is to be one: the folder has that of the
// answer over the whole horizon, and a folder below it that of each change that was tried.
func (m *Maker) Explain(ctx context.Context, p *load.Problem, r explain.Request) (*explain.Explanation, error) {
	if m.Folder == "" {
		return explain.Explain(ctx, p, r)
	}
	r.Solved = func(t engine.Task, horizon int, res *engine.Result) error {
		_, err := m.attempt(ctx, func() error {
			if err := os.Remove(filepath.Join(m.Folder, File)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return m.write(ctx, m.Folder, t, horizon, res)
		})
		return err
	}
	r.Completed = func(c outcomes.Completion) error {
		_, err := m.attempt(ctx, func() error {
			return m.write(ctx, folder(m.Folder, c.Step, c.Alternative), c.Task, c.Horizon, c.Result)
		})
		if err != nil {
			err = fmt.Errorf("the change at step %d: %w", c.Step, err)
		}
		return err
	}
	d, err := explain.Explain(ctx, p, r)
	switch {
	case err != nil:
		return nil, err
	case d.Status == explain.StatusInvalid:
		m.None = fmt.Errorf("%w: the plan is invalid, which validate replays", certify.ErrNoProof)
	case d.Status == string(engine.Unknown) && m.None == nil:
		m.None = fmt.Errorf("%w: nothing is known", certify.ErrNoProof)
	}
	if m.None != nil {
		return d, nil
	}
	d.Certificate = m.Folder
	if err := m.complete(File, d); err != nil {
		return nil, err
	}
	report, err := Check(ctx, certify.Files{Folder: m.Folder}, nil)
	if err == nil && !report.Accepted {
		err = fmt.Errorf("%w: the certificate in %s is refused: %s", app.ErrInternal, m.Folder, report.Refused)
	}
	return d, err
}

// write writes the certificate of the answer in one folder of an explanation's.
func (m *Maker) write(ctx context.Context, dir string, t engine.Task, horizon int, res *engine.Result) error {
	answers := []certify.Answer{{Horizon: horizon, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound}}
	if err := certify.Write(ctx, t, answers, dir, m.Options); err != nil {
		return err
	}
	return writeAnswer(dir, t, &answers[0])
}
