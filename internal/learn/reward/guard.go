package reward

import "slices"

// guard makes the terms of a function that add to the reward no wider than the rows show, since
// a plan seeks what is paid. It changes the reward of no row.
//
//   - What is paid for some values of a variable, of which the rows show a part, is paid for the
//     least set of values that there is a condition for.
//   - What is paid for a state after the step is paid on the way into it alone, if no row begins
//     in such a state: whether staying there is paid is not known.
//   - What is paid for an action in any state is paid where another condition holds too, if
//     exactly the rows with this action have it: which of both is paid is not known.
func (t *Table) guard(f *Function) {
	if !slices.ContainsFunc(f.Terms, func(m Term) bool { return m.Weight > 0 }) {
		return
	}
	rows := all(t)
	conditions := t.conditions(rows)
	for i := range f.Terms {
		m := &f.Terms[i]
		if m.Weight < 0 {
			continue
		}
		m.Cases = slices.Clone(m.Cases)
		if len(m.Cases) == 1 && t.actions(m.Cases[0]) {
			m.With = t.alike(m.Cases[0], rows, conditions)
			m.Cases[0] = append(slices.Clone(m.Cases[0]), m.With...)
		}
		for k := range m.Cases {
			m.Cases[k] = t.narrow(m.Cases[k], rows, conditions)
			c := m.Cases[k]
			for _, l := range c {
				if a := &t.Atoms[l/2]; l%2 == 0 && a.Before > 0 {
					before := 2 * (a.Before - 1)
					if !slices.Contains(t.Columns[a.Before-1], 1) && !slices.Contains(m.Cases[k], before+1) {
						m.Cases[k] = append(m.Cases[k], before+1)
					}
				}
			}
		}
	}
}

// share is the part of the values of its variable of which a literal holds.
func (t *Table) share(l int) float64 {
	s := t.Atoms[l/2].Share
	if s == 0 || l%2 == 0 {
		return s
	}
	return 1 - s
}

// narrow replaces literals by narrower ones of the same variable that hold in the same rows.
func (t *Table) narrow(lits, rows []int, all []condition) []int {
	out := slices.Clone(lits)
	for i, l := range lits {
		var on []uint64
		for _, c := range all {
			if t.Atoms[c.lit/2].Variable != t.Atoms[l/2].Variable || t.share(c.lit) >= t.share(out[i]) {
				continue
			}
			if on == nil {
				on = t.holding([]int{l}, rows)
			}
			if slices.Equal(on, c.on) {
				out[i] = c.lit
			}
		}
	}
	return out
}

// actions reports whether a conjunction is about actions alone.
func (t *Table) actions(lits []int) bool {
	return !slices.ContainsFunc(lits, func(l int) bool { a := &t.Atoms[l/2]; return !a.Action || a.Negation == "" })
}

// alike returns one or two literals, not of actions, that together hold in exactly the rows in
// which a conjunction does; nil for none.
func (t *Table) alike(lits, rows []int, all []condition) []int {
	in := t.holding(lits, rows)
	n := count(in)
	var parts []condition // that hold in all of them
	for _, c := range all {
		if t.Atoms[c.lit/2].Action || common(c.on, in) < n {
			continue
		}
		if count(c.on) == n {
			return []int{c.lit}
		}
		parts = append(parts, c)
	}
	for i, a := range parts {
		for _, b := range parts[i+1:] {
			if common(a.on, b.on) == n {
				return []int{a.lit, b.lit}
			}
		}
	}
	return nil
}
