package bound

import (
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
)

// maxCutValues bounds the values of a group that a cut lists. The larger groups
// count with the value that costs least.
const maxCutValues = 64

// offerCuts hands the cuts in, where these say more than the last.
func (s *Search) offerCuts() {
	if s.limits.Shared != nil && s.o.bound > s.offered && s.o.bound < infinite {
		s.offered = s.o.bound
		s.limits.Shared.OfferCuts(s.Cuts())
	}
}

// Cuts returns a cut for each step, from the best prices so far.
func (s *Search) Cuts() []engine.Cut {
	if s.f == nil || s.o.bound >= infinite {
		return nil
	}
	f := s.f
	t := f.simplest(s.o.best, f.cost(s.o.bound, s.o.best.Scale))
	out := make([]engine.Cut, f.horizon)
	for i := range out {
		c := &out[i]
		c.Step, c.Unit = i+1, t.Scale
		c.Most = t.Tail[i] - t.Scale*f.constant*int64(f.horizon-i)
		for id := range f.parts {
			addGroup(c, f, &f.parts[id], t.At[id][i])
		}
	}
	return out
}

// addGroup adds the values of a group at the cut's step, with what each still costs.
func addGroup(c *engine.Cut, f *Factors, g *part, costs []int64) {
	least := int64(infinite)
	for v, cost := range costs {
		if g.allowed[c.Step-1][v] {
			least = min(least, cost)
		}
	}
	if least == infinite {
		return // no value has a way to the goal: the values say that already
	}
	c.Most -= least
	if len(costs) > maxCutValues {
		return
	}
	for v, cost := range costs {
		if cost == least || !g.allowed[c.Step-1][v] {
			continue
		}
		value := engine.CutValue{Never: cost == infinite}
		if !value.Never {
			value.Less = cost - least
		}
		for i, b := range g.own {
			l := model.Lit(b + f.r.stride*int32(c.Step-1))
			if g.values[v][i/64]>>(i%64)&1 == 0 {
				l = -l
			}
			value.Bits = append(value.Bits, l)
		}
		c.Values = append(c.Values, value)
	}
}
