package coverage

// Cube is a set of cells: those whose bits in Care equal Value.
type Cube struct{ Care, Value uint64 }

// tabled is the most inputs of which all cells are listed.
const tabled = 16

// truth is a set of cells of so many inputs, a bit each.
type truth struct {
	inputs int
	words  []uint64
}

func newTruth(inputs int) truth { return truth{inputs, make([]uint64, max(1, 1<<inputs/64))} }

func truthOf(inputs int, lists ...[]uint64) truth {
	t := newTruth(inputs)
	for _, cells := range lists {
		for _, c := range cells {
			t.words[c/64] |= 1 << (c % 64)
		}
	}
	return t
}

// not is the complement.
func (t truth) not() truth {
	out := newTruth(t.inputs)
	for i, w := range t.words {
		out.words[i] = ^w & ones(t.inputs)
	}
	return out
}

func (t truth) combine(u truth, f func(a, b uint64) uint64) truth {
	out := newTruth(t.inputs)
	for i := range t.words {
		out.words[i] = f(t.words[i], u.words[i])
	}
	return out
}

func and(a, b uint64) uint64    { return a & b }
func or(a, b uint64) uint64     { return a | b }
func andNot(a, b uint64) uint64 { return a &^ b }

func (t truth) empty() bool {
	for _, w := range t.words {
		if w != 0 {
			return false
		}
	}
	return true
}

func (t truth) full() bool {
	for _, w := range t.words {
		if w != ones(t.inputs) {
			return false
		}
	}
	return true
}

// ones is a word of a full table.
func ones(inputs int) uint64 {
	if inputs >= 6 {
		return ^uint64(0)
	}
	return 1<<(1<<inputs) - 1
}

// half is the part in which the last input is 0 or 1.
func (t truth) half(one bool) truth {
	if n := len(t.words) / 2; n > 0 {
		if one {
			return truth{t.inputs - 1, t.words[n:]}
		}
		return truth{t.inputs - 1, t.words[:n]}
	}
	w := t.words[0]
	if one {
		w >>= 1 << (t.inputs - 1)
	}
	return truth{t.inputs - 1, []uint64{w & ones(t.inputs-1)}}
}

// join puts halves together.
func join(zero, one truth) truth {
	if zero.inputs >= 6 {
		return truth{zero.inputs + 1, append(append([]uint64(nil), zero.words...), one.words...)}
	}
	return truth{zero.inputs + 1, []uint64{zero.words[0] | one.words[0]<<(1<<zero.inputs)}}
}

// isop covers the cells of least by cubes within most, none of which can be left out, and
// returns the cells covered (Minato, Fast Generation of Irredundant Sum-of-Products Forms
// from Binary Decision Diagrams, 1992).
func isop(least, most truth) ([]Cube, truth) {
	if least.empty() {
		return nil, newTruth(least.inputs)
	}
	if most.full() {
		return []Cube{{}}, most
	}
	l0, l1, m0, m1 := least.half(false), least.half(true), most.half(false), most.half(true)
	c0, f0 := isop(l0.combine(m1, andNot), m0)
	c1, f1 := isop(l1.combine(m0, andNot), m1)
	rest := l0.combine(f0, andNot).combine(l1.combine(f1, andNot), or)
	both, f := isop(rest, m0.combine(m1, and))
	bit := uint64(1) << (least.inputs - 1)
	for i := range c0 {
		c0[i].Care |= bit
	}
	for i := range c1 {
		c1[i].Care, c1[i].Value = c1[i].Care|bit, c1[i].Value|bit
	}
	return append(append(c0, c1...), both...), join(f0.combine(f, or), f1.combine(f, or))
}

// avoided are the cells of a table's inputs that have an unseen combination of values.
func (s *Support) avoided(inputs []int) truth {
	t := newTruth(len(inputs))
	for _, p := range s.local(inputs) {
		for c := range uint64(1) << len(inputs) {
			if holds(c, p[0]) && holds(c, p[1]) && holds(c, p[2]) {
				t.words[c/64] |= 1 << (c % 64)
			}
		}
	}
	return t
}

// holds reports whether a literal of a place in a cell is true.
func holds(cell uint64, l Literal) bool { return int(cell>>(l/2)&1) == l%2 }

// Gaps covers the cells of a table that no row settled, as far as they do not have an
// unseen combination of values, by cubes without any that one did.
func (s *Support) Gaps(t *Table) []Cube {
	k := len(t.Inputs)
	if k > tabled {
		rows := make([][]uint64, 0, len(t.On)+len(t.Off))
		for _, cells := range [][]uint64{t.On, t.Off} {
			for i := range cells {
				rows = append(rows, cells[i:i+1])
			}
		}
		var cubes []Cube
		Others(k, rows, func(path []Literal) {
			var c Cube
			for _, l := range path {
				c.Care |= 1 << (l / 2)
				c.Value |= uint64(l%2) << (l / 2)
			}
			cubes = append(cubes, c)
		}, s.pairs(t.Inputs))
		return cubes
	}
	gaps, avoided := truthOf(k, t.On, t.Off).not(), s.avoided(t.Inputs)
	cubes, _ := isop(gaps.combine(avoided, andNot), gaps.combine(avoided, or))
	return cubes
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
func (s *Support) Side(t *Table, value, within bool) []Cube {
	cells, others := t.Off, t.On
	if value {
		cells, others = t.On, t.Off
	}
	k := len(t.Inputs)
	if k > tabled {
		all := ^uint64(0) >> (64 - k)
		cubes := make([]Cube, len(cells))
		for i, c := range cells {
			cubes[i] = Cube{all, c}
		}
		return cubes
	}
	least := truthOf(k, cells)
	most := truthOf(k, others).not()
	if within {
		most = least.combine(s.avoided(t.Inputs), or)
	}
	cubes, _ := isop(least, most)
	return cubes
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
