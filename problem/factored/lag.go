package factored

import "fmt"

// Lag says which value of before a state variable has: that of the state or action variable Of, By steps earlier. The
// zero value says that it is no lag.
type Lag struct {
	Of string
	By int // steps, at least 1
}

// Lagged reports whether v has the value that another variable had before.
func (v *Variable) Lagged() bool { return v.Lag != (Lag{}) }

// Earlier returns the variable whose value of now v has in the next state: the one that it is a lag of, or the lag by
// one step less.
func (p *Problem) Earlier(v *Variable) (*Variable, error) {
	of, ok := p.Lookup(v.Lag.Of)
	switch {
	case !ok || of.Kind == Auxiliary:
		return nil, fmt.Errorf("%s is a lag of %s, and there is no such state or action%s", v.Name, v.Lag.Of, p.Hint(v.Lag.Of))
	case v.Kind != State:
		return nil, fmt.Errorf("%s is a lag and no state", v.Name)
	case v.Lag.By < 1:
		return nil, fmt.Errorf("%s is a lag by %d steps; expected at least 1", v.Name, v.Lag.By)
	case v.Lo != of.Lo || v.Hi != of.Hi || v.Bool != of.Bool:
		return nil, fmt.Errorf("%s has the range %s; expected that of %s, of which it is a lag: %s", v.Name, v.RangeText(), of.Name, of.RangeText())
	case v.Lag.By == 1:
		return of, nil
	}
	for i := range p.Variables {
		if w := &p.Variables[i]; w.Lag == (Lag{v.Lag.Of, v.Lag.By - 1}) {
			return w, nil
		}
	}
	return nil, fmt.Errorf("%s is a lag of %s by %d steps; expected a state that is one by %d too", v.Name, v.Lag.Of, v.Lag.By, v.Lag.By-1)
}

// ConnectLags adds the transitions of the variables with a Lag for which pick holds, nil for all. They are known: to the
// present value of another variable.
func (p *Problem) ConnectLags(pick func(*Variable) bool) error {
	for i := range p.Variables {
		v := &p.Variables[i]
		if !v.Lagged() || pick != nil && !pick(v) {
			continue
		}
		from, err := p.Earlier(v)
		if err != nil {
			return err
		}
		for k := range Bit(v.Width) {
			p.Transition = append(p.Transition, Constraint{
				Terms: []Term{{Coef: 1, Lit: Lit{Bit: v.First + k, Next: true}}, {Coef: -1, Lit: Lit{Bit: from.First + k}}},
				Op:    EQ, Origin: fmt.Sprintf("%s is the value that %s had before", v.Name, from.Name), Function: true,
			})
		}
		copied := Affine{Terms: []Summand{{Coef: 1, Variable: p.byName[from.Name]}}, Den: 1}
		p.Functions = append(p.Functions, Function{Variable: i, Root: &FunctionNode{Sum: copied}, Lo: v.Lo, Hi: v.Hi})
	}
	return nil
}

// ShiftLags sets the lags in a state to what follows from the state and the action before it, for a system that does not
// show them.
func (p *Problem) ShiftLags(state, before Valuation) {
	for i := range p.Variables {
		v := &p.Variables[i]
		if !v.Lagged() {
			continue
		}
		if from, err := p.Earlier(v); err == nil { // else ConnectLags has failed
			copy(state[v.First:int(v.First)+v.Width], before[from.First:int(from.First)+from.Width])
		}
	}
}
