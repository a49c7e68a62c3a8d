package structure

import "slices"

// exchange replaces one or two variables of a choice by another one, as long as the
// description gets shorter and no more rows are exceptions. A greedy path ends with inputs
// that each tell a few rare rows apart where one input that told little at first tells all.
func (s *search) exchange(c choice) choice {
	if !s.thorough {
		return c
	}
	units := s.units()
	work := exchangeWork
	for {
		better, left := s.exchangeOnce(c, units, work)
		if better == nil || left <= 0 {
			return c
		}
		c, work = *better, left
	}
}

// exchangeWork bounds the rows that exchange looks at, times inputs.
const exchangeWork = 400_000_000

// units lists the inputs that may be chosen by variable.
func (s *search) units() [][]int {
	var units [][]int
	take := func(bits []int) {
		bits = slices.DeleteFunc(slices.Clone(bits), func(b int) bool { return s.banned != nil && s.banned[b] })
		if len(bits) > 0 {
			units = append(units, bits)
		}
	}
	for _, g := range s.t.Groups {
		take(g)
	}
	for b, g := range s.t.group {
		if g < 0 {
			take([]int{b})
		}
	}
	return units
}

// exchangeOnce returns the first better choice, and what is left of the work.
func (s *search) exchangeOnce(c choice, units [][]int, work int) (*choice, int) {
	has := func(u []int) bool {
		return slices.ContainsFunc(u, func(b int) bool { return slices.Contains(c.inputs, b) })
	}
	var inside, outside [][]int
	for _, u := range units {
		if has(u) {
			inside = append(inside, u)
		} else {
			outside = append(outside, u)
		}
	}
	for i, a := range inside {
		for j := range i + 1 {
			rest := slices.DeleteFunc(slices.Clone(c.inputs), func(b int) bool {
				return slices.Contains(a, b) || slices.Contains(inside[j], b)
			})
			for _, u := range outside {
				d := s.choice(slices.Concat(rest, u))
				if work -= len(s.rows) * (len(rest) + len(u)); work <= 0 {
					return nil, 0
				}
				if d.errors > c.errors {
					continue
				}
				d = s.drop(d, func(e *choice) bool { return e.errors <= c.errors })
				if d.score < c.score-1e-6 {
					return &d, work
				}
			}
		}
	}
	return nil, work
}
