package translate

import "math/bits"

// cube is a conjunction over the inputs of a truth table: those in pos are true, those in neg
// are false.
type cube struct{ pos, neg uint32 }

// cover finds an irredundant sum of cubes that is true in all rows of low and false in all
// rows outside high (Minato and Morreale). In row r, input i is true if bit i of r is set. It
// returns ok = false if more than most cubes are needed.
func cover(low, high []bool, most int) (cubes []cube, ok bool) {
	m := minimiser{most: most}
	cubes, _ = m.cover(low, high)
	return cubes, !m.over
}

type minimiser struct {
	most, count int
	over        bool
}

func (m *minimiser) cover(low, high []bool) ([]cube, []bool) {
	f := make([]bool, len(low))
	if m.over || none(low) {
		return nil, f
	}
	if all(high) {
		if m.count++; m.count > m.most {
			m.over = true
		}
		for i := range f {
			f[i] = true
		}
		return []cube{{}}, f
	}
	h := len(low) / 2
	v := uint32(1) << (bits.Len(uint(len(low))) - 2) // the highest input
	low0, low1, high0, high1 := low[:h], low[h:], high[:h], high[h:]
	// Rows that only a cube with the input false, or only one with it true, can cover.
	c0, f0 := m.cover(without(low0, high1), high0)
	c1, f1 := m.cover(without(low1, high0), high1)
	rest, both := make([]bool, h), make([]bool, h)
	for i := range rest {
		rest[i] = low0[i] && !f0[i] || low1[i] && !f1[i]
		both[i] = high0[i] && high1[i]
	}
	c2, f2 := m.cover(rest, both)
	for i := range h {
		f[i] = f0[i] || f2[i]
		f[h+i] = f1[i] || f2[i]
	}
	var out []cube
	for _, c := range c0 {
		out = append(out, cube{c.pos, c.neg | v})
	}
	for _, c := range c1 {
		out = append(out, cube{c.pos | v, c.neg})
	}
	return append(out, c2...), f
}

func without(a, b []bool) []bool {
	out := make([]bool, len(a))
	for i := range a {
		out[i] = a[i] && !b[i]
	}
	return out
}

func none(a []bool) bool {
	for _, x := range a {
		if x {
			return false
		}
	}
	return true
}

func all(a []bool) bool {
	for _, x := range a {
		if !x {
			return false
		}
	}
	return true
}
