package load

import (
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Scoped returns a problem whose record asks for those outputs alone that goal, rules and reward
// reach, and those on whose values their support depends. Outputs that are supported nowhere and
// that nothing reaches are not asked for: what they are after a step is taken as unknown. Where
// rows were not settled by classes of functions, all outputs are asked for.
func Scoped(p *Problem) *Problem {
	s := p.Support
	if s == nil || s.Classes == nil {
		return p
	}
	asked := Reached(p)
	output := make([]int, len(p.Problem.Inputs)) // that an input is before the step; -1 for none
	for i, b := range p.Problem.Inputs {
		output[i] = slices.Index(p.Problem.Outputs, b)
	}
	for again := true; again; {
		again = false
		for i, used := range s.Reads(asked) {
			if o := output[i]; used && o >= 0 && !asked[o] && len(s.Tables[o]) > 0 {
				asked[o], again = true, true
			}
		}
	}
	if !slices.Contains(asked, false) {
		return p
	}
	unknown := make([]bool, len(output))
	for i, o := range output {
		unknown[i] = o >= 0 && !asked[o]
	}
	q := *p
	q.Support = s.Scope(asked, unknown)
	return &q
}

// Reached reports, by learned bit, whether goal, rules or reward depend on it, in the same or a
// later step. It is true of all if that is so of none.
func Reached(p *Problem) []bool {
	f := p.Problem
	needed := make([]bool, f.NumBits())
	constraints := slices.Concat(f.Goal, f.Global, f.Transition)
	for i := range constraints {
		if c := &constraints[i]; !isRange(f, c) {
			for _, t := range c.Terms {
				needed[t.Lit.Bit] = true
			}
		}
	}
	for _, t := range f.Reward.Terms {
		needed[t.Lit.Bit] = true
	}
	reads := readsOf(p.Network)
	reached := make([]bool, len(f.Outputs))
	for again := true; again; {
		again = false
		for o, b := range f.Outputs {
			if !needed[b] || reached[o] {
				continue
			}
			reached[o], again = true, true
			for i, in := range f.Inputs {
				needed[in] = needed[in] || reads[o][i]
			}
		}
	}
	if !slices.Contains(reached, true) {
		for o := range reached {
			reached[o] = true
		}
	}
	return reached
}

// isRange reports whether a constraint only keeps a variable in its range, as every value of a
// system is.
func isRange(f *factored.Problem, c *factored.Constraint) bool {
	for _, t := range c.Terms {
		if v, _ := f.Owner(t.Lit.Bit); c.Origin != "range of "+v.Name {
			return false
		}
	}
	return true
}

// readsOf lists, by output of a network, the inputs with a way to it.
func readsOf(net *bnn.Network) [][]bool {
	var before [][]bool // by unit of the layer before
	for i := range net.Inputs() {
		own := make([]bool, net.Inputs())
		own[i] = true
		before = append(before, own)
	}
	for k := range net.Layers {
		l := &net.Layers[k]
		units := make([][]bool, l.Units())
		for u := range units {
			units[u] = make([]bool, net.Inputs())
			for j, w := range l.Weights[u*l.Inputs : (u+1)*l.Inputs] {
				if w == 0 {
					continue
				}
				for i, is := range before[j] {
					units[u][i] = units[u][i] || is
				}
			}
		}
		before = units
	}
	return before
}
