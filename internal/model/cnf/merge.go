package cnf

import "math/bits"

// Merging sorted sequences a and b gives outputs c_m, "at least m of both".
// Two kinds of merge are used.
//
// The direct merge (Bailleux and Boufkhad 2003) has, for c_m, the clauses
//
//	a_i and b_j -> c_m                      for i+j = m    (forward)
//	not a_{i+1} and not b_{j+1} -> not c_m  for i+j = m-1  (backward)
//
// The merge by residues splits a and b by index modulo r, merges the parts of
// equal residue q to d^q, and combines the d^q to c. With r = 2 this is
// Batcher's odd-even merge for arbitrary lengths. It works for every r: when
// the first i of a and the first j of b hold, the first
//
//	t_q(i,j) = count_q(i) + count_q(j)
//
// of d^q hold, where count_q(i) is how many of 1..i leave residue q. For given
// i+j this vector depends on i and j modulo r alone, so that c_m needs at most
// r/2+1 clauses a direction, and most literals of these are implied by others:
// c_m follows from d^1_{i+1} and d^3_i alone where r = 4 and t = (i+1, i, i,
// i-1). One step with r = 4 takes 5 clauses an output, two with r = 2 take 6
// and a variable more.
//
// Both are unit propagation complete, alone and mixed (Abío and others 2013
// for r = 2): forward, the inputs that hold make exactly the outputs hold that
// follow. When t inputs of a and u of b hold and c_{t+u+1} does not, the
// clause of the vector of (t+1, u) has one literal that is not satisfied yet,
// d^q_{s+1} where s of d^q hold, and this is the same situation one merge
// further down. The backward direction is the mirror image.

// maxResidues is the largest r considered. Beyond 4 an output needs more clauses again than
// two smaller steps.
const maxResidues = 4

// residues records which literals of the combining clauses of one r are needed: keep[d][x][y]
// is the set of q (bit q-1) for a vector of i = x, j = y modulo r. d is 0 for forward clauses
// and 1 for backward ones.
type residues struct {
	r    int
	keep [2][maxResidues][maxResidues]uint8
}

// countResidue returns how many of 1..i are q modulo r, 1 <= q <= r.
func countResidue(i, q, r int) int { return (i + r - q) / r }

func newResidues(r int) *residues {
	t := &residues{r: r}
	for x := range r {
		for y := range r {
			// An index so large that no bound is near.
			i, j := x+4*r, y+4*r
			t.keep[0][x][y] = t.reduce(i, j, -1)
			t.keep[1][x][y] = t.reduce(i, j, +1)
		}
	}
	return t
}

// reduce drops literals of the vector of (i,j) as long as the clause follows from the meaning
// of the d^q. A forward clause (side -1) is wrong if i'+j' = i+j-1 satisfies its premises, a
// backward clause (side +1) if i'+j' = i+j+1 does.
func (t *residues) reduce(i, j, side int) uint8 {
	r := t.r
	sound := func(kept uint8) bool {
		for i2 := i; i2 < i+r; i2++ {
			j2 := i + j + side - i2
			premises := true
			for q := 1; q <= r && premises; q++ {
				if kept>>(q-1)&1 == 0 {
					continue
				}
				is := countResidue(i, q, r) + countResidue(j, q, r)
				is2 := countResidue(i2, q, r) + countResidue(j2, q, r)
				if side < 0 {
					premises = is2 >= is
				} else {
					premises = is2 <= is
				}
			}
			if premises {
				return false
			}
		}
		return true
	}
	kept := uint8(1)<<r - 1
	for q := range r {
		if without := kept &^ (1 << q); sound(without) {
			kept = without
		}
	}
	return kept
}

// combination is one combining clause: literals d^q_i, premises of a forward
// clause or negated premises of a backward one.
type combination struct {
	n int
	q [maxResidues]int8
	i [maxResidues]int32
}

// combinations lists the clauses of one direction of c_m, 1 <= m <= la+lb, for sequences of
// lengths la and lb. Constant literals are omitted.
func (t *residues) combinations(la, lb, m int, back bool, out *[maxResidues]combination) int {
	r, sum, d := t.r, m, 0
	if back {
		sum, d = m-1, 1
	}
	n := 0
	var seen uint8
	first := max(0, sum-lb)
	for i := first; i <= min(la, sum) && i < first+r; i++ {
		j := sum - i
		x, y := i%r, j%r
		// The vector is the same with x and y exchanged.
		if seen>>min(x, y)&1 == 1 {
			continue
		}
		seen |= 1 << min(x, y)
		c := &out[n]
		c.n = 0
		base := i/r + j/r // countResidue without a second division
		for kept := t.keep[d][x][y]; kept != 0; kept &= kept - 1 {
			q := bits.TrailingZeros8(kept) + 1
			at := base
			if q <= x {
				at++
			}
			if q <= y {
				at++
			}
			if back {
				at++
				if at > countResidue(la, q, r)+countResidue(lb, q, r) {
					continue
				}
			} else if at == 0 {
				continue
			}
			c.q[c.n], c.i[c.n] = int8(q), int32(at)
			c.n++
		}
		n++
	}
	return n
}

// clauses returns the number of clauses of c_m away from the ends.
func (t *residues) clauses(m int, dirs directions) price {
	// Pairs x, y with x+y = sum modulo r, regardless of their order: each has two orders
	// except those with x = y, of which r odd has one, and r even two or none.
	var n int
	for d := forward; d <= backward; d <<= 1 {
		if dirs&d == 0 {
			continue
		}
		sum := m
		if d == backward {
			sum = m - 1
		}
		switch {
		case t.r%2 == 1:
			n += (t.r + 1) / 2
		case sum%2 == 0:
			n += t.r/2 + 1
		default:
			n += t.r / 2
		}
	}
	return price(n)
}

// alias reports whether c_m is simply one of the d^q_i. The first output always is, the last
// one if r divides the lengths, no other one ever.
func (t *residues) alias(la, lb, m int) (q, i int, ok bool) {
	if m != 1 && m != la+lb {
		return 0, 0, false
	}
	var f, b [maxResidues]combination
	if t.combinations(la, lb, m, false, &f) != 1 || f[0].n != 1 {
		return 0, 0, false
	}
	if t.combinations(la, lb, m, true, &b) != 1 || b[0].n != 1 {
		return 0, 0, false
	}
	if f[0].q[0] != b[0].q[0] || f[0].i[0] != b[0].i[0] {
		return 0, 0, false
	}
	return int(f[0].q[0]), int(f[0].i[0]), true
}
