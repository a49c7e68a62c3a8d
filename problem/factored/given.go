package factored

import "fmt"

// Given lists the state variables that the system reads and does not decide.
func (p *Problem) Given() (inputs []*Variable) {
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Given {
			inputs = append(inputs, v)
		}
	}
	return inputs
}

// Hold adds the transition in which an input keeps its value.
func (p *Problem) Hold(v *Variable) { p.Keep(v, v, v.Name+" is held at its value") }

// Follow adds the transitions in which an input has the given values at steps 1, 2, …, one at least, and keeps the last one. The
// initial value is not set. It adds a clock for each step before the last: see AddClock.
func (p *Problem) Follow(input *Variable, values []int64) error {
	name, last := input.Name, len(values)-1
	for _, x := range values {
		if x < input.Lo || x > input.Hi {
			return fmt.Errorf("%s cannot be %v; its range is %s", name, x, input.RangeText())
		}
	}
	clocks := make([]Bit, last)
	for k := range clocks {
		c, err := p.AddClock(k + 1)
		if err != nil {
			return err
		}
		clocks[k] = c.First
	}
	v, _ := p.Lookup(name) // it may have moved
	for i := range v.Width {
		on := func(x int64) int64 { return x >> (v.Width - 1 - i) & 1 }
		rest := on(values[last]) // the bit where no clock is true
		c := Constraint{Terms: []Term{{1, Lit{Bit: v.First + Bit(i), Next: true}}}, Op: EQ, K: rest, Origin: "given values of " + name}
		for k, clock := range clocks {
			if on(values[k+1]) != rest {
				c.Terms = append(c.Terms, Term{2*rest - 1, Lit{Bit: clock}})
			}
		}
		p.Transition = append(p.Transition, c)
	}
	return nil
}
