package bound

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
)

// Final lists what must hold where a plan may end: of each condition, the cases. It is false where conditions have too many, or the context ended.
func Final(ctx context.Context, t engine.Task) (conditions [][][]Fact, gates []Gate, ok bool, err error) {
	r, err := layOut(ctx, t, 1)
	if err != nil {
		return nil, nil, false, err
	}
	for _, group := range [][]model.Sum{r.There.Sums[model.Goal], r.Invariants()} {
		for _, s := range group {
			r.addSum(s, false)
		}
	}
	d := r.define(false)
	a, done := r.newAssembler()
	checked := make([]bool, len(r.rows))
	for _, set := range d.order {
		if len(a.p.code) > maxCode || r.stop() || !a.define(d, set, checked) {
			return nil, nil, false, ctx.Err()
		}
		for _, v := range set {
			done[v] = true
		}
	}
	for i := range r.rows {
		for _, v := range r.rows[i].vars {
			if !done[v] {
				return nil, nil, false, nil
			}
		}
		if !checked[i] {
			a.refuse(a.not(a.holds(&r.rows[i].sum)))
		}
	}
	a.p.schedule()
	conditions, gates = a.p.conditions(r.Step)
	return conditions, gates, true, nil
}

// conditions are the cases in which each refusal does not hold.
func (p *Program) conditions(s *step.Step) (out [][][]Fact, gates []Gate) {
	for _, l := range s.Next {
		p.slots[l.Var()] = p.inputs[s.Now[s.Place[s.Bits[l]]].Var()] // nothing changes
	}
	r := p.newReader(s)
	r.gates = map[int32]bool{}
	for _, slot := range p.refused {
		if r.never(r.base[slot]) {
			continue
		}
		list, _ := r.cases(r.base[slot], false)
		if len(list) != 1 || len(list[0]) > 0 {
			out = append(out, list)
		}
	}
	return out, r.define()
}
