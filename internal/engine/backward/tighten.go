package backward

import (
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/model"
)

// tighten derives a rule with what all of its actions need at step t. From "the actions count n at most" and "each needs y", whose
// sum says that they count no more than all of them if y holds, follows in round k that they count n-k and k times y at most, by adding
// both and dividing: with s for all of them, s-k-1 times the rule of the round before and once the sum are s-k times the new one, rounded.
func (w *writer) tighten(t int, d bound.Derived, source func(model.Sum) known) known {
	offset := w.m.Stride() * int32(t-1)
	need := d.Need.Shift(offset)
	var all int64
	act := linear{} // the actions, negated
	each := &addition{w: w}
	for i, f := range d.From[1:] {
		x := d.Sum.Terms[i]
		if lit := x.Lit.Shift(offset); w.m.Value(lit) == 0 {
			all += x.Coef
			act.add(lit, -x.Coef)
			each.use(source(f.Sum), f.Factor)
		}
	}
	before := source(d.From[0].Sum)
	switch needed := w.m.Value(need); {
	case all == 0, needed < 0, needed > 0 && before.id == 0:
		return known{}
	case needed > 0: // it is what it was before
		return w.become(before, act)
	}
	with := func(times int64) linear { // and so many times what they need
		l := linear{degree: times - d.Room}
		l.plus(act, 1)
		l.add(need, times)
		return l
	}
	each.become(with(all))
	if all <= d.Room {
		each.become(with(d.Room))
		return w.keep(each.known())
	}
	sum, last := w.keep(each.known()), w.become(before, act)
	for k := range d.Room {
		a := &addition{w: w}
		a.use(last, all-k-1)
		a.use(sum, 1)
		a.write()
		w.log.Divide(all - k)
		last = w.keep(known{w.log.EndPol(), with(k + 1)})
	}
	return last
}

// become derives from a constraint one with the terms of want.
func (w *writer) become(k known, want linear) known {
	a := &addition{w: w}
	a.use(k, 1)
	a.become(want)
	return w.keep(a.known())
}

// keep notes a constraint that is deleted in the end.
func (w *writer) keep(k known) known {
	if k.id != 0 {
		w.amounts.made = append(w.amounts.made, k.id)
	}
	return k
}
