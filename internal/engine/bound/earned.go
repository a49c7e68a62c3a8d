package bound

import "slices"

// earned is what terms of the reward give where their bit has a constant value.
func (r *reader) earned(v int32, terms []int32) (sum int64) {
	for _, k := range terms {
		if t := &r.s.Task.Problem.Reward.Terms[k]; (v == slotTrue) != t.Lit.Neg {
			sum += t.Weight
		}
	}
	return sum
}

// earn adds the terms of the reward that are not constant, or not as without an action, to the ways of the action at hand. also are the ways
// in which a slot has some value, too, which is worth a reward.
func (r *reader) earn(slots []int32, ways []way, also func(ways []way, slot int32, want bool, reward int64) []way) []way {
	for _, slot := range slots {
		list, v, without := r.terms[slot], r.at(slot), r.base[slot]
		more := int64(0)
		if without <= slotTrue {
			more -= r.earned(without, list)
		}
		if v <= slotTrue {
			more, list = more+r.earned(v, list), nil
		}
		if more != 0 {
			for i := range ways {
				ways[i].reward += more
			}
		}
		for _, k := range list {
			t := &r.s.Task.Problem.Reward.Terms[k]
			ways = slices.Concat(also(ways, v, !t.Lit.Neg, t.Weight), also(ways, v, t.Lit.Neg, 0))
		}
	}
	return ways
}
