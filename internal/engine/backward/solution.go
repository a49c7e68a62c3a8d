package backward

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// complete returns the literals of a plan, with auxiliary bits of the least cost,
// and what it costs. Hidden units follow by propagation.
func (w *writer) complete(tr *factored.Trace) (lits []int32, cost int64, err error) {
	if tr.Horizon() != w.m.Horizon {
		return nil, 0, fmt.Errorf("%w: a plan of %d steps, the horizon is %d", ErrClaim, tr.Horizon(), w.m.Horizon)
	}
	for t, l := range w.layers {
		if t == 0 {
			continue
		}
		bits, paid, err := w.step(l, tr)
		if err != nil {
			return nil, 0, err
		}
		lits = append(lits, bits...)
		cost += paid
	}
	for _, c := range w.layers[0].costs {
		b := w.m.Problem.Bits(factored.State)[c.Lit.Var()-1]
		if tr.Steps[0][b] == (c.Lit > 0) {
			cost += c.Coef
		}
	}
	return lits, cost, nil
}

// step returns the literals of one step of a plan, and its cost.
func (w *writer) step(l *layer, tr *factored.Trace) (lits []int32, cost int64, err error) {
	refuted := func() error { return fmt.Errorf("%w: the plan fails at step %d", ErrClaim, l.t) }
	if !l.st.Consistent() {
		return nil, 0, refuted()
	}
	l.st.Reset()
	own, ok := w.assign(l, tr)
	if !ok {
		return nil, 0, refuted()
	}
	var aux []model.Lit
	for _, b := range w.m.Problem.Bits(factored.Auxiliary) {
		aux = append(aux, w.m.Var(l.t, b)-model.Lit(l.offset))
	}
	own = append(own, aux...)
	// Auxiliary bits that cost nothing are completed in any way.
	split := len(l.branch) - len(aux) + len(l.rest) // the paid ones come last in branch
	l.st.Each(l.branch[split:], func() bool {
		paid := l.paid()
		if lits != nil && paid >= cost {
			return true
		}
		l.st.Each(l.rest, func() bool {
			cost = paid
			lits = lits[:0]
			for _, v := range own {
				x := l.global(v)
				if l.st.Value(v) < 0 {
					x = -x
				}
				lits = append(lits, x)
			}
			return false
		})
		return true
	})
	if w.ctx.Err() != nil {
		return nil, 0, w.ctx.Err()
	}
	if lits == nil {
		return nil, 0, refuted()
	}
	return lits, cost, nil
}

// assign gives the variables of a layer their values in a plan, the next state
// included, and returns those of the step itself. It reports whether no
// constraint is violated.
func (w *writer) assign(l *layer, tr *factored.Trace) (own []model.Lit, ok bool) {
	set := func(step int, kind factored.Kind, keep bool) bool {
		for _, b := range w.m.Problem.Bits(kind) {
			x := w.m.Var(step, b) - model.Lit(l.offset)
			if keep {
				own = append(own, x)
			}
			if !tr.Steps[step-1][b] {
				x = -x
			}
			if !l.st.Assign(x) {
				return false
			}
		}
		return true
	}
	ok = set(l.t, factored.State, true)
	if l.t <= w.m.Horizon {
		ok = ok && set(l.t, factored.Action, true) && set(l.t+1, factored.State, false)
	}
	return own, ok
}
