package explain

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// differences counts the reward terms of the plan and of a completion from step t.
func (x *trial) differences(t int, completion *factored.Trace) ([]Difference, error) {
	p := x.task.Problem
	otherwise := slices.Clone(x.trace.Steps[:t-1])
	for _, val := range completion.Steps {
		otherwise = append(otherwise, val[:p.NumBits()])
	}
	count := func(term factored.RewardTerm, steps []factored.Valuation) (n int, err error) {
		one := factored.Reward{Terms: []factored.RewardTerm{{Lit: term.Lit, Weight: 1}}, Scale: 1}
		if term.Weight < 0 {
			one.Terms[0].Weight = -1 // an auxiliary variable is as it pays
		}
		for i := range len(steps) - 1 {
			r := one.StepReward(steps[i], steps[i+1])
			if p.Kind(term.Lit.Bit) == factored.Auxiliary {
				if r, err = x.worth(one, steps[i], steps[i+1]); err != nil {
					return 0, err
				}
			}
			n += int(r * one.Terms[0].Weight)
		}
		return n, nil
	}
	var out []Difference
	for _, term := range p.Reward.Terms {
		d := Difference{Literal: p.Condition(term.Lit), Weight: term.Weight}
		var err error
		if d.Plan, err = count(term, x.trace.Steps); err != nil {
			return nil, err
		}
		if d.Otherwise, err = count(term, otherwise); err != nil {
			return nil, err
		}
		if d.Plan != d.Otherwise {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b Difference) int {
		size := func(d Difference) int64 {
			n := d.Weight * int64(d.Otherwise-d.Plan)
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
