package bound

import "github.com/fdplan/fdplan/internal/model"

// Cut is what tables and prices say of the rewards from a step on, as a linear
// inequality that every plan satisfies: Unit times the sum of the scaled rewards of
// steps Step..H is at most Most, minus Less of each value that the state before
// Step has.
type Cut struct {
	Step       int // 1..H
	Unit, Most int64
	Values     []CutValue
}

// CutValue is a value of a group at a step: Bits are all true. They are literals of
// the model of all steps (model.New).
type CutValue struct {
	Bits  []model.Lit
	Less  int64 // at least 0
	Never bool  // no plan has this value
}

// maxCutValues bounds the values of a group that a cut lists. The larger groups
// count with the value that costs least.
const maxCutValues = 64

// Cuts returns a cut for each step, from the best prices so far.
func (s *Search) Cuts() []Cut {
	if s.f == nil || s.o.bound >= infinite {
		return nil
	}
	f := s.f
	t := f.simplest(s.o.best, f.cost(s.o.bound, s.o.best.Scale))
	out := make([]Cut, f.horizon)
	for i := range out {
		c := &out[i]
		c.Step, c.Unit = i+1, t.Scale
		c.Most = t.Tail[i] - t.Scale*f.constant*int64(f.horizon-i)
		for id := range f.parts {
			c.addGroup(f, &f.parts[id], t.At[id][i])
		}
	}
	return out
}

// addGroup adds the values of a group at the cut's step, with what each still costs.
func (c *Cut) addGroup(f *Factors, g *part, costs []int64) {
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
		value := CutValue{Never: cost == infinite}
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
