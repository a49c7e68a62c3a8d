package bound

import "slices"

// listed names the moves of a group that read fixed in the places known, sorted by what they use of the
// rule key, -1 for none.
type listed struct {
	id, key      int32
	known, fixed uint64
}

// choices are moves of a group by value, and by what they use of a rule.
type choices struct {
	all   [][]int32
	byUse []map[int64][]int32
}

// choices lists moves, once.
func (r *reoptimizer) choices(l listed) *choices {
	if c := r.lists[l]; c != nil {
		return c
	}
	g := &r.f.parts[l.id]
	c := &choices{all: make([][]int32, len(g.moves))}
	for v := range g.moves {
		for n := range g.moves[v] {
			if g.moves[v][n].reads&l.known == l.fixed {
				c.all[v] = append(c.all[v], int32(n))
			}
		}
		if l.key >= 0 {
			at := map[int64][]int32{}
			for _, n := range c.all[v] {
				used := r.useOf(l.id, int32(v), n, l.key)
				at[used] = append(at[used], n)
			}
			c.byUse = append(c.byUse, at)
		}
	}
	r.work += int64(g.total / 4)
	r.lists[l] = c
	return c
}

// left is what a group's table says.
func (d *freed) left(id int32, t int, v int32) int64 { return d.reoptimizer.t.At[id][t][v] }

// useOf is what a move uses of a rule.
func (r *reoptimizer) useOf(id, v, n, rule int32) int64 {
	for _, u := range r.uses[id][v][n] {
		if u.rel == rule {
			return u.coef
		}
	}
	return 0
}

// agreed are the places of what a group reads where the plan's other groups have a say, and
// their bits.
func (d *freed) agreed(id int32, g *part) (must, bits uint64) {
	f := d.f
	for i, w := range g.reads {
		h := f.s.home[w]
		if h < 0 || f.r.clocked(w) || !d.decided(w, h, id) {
			continue
		}
		must |= 1 << i
		if d.plan.bits[d.t][w] > 0 {
			bits |= 1 << i
		}
	}
	return must, bits
}

// decided reports whether a variable that a free group reads is fixed by another: its home, or one that reads it too.
func (d *freed) decided(w, home, id int32) bool {
	if !d.isFree[home] {
		return true
	}
	return home == id && d.f.r.role[w] != now && slices.ContainsFunc(d.watchers[w], func(x int32) bool { return !d.isFree[x] })
}

// pair is a bit of moves that a group reads of another: the places there.
type pair struct{ reader, home int }

// pairs lists the bits of moves that a group reads of another, once.
func (r *reoptimizer) pairs(reader, home int32) []pair {
	key := [2]int32{reader, home}
	if p, ok := r.pairsOf[key]; ok {
		return p
	}
	f := r.f
	g, h := &f.parts[reader], &f.parts[home]
	out := []pair{}
	for k, w := range g.reads {
		if f.s.home[w] == home && !f.r.clocked(w) && f.r.role[w] != now {
			out = append(out, pair{k, slices.Index(h.reads, w)})
		}
	}
	r.pairsOf[key] = out
	return out
}
