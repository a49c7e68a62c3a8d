package proofs

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine"
)

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
		doc.Plan, doc.Trace = app.StepsOf(t.Problem, a.Trace)
	}
	return atomicfile.Write(filepath.Join(dir, certify.AnswerFile), func(w io.Writer) error { return app.WriteJSON(w, doc) })
}

// folder is that of a change at a step: alternative from 0 on, -1 for all others.
func folder(dir string, step, alternative int) string {
	name := "others"
	if alternative >= 0 {
		name = fmt.Sprintf("alternative-%d", alternative+1)
	}
	return filepath.Join(dir, fmt.Sprintf("step-%d", step), name)
}
