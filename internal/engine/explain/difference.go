package explain

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// differences compares the parts of the reward of the plan and of a completion from step t.
func (x *trial) differences(t int, completion *factored.Trace) ([]Difference, error) {
	p := x.task.Problem
	otherwise := slices.Clone(x.trace.Steps[:t-1])
	for _, val := range completion.Steps {
		otherwise = append(otherwise, val[:p.NumBits()])
	}
	count := func(part factored.Payoff, steps []factored.Valuation) (n int64, err error) {
		// An auxiliary variable is as it pays: the signs of the weights stay.
		one := factored.Reward{Scale: 1}
		unit := max(part.Weight, -part.Weight)
		for _, t := range part.Terms {
			one.Terms = append(one.Terms, factored.RewardTerm{Lit: t.Lit, Weight: t.Weight / unit})
		}
		for i := range len(steps) - 1 {
			r := one.StepReward(steps[i], steps[i+1])
			if p.Kind(one.Terms[0].Lit.Bit) == factored.Auxiliary {
				if r, err = x.worth(one, steps[i], steps[i+1]); err != nil {
					return 0, err
				}
			}
			n += r * (part.Weight / unit)
		}
		return n, nil
	}
	var out []Difference
	for _, part := range p.Payoffs() {
		if v, _ := p.Owner(part.Terms[0].Lit.Bit); part.Weight == 0 || v.Kind == factored.Auxiliary && v.Meaning == "" {
			continue
		}
		d := Difference{What: part.Text, Integer: part.Of != nil, Weight: part.Weight}
		if d.Integer {
			d.What = part.Of.Steps(part.Text)
		}
		var err error
		if d.Plan, err = count(part, x.trace.Steps); err != nil {
			return nil, err
		}
		if d.Otherwise, err = count(part, otherwise); err != nil {
			return nil, err
		}
		if d.Plan != d.Otherwise {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b Difference) int {
		size := func(d Difference) int64 {
			n := d.Weight * (d.Otherwise - d.Plan)
			return max(n, -n)
		}
		switch x, y := size(a), size(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out, nil
}
