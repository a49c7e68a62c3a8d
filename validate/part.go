package validate

import "github.com/fdplan/fdplan/problem/factored"

// Part is a part of C and G that can be judged at one step.
type Part uint8

// The parts.
const (
	State  Part = iota // C where it mentions no action
	Action             // all of C
	Goal               // G, together with C where it mentions no action
)

// CheckPart says which constraint of a part the states and actions of now
// break, nil for none. Auxiliary variables only have to exist. It is for states
// that were observed, to which no model led: T and the network are not asked.
// The failure has no step.
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
