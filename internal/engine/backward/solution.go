package backward

import (
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// complete returns the literals of a plan, with auxiliary bits of the least cost,
// and what it costs. Hidden units, which follow by propagation, are in w.hidden.
func (w *writer) complete(tr *factored.Trace) (lits []model.Lit, cost int64, err error) {
	if tr.Horizon() != w.m.Horizon {
		return nil, 0, fmt.Errorf("%w: a plan of %d steps, the horizon is %d", ErrClaim, tr.Horizon(), w.m.Horizon)
	}
	one, err := step.New(engine.Task{Problem: w.m.Problem, Network: w.m.Network})
	if err != nil {
		return nil, 0, err
	}
	if tr, err = one.Complete(w.ctx, tr); errors.Is(err, step.ErrRefuted) {
		err = fmt.Errorf("%w: %w", ErrClaim, err)
	}
	if err != nil {
		return nil, 0, err
	}
	lits, w.hidden = w.file.Literals(tr)
	isTrue := map[model.Lit]bool{}
	for _, x := range lits {
		isTrue[x] = true
	}
	for t := 1; t <= w.m.Horizon+1; t++ {
		for _, c := range w.m.Objective(t) {
			if isTrue[c.Lit] {
				cost += c.Coef
			}
		}
	}
	if w.file.NumVars() == 0 {
		lits = append(lits, -1) // a file has one variable at least
	}
	return lits, cost, nil
}
