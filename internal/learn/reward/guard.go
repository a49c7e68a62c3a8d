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
		var cases [][]int
		for _, c := range m.Cases {
			cases = append(cases, t.arriving(t.narrow(c, rows, conditions))...)
		}
		m.Cases = cases
	}
}

// arriving returns a case as cases that do not hold where the state before the step is as they
// want the one after it to be, if no row begins in such a state; otherwise the case itself.
func (t *Table) arriving(lits []int) [][]int {
	var before []int
	for _, l := range lits {
		if a := &t.Atoms[l/2]; l%2 == 0 && a.Before > 0 {
			before = append(before, 2*(a.Before-1))
		}
	}
	if len(before) == 0 || slices.ContainsFunc(before, func(b int) bool { return slices.Contains(lits, b+1) }) ||
		slices.ContainsFunc(all(t), func(r int) bool { return t.term(before, r) != 0 }) {
		return [][]int{lits}
	}
	var out [][]int
	for _, b := range before {
		out = append(out, append(slices.Clone(lits), b+1))
	}
	return out
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
