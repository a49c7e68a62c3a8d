package bnn

import "slices"

// A layer without zero weights can share sums between its units, 64 inputs at a time: six
// inputs have 64 patterns of weights, and a layer of 128 units uses most of them. The number
// of agreeing inputs of each pattern is tabulated once, as three bit-sliced digits, and a
// unit adds one table entry per group (the Four Russians' method, Arlazarov and others,
// 1970).

const (
	groupInputs = 6
	groupSize   = 1 << groupInputs // patterns of a group
	blockGroups = 8                // groups that a unit adds without a loop
)

// tableLayer is a layer in that form.
type tableLayer struct {
	inputs   int
	groups   int     // a multiple of blockGroups
	patterns []uint8 // unit by unit, one per group; bit i is set for a weight +1
	thresh   []int32
}

// newTableLayer returns the layer's tables, or nil if they would not pay.
func newTableLayer(l *Layer) *tableLayer {
	if l.Inputs < 5*groupInputs || l.Units() < groupSize/2 || l.Inputs > 255 || slices.Contains(l.Weights, 0) {
		return nil
	}
	groups := (l.Inputs + groupInputs - 1) / groupInputs
	groups = (groups + blockGroups - 1) / blockGroups * blockGroups
	t := &tableLayer{inputs: l.Inputs, groups: groups, patterns: make([]uint8, l.Units()*groups), thresh: l.Thresholds}
	for j := range l.Units() {
		row := t.patterns[j*groups : (j+1)*groups]
		for g := range row {
			for i := range groupInputs {
				// Missing inputs read false and count 0 with +1.
				if at := g*groupInputs + i; at >= l.Inputs || l.Row(j)[at] > 0 {
					row[g] |= 1 << i
				}
			}
		}
	}
	return t
}

// words is the size of the tables in words.
func (t *tableLayer) words() int { return 3 * groupSize * t.groups }

// forward takes inputs and outputs in the form of laneLayer.forward.
func (t *tableLayer) forward(out, in, table []uint64) {
	for g := range t.groups {
		t.fill((*[3 * groupSize]uint64)(table[3*groupSize*g:]), in, g)
	}
	for j, p := range t.thresh {
		v := t.count(table, t.patterns[j*t.groups:(j+1)*t.groups], int(p))
		out[2*j], out[2*j+1] = v, ^v
	}
}

// fill tabulates one group: entry p at 3p, 3p+1, 3p+2, the digits of weight 1,
// 2 and 4.
func (t *tableLayer) fill(table *[3 * groupSize]uint64, in []uint64, g int) {
	var half [2][8][2]uint64 // the sums of three inputs, two digits each
	for h := range half {
		var x [3][2]uint64 // input and complement
		for i := range x {
			if at := g*groupInputs + 3*h + i; at < t.inputs {
				x[i] = [2]uint64{in[2*at+1], in[2*at]} // by weight: -1, +1
			} else {
				x[i][0] = ^uint64(0)
			}
		}
		for p := range half[h] {
			s, c := add3(x[0][p&1], x[1][p>>1&1], x[2][p>>2])
			half[h][p] = [2]uint64{s, c}
		}
	}
	for hi := range 8 {
		b := half[1][hi]
		for lo := range 8 {
			a := half[0][lo]
			p := 3 * (8*hi + lo)
			carry := a[0] & b[0]
			table[p] = a[0] ^ b[0]
			table[p+1], table[p+2] = add3(a[1], b[1], carry)
		}
	}
}

// count returns the lanes in which at least p inputs agree.
func (t *tableLayer) count(table []uint64, patterns []uint8, p int) uint64 {
	// As in countLanes, the counter starts so that p more inputs carry out of it. With at
	// most 255 inputs, eight digits and the carry suffice.
	const digits = 8
	var c [digits]uint64
	bias := 1<<digits - p
	for i := range c {
		if bias>>i&1 == 1 {
			c[i] = ^uint64(0)
		}
	}
	var reached uint64
	if bias>>digits&1 == 1 {
		reached = ^uint64(0) // p is 0
	}
	c1, c2, c4, c8, c16, c32 := c[0], c[1], c[2], c[3], c[4], c[5]
	for g := 0; g+blockGroups <= len(patterns); g += blockGroups {
		q := (*[blockGroups]uint8)(patterns[g:])
		tab := (*[blockGroups * 3 * groupSize]uint64)(table[3*groupSize*g:])
		at := func(i int) *[3]uint64 {
			return (*[3]uint64)(tab[3*groupSize*i+3*int(q[i]&(groupSize-1)):])
		}
		a0, a1, a2, a3, a4, a5, a6, a7 := at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)
		var k [4]uint64 // carries into weight 2
		c1, k[0] = add3(c1, a0[0], a1[0])
		c1, k[1] = add3(c1, a2[0], a3[0])
		c1, k[2] = add3(c1, a4[0], a5[0])
		c1, k[3] = add3(c1, a6[0], a7[0])
		var l [6]uint64 // into weight 4
		c2, l[0] = add3(c2, a0[1], a1[1])
		c2, l[1] = add3(c2, a2[1], a3[1])
		c2, l[2] = add3(c2, a4[1], a5[1])
		c2, l[3] = add3(c2, a6[1], a7[1])
		c2, l[4] = add3(c2, k[0], k[1])
		c2, l[5] = add3(c2, k[2], k[3])
		var m [7]uint64 // into weight 8
		c4, m[0] = add3(c4, a0[2], a1[2])
		c4, m[1] = add3(c4, a2[2], a3[2])
		c4, m[2] = add3(c4, a4[2], a5[2])
		c4, m[3] = add3(c4, a6[2], a7[2])
		c4, m[4] = add3(c4, l[0], l[1])
		c4, m[5] = add3(c4, l[2], l[3])
		c4, m[6] = add3(c4, l[4], l[5])
		c8, k[0] = add3(c8, m[0], m[1]) // k is now the carries into weight 16
		c8, k[1] = add3(c8, m[2], m[3])
		c8, k[2] = add3(c8, m[4], m[5])
		c8, k[3] = c8^m[6], c8&m[6]
		c16, l[0] = add3(c16, k[0], k[1])
		c16, l[1] = add3(c16, k[2], k[3])
		var carry uint64
		c32, carry = add3(c32, l[0], l[1])
		for b := 6; b < digits; b++ {
			carry, c[b] = carry&c[b], carry^c[b]
		}
		reached |= carry
	}
	return reached
}
