package reward

import (
	"math"
	"math/bits"
	"slices"
)

// repairBeam is how many conjunctions are made longer.
const repairBeam = 40

// repair adds conjunctions to a function with rounded weights, for the rows that it gives
// another reward than theirs: where many such rows have the same difference and some conditions
// hold in them and in few others. Setting far rows aside takes a rare case for an error.
func (t *Table) repair(f *Function, rows []int) {
	lits := t.conditions(rows)
	for len(f.Terms) < maxTerms {
		off := make([]float64, len(rows))
		counts := map[float64]int{}
		for i, r := range rows {
			const digits = 1e6
			off[i] = math.Round((t.Rewards[r]-t.Eval(f, r))*digits) / digits
			if off[i] != 0 {
				counts[off[i]]++
			}
		}
		added := false
		for _, v := range frequent(counts, price) {
			c := newMending(off, v)
			if best := c.best(lits); best.gain > price {
				f.Terms = append(f.Terms, Term{best.lits, v})
				added = true
				break
			}
		}
		if !added {
			return
		}
	}
}

// frequent lists the values that occur more often than least, the most frequent first.
func frequent(counts map[float64]int, least int) []float64 {
	var values []float64
	for v, n := range counts {
		if n > least {
			values = append(values, v)
		}
	}
	slices.SortFunc(values, func(a, b float64) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
	return values
}

// condition is a literal with the rows in which it holds.
type condition struct {
	lit, variable int
	on            []uint64
}

// conditions lists the literals of conditions.
func (t *Table) conditions(rows []int) []condition {
	var all []condition
	for a := range t.Atoms {
		if t.Atoms[a].Negation == "" {
			continue
		}
		for lit := 2 * a; lit < 2*a+2; lit++ {
			c := condition{lit, t.Atoms[a].Variable, make([]uint64, (len(rows)+63)/64)}
			n := 0
			for i, r := range rows {
				if t.value(lit, r) != 0 {
					c.on[i/64] |= 1 << (i % 64)
					n++
				}
			}
			if n > 0 && n < len(rows) && len(all) < maxLits {
				all = append(all, c)
			}
		}
	}
	return all
}

// mending looks for the rows that lack a reward.
type mending struct {
	lack, right []uint64 // the rows that lack it, and those that would be wrong with it
}

func newMending(off []float64, v float64) *mending {
	m := &mending{make([]uint64, (len(off)+63)/64), make([]uint64, (len(off)+63)/64)}
	for i, x := range off {
		switch x {
		case v:
			m.lack[i/64] |= 1 << (i % 64)
		case 0:
			m.right[i/64] |= 1 << (i % 64)
		}
	}
	return m
}

// mend is a conjunction with how many more rows it makes right than wrong.
type mend struct {
	lits []int
	of   []int // variables
	on   []uint64
	gain int
}

func (m *mending) gain(on []uint64) int {
	n := 0
	for i, x := range on {
		n += bits.OnesCount64(x&m.lack[i]) - bits.OnesCount64(x&m.right[i])
	}
	return n
}

// best is the conjunction of one to three literals that gains most, the shortest of several.
func (m *mending) best(lits []condition) mend {
	var singles []mend
	for i := range lits {
		c := &lits[i]
		singles = append(singles, mend{[]int{c.lit}, []int{c.variable}, c.on, m.gain(c.on)})
	}
	best := leading(singles)
	last := singles
	for size := 2; size <= 3; size++ {
		var next []mend
		for _, from := range last {
			for i := range lits {
				c := &lits[i]
				if size == 2 && c.lit < from.lits[0] || slices.Contains(from.of, c.variable) {
					continue
				}
				on := slices.Clone(c.on)
				for w := range on {
					on[w] &= from.on[w]
				}
				next = append(next, mend{append(slices.Clone(from.lits), c.lit), append(slices.Clone(from.of), c.variable), on, m.gain(on)})
			}
			if len(next) > 100*repairBeam {
				next = ahead(next)
			}
		}
		last = ahead(next)
		if b := leading(last); b.gain > best.gain {
			best = b
		}
	}
	slices.Sort(best.lits)
	return best
}

// ahead keeps the conjunctions that gain most, the first of several.
func ahead(all []mend) []mend {
	slices.SortStableFunc(all, func(a, b mend) int { return b.gain - a.gain })
	return slices.Clone(all[:min(repairBeam, len(all))])
}

// leading is the conjunction that gains most; one without literals if none gains anything.
func leading(all []mend) (best mend) {
	for _, c := range all {
		if c.gain > best.gain {
			best = c
		}
	}
	return best
}
