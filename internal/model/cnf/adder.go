package cnf

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// addersAtMost encodes sum of terms <= k by adding the coefficients of true literals in
// binary (Eén and Sörensson 2006, section 5.4). Every three bits of equal weight become one
// bit of that weight and a carry, and the resulting number is compared with k. The size is
// linear in the number of terms and in the bits of the coefficients, but unit propagation is
// not complete.
func addersAtMost(s Sink, terms []model.Term, k int64) {
	var byWeight [64][]model.Lit
	for _, t := range terms {
		for c := uint64(t.Coef); c != 0; c &= c - 1 {
			w := bits.TrailingZeros64(c)
			byWeight[w] = append(byWeight[w], t.Lit)
		}
	}
	var sum [64]model.Lit
	for w := range byWeight {
		queue := byWeight[w]
		for len(queue) > 1 {
			var bit, carry model.Lit
			if len(queue) == 2 {
				bit, carry = halfAdder(s, queue[0], queue[1])
				queue = queue[2:]
			} else {
				bit, carry = fullAdder(s, queue[0], queue[1], queue[2])
				queue = queue[3:]
			}
			queue = append(queue, bit)
			byWeight[w+1] = append(byWeight[w+1], carry) // the sum is below 2^61
		}
		sum[w] = litFalse
		if len(queue) == 1 {
			sum[w] = queue[0]
		}
	}
	// The sum is larger than k if, at some weight where k has 0, it has 1, and it has 1
	// wherever k has 1 at the higher weights.
	e := &emitter{Sink: s}
	above := make([]model.Lit, 0, 64)
	for w := 63; w >= 0; w-- {
		if k>>w&1 == 1 {
			above = appendNew(above, -sum[w])
		} else {
			e.clause(appendNew(above, -sum[w])...)
		}
	}
}

// appendNew appends l unless it is present: a literal that is not added to another is a bit
// of the sum at several weights.
func appendNew(lits []model.Lit, l model.Lit) []model.Lit {
	if slices.Contains(lits, l) {
		return lits
	}
	return append(lits, l)
}

func halfAdder(s Sink, x, y model.Lit) (bit, carry model.Lit) {
	bit, carry = s.NewVar(), s.NewVar()
	s.Clause(-x, -y, carry)
	s.Clause(x, -carry)
	s.Clause(y, -carry)
	s.Clause(x, y, -bit)
	s.Clause(-x, -y, -bit)
	s.Clause(x, -y, bit)
	s.Clause(-x, y, bit)
	return bit, carry
}

func fullAdder(s Sink, x, y, z model.Lit) (bit, carry model.Lit) {
	bit, carry = s.NewVar(), s.NewVar()
	// The carry is true if two inputs are true, and false if two are false.
	for _, p := range [][2]model.Lit{{x, y}, {x, z}, {y, z}} {
		s.Clause(-p[0], -p[1], carry)
		s.Clause(p[0], p[1], -carry)
	}
	// The bit is the parity.
	for m := range 8 {
		lits := [4]model.Lit{x, y, z, -bit}
		for i := range 3 {
			if m>>i&1 == 1 {
				lits[i] = -lits[i]
			}
		}
		if bits.OnesCount(uint(m))%2 == 1 {
			lits[3] = bit
		}
		s.Clause(lits[:]...)
	}
	return bit, carry
}
