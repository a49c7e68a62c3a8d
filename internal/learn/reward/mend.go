package reward

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
)

const (
	mendBeam   = 60  // conjunctions that are made longer
	mendLits   = 6   // of a conjunction
	mendValues = 12  // differences that are tried, the most frequent
	maxCases   = 400 // of a function
)

// mend adds terms to a function with rounded weights, for the rows that it gives another reward
// than theirs: where a difference is the same in some rows, and conjunctions hold in them and
// not in rows that are right. A term is added if it takes fewer bits to write down than the rows
// that it explains (minimum description length: Rissanen, 1978), so that rows with an own reward
// for no reason stay wrong. It ends early when the function is longer than most bits.
func (t *Table) mend(ctx context.Context, f *Function, rows []int, most float64) error {
	m := &mending{t: t, rows: rows, lits: t.conditions(rows)}
	cases := 0
	for cases < maxCases && t.length(f) < most {
		counts := m.measure(f)
		added := 0
		for _, v := range frequent(counts, mendValues) {
			term, err := m.term(ctx, v)
			if err != nil {
				return err
			}
			if added = len(term.Cases); added > 0 {
				f.Terms = append(f.Terms, term)
				break
			}
		}
		if added == 0 {
			return nil
		}
		cases += added
	}
	return nil
}

// exception is the number of bits that tell of one of n wrong rows, among so many rows, that it
// is wrong, and which of some rewards it has.
func (t *Table) exception(n, of, values int) float64 {
	n, of = max(1, n+t.Contradictory), max(1, of+t.Contradictory)
	return math.Log2(float64(of)/float64(n)) + math.Log2E + math.Log2(float64(max(1, values)))
}

// bits is the length of a function with the rows that it gives another reward.
func (t *Table) bits(f *Function, rows []int) float64 {
	wrong, of := 0, 0
	values := map[float64]bool{}
	for _, r := range rows {
		of += t.count(r)
		if off := t.off(f, r); off != 0 {
			wrong += t.count(r)
			values[off] = true
		}
	}
	return float64(wrong)*t.exception(wrong, of, len(values)) + t.length(f)
}

// literals counts the literals, and the features of no literal but for curved ones, of which few are listed.
func (t *Table) literals() float64 {
	n := 0
	for i := range t.Atoms {
		switch {
		case t.Atoms[i].Negation != "":
			n += 2
		case !t.Atoms[i].Curved:
			n++
		}
	}
	return float64(n)
}

// length is the number of bits of a function alone.
func (t *Table) length(f *Function) float64 {
	sum, lits := 0.0, t.literals()
	for _, m := range f.Terms {
		for _, c := range m.Cases {
			sum += t.caseBits(c, lits)
		}
	}
	return sum
}

// caseBits is the length of a conjunction of some of so many literals. One about the next state,
// or that a variable does not have one of its values, counts a bit more than others.
func (t *Table) caseBits(lits []int, literals float64) float64 {
	sum := leastBits(len(lits), literals)
	for _, l := range lits {
		if a := &t.Atoms[l/2]; a.Later || a.Value && l%2 == 1 {
			sum++
		}
	}
	return sum
}

// leastBits is the least length of a conjunction of n of so many literals.
func leastBits(n int, literals float64) float64 {
	const end = 4 // bits for the weight and the length
	choices, _ := math.Lgamma(float64(n + 1))
	return end + float64(n)*math.Log2(max(2, literals)) - choices*math.Log2E
}

// off is the difference of a row's reward from that of a function, 0 for none.
func (t *Table) off(f *Function, r int) float64 {
	const digits = 1e6
	y := t.Eval(f, r)
	if Same(y, t.Rewards[r]) {
		return 0
	}
	return math.Round((t.Rewards[r]-y)*digits) / digits
}

// frequent lists the differences that most rows have, but 0.
func frequent(counts map[float64]int, most int) []float64 {
	var values []float64
	for v := range counts {
		if v != 0 {
			values = append(values, v)
		}
	}
	slices.SortStableFunc(values, func(a, b float64) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	return values[:min(most, len(values))]
}

// mending looks for conjunctions that hold in the rows with a difference.
type mending struct {
	t    *Table
	rows []int
	lits []condition
	off  []float64 // by place in rows
	each float64   // bits for a wrong row
}

// measure computes the differences, and how often each was seen.
func (m *mending) measure(f *Function) map[float64]int {
	m.off = make([]float64, len(m.rows))
	counts := map[float64]int{}
	of := 0
	for i, r := range m.rows {
		m.off[i] = m.t.off(f, r)
		counts[m.off[i]] += m.t.count(r)
		of += m.t.count(r)
	}
	values := len(counts)
	if _, right := counts[0]; right {
		values--
	}
	m.each = m.t.exception(of-counts[0], of, values)
	return counts
}

// condition is a literal with the rows in which it holds.
type condition struct {
	lit int
	on  []uint64
}

// conditions lists the literals that hold in some of the rows and not in all. Those marked
// Later come last.
func (t *Table) conditions(rows []int) []condition {
	var all []condition
	for _, later := range []bool{false, true} {
		for a := range t.Atoms {
			if t.Atoms[a].Negation == "" || t.Atoms[a].Later != later {
				continue
			}
			for lit := 2 * a; lit < 2*a+2; lit++ {
				on := t.holding([]int{lit}, rows)
				if n := count(on); n > 0 && n < len(rows) {
					all = append(all, condition{lit, on})
				}
			}
		}
	}
	return all
}

// holding is the set of places of rows in which a conjunction holds.
func (t *Table) holding(lits, rows []int) []uint64 {
	on := make([]uint64, (len(rows)+63)/64)
	for i, r := range rows {
		if t.term(lits, r) != 0 {
			on[i/64] |= 1 << (i % 64)
		}
	}
	return on
}

func count(set []uint64) int {
	n := 0
	for _, x := range set {
		n += bits.OnesCount64(x)
	}
	return n
}

// common counts the members that two sets have in common.
func common(a, b []uint64) int {
	n := 0
	for i, x := range a {
		n += bits.OnesCount64(x & b[i])
	}
	return n
}

// shared counts the members that three sets have in common.
func shared(a, b, c []uint64) int {
	n := 0
	for i, x := range a {
		n += bits.OnesCount64(x & b[i] & c[i])
	}
	return n
}

// weight is how often the rows of three sets were seen.
func (m *mending) weight(a, b, c []uint64) int {
	n := 0
	for i, x := range a {
		for x &= b[i] & c[i]; x != 0; x &= x - 1 {
			n += m.t.count(m.rows[64*i+bits.TrailingZeros64(x)])
		}
	}
	return n
}

// term is one for the rows that differ by v; without cases if none is worth its bits.
func (m *mending) term(ctx context.Context, v float64) (Term, error) {
	words := (len(m.rows) + 63) / 64
	lack, right := make([]uint64, words), make([]uint64, words)
	for i, x := range m.off {
		switch x {
		case v:
			lack[i/64] |= 1 << (i % 64)
		case 0:
			right[i/64] |= 1 << (i % 64)
		}
	}
	out := Term{Weight: v}
	for {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		best := m.best(lack, right)
		if best.bits <= 0 {
			return out, nil
		}
		out.Cases = append(out.Cases, best.lits)
		for i, x := range best.on {
			lack[i] &^= x
			right[i] &^= x
		}
	}
}

// found is a conjunction with what it explains.
type found struct {
	lits  []int
	on    []uint64 // the rows of all literals but the last
	last  []uint64 // and those of that one
	lack  int      // places that differ
	right int      // places that do not
	score float64  // by which it is made longer
	bits  float64  // that it saves
}

// search looks for the conjunction that saves most bits in the places that lack a difference, and those that are right.
type search struct {
	*mending
	lack, right []uint64
	lits        []condition // that hold in some place that lacks it
	base        float64
	best        found
}

// best is the conjunction that saves most bits; one without literals if none saves any.
func (m *mending) best(lack, right []uint64) found {
	s := &search{mending: m, lack: lack, right: right}
	for _, c := range m.lits {
		if common(c.on, lack) > 0 {
			s.lits = append(s.lits, c)
		}
	}
	all, wrong := float64(count(lack)), float64(count(right))
	s.base = math.Log2(all / (all + wrong))
	every := slices.Repeat([]uint64{^uint64(0)}, len(lack))
	last := []found{{on: every, last: every, lack: -1}}
	for range mendLits {
		var next []found
		tried := map[string]bool{}
		for i := range last {
			next = s.longer(&last[i], tried, next)
		}
		for i := range next {
			if next[i].bits > s.best.bits+1e-9 {
				s.best = next[i]
			}
		}
		slices.SortStableFunc(next, func(a, b found) int { return cmp.Compare(b.score, a.score) })
		last = next[:min(mendBeam, len(next))]
	}
	x := s.shorter(s.best)
	if len(x.lits) > 0 {
		x.on = intersection(x.on, x.last)
	}
	return x
}

// intersection has the members of two sets.
func intersection(a, b []uint64) []uint64 {
	out := slices.Clone(a)
	for i := range out {
		out[i] &= b[i]
	}
	return out
}

// weigh computes what a conjunction explains.
func (s *search) weigh(x *found) {
	x.lack, x.right = shared(x.on, x.last, s.lack), shared(x.on, x.last, s.right)
	n, r := float64(x.lack), float64(x.right)
	x.score = n * (math.Log2((n+0.5)/(n+r+1)) - s.base)
	x.bits = -1
	if saved := s.weight(x.on, x.last, s.lack); saved > x.right {
		x.bits = float64(saved-s.weight(x.on, x.last, s.right))*s.each - s.t.caseBits(x.lits, float64(len(s.mending.lits)))
	}
}

// shorter leaves out literals that are not needed.
func (s *search) shorter(x found) found {
	for i := 0; i < len(x.lits) && len(x.lits) > 1; i++ {
		less := found{lits: slices.Delete(slices.Clone(x.lits), i, i+1)}
		less.on = s.t.holding(less.lits, s.rows)
		less.last = less.on
		if s.weigh(&less); less.bits > x.bits {
			x, i = less, -1
		}
	}
	return x
}

// longer appends the conjunctions that have one more literal, unless none of them can save more bits than the best one so far.
func (s *search) longer(from *found, tried map[string]bool, next []found) []found {
	if from.right == 0 && from.lack > 0 {
		return next // no row that is right is among its rows
	}
	on := intersection(from.on, from.last)
	if float64(s.weight(on, on, s.lack))*s.each-leastBits(len(from.lits)+1, float64(len(s.mending.lits))) <= s.best.bits {
		return next
	}
	for i := range s.lits {
		c := &s.lits[i]
		if slices.Contains(from.lits, c.lit) || slices.Contains(from.lits, c.lit^1) || common(on, c.on) == 0 {
			continue
		}
		x := found{lits: append(slices.Clone(from.lits), c.lit), on: on, last: c.on}
		slices.Sort(x.lits)
		k := key(x.lits)
		if tried[k] {
			continue
		}
		tried[k] = true
		if s.weigh(&x); x.lack > 0 && (x.lack != from.lack || x.right != from.right) {
			next = append(next, x)
		}
	}
	return next
}
