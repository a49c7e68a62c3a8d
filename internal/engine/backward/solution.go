package backward

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// complete returns the literals of a plan, with auxiliary bits of the least cost,
// and what it costs. Hidden units, which follow by propagation, are in w.hidden.
func (w *writer) complete(tr *factored.Trace) (lits []int32, cost int64, err error) {
	lits = []int32{} // nil is no plan
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
	if w.file.NumVars() == 0 {
		lits = append(lits, -1) // a file has one variable at least
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
	p := w.m.Problem
	var own []model.Lit
	assign := func(step int, kind factored.Kind, add bool) bool {
		for _, b := range p.Bits(kind) {
			x := w.m.Var(step, b) - model.Lit(l.offset)
			if add {
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
	ok := assign(l.t, factored.State, true)
	if l.t <= w.m.Horizon {
		ok = ok && assign(l.t, factored.Action, true) && assign(l.t+1, factored.State, false)
	}
	if !ok {
		return nil, 0, refuted()
	}
	lits, cost = w.auxiliary(l, own)
	switch {
	case w.ctx.Err() != nil:
		return nil, 0, w.ctx.Err()
	case lits == nil:
		return nil, 0, refuted()
	}
	w.hide(l, lits)
	return lits, cost, nil
}

// hide computes the hidden units of the file at a step whose bits are given.
func (w *writer) hide(l *layer, bits []int32) {
	truth := map[model.Lit]bool{}
	set := func(x model.Lit) { truth[x], truth[-x] = true, false }
	for _, x := range bits {
		if x > 0 {
			set(model.Lit(x - l.offset))
		} else {
			set(model.Lit(x + l.offset))
		}
	}
	hidden := func(x model.Lit) bool {
		return x.Var() > int32(w.m.Problem.NumBits()) && x.Var() <= w.m.Stride()
	}
	add := func(x model.Lit) {
		set(x)
		w.hidden = append(w.hidden, l.global(x))
	}
	for v := int32(w.m.Problem.NumBits()) + 1; l.t <= w.m.Horizon && v <= w.m.Stride(); v++ {
		if x := w.m.Value(v + l.offset); x != 0 {
			add(model.Lit(v) * model.Lit(x))
		}
	}
	for _, units := range w.file.Part(l.t).Layers {
		for _, n := range units {
			if _, known := truth[n.Out]; known || !hidden(n.Out) {
				continue
			}
			if n.Active(func(x model.Lit) bool { return truth[x] }) {
				add(n.Out)
			} else {
				add(-n.Out)
			}
		}
	}
}

// auxiliary completes the present state, action and next state by auxiliary bits of
// the least cost, and returns the literals of own and of these bits; nil if there
// are none. Bits that cost nothing are completed in any way. A step without bits has an empty
// slice, which is not nil.
func (w *writer) auxiliary(l *layer, own []model.Lit) (lits []int32, cost int64) {
	for _, b := range w.m.Problem.Bits(factored.Auxiliary) {
		own = append(own, w.m.Var(l.t, b)-model.Lit(l.offset))
	}
	// The paid ones come last in branch.
	paid := len(w.m.Problem.Bits(factored.Auxiliary)) - len(l.rest)
	l.st.Each(l.branch[len(l.branch)-paid:], func() bool {
		sum := l.paid()
		if lits != nil && sum >= cost {
			return true
		}
		l.st.Each(l.rest, func() bool {
			cost = sum
			lits = make([]int32, 0, len(own))
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
	return lits, cost
}
