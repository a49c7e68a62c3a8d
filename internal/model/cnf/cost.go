package cnf

// costs finds cheap ways to merge and to sort, by dynamic programming over sizes, the range
// of needed outputs and the needed directions. A value serves one call of the package;
// nothing is kept between calls.
type costs struct {
	residues [maxResidues + 1]*residues
	merges   map[need]mergePlan
	sorts    map[need]sortPlan
}

// directions is a set of directions of clauses: a bound from one side only needs one of them
// (Plaisted and Greenbaum 1986).
type directions uint8

const (
	forward  directions = 1 << iota // true inputs make outputs true
	backward                        // false inputs make outputs false
	both     = forward | backward
)

// mirrored exchanges the directions, as reading a list of negations does.
func (d directions) mirrored() directions { return d>>1 | d&1<<1 }

// need describes a merge or sort: outputs lo..hi of a+b inputs.
type need struct {
	a, b, lo, hi int32
	dirs         directions
}

// price is a number of clauses, and a number of variables to break ties.
type price int64

const (
	perClause price = 1 << 24
	perVar    price = 1
	unpayable price = 1 << 61
)

type mergePlan struct {
	price    price
	residues int                   // 0 for the direct merge
	subs     [maxResidues + 1]span // outputs that the merge of each residue must have
}

type sortPlan struct {
	price price
	first int // size of the first part; 0 to define the outputs directly over the inputs
}

func newCosts() *costs {
	c := &costs{merges: map[need]mergePlan{}, sorts: map[need]sortPlan{}}
	for r := 2; r <= maxResidues; r++ {
		c.residues[r] = newResidues(r)
	}
	return c
}

// span is a range of outputs; it is empty if lo is 0.
type span struct{ lo, hi int }

func (s *span) add(lo, hi int) {
	if s.lo == 0 {
		s.lo, s.hi = lo, hi
		return
	}
	s.lo, s.hi = min(s.lo, lo), max(s.hi, hi)
}

// partSpan returns the outputs of a that merging a and b to outputs lo..hi needs.
func partSpan(a, b, lo, hi int) span { return span{max(1, lo-b), min(a, hi)} }

// merge returns the cheapest merge of sorted sequences of lengths a and b.
func (c *costs) merge(a, b int, s span, dirs directions) mergePlan {
	if a == 0 || b == 0 || s.lo == 0 {
		return mergePlan{}
	}
	if a < b {
		a, b = b, a
	}
	key := need{int32(a), int32(b), int32(s.lo), int32(s.hi), dirs}
	if p, ok := c.merges[key]; ok {
		return p
	}
	best := mergePlan{price: directPrice(a, b, s, dirs)}
	for r := 2; r <= min(maxResidues, a); r++ {
		price, sub := c.combining(a, b, r, s, dirs)
		for q := 1; q <= r && price < best.price; q++ {
			price += c.merge(countResidue(a, q, r), countResidue(b, q, r), sub[q], dirs).price
		}
		if price < best.price {
			best = mergePlan{price, r, sub}
		}
	}
	c.merges[key] = best
	return best
}

func directPrice(a, b int, s span, dirs directions) price {
	// pairs counts i+j = sum with 0 <= i <= a, 0 <= j <= b.
	pairs := func(sum int) price { return price(min(a, sum) - max(0, sum-b) + 1) }
	var p price
	for m := s.lo; m <= s.hi; m++ {
		p += perVar
		if dirs&forward != 0 {
			p += perClause * pairs(m)
		}
		if dirs&backward != 0 {
			p += perClause * pairs(m-1)
		}
	}
	return p
}

// combining returns the price of the combining clauses of a merge by residues, and the
// outputs of the parts that they need. Away from both ends of the merged sequence everything
// repeats with period r, so only the outputs near the ends of the range are considered one by
// one.
func (c *costs) combining(a, b, r int, s span, dirs directions) (price, [maxResidues + 1]span) {
	t := c.residues[r]
	var p price
	var sub [maxResidues + 1]span
	var buf [maxResidues]combination
	for m := s.lo; m <= s.hi; m++ {
		if m >= s.lo+2*r && m <= s.hi-2*r && min(a, b) >= 2*r && m > 2*r && m < a+b-2*r {
			p += perVar + perClause*t.clauses(m, dirs)
			continue
		}
		if q, i, ok := t.alias(a, b, m); ok {
			sub[q].add(i, i)
			continue
		}
		p += perVar
		for d := forward; d <= backward; d <<= 1 {
			if dirs&d == 0 {
				continue
			}
			n := t.combinations(a, b, m, d == backward, &buf)
			p += perClause * price(n)
			for k := range buf[:n] {
				for l := range buf[k].n {
					i := int(buf[k].i[l])
					sub[buf[k].q[l]].add(i, i)
				}
			}
		}
	}
	return p, sub
}

// sort returns the cheapest way to sort n literals.
func (c *costs) sort(n int, s span, dirs directions) sortPlan {
	if n <= 1 || s.lo == 0 {
		return sortPlan{}
	}
	key := need{int32(n), 0, int32(s.lo), int32(s.hi), dirs}
	if p, ok := c.sorts[key]; ok {
		return p
	}
	best := sortPlan{price: statedPrice(n, s, dirs)}
	// Every split of few inputs, and a selection of the splits of many.
	for first := 1; first <= n/2; first++ {
		if n > 12 && !promising(n, first, s) {
			continue
		}
		p := c.merge(first, n-first, s, dirs).price
		if p < best.price {
			p += c.sort(first, partSpan(first, n-first, s.lo, s.hi), dirs).price
		}
		if p < best.price {
			p += c.sort(n-first, partSpan(n-first, first, s.lo, s.hi), dirs).price
		}
		if p < best.price {
			best = sortPlan{p, first}
		}
	}
	c.sorts[key] = best
	return best
}

// promising reports whether to consider splitting n inputs after the first: even splits,
// splits that leave a power of two and, for few outputs, those that count the inputs one
// after the other.
func promising(n, first int, s span) bool {
	rest := n - first
	return first >= n/2-1 || first >= n/4 && (first&(first-1) == 0 || rest&(rest-1) == 0) || first <= 3 && s.hi-s.lo < 4
}

// statedPrice is the price of defining outputs directly over the inputs: at least m of n hold
// if some m of them do, and do not if some n-m+1 do not. It is the cheapest for an "or" or
// "and" and for three inputs.
func statedPrice(n int, s span, dirs directions) price {
	var p price
	for m := s.lo; m <= s.hi; m++ {
		if n > 16 && m > 2 && m < n-1 {
			return unpayable
		}
		p += perVar
		if dirs&forward != 0 {
			p += perClause * choose(n, m)
		}
		if dirs&backward != 0 {
			p += perClause * choose(n, m-1)
		}
	}
	return p
}

// choose returns n over m, or a large number if that is large.
func choose(n, m int) price {
	m = min(m, n-m)
	p := price(1)
	for i := 1; i <= m; i++ {
		p = p * price(n-m+i) / price(i)
		if p > 1<<30 {
			return 1 << 30
		}
	}
	return p
}
