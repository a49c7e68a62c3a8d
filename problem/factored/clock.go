package factored

import (
	"fmt"
)

// AddClock returns the Boolean state variable that is true at one step, from 1, and false at
// all others. Constraints that it implies hold at that step alone. It and those of the steps
// before are added to p, with known transitions. They are no part of plans and traces as
// people and devices see them. Values of all other variables keep their bits.
func (p *Problem) AddClock(step int) (*Variable, error) {
	if step < 1 {
		return nil, fmt.Errorf("there is no step %d; steps are numbered from 1", step)
	}
	const origin = "number of the step"
	for k := 1; k <= step; k++ {
		name := fmt.Sprintf("@%d", k)
		if _, ok := p.Lookup(name); ok {
			continue
		}
		id, err := p.AddVariable(Variable{Name: name, Kind: State, Bool: true, Clock: k})
		if err != nil {
			return nil, err
		}
		b := p.Variables[id].First
		now, then := Term{1, Lit{Bit: b}}, Term{1, Lit{Bit: b, Next: true}}
		p.Initial = append(p.Initial, Constraint{Terms: []Term{now}, Op: EQ, K: int64(1 / k), Origin: origin, Defines: true})
		moves := Constraint{Terms: []Term{then}, Op: EQ, Origin: origin, Defines: true}
		if before, ok := p.Lookup(fmt.Sprintf("@%d", k-1)); ok {
			moves.Terms = append(moves.Terms, Term{-1, Lit{Bit: before.First}})
		}
		p.Transition = append(p.Transition, moves)
	}
	v, _ := p.Lookup(fmt.Sprintf("@%d", step))
	return v, nil
}
