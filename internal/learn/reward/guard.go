package reward

import "slices"

// guard makes the terms of a function that add to the reward no wider than the rows show, since
// a plan seeks what is paid. It changes the reward of no row.
//
//   - What is paid for a state after the step is paid on the way into it alone, if no row begins
//     in such a state: whether staying there is paid is not known.
//   - What is paid for an action in any state is paid where another condition holds too, if
//     exactly the rows with this action have it: which of both is paid is not known.
func (t *Table) guard(f *Function) {
	rows := make([]int, len(t.Rewards))
	for i := range rows {
		rows[i] = i
	}
	var all []condition
	for i := range f.Terms {
		m := &f.Terms[i]
		if m.Weight < 0 {
			continue
		}
		if len(m.Cases) == 1 && t.actions(m.Cases[0]) {
			if all == nil {
				all = t.conditions(rows)
			}
			m.With = t.alike(m.Cases[0], rows, all)
			m.Cases[0] = append(m.Cases[0], m.With...)
		}
		for k, c := range m.Cases {
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
