package synthesis

import (
	"context"
	"math/bits"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/integer"
)

// grower grows units for a target.
type grower struct {
	t    *target
	out  *columns // the cells that must stay out
	work *int64   // words looked at, the measure of effort

	fails, sures, fail, sure tally
	alive                    []uint64
}

func newGrower(t *target, work *int64) *grower {
	g := &grower{t: t, out: newColumns(len(t.inputs), t.out), work: work}
	g.alive = make([]uint64, g.out.words)
	return g
}

// grown is a unit in the target's own inputs.
type grown struct {
	literals
	threshold int
	fresh     int // cells of the wanted ones that it covers
}

// better compares units by the wanted cells that they cover for their size, and
// then by these cells.
func (a *grown) better(b *grown) bool {
	x, y := a.fresh*(b.count()+2), b.fresh*(a.count()+2)
	if x != y {
		return x > y
	}
	return a.fresh > b.fresh
}

// grow climbs from start to a unit that covers as many as it can of the wanted
// cells, given by their numbers, with few literals.
func (g *grower) grow(wanted []int32, start literals) grown {
	if len(g.t.out) == 0 {
		return grown{fresh: len(wanted)}
	}
	cells := make([]cell, len(wanted))
	for i, k := range wanted {
		cells[i] = g.t.cover[k]
	}
	want := newColumns(len(g.t.inputs), cells)
	best := grown{literals: start}
	for first := true; ; first = false {
		next := g.step(want, best.literals, first)
		if !first && !next.better(&best) {
			return best
		}
		best = next
	}
}

// step is the best of the sets of literals that differ from l in one input; with
// same, l itself is one of them.
func (g *grower) step(want *columns, l literals, same bool) grown {
	n, inputs := l.count(), len(g.t.inputs)
	g.fails.room(g.out.words, n+1)
	g.sures.room(want.words, n+1)
	for i := range inputs {
		switch {
		case l.pos>>i&1 == 1:
			g.fails.add(g.out.zero[i])
			g.sures.add(want.one[i])
		case l.neg>>i&1 == 1:
			g.fails.add(g.out.one[i])
			g.sures.add(want.zero[i])
		}
	}
	g.fail.room(g.out.words, n+1)
	g.sure.room(want.words, n+1)
	*g.work += int64(inputs * (g.out.words*g.fails.planes + want.words*g.sures.planes))
	var best grown
	take := func(v grown) {
		if v.fresh > 0 && v.better(&best) {
			best = v
		}
	}
	for i := range inputs {
		bit := uint64(1) << i
		rest, without := l, n
		rest.pos, rest.neg = l.pos&^bit, l.neg&^bit
		switch {
		case l.pos&bit != 0:
			g.fail.less(&g.fails, g.out.zero[i])
			g.sure.less(&g.sures, want.one[i])
			without--
		case l.neg&bit != 0:
			g.fail.less(&g.fails, g.out.one[i])
			g.sure.less(&g.sures, want.zero[i])
			without--
		default:
			g.fail.less(&g.fails, nil)
			g.sure.less(&g.sures, nil)
		}
		m := g.fail.least(g.out, g.alive)
		if without < n || same {
			take(g.value(want, rest, without, m, nil))
		}
		if l.pos&bit == 0 || same {
			p := rest
			p.pos |= bit
			take(g.value(want, p, without+1, m+spared(g.alive, g.out.zero[i]), want.one[i]))
		}
		if l.neg&bit == 0 || same {
			p := rest
			p.neg |= bit
			take(g.value(want, p, without+1, m+spared(g.alive, g.out.one[i]), want.zero[i]))
		}
	}
	return best
}

// spared is 1 where every cell of least count fails the new literal too, so that
// the least count rises, and 0 otherwise.
func spared(alive, fails []uint64) int {
	for w, x := range alive {
		if x&^fails[w] != 0 {
			return 0
		}
	}
	return 1
}

// value measures n literals of which at least fails fail in each cell that must
// stay out; col is where the literal that g.sure lacks holds, nil where it lacks
// none.
func (g *grower) value(want *columns, l literals, n, fails int, col []uint64) grown {
	v := grown{literals: l, threshold: max(0, n-fails+1)}
	for w := range want.words {
		x := g.sure.reach(w, v.threshold)
		if col != nil {
			x |= g.sure.reach(w, v.threshold-1) & col[w]
		}
		v.fresh += bits.OnesCount64(x & want.valid(w))
	}
	return v
}

// all is the numbers 0..n-1.
func all(n int) []int32 {
	out := integer.Below[int32](n)
	return out
}

// cover covers the whole target with units, the largest of a few first. It gives
// nil when ctx ends.
func (g *grower) cover(ctx context.Context, rng *rand.Rand) []grown {
	const tries = 6
	wanted := all(len(g.t.cover))
	var units []grown
	for len(wanted) > 0 {
		if ctx.Err() != nil {
			return nil
		}
		var best grown
		for k := range tries {
			seed := wanted[0]
			if k > 0 {
				seed = wanted[rng.IntN(len(wanted))]
			}
			c := g.t.cover[seed]
			if u := g.grow(wanted, literals{c.one, c.zero}); k == 0 || u.better(&best) {
				best = u
			}
			if len(wanted) == 1 {
				break
			}
		}
		units = append(units, best)
		wanted = g.left(wanted, &best)
	}
	return g.irredundant(units)
}

// left drops the wanted cells that u covers.
func (g *grower) left(wanted []int32, u *grown) []int32 {
	var rest []int32
	for _, k := range wanted {
		if u.sure(g.t.cover[k]) < u.threshold {
			rest = append(rest, k)
		}
	}
	return rest
}

// irredundant drops the units whose cells the others cover, the largest in
// literals first.
func (g *grower) irredundant(units []grown) []grown {
	counts := make([]int, len(g.t.cover))
	each := func(u *grown, f func(k int) bool) bool {
		for k, c := range g.t.cover {
			if u.sure(c) >= u.threshold && !f(k) {
				return false
			}
		}
		return true
	}
	for i := range units {
		each(&units[i], func(k int) bool { counts[k]++; return true })
	}
	for i := 0; i < len(units); i++ {
		if u := &units[i]; each(u, func(k int) bool { return counts[k] > 1 }) {
			each(u, func(k int) bool { counts[k]--; return true })
			units = append(units[:i], units[i+1:]...)
			i--
		}
	}
	return units
}

// cost is what units take as a disjunction: their literals, themselves and the
// edges to the output.
func cost(units []grown) int {
	n := 0
	for i := range units {
		n += units[i].count() + 2
	}
	return n
}
