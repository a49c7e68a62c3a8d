package bound

import (
	"reflect"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// classes numbers the groups such that two groups of one class can be swapped
// in every plan: they have the same values, moves and costs, count alike in
// every rule, share no bit with another group, and no condition on first or last
// states tells them apart. -1 is a group that no other is like.
func (f *Factors) classes() []int32 {
	out := make([]int32, len(f.parts))
	marks := f.marks()
	for id := range out {
		out[id] = -1
	}
	next := int32(0)
	for a := range out {
		if out[a] >= 0 || !f.selfContained(a) {
			continue
		}
		for b := a + 1; b < len(out); b++ {
			if out[b] < 0 && f.selfContained(b) && f.alike(a, b) && slices.Equal(marks[a], marks[b]) {
				if out[a] < 0 {
					out[a] = next
					next++
				}
				out[b] = out[a]
			}
		}
	}
	return out
}

// selfContained reports whether a group shares no bit with another.
func (f *Factors) selfContained(id int) bool {
	g := &f.parts[id]
	if len(g.own) == 0 {
		return false
	}
	for _, v := range g.reads {
		if f.s.home[v] != int32(id) && !f.r.clocked(v) {
			return false
		}
	}
	for e := range f.rels {
		if f.rels[e].copier >= 0 && f.s.home[f.rels[e].variable] == int32(id) {
			return false
		}
	}
	return true
}

// alike reports whether two groups have the same tables of moves and uses.
func (f *Factors) alike(a, b int) bool {
	x, y := &f.parts[a], &f.parts[b]
	return len(x.own) == len(y.own) && len(x.reads) == len(y.reads) && x.total == y.total &&
		reflect.DeepEqual(x.values, y.values) && reflect.DeepEqual(x.moves, y.moves) && slices.Equal(x.last, y.last) &&
		reflect.DeepEqual(x.nowUse, y.nowUse) && reflect.DeepEqual(x.afterUse, y.afterUse) && reflect.DeepEqual(x.readUse, y.readUse) &&
		reflect.DeepEqual(x.allowed, y.allowed) && slices.Equal(x.known, y.known) && slices.Equal(x.fixed, y.fixed) && slices.Equal(x.awake, y.awake)
}

// mark is how a group's bit counts in a condition on first or last states that
// is not about the group alone.
type mark struct {
	row, place int
	coef       int64
}

// marks lists them by group.
func (f *Factors) marks() [][]mark {
	out := make([][]mark, len(f.parts))
	there := f.r.There
	for n, s := range slices.Concat(there.Sums[model.Goal], f.r.Invariants()) {
		var ids []int32
		other := false
		for _, t := range s.Terms {
			v := t.Lit.Var()
			switch h := f.s.home[v]; {
			case f.r.fixed[v] != 0:
				other = true // the group's own list does not know its value
			case h < 0 || f.r.role[v] != now:
				other = true
			case !slices.Contains(ids, h):
				ids = append(ids, h)
			}
		}
		if len(ids) == 1 && !other {
			continue // in the group's own list of last values
		}
		for _, t := range s.Terms {
			v := t.Lit.Var()
			if h := f.s.home[v]; h >= 0 && f.r.fixed[v] == 0 && f.r.role[v] == now {
				c := t.Coef
				if t.Lit < 0 {
					c = -c
				}
				out[h] = append(out[h], mark{n, f.parts[h].index(v), c})
			}
		}
	}
	for id := range out {
		slices.SortStableFunc(out[id], func(a, b mark) int {
			if a.row != b.row {
				return a.row - b.row
			}
			return a.place - b.place
		})
	}
	return out
}
