package search

import (
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/problem/factored"
)

// values are those of the variables of a problem at one step, for its functions.
type values []int64

// state sets the values of the states, from their packed bits.
func (x *values) state(s *relation, key []uint64) { x.set(s, factored.State, key) }

// next sets the bits that functions give in a packed next state.
func (x *values) next(s *relation, action, next []uint64) {
	x.set(s, factored.Action, action)
	for i := range s.p.Functions {
		f := &s.p.Functions[i]
		v := &s.p.Variables[f.Variable]
		y := f.Next(*x)
		for k := range v.Width {
			at := s.Place[v.First+factored.Bit(k)]
			next[at/64] |= uint64(y>>(v.Width-1-k)&1) << (at % 64)
		}
	}
}

// set sets the values of the variables of one kind.
func (x *values) set(s *relation, kind factored.Kind, key []uint64) {
	if len(s.p.Functions) == 0 {
		return
	}
	if len(*x) == 0 {
		*x = make(values, len(s.p.Variables))
	}
	for i, v := range s.p.OfKind(kind) {
		y := int64(0)
		for k := range v.Width {
			if step.Bit(key, s.Place[v.First+factored.Bit(k)]) {
				y += v.Weight(k)
			}
		}
		(*x)[i] = y
	}
}
