package synthesis

import "math/bits"

// counter computes a function of the number of literals that hold: a unit for
// each number at which the value changes, added and subtracted in turn.
type counter struct {
	units []int // of the net, by increasing threshold
	first bool  // the value where no literal holds
}

// counted returns the literals whose number decides f, and the values by that number; ok is
// false if there are none. Numbers that no cell has take the value before.
func counted(f *Function) (l literals, values []bool, ok bool) {
	n := len(f.Inputs)
	const most = 16 // inputs
	if n < 2 || n > most {
		return l, nil, false
	}
	known := make([]int8, 1<<n) // 1 for false, 2 for true
	for k, cubes := range [][]Cube{f.Off, f.On} {
		for _, c := range cubes {
			if c.Care != mask(n) {
				return l, nil, false
			}
			known[c.Value] = int8(k + 1)
		}
	}
	l.pos = 1
	for i := 1; i < n; i++ {
		switch pair := uint64(1) | 1<<i; {
		case alike(known, pair, true):
			l.pos |= 1 << i
		case alike(known, pair, false):
			l.neg |= 1 << i
		default:
			return l, nil, false
		}
	}
	return l, byCount(known, l, n), byCount(known, l, n) != nil
}

// alike reports whether turning both bits of pair round changes no value, in the
// cells where they differ or in those where they are equal.
func alike(known []int8, pair uint64, differ bool) bool {
	for v, x := range known {
		if one := bits.OnesCount64(uint64(v)&pair) == 1; one == differ {
			if y := known[uint64(v)^pair]; x != 0 && y != 0 && x != y {
				return false
			}
		}
	}
	return true
}

// byCount returns the values by the number of literals that hold, nil where they do not
// decide.
func byCount(known []int8, l literals, n int) []bool {
	at := make([]int8, n+1)
	for v, x := range known {
		k := bits.OnesCount64(uint64(v)&l.pos) + bits.OnesCount64(^uint64(v)&l.neg)
		switch {
		case x == 0:
		case at[k] == 0:
			at[k] = x
		case at[k] != x:
			return nil
		}
	}
	values, last := make([]bool, n+1), false
	for _, x := range at {
		if x != 0 {
			last = x == 2
			break
		}
	}
	for k, x := range at {
		if x != 0 {
			last = x == 2
		}
		values[k] = last
	}
	return values
}

// changes counts the places where values change.
func changes(values []bool) int {
	n := 0
	for k := 1; k < len(values); k++ {
		if values[k] != values[k-1] {
			n++
		}
	}
	return n
}

// addCounter makes the units of a counter.
func (n *net) addCounter(t *target, l literals, values []bool) *counter {
	c := &counter{first: values[0]}
	for k := 1; k < len(values); k++ {
		if values[k] != values[k-1] {
			c.units = append(c.units, n.add(t.unit(l, k)))
		}
	}
	return c
}

// row writes the weights of a counter's output and returns its threshold. The units with
// positive weights less those with negative ones are 1 where the value is not the first one,
// and 0 elsewhere.
func (c *counter) row(row []int8, number []int) (threshold int) {
	sign := int8(1)
	if c.first {
		sign = -1
	}
	for i, u := range c.units {
		row[number[u]] = sign
		if i%2 == 1 {
			row[number[u]] = -sign
		}
	}
	if c.first {
		return (len(c.units) + 1) / 2
	}
	return len(c.units)/2 + 1
}
