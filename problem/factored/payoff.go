package factored

// Payoff is a part of the reward as people read it: a weight times a Boolean, a condition, or
// the value of an integer.
type Payoff struct {
	Text   string // the Boolean, condition or integer
	Weight int64  // in the scale of the reward
	// Of is the integer variable whose value is paid: the weight is for 1, or for a step of
	// fixed decimals. It is nil for a condition.
	Of    *Variable
	Terms []RewardTerm // the terms of the reward that it stands for
}

// Payoffs returns the terms of the reward, those over the bits of an integer as one where they
// pay its value, in the order of their first terms.
func (p *Problem) Payoffs() []Payoff {
	type key struct {
		v    *Variable
		next bool
	}
	of := func(t RewardTerm) key {
		v, _ := p.Owner(t.Lit.Bit)
		return key{v, t.Lit.Next}
	}
	paid := map[key][]RewardTerm{}
	for _, t := range p.Reward.Terms {
		paid[of(t)] = append(paid[of(t)], t)
	}
	var out []Payoff
	for _, t := range p.Reward.Terms {
		k := of(t)
		terms := paid[k]
		if f, ok := k.v.valued(terms); ok {
			if t == terms[0] {
				a := atom{v: k.v, next: k.next}
				out = append(out, Payoff{Text: a.name(), Weight: f, Of: k.v, Terms: terms})
			}
			continue
		}
		out = append(out, Payoff{Text: p.Condition(t.Lit), Weight: t.Weight, Terms: []RewardTerm{t}})
	}
	return out
}

// valued returns the f for which terms over the bits of v pay f times its value; false if v is
// Boolean or they pay anything else.
func (v *Variable) valued(terms []RewardTerm) (f int64, ok bool) {
	coefs := make([]int64, v.Width)
	for _, t := range terms {
		i := t.Lit.Bit - v.First
		if v.Bool || t.Lit.Neg || coefs[i] != 0 {
			return 0, false
		}
		coefs[i] = t.Weight
	}
	return v.factor(coefs)
}
