package pattern

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// cutReader reads the operators from a step.
type cutReader struct {
	*oneStep
	p       *factored.Problem
	prop    *propagate.State
	actions map[factored.Bit]int32
	cost    []int64
	seen    map[string]int // operators, by action and needs
	c       *Cut
}

// read reads the operators from the model of a step. It is false where they are too many, or where a step can have several actions at once.
func (c *Cut) read(ctx context.Context, t engine.Task) (whole bool, err error) {
	q, err := newStep(ctx, t)
	if err != nil {
		return false, err
	}
	p := t.Problem
	r := &cutReader{oneStep: q, p: p, prop: q.Relation().NewState(), actions: map[factored.Bit]int32{}, seen: map[string]int{}, c: c}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.Action && (v.Width != 1 || v.Default != 0) {
			return false, nil
		}
	}
	if !r.prop.Consistent() {
		return false, nil
	}
	for _, b := range p.Bits(factored.State) {
		for _, on := range []bool{false, true} {
			if !r.flips(b, on) || len(c.ops) > mostOps {
				return false, ctx.Err()
			}
		}
	}
	c.cost = r.cost
	return true, nil
}

// fact is the number of the fact that a bit has a value.
func (r *cutReader) fact(b factored.Bit, on bool) int32 {
	return r.c.fact(bound.Fact{Place: r.c.place[b], On: on})
}

// flips finds the actions with which a bit may get another value. It is false where that is not known, or where several actions are one step.
func (r *cutReader) flips(b factored.Bit, on bool) bool {
	before, after := r.at(1, b), r.at(2, b)
	if on {
		before = before.Not()
	} else {
		after = after.Not()
	}
	other := r.s.NewVar() // the step has none of the actions that were found
	defer r.s.AddClause(other.Not())
	for {
		if r.exhausted() {
			return false
		}
		asked := []sat.Lit{before, after, other}
		yes, exact := r.possible(asked...)
		if !exact {
			return false
		}
		if !yes {
			return true
		}
		var chosen []factored.Bit
		for _, a := range r.p.Bits(factored.Action) {
			if r.s.Value(r.at(1, a)) {
				chosen = append(chosen, a)
			}
		}
		if len(chosen) != 1 {
			return false
		}
		a := chosen[0]
		cost := r.least(append(asked, r.at(1, a)))
		r.add(a, b, on, cost)
		r.s.AddClause(other.Not(), r.at(1, a).Not())
	}
}

// add enters what an action needs to change a bit.
func (r *cutReader) add(a, b factored.Bit, on bool, cost int64) {
	id, known := r.actions[a]
	if !known {
		id = int32(len(r.cost))
		r.actions[a], r.cost = id, append(r.cost, cost)
	}
	r.cost[id] = min(r.cost[id], cost)
	r.prop.Reset()
	literal := func(t int, b factored.Bit, on bool) model.Lit {
		if l := r.Model.Var(t, b); on {
			return l
		} else {
			return -l
		}
	}
	if !r.prop.Assign(literal(1, a, true)) {
		return // not possible after all
	}
	always := r.prop.Value(literal(1, b, true)) != 0 // and not only since the bit changes
	if !r.prop.Assign(literal(1, b, !on)) || !r.prop.Assign(literal(2, b, on)) {
		return
	}
	var needs []int32
	key := []byte{byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}
	for _, x := range r.p.Bits(factored.State) {
		if v := r.prop.Value(literal(1, x, true)); v != 0 && (x != b || always) {
			f := r.fact(x, v > 0)
			needs = append(needs, f)
			key = append(key, byte(f), byte(f>>8), byte(f>>16))
		}
	}
	k, ok := r.seen[string(key)]
	if !ok {
		k = len(r.c.ops)
		r.seen[string(key)] = k
		r.c.ops = append(r.c.ops, cutOp{needs: needs, action: id})
	}
	r.c.ops[k].adds = append(r.c.ops[k].adds, r.fact(b, on))
}
