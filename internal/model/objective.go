package model

// Objective lists the costs on the variables of step t's block, 1..H+1, in whole-model
// literals, positive and counted if the literal is true. The minimised quantity is minus the scaled reward: the sum of all costs plus
// ObjectiveConstant. Variables that propagation fixed keep their costs, so a solver reports
// the same value with and without propagation.
func (m *Model) Objective(t int) []Term {
	costs, _ := m.objective(t)
	return costs
}

// Minimised is the objective as files have it, over variables: it is the sum of all costs plus
// shift.
func (m *Model) Minimised() (terms []Term, shift int64) {
	terms = []Term{} // nil is no objective
	for t := 1; t <= m.Horizon+1; t++ {
		for _, c := range m.Objective(t) {
			if c.Lit < 0 { // c*(1-x)
				shift -= c.Coef
				c = Term{Coef: -c.Coef, Lit: -c.Lit}
			}
			terms = append(terms, c)
		}
	}
	return terms, shift
}

// ObjectiveConstant is the part of minus the scaled reward that no variable changes.
func (m *Model) ObjectiveConstant() int64 {
	sum := -m.Problem.Reward.Constant * int64(m.Horizon)
	for t := 1; t <= m.Horizon+1; t++ {
		_, c := m.objective(t)
		sum += c
	}
	return sum
}

// StepReward is the scaled reward of step t, 1..H, as a sum in whole-model literals, plus
// a constant.
func (m *Model) StepReward(t int) (terms []Term, constant int64) {
	r := &m.Problem.Reward
	for _, w := range r.Terms {
		at := t
		if w.Lit.Next {
			at++
		}
		l := m.Var(at, w.Lit.Bit)
		if w.Lit.Neg {
			l = -l
		}
		terms = append(terms, Term{Coef: w.Weight, Lit: l})
	}
	return terms, r.Constant
}

// objective collects the reward terms on the block of step t: the unprimed ones of step t and
// the primed ones of step t-1.
func (m *Model) objective(t int) (costs []Term, constant int64) {
	if m.infeasible {
		return nil, 0
	}
	coef := make([]int64, m.stride+1) // of the positive literal
	for _, r := range m.Problem.Reward.Terms {
		if r.Lit.Next && t == 1 || !r.Lit.Next && t > m.Horizon {
			continue
		}
		v := m.local[r.Lit.Bit]
		if r.Lit.Neg { // -w*(1-x)
			constant -= r.Weight
			coef[v] += r.Weight
		} else {
			coef[v] -= r.Weight
		}
	}
	base := m.stride * int32(t-1)
	for v, c := range coef {
		x := Lit(base + int32(v))
		switch {
		case c == 0:
		case c > 0:
			costs = append(costs, Term{Coef: c, Lit: x})
		default: // c*x = |c|*(1-x) - |c|
			constant += c
			costs = append(costs, Term{Coef: -c, Lit: -x})
		}
	}
	return costs, constant
}
