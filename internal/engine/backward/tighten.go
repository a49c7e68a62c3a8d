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
	if w.m.Value(need) != 0 {
		return w.untightened(d, offset, source)
	}
	var all int64
	act := linear{} // the actions, negated
	sum := &addition{w: w}
	for i, f := range d.From[1:] {
		x := d.Sum.Terms[i]
		if lit := x.Lit.Shift(offset); w.m.Value(lit) == 0 {
			all += x.Coef
			act.add(lit, -x.Coef)
			sum.use(source(f.Sum), f.Factor)
		}
	}
	if all == 0 {
		return known{}
	}
	with := func(times int64) linear { // and so many times what they need
		l := linear{degree: times - d.Room}
		l.plus(act, 1)
		l.add(need, times)
		return l
	}
	sum.become(with(all))
	if all <= d.Room {
		sum.become(with(d.Room))
		return w.keep(sum.known())
	}
	each := w.keep(sum.known())
	start := &addition{w: w}
	start.use(source(d.From[0].Sum), 1)
	start.become(with(0))
	last := w.keep(start.known())
	for k := range d.Room {
		a := &addition{w: w}
		a.use(last, all-k-1)
		a.use(each, 1)
		a.write()
		w.log.Divide(all - k)
		last = w.keep(known{w.log.EndPol(), with(k + 1)})
	}
	return last
}

// untightened is the rule where it is known whether what all need holds: what it was before, or nothing.
func (w *writer) untightened(d bound.Derived, offset int32, source func(model.Sum) known) known {
	a := &addition{w: w}
	a.use(source(d.From[0].Sum), 1)
	if w.m.Value(d.Need.Shift(offset)) < 0 || len(a.parts) == 0 {
		return known{}
	}
	var want linear
	for _, x := range d.Sum.Terms[:len(d.Sum.Terms)-1] {
		if lit := x.Lit.Shift(offset); w.m.Value(lit) == 0 {
			want.add(lit, -x.Coef)
		}
	}
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
