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
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/explain"
	"github.com/fdplan/fdplan/problem/factored"
)

// File is the name of the explanation in a certificate's folder, as `fdplan explain --json`
// prints it.
const File = "explanation.json"

// Writer writes the certificate of an explanation: of the best plan that is explained, or that there
// is none, and of what comes of each change that was tried. The folder has that of the answer over the whole horizon; a
// folder below it, that of each change. The explanation itself, which makes the certificate
// complete, is left to the caller. The errors are those of certify.Write.
type Writer struct {
	Dir     string
	Options certify.Options
}

// Solved writes the certificate of the answer over the whole horizon.
func (w *Writer) Solved(ctx context.Context, t engine.Task, horizon int, res *engine.Result) error {
	if err := os.Remove(filepath.Join(w.Dir, File)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return w.write(ctx, w.Dir, t, horizon, res)
}

// Completed writes the certificate of what comes of a change.
func (w *Writer) Completed(ctx context.Context, c explain.Completion) error {
	if err := w.write(ctx, folder(w.Dir, c.Step, c.Alternative), c.Task, c.Horizon, c.Result); err != nil {
		return fmt.Errorf("the change at step %d: %w", c.Step, err)
	}
	return nil
}

func (w *Writer) write(ctx context.Context, dir string, t engine.Task, horizon int, res *engine.Result) error {
	answers := []certify.Answer{{Horizon: horizon, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound}}
	if err := certify.Write(ctx, t, answers, dir, w.Options); err != nil {
		return err
	}
	return writeAnswer(dir, t, &answers[0])
}

// bare is an answer with the fields of `fdplan plan --json` that certify.Check reads.
type bare struct {
	Schema  int           `json:"schema"`
	Problem string        `json:"problem"`
	Horizon int           `json:"horizon"`
	Status  engine.Status `json:"status"`
	Reward  *float64      `json:"reward"`
	Bound   *float64      `json:"bound"`
	Plan    []app.Values  `json:"plan"`
	Trace   []app.Values  `json:"trace"`
}

// writeAnswer writes the answer file of a folder.
func writeAnswer(dir string, t engine.Task, a *certify.Answer) error {
	doc := bare{Schema: app.Schema, Problem: t.Problem.Name, Horizon: a.Horizon, Status: a.Status}
	if a.Bound != nil {
		doc.Bound = app.RewardOf(t.Problem, *a.Bound)
	}
	if a.Trace != nil {
		doc.Reward = app.RewardOf(t.Problem, a.Reward)
		doc.tell(t.Problem, a.Trace)
	}
	return atomicfile.Write(filepath.Join(dir, certify.AnswerFile), func(w io.Writer) error { return app.WriteJSON(w, doc) })
}

// tell writes a trace into b.
func (b *bare) tell(p *factored.Problem, tr *factored.Trace) {
	for i, val := range tr.Steps {
		if i < tr.Horizon() {
			b.Plan = append(b.Plan, app.ValuesOf(p, factored.Action, val, false))
		}
		b.Trace = append(b.Trace, app.ValuesOf(p, factored.State, val, true))
	}
}

// folder is that of a change at a step: alternative from 0 on, -1 for all others.
func folder(dir string, step, alternative int) string {
	name := "others"
	if alternative >= 0 {
		name = fmt.Sprintf("alternative-%d", alternative+1)
	}
	return filepath.Join(dir, fmt.Sprintf("step-%d", step), name)
}
