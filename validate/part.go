package validate

import "github.com/fdplan/fdplan/problem/factored"

// Part is a part of C and G that can be checked at a single step.
type Part uint8

// The parts.
const (
	State  Part = iota // C without the constraints that mention an action
	Action             // all of C
	Goal               // G, and C without the constraints that mention an action
)

// CheckPart returns the constraint of a part that the states and actions of now violate, or
// nil if there is none. Auxiliary variables may take any suitable value. It is for observed
// states that no model predicted: T and the network are not checked. The failure has no step.
func CheckPart(p *factored.Problem, part Part, now factored.Valuation) *Failure {
	c := &checker{p: p}
	var cs []grouped
	for i := range p.Global {
		if g := &p.Global[i]; part == Action || !p.HasAction(g) {
			cs = append(cs, grouped{g, "global"})
		}
	}
	if part == Goal {
		for i := range p.Goal {
			cs = append(cs, grouped{&p.Goal[i], "goal"})
		}
	}
	q := newQuestion(p, 0)
	for _, b := range p.Bits(factored.State) {
		q.set(slot{bit: b}, now[b])
	}
	if part == Action {
		for _, b := range p.Bits(factored.Action) {
			q.set(slot{bit: b}, now[b])
		}
	}
	if c.completable(q, cs, slots(p, factored.Auxiliary, false)) {
		return nil
	}
	return c.failure
}
