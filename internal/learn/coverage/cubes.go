package coverage

import "github.com/fdplan/fdplan/internal/cubes"

// tabled is the most inputs of which all cells are listed.
const tabled = 16

// setOf is the set of the cells listed, of so many inputs.
func setOf(inputs int, lists ...[]uint64) cubes.Set {
	s := cubes.New(inputs)
	for _, cells := range lists {
		for _, c := range cells {
			s.Add(c)
		}
	}
	return s
}

// avoided are the cells of a table's inputs that have an unseen combination of values.
func (s *Support) avoided(inputs []int) cubes.Set {
	t := cubes.New(len(inputs))
	for _, p := range s.local(inputs) {
		for c := range uint64(1) << len(inputs) {
			if holds(c, p[0]) && holds(c, p[1]) && holds(c, p[2]) {
				t.Add(c)
			}
		}
	}
	return t
}

// holds reports whether a literal of a place in a cell is true.
func holds(cell uint64, l Literal) bool { return int(cell>>(l/2)&1) == l%2 }

// Gaps covers the cells of a table that no row settled, as far as they do not have an
// unseen combination of values, by cubes without any that one did.
func (s *Support) Gaps(t *Table) []cubes.Cube {
	k := len(t.Inputs)
	if k > tabled {
		rows := make([][]uint64, 0, len(t.On)+len(t.Off))
		for _, cells := range [][]uint64{t.On, t.Off} {
			for i := range cells {
				rows = append(rows, cells[i:i+1])
			}
		}
		var out []cubes.Cube
		Others(k, rows, func(path []Literal) {
			var c cubes.Cube
			for _, l := range path {
				c.Care |= 1 << (l / 2)
				c.Value |= uint64(l%2) << (l / 2)
			}
			out = append(out, c)
		}, s.pairs(t.Inputs))
		return out
	}
	gaps, avoided := setOf(k, t.On, t.Off).Not(), s.avoided(t.Inputs)
	out, _ := cubes.Cover(gaps.Without(avoided), gaps.Or(avoided), -1)
	return out
}

// local lists the unseen combinations of a table's inputs, as literals of places in it.
func (s *Support) local(inputs []int) (found [][3]Literal) {
	at := map[int]int{}
	for i, b := range inputs {
		at[b] = i
	}
	for _, p := range s.Unseen {
		var q [3]Literal
		all := true
		for i, l := range p {
			place, ok := at[l/2]
			all = all && ok
			q[i] = 2*place + l%2
		}
		if all {
			found = append(found, q)
		}
	}
	return found
}

// pairs are the local combinations of two literals.
func (s *Support) pairs(inputs []int) map[[2]Literal]bool {
	pairs := map[[2]Literal]bool{}
	for _, p := range s.local(inputs) {
		if p[1] == p[2] {
			pairs[[2]Literal{p[0], p[1]}] = true
		}
	}
	return pairs
}

// Side covers the cells of a table in which its output has a value. With within the cubes
// have no other cell but such with an unseen combination of values; else they may have cells that
// no row settled.
func (s *Support) Side(t *Table, value, within bool) []cubes.Cube {
	cells, others := t.Off, t.On
	if value {
		cells, others = t.On, t.Off
	}
	k := len(t.Inputs)
	if k > tabled {
		all := ^uint64(0) >> (64 - k)
		out := make([]cubes.Cube, len(cells))
		for i, c := range cells {
			out[i] = cubes.Cube{Care: all, Value: c}
		}
		return out
	}
	least := setOf(k, cells)
	most := setOf(k, others).Not()
	if within {
		most = least.Or(s.avoided(t.Inputs))
	}
	out, _ := cubes.Cover(least, most, -1)
	return out
}

// Others covers the rows of so many bits that are not among those given by disjoint cubes,
// each a list of literals in increasing order. Rows with an avoided pair of literals, the
// lesser first, are left out.
func Others(inputs int, rows [][]uint64, emit func([]Literal), avoided map[[2]Literal]bool) {
	var walk func(rows [][]uint64, path []Literal)
	walk = func(rows [][]uint64, path []Literal) {
		at := len(path)
		switch {
		case len(rows) == 0:
			emit(path)
			return
		case at == inputs:
			return
		}
		var parts [2][][]uint64
		for _, r := range rows {
			v := r[at/64] >> (at % 64) & 1
			parts[v] = append(parts[v], r)
		}
	values:
		for v, part := range parts {
			l := 2*at + v
			next := append(path[:at:at], l)
			for _, m := range next {
				if avoided[[2]Literal{m, l}] {
					continue values
				}
			}
			walk(part, next)
		}
	}
	walk(rows, nil)
}
