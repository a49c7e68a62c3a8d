package backward

import (
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/problem/factored"
)

// complete returns the literals of a plan, with auxiliary bits of the least cost,
// and what it costs. Hidden units, which follow by propagation, are in w.hidden.
func (w *writer) complete(tr *factored.Trace) (lits []int32, cost int64, err error) {
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
	bits, hidden := w.file.Literals(tr)
	lits, w.hidden = []int32{}, nil // an empty list is a plan, nil is none
	isTrue := map[int32]bool{}
	for _, x := range bits {
		lits = append(lits, int32(x))
		isTrue[int32(x)] = true
	}
	for _, x := range hidden {
		w.hidden = append(w.hidden, int32(x))
	}
	for t := 1; t <= w.m.Horizon+1; t++ {
		for _, c := range w.m.Objective(t) {
			if isTrue[int32(c.Lit)] {
				cost += c.Coef
			}
		}
	}
	if w.file.NumVars() == 0 {
		lits = append(lits, -1) // a file has one variable at least
	}
	return lits, cost, nil
}
