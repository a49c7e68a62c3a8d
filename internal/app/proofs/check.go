// Package proofs is the home of proofs among the use cases. It makes the proofs of an answer and of an
// explanation, and Check reads them again and derives anew, field by field, what they are about, so
// that nothing is believed that was not checked. The files of single claims are those of package certify.
package proofs

import (
	"context"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/incremental"
)

// Check reads proofs again, those of an answer or of an explanation, and compares them with
// a problem; nil is none. The errors are those of certify.Check.
func Check(ctx context.Context, f certify.Files, p *load.Problem) (*certify.Report, error) {
	against := problemOf(ctx, p)
	if certify.Has(f.Folder, File) {
		return checkExplanation(ctx, f.Folder, against, p)
	}
	f.Restate = basis{problem: p, folder: f.Folder != ""}.answer
	return certify.Check(ctx, f, against)
}

// problemOf is a problem as files are compared with it.
func problemOf(ctx context.Context, p *load.Problem) *certify.Against {
	if p == nil {
		return nil
	}
	return &certify.Against{
		Task: p.Task,
		Safe: func() (engine.Task, error) {
			q, err := support.Safe(p)
			if err != nil {
				return engine.Task{}, err
			}
			return q.Task, nil
		},
		Free:    func() (engine.Task, error) { return support.Free(p) },
		Confirm: func(s *incremental.State, horizon int) error { return execute.Confirm(ctx, p, s, horizon) },
	}
}
