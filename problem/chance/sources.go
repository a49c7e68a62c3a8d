package chance

import (
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// MayEnd reports whether runs end in some states.
func (t *Transition) MayEnd() bool { return len(t.final) > 0 }

// Factors lists what each group reads and draws, and then each state that no group draws.
func (t *Transition) Factors() (list []factored.Scope) {
	for i := range t.m.Groups {
		list = append(list, factored.Scope{Reads: t.GroupSources(i), Writes: t.m.Groups[i].Outputs})
	}
	for _, v := range t.sure {
		list = append(list, factored.Scope{Reads: t.Sources(v), Writes: []int{v}})
	}
	return list
}

// Next lists what the states of a factor can be after the step of now, of which only what the factor reads counts.
func (t *Transition) Next(factor int, now factored.Valuation) (*factored.Draw, error) {
	if factor < len(t.m.Groups) {
		return t.Draw(factor, now), nil
	}
	v := t.sure[factor-len(t.m.Groups)]
	row := []int64{t.Predict(now)[v]}
	if x := row[0]; x < t.p.Variables[v].Lo || x > t.p.Variables[v].Hi {
		row = nil
	}
	return &factored.Draw{Variables: []int{v}, Values: [][]int64{row}, Probability: []*big.Rat{big.NewRat(1, 1)}, Disturbances: []int{0}}, nil
}

// Groups is the number of draws; Sure lists the states that are in none.
func (t *Transition) Groups() int { return len(t.m.Groups) }

// Sure lists the states that no group draws.
func (t *Transition) Sure() []int { return t.sure }

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
		all = append(all, indexOf(t.p, owner))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Gives reports whether a constraint is an equation that gives a next bit.
func (t *Transition) Gives(c *factored.Constraint) bool {
	_, ok := gives(c)
	return ok
}
