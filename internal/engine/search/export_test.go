package search

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// Polish runs rounds of the local search from a plan, and shows the plan after each. It returns the
// rewards of the first plan and the best; ok is false where the step cannot be compiled.
func Polish(t engine.Task, tr *factored.Trace, rounds int, show func(*factored.Trace, int64)) (first, best int64, ok bool, err error) {
	s, err := newRelation(t)
	if err != nil {
		return 0, 0, false, err
	}
	ctx := context.Background()
	code, _ := s.stepCode(ctx)
	if code == nil {
		return 0, 0, false, nil
	}
	p := newPolisher(s, s.newWorker(ctx, 0), code, tr)
	first = p.best
	for range rounds {
		p.advance()
		show(p.trace(), p.reward)
	}
	return first, p.best, true, nil
}
