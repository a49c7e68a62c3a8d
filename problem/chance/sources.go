package chance

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// HasEnds reports whether runs end in some states.
func (t *Transition) HasEnds() bool { return len(t.final) > 0 }

// Groups is the number of draws; Sure lists the states that are in none.
func (t *Transition) Groups() int { return len(t.m.Groups) }

// Sure lists the states that no group draws.
func (t *Transition) Sure() []int { return t.sure }

// Outputs lists the states that a group draws.
func (t *Transition) Outputs(group int) []int { return t.m.Groups[group].Outputs }

// Draw returns what a group draws in the step from the state and with the action of now. It must not be changed.
func (t *Transition) Draw(group int, now factored.Valuation) *factored.Draw {
	return t.draw(group, t.m.Values(nil, now), t.Predict(now))
}

// GroupSources lists the states and actions that a group depends on.
func (t *Transition) GroupSources(group int) []int {
	all := slices.Clone(t.reads[group])
	if g := &t.m.Groups[group]; g.Predicts() {
		for _, v := range g.Outputs {
			all = append(all, t.Sources(v)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Sources lists the variables that the predicted next value of a state depends on.
func (t *Transition) Sources(state int) []int {
	for i := range t.p.Functions {
		if f := &t.p.Functions[i]; f.Variable == state {
			return f.Reads()
		}
	}
	var bits []factored.Bit
	v := &t.p.Variables[state]
	for i := range v.Width {
		b := v.First + factored.Bit(i)
		at := slices.IndexFunc(t.known, func(k known) bool { return k.bit == b })
		output := slices.Index(t.p.Outputs, b)
		switch {
		case at >= 0:
			for _, term := range t.known[at].terms {
				bits = append(bits, term.Lit.Bit)
			}
		case t.net != nil && output >= 0:
			for _, in := range t.network.Support(output) {
				bits = append(bits, t.p.Inputs[in])
			}
		default:
			bits = append(bits, b)
		}
	}
	var all []int
	for _, b := range bits {
		owner, _ := t.p.Owner(b)
		all = append(all, t.p.Index(owner))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Gives reports whether a constraint is an equation that gives a next bit.
func (t *Transition) Gives(c *factored.Constraint) bool {
	_, ok := gives(c)
	return ok
}
