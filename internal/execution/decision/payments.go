package decision

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// payment is a part of the reward of a step: what depends on the same states and actions.
type payment struct {
	p         *factored.Problem // with this part alone, and the constraints that define what it is a sum of
	now, next []int             // the variables that it depends on; auxiliary ones are among next alone
	bits      [2][]factored.Bit // of these
	worth     map[string]int64  // what it was, by their values
}

// mostWorth bounds what is remembered of a payment.
const mostWorth = 1 << 20

// payments divides the reward of a problem. There is one payment at least.
func payments(p *factored.Problem) (all []*payment) {
	parts := map[string]*payment{}
	of := definitions(p)
	part := func(now, next []int) *payment {
		key := fmt.Sprint(now, next)
		if parts[key] == nil {
			parts[key] = &payment{p: without(p), now: now, next: next, bits: [2][]factored.Bit{bitsOf(p, now), bitsOf(p, next)}, worth: map[string]int64{}}
			all = append(all, parts[key])
		}
		return parts[key]
	}
	for _, t := range p.Reward.Terms {
		now, next, defined := behind(p, t.Lit, of)
		q := part(now, next).p
		q.Reward.Terms = append(q.Reward.Terms, t)
		for _, c := range defined {
			if !slices.ContainsFunc(q.Global, func(d factored.Constraint) bool { return &d.Terms[0] == &c.Terms[0] }) {
				q.Global = append(q.Global, *c)
			}
		}
	}
	if p.Reward.Constant != 0 || len(all) == 0 {
		part(nil, nil).p.Reward.Constant = p.Reward.Constant
	}
	return all
}

// of returns the payment of a step, in the scale of the problem.
func (x *payment) of(now, next factored.Valuation) int64 {
	key := now.Key(x.bits[0]) + next.Key(x.bits[1])
	sum, ok := x.worth[key]
	if !ok {
		if len(x.worth) >= mostWorth {
			clear(x.worth)
		}
		sum, _ = validate.StepReward(x.p, now, next)
		x.worth[key] = sum
	}
	return sum
}

// bitsOf lists the bits of variables.
func bitsOf(p *factored.Problem, variables []int) (bits []factored.Bit) {
	for _, v := range variables {
		for i := range p.Variables[v].Width {
			bits = append(bits, p.Variables[v].First+factored.Bit(i))
		}
	}
	return bits
}

// readsAuxiliary reports whether values of auxiliary variables decide.
func (x *payment) readsAuxiliary() bool {
	return slices.ContainsFunc(x.next, func(v int) bool { return x.p.Variables[v].Kind == factored.Auxiliary })
}

// without returns a problem without constraints and reward.
func without(of *factored.Problem) *factored.Problem {
	p := *of
	p.Global, p.Transition, p.Goal, p.Reward = nil, nil, nil, factored.Reward{Scale: of.Reward.Scale}
	return &p
}

// definitions lists the constraints that define auxiliary variables, by the bits that they mention.
func definitions(p *factored.Problem) map[factored.Bit][]*factored.Constraint {
	of := map[factored.Bit][]*factored.Constraint{}
	for _, cs := range [][]factored.Constraint{p.Global, p.Transition} {
		for i := range cs {
			if c := &cs[i]; c.Defines {
				for _, t := range c.Terms {
					of[t.Lit.Bit] = append(of[t.Lit.Bit], c)
				}
			}
		}
	}
	return of
}

// behind lists the states and actions that a literal depends on, and the constraints that define what is between.
func behind(p *factored.Problem, lit factored.Lit, of map[factored.Bit][]*factored.Constraint) (now, next []int, defined []*factored.Constraint) {
	open := []factored.Lit{lit}
	add := func(lit factored.Lit) {
		if lit.Neg = false; !slices.Contains(open, lit) {
			open = append(open, lit)
		}
	}
	for i := 0; i < len(open); i++ {
		v, _ := p.Owner(open[i].Bit)
		k := p.Index(v)
		switch {
		case open[i].Next: // an auxiliary one, too, of which definitions say nothing here
			next = append(next, k)
			continue
		case v.Kind != factored.Auxiliary:
			now = append(now, k)
			continue
		}
		for _, c := range of[open[i].Bit] {
			if !slices.Contains(defined, c) {
				defined = append(defined, c)
				for _, t := range c.Terms {
					add(t.Lit)
				}
			}
		}
	}
	slices.Sort(now)
	slices.Sort(next)
	return slices.Compact(now), slices.Compact(next), defined
}
