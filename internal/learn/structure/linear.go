package structure

import (
	"cmp"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/integers"
)

// linear returns the tree of the output as a bit of an integer, given by its outputs. The integer
// is, in all rows, the same sum of weighted input bits, as a stock is of what was there, what was
// ordered and what was sold. A sum beyond some least or greatest value counts as this, be it that of the integer's
// range. It is nil if there is no such sum.
func (s *search) linear(integer []int) *Tree {
	sum := s.anySum(integer)
	if sum == nil {
		return nil
	}
	left := coverLeaves
	return sum.tree(0, sum.constant, &left)
}

// anySum is the sum of an integer, without limits if one is right; nil if there is none.
func (s *search) anySum(integer []int) *integerSum {
	if sum := s.sum(integer, false); sum != nil {
		return sum
	}
	return s.sum(integer, true)
}

// expr writes the sum over integers and Booleans. It is nil for one over fewer than so many, or over some bits of an integer, or
// with weights that are not those of its bits.
func (s *integerSum) expr(t *Table, fewest int) *integers.Expr {
	weight := make(map[int]int, len(s.terms))
	for _, x := range s.terms {
		weight[x.input] = x.weight
	}
	e := &integers.Expr{Op: integers.Sum, Constant: s.constant}
	for b := range t.Inputs {
		w, bits := weight[b], []int{b}
		if g := t.group[b]; g >= 0 {
			if bits = t.Groups[g]; b != bits[0] {
				continue // with the first bit
			}
			w = weight[bits[len(bits)-1]]
		}
		v := &integers.Variable{Bits: bits, Signed: t.group[b] >= 0 && t.signed(t.group[b])}
		for i, x := range bits {
			if i == 0 && v.Signed && weight[x] != -w<<(len(bits)-1) || !(i == 0 && v.Signed) && weight[x] != w<<(len(bits)-1-i) {
				return nil
			}
		}
		if w != 0 {
			e.Args, e.Weights = append(e.Args, &integers.Expr{Op: integers.Var, Variable: v}), append(e.Weights, w)
		}
	}
	if len(e.Args) < fewest {
		return nil
	}
	return e.Within(s.least, s.most)
}

// integer lists the outputs that are bits of one integer with the output, most significant
// first. It is nil if there is none.
func (s *search) integer() []int {
	if s.t.Own == nil || s.t.alone {
		return nil
	}
	own := s.t.Own(s.out)
	if own < 0 || s.t.group[own] < 0 {
		return nil
	}
	var bits []int
	for _, b := range s.t.Groups[s.t.group[own]] {
		bits = append(bits, s.t.copies[b])
	}
	if slices.Contains(bits, -1) {
		return nil
	}
	return bits
}

// modulus is the prime of the field in which sums are solved for. It is large beside the weights
// of a sum, so that a weight is the residue of least absolute value.
const modulus = 1<<31 - 1

// sum solves for the weights of an integer by elimination over a field. Where several sums are
// right, the inputs of least rank are used. If limited, sums beyond the least and the greatest value
// that rows have count as these. It is nil if no sum is right, or if so few rows are left over
// that it may be chance.
func (s *search) sum(integer []int, limited bool) *integerSum {
	const (
		left   = 20 // rows that the sum explains though it was not made for them
		widest = 1000
	)
	n := s.t.Inputs
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.rank(a), s.rank(b)) })
	rows := slices.DeleteFunc(slices.Clone(s.rows), func(r int32) bool {
		return s.t.filled(r, order) || slices.ContainsFunc(integer, func(o int) bool { return !s.t.Knows(int(r), o) })
	})
	if n > widest || len(rows) < left {
		return nil
	}
	least, most := s.value(rows[0], integer), s.value(rows[0], integer)
	for _, r := range rows {
		v := s.value(r, integer)
		least, most = min(least, v), max(most, v)
	}
	e := &equations{pivot: make([][]uint64, n+1)}
	row := make([]uint64, n+2)
	explained := 0
	for _, r := range rows {
		v := s.value(r, integer)
		if limited && (v == least || v == most) {
			continue
		}
		row[0], row[n+1] = 1, v
		for i, b := range order {
			row[i+1] = uint64(s.t.bit(r, b))
		}
		independent, ok := e.add(row)
		if !ok {
			return nil
		}
		if !independent {
			explained++
		}
	}
	if explained < left {
		return nil
	}
	sum := s.weights(e.solve(), order, integer, rows)
	if sum == nil || !limited {
		return sum
	}
	if !s.limit(sum, rows, int(least), int(most), integer) {
		return nil
	}
	return sum
}

// limit gives a sum those of two limits that some row shows. It is false if the sum is then wrong on a row.
func (s *search) limit(sum *integerSum, rows []int32, least, most int, integer []int) bool {
	inputs := func(r int32) []uint64 { return s.t.Input(int(r)) }
	below := slices.ContainsFunc(rows, func(r int32) bool { return sum.value(inputs(r)) < least })
	above := slices.ContainsFunc(rows, func(r int32) bool { return sum.value(inputs(r)) > most })
	if below {
		sum.least = least
	}
	if above {
		sum.most = most
	}
	return !slices.ContainsFunc(rows, func(r int32) bool { return sum.value(inputs(r)) != int(s.value(r, integer)) })
}

// value is the value of an integer after the step of a row.
func (s *search) value(r int32, integer []int) (v uint64) {
	for _, o := range integer {
		v <<= 1
		if s.t.Output(int(r), o) {
			v |= 1
		}
	}
	return v
}

// weights is the sum with a solution; nil if a weight is larger than the integer's range. A constant of a sum that reads some of a set of
// which each row has one is distributed to the set, as hours have each its rain.
func (s *search) weights(solution []uint64, order, integer []int, rows []int32) *integerSum {
	sum := &integerSum{most: 1<<len(integer) - 1, shift: len(integer) - 1 - slices.Index(integer, s.out)}
	for i, x := range solution {
		w := int(x)
		if x > modulus/2 {
			w -= modulus
		}
		switch {
		case w == 0:
		case i == 0:
			sum.constant = w
		case max(w, -w) > sum.most:
			return nil
		default:
			sum.terms = append(sum.terms, term{order[i-1], w})
		}
	}
	for _, set := range s.t.Sets {
		if sum.constant != 0 && sum.reads(set) && integers.OneOf(set, func(yield func([]uint64) bool) {
			for _, r := range rows {
				if !yield(s.t.Input(int(r))) {
					return
				}
			}
		}) {
			sum.distribute(set)
		}
	}
	slices.SortStableFunc(sum.terms, func(a, b term) int { return cmp.Compare(max(b.weight, -b.weight), max(a.weight, -a.weight)) })
	sum.low, sum.high = make([]int, len(sum.terms)+1), make([]int, len(sum.terms)+1)
	for i := len(sum.terms) - 1; i >= 0; i-- {
		w := sum.terms[i].weight
		sum.low[i], sum.high[i] = sum.low[i+1]+min(0, w), sum.high[i+1]+max(0, w)
	}
	return sum
}

// reads reports whether some of a set is a term.
func (s *integerSum) reads(set []int) bool {
	return slices.ContainsFunc(s.terms, func(t term) bool { return slices.Contains(set, t.input) })
}

// distribute adds the constant to the weights of a set.
func (s *integerSum) distribute(set []int) {
	for _, b := range set {
		i := slices.IndexFunc(s.terms, func(t term) bool { return t.input == b })
		if i < 0 {
			i, s.terms = len(s.terms), append(s.terms, term{input: b})
		}
		s.terms[i].weight += s.constant
	}
	s.terms = slices.DeleteFunc(s.terms, func(t term) bool { return t.weight == 0 })
	s.constant = 0
}

// integerSum is an integer as a sum of weighted inputs, and one bit of it.
type integerSum struct {
	constant, shift int
	least, most     int // values of the integer; sums beyond these count as them
	terms           []term
	low, high       []int // what the terms from each on add at least, and at most
}

type term struct{ input, weight int }

// value is the integer for a packed row of inputs.
func (s *integerSum) value(in []uint64) int {
	v := s.constant
	for _, t := range s.terms {
		if in[t.input/64]>>(t.input%64)&1 == 1 {
			v += t.weight
		}
	}
	return min(max(v, s.least), s.most)
}

// tree makes the tree of the bit from term i on, the terms before it having added up to at. It is
// nil if more leaves are needed than are left.
func (s *integerSum) tree(i, at int, left *int) *Tree {
	if *left--; *left < 0 {
		return nil
	}
	low, high := min(max(s.least, at+s.low[i]), s.most), max(min(s.most, at+s.high[i]), s.least)
	if low>>s.shift == high>>s.shift {
		return &Tree{Value: low>>s.shift&1 == 1}
	}
	return fork(s.terms[i].input, s.tree(i+1, at, left), s.tree(i+1, at+s.terms[i].weight, left))
}

// equations are linear equations over the field, in echelon form.
type equations struct {
	pivot [][]uint64 // by unknown, the equation that begins with it; the last number is its right side
}

// add takes an equation. It reports whether the equation is independent of those before, and
// whether they can be solved with it.
func (e *equations) add(equation []uint64) (independent, ok bool) {
	row := slices.Clone(equation)
	for i, p := range e.pivot {
		if row[i] %= modulus; row[i] == 0 {
			continue
		}
		if p == nil {
			inverse := power(row[i], modulus-2)
			for k := i; k < len(row); k++ {
				row[k] = row[k] % modulus * inverse % modulus
			}
			e.pivot[i] = row
			return true, true
		}
		f := modulus - row[i]
		rest, p := row[i:], p[i:]
		for k := range min(len(rest), len(p)) {
			x := rest[k] + f*p[k]
			rest[k] = x&modulus + x>>31 // less than 2^33, and the same in the field
		}
	}
	return false, row[len(row)-1]%modulus == 0
}

// solve returns a solution; unknowns that may have any value are 0.
func (e *equations) solve() []uint64 {
	n := len(e.pivot)
	x := make([]uint64, n)
	for i := n - 1; i >= 0; i-- {
		p := e.pivot[i]
		if p == nil {
			continue
		}
		x[i] = p[n]
		for k := i + 1; k < n; k++ {
			x[i] = (x[i] + (modulus-p[k])*x[k]) % modulus
		}
	}
	return x
}

// power is x to the power of n in the field.
func power(x uint64, n int) uint64 {
	y := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y = y * x % modulus
		}
		x = x * x % modulus
	}
	return y
}
