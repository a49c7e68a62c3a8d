package rules

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

const (
	longest   = 20  // literals of a rule
	mostRules = 300 // of one covering
	starts    = 4   // first literals that a rule is grown from
)

// cover finds rules that hold in rows of one kind, pos, and in none of the other, neg.
type cover struct {
	lits     []literal
	pos, neg []uint64
	prior    float64 // bits that a row covered saves
	work     *int    // words that may still be looked at
}

// rule is a conjunction of literals.
type rule struct {
	lits  []int
	fresh int // rows of pos that no earlier rule covers
}

func newCover(lits []literal, pos, neg []uint64, work *int) *cover {
	p, n := float64(Members(pos)), float64(Members(neg))
	return &cover{lits, pos, neg, max(0.1, math.Log2((p+n)/max(1, p))), work}
}

// cost is the length in bits of a conjunction of literals, and of the conjunctions over inputs
// that it is the disjunction of: a rule of many of them makes a large network.
func (c *cover) cost(lits []int) float64 {
	const unit = 4
	units := 1.0
	for _, l := range lits {
		units *= float64(len(c.lits[l].cubes))
	}
	return Log2Choose(len(c.lits), len(lits)) + 2 + unit*(units-1)
}

// value is the bits that a rule saves.
func (c *cover) value(r *rule) float64 { return float64(r.fresh)*c.prior - c.cost(r.lits) }

// rules covers pos; ok is false where no rules do, where they are many, and where their
// description takes more bits than most, and when the work is used up or ctx ends.
func (c *cover) rules(ctx context.Context, most float64) (found []rule, total float64, ok bool) {
	left := slices.Clone(c.pos)
	for Members(left) > 0 {
		if len(found) == mostRules || total > most || *c.work < 0 || ctx.Err() != nil {
			return nil, 0, false
		}
		best, has := c.best(left)
		if !has {
			return nil, 0, false
		}
		found = append(found, best)
		total += c.cost(best.lits)
		for w := range left {
			left[w] &^= c.rows(best.lits, w)
		}
	}
	found = c.needed(found)
	total = 0
	for i := range found {
		total += c.cost(found[i].lits)
	}
	return found, total, true
}

// rows is word w of the rows in which a conjunction holds.
func (c *cover) rows(lits []int, w int) uint64 {
	x := ^uint64(0)
	for _, l := range lits {
		x &= c.lits[l].col[w]
	}
	return x
}

// best is the rule that saves most of those grown from several first literals.
func (c *cover) best(left []uint64) (best rule, ok bool) {
	first := c.ranked(left, starts)
	for _, l := range first {
		r, grown := c.grow(left, l)
		if grown && (!ok || c.value(&r) > c.value(&best)) {
			best, ok = r, true
		}
	}
	return best, ok
}

// gain is FOIL's information gain of restricting a rule of p0 and n0 rows to p and n.
func gain(p0, n0, p, n int) float64 {
	if p == 0 {
		return -1
	}
	return float64(p) * (math.Log2(float64(p)/float64(p+n)) - math.Log2(float64(p0)/float64(p0+n0)))
}

// ranked lists the literals of the greatest gain for an empty rule.
func (c *cover) ranked(left []uint64, most int) []int {
	type scored struct {
		lit  int
		gain float64
	}
	p0, n0 := Members(left), Members(c.neg)
	var all []scored
	for l := range c.lits {
		p, n := 0, 0
		for w, x := range c.lits[l].col {
			p += bits.OnesCount64(x & left[w])
			n += bits.OnesCount64(x & c.neg[w])
		}
		if p > 0 {
			all = append(all, scored{l, gain(p0, n0, p, n)})
		}
	}
	*c.work -= 2 * len(c.lits) * len(left)
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.gain > b.gain:
			return -1
		case a.gain < b.gain:
			return 1
		}
		return 0
	})
	var out []int
	for _, s := range all[:min(most, len(all))] {
		out = append(out, s.lit)
	}
	return out
}

// grow adds literals to a first one until no row of neg is left, and drops those that are not
// needed.
func (c *cover) grow(left []uint64, first int) (r rule, ok bool) {
	lits := []int{first}
	pos, neg := make([]uint64, len(left)), make([]uint64, len(left))
	var live []int // words with rows
	for w, x := range c.lits[first].col {
		if pos[w], neg[w] = x&left[w], x&c.neg[w]; pos[w]|neg[w] != 0 {
			live = append(live, w)
		}
	}
	for {
		p0, n0 := Members(pos), Members(neg)
		if n0 == 0 {
			break
		}
		if len(lits) == longest {
			return r, false
		}
		best, at := 0.0, -1
		for l := range c.lits {
			p, n := 0, 0
			for _, w := range live {
				x := c.lits[l].col[w]
				p += bits.OnesCount64(x & pos[w])
				n += bits.OnesCount64(x & neg[w])
			}
			if n < n0 && p > 0 {
				if g := gain(p0, n0, p, n); g > best+1e-9 {
					best, at = g, l
				}
			}
		}
		*c.work -= 2 * len(c.lits) * len(live)
		if at < 0 {
			return r, false
		}
		lits = append(lits, at)
		some := live[:0]
		for _, w := range live {
			x := c.lits[at].col[w]
			if pos[w], neg[w] = x&pos[w], x&neg[w]; pos[w]|neg[w] != 0 {
				some = append(some, w)
			}
		}
		live = some
	}
	return c.reduced(left, lits), true
}

// reduced drops literals that no row of neg needs, the one that frees most rows of pos first.
func (c *cover) reduced(left []uint64, lits []int) rule {
	fresh := func(lits []int) (n int, right bool) {
		for w := range left {
			x := c.rows(lits, w)
			if x&c.neg[w] != 0 {
				return 0, false
			}
			n += bits.OnesCount64(x & left[w])
		}
		return n, true
	}
	n, _ := fresh(lits)
	for len(lits) > 1 {
		at := -1
		for i := range lits {
			m, right := fresh(slices.Delete(slices.Clone(lits), i, i+1))
			if right && (at < 0 || m > n) {
				at, n = i, m
			}
		}
		*c.work -= len(lits) * len(lits) * len(left)
		if at < 0 {
			break
		}
		lits = slices.Delete(lits, at, at+1)
	}
	slices.Sort(lits)
	return rule{lits, n}
}

// needed drops the rules whose rows others cover, the last found first.
func (c *cover) needed(found []rule) []rule {
	counts := make([]int, 64*len(c.pos))
	each := func(r *rule, f func(row int) bool) bool {
		for w := range c.pos {
			for x := c.rows(r.lits, w) & c.pos[w]; x != 0; x &= x - 1 {
				if !f(64*w + bits.TrailingZeros64(x)) {
					return false
				}
			}
		}
		return true
	}
	for i := range found {
		each(&found[i], func(row int) bool { counts[row]++; return true })
	}
	for i := len(found) - 1; i >= 0; i-- {
		if each(&found[i], func(row int) bool { return counts[row] > 1 }) {
			each(&found[i], func(row int) bool { counts[row]--; return true })
			found = slices.Delete(found, i, i+1)
		}
	}
	return found
}

// Log2Choose is the base-2 logarithm of the binomial coefficient; 0 where that is 0.
func Log2Choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	return LogChoose(n, k) / math.Ln2
}

// LogChoose is the natural logarithm of a binomial coefficient that is not 0.
func LogChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
