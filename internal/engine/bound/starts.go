package bound

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// maxStarts bounds the initial states that are listed.
const maxStarts = 4096

// listStarts lists the initial states as values of the groups; false when there
// are too many.
func (f *Factors) listStarts(ctx context.Context) ([][]uint32, bool) {
	index := make([]map[string]uint32, len(f.parts))
	for id := range f.parts {
		index[id] = map[string]uint32{}
		for v, value := range f.parts[id].values {
			index[id][fmt.Sprint(value)] = uint32(v)
		}
	}
	st := f.r.first.NewState()
	if !st.Consistent() {
		return nil, true
	}
	p := f.r.Task.Problem
	var state, aux []model.Lit
	for b := range p.NumBits() {
		v := f.r.nowVar(factored.Bit(b))
		switch p.Kind(factored.Bit(b)) {
		case factored.State:
			state = append(state, model.Lit(v))
			if x := f.r.valueAt(1, v); x != 0 && !st.Assign(model.Lit(v)*model.Lit(x)) {
				return nil, true
			}
		case factored.Auxiliary:
			aux = append(aux, model.Lit(v))
		}
	}
	var out [][]uint32
	st.SetInterrupt(func() bool { return ctx.Err() != nil })
	st.Each(state, func() bool {
		if !st.Satisfiable(aux) {
			return true
		}
		var node []uint32
		for id := range f.parts {
			g := &f.parts[id]
			key := make([]uint64, (len(g.own)+63)/64)
			for i, v := range g.own {
				if st.Value(model.Lit(v)) > 0 {
					key[i/64] |= 1 << (i % 64)
				}
			}
			node = append(node, index[id][fmt.Sprint(key)])
		}
		out = append(out, node)
		return len(out) <= maxStarts
	})
	return out, len(out) <= maxStarts && !st.Interrupted()
}
