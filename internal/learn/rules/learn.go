package rules

import (
	"context"
	"math"
	"slices"
)

const (
	mostUnits = 4000          // of a function
	effort    = 1_000_000_000 // words of 64 rows that are looked at for one function
)

// side is a description of the rows in which the anchor has one value, or of all rows: rules
// for one value of the function, the other being the default.
type side struct {
	rules []rule
	value bool // that the rules give
	cost  float64
}

// Learn describes the function of a sample by rules. It is nil where no rules of reasonable
// number describe it.
func Learn(ctx context.Context, s *Sample) *Sum {
	if len(s.Out) == 0 {
		return nil
	}
	lits := literals(s)
	work := effort
	on := make([]uint64, s.words())
	all := make([]uint64, s.words())
	for r, v := range s.Out {
		all[r/64] |= 1 << (r % 64)
		if v {
			on[r/64] |= 1 << (r % 64)
		}
	}
	best := math.Inf(1)
	var parts [2]*side // of the rows in which the anchor is 0, and 1
	if s.Own >= 0 {
		own := s.column(func(in []uint64) bool { return in[s.Own/64]>>(s.Own%64)&1 == 1 })
		for v := range parts {
			rows := make([]uint64, len(all))
			for w := range rows {
				if rows[w] = all[w] & own[w]; v == 0 {
					rows[w] = all[w] &^ own[w]
				}
			}
			parts[v] = shorter(ctx, lits, rows, on, math.Inf(1), &work)
		}
		if parts[0] != nil && parts[1] != nil {
			best = parts[0].cost + parts[1].cost + 1
		}
	}
	if whole := shorter(ctx, lits, all, on, best, &work); whole != nil && whole.cost < best {
		return compile(lits, [2]*side{whole, nil}, -1)
	}
	if math.IsInf(best, 1) {
		return nil
	}
	return compile(lits, parts, s.Own)
}

// shorter describes some rows by rules for the ones or for the zeros of the function, whichever
// takes fewer bits; nil where neither takes fewer than most.
func shorter(ctx context.Context, lits []literal, rows, on []uint64, most float64, work *int) *side {
	ones, zeros := make([]uint64, len(rows)), make([]uint64, len(rows))
	for w := range rows {
		ones[w], zeros[w] = rows[w]&on[w], rows[w]&^on[w]
	}
	var best *side
	for _, value := range []bool{Members(ones) <= Members(zeros), Members(ones) > Members(zeros)} {
		pos, neg := ones, zeros
		if !value {
			pos, neg = zeros, ones
		}
		if found, cost, ok := newCover(lits, pos, neg, work).rules(ctx, most); ok && cost < most {
			best, most = &side{found, value, cost}, cost
		}
	}
	return best
}

// compile writes rules as a sum. With an anchor, the rules of parts[v] hold where it is v, and
// the sum of its units is that of the anchor's part alone: each rule of a part adds or takes
// away from the default of that part.
func compile(lits []literal, parts [2]*side, anchor int) *Sum {
	s := &Sum{Threshold: 1}
	for v, p := range parts {
		if p == nil {
			continue
		}
		given, weight := []int(nil), int8(1)
		if anchor >= 0 {
			given = []int{2*anchor + 1 - v}
		}
		if !p.value {
			// The default is 1: it is added wherever this part is.
			weight = -1
			if given == nil {
				s.Threshold--
			} else {
				s.add(given, 1)
			}
		}
		for i := range p.rules {
			if !s.expand(lits, p.rules[i].lits, given, weight) {
				return nil
			}
		}
	}
	return s
}

// add appends a conjunction.
func (s *Sum) add(cube []int, weight int8) {
	u := Unit{cube, len(cube)}
	if !slices.ContainsFunc(s.Units, func(v Unit) bool { return slices.Equal(v.Literals, cube) }) {
		s.Units, s.Weights = append(s.Units, u), append(s.Weights, weight)
	}
}

// expand adds the conjunctions over inputs that a rule is the disjunction of; it is false
// where they are too many.
func (s *Sum) expand(lits []literal, rule, given []int, weight int8) bool {
	cubes := [][]int{given}
	for _, l := range rule {
		var next [][]int
		for _, c := range cubes {
			for _, d := range lits[l].cubes {
				if m, ok := meet(c, d); ok {
					next = append(next, m)
				}
			}
		}
		if cubes = next; len(cubes)+len(s.Units) > mostUnits {
			return false
		}
	}
	for _, c := range cubes {
		s.add(c, weight)
	}
	return true
}

// meet is the conjunction of two conjunctions; ok is false where they exclude each other.
func meet(a, b []int) (m []int, ok bool) {
	m = slices.Concat(a, b)
	slices.Sort(m)
	m = slices.Compact(m)
	for i := 1; i < len(m); i++ {
		if m[i]^1 == m[i-1] {
			return nil, false
		}
	}
	return m, true
}
