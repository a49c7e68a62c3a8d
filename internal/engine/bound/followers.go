package bound

import "slices"

// follower is a group that is not free and reads states of free ones. Its values stay what they are, but a move between them may read
// other bits: a computer that is rebooted does so whether its neighbours run or not.
type follower struct {
	id    int32
	reads []followed
	moves []map[uint64]int32 // [t-1], by the bits read: the move; -1 for none
}

// followed is a state bit of a free group that a follower reads.
type followed struct{ place, free, own int }

// statesOf lists the state bits of free groups that another group reads.
func (d *freed) statesOf(id int32) (out []followed) {
	f := d.f
	for k, w := range f.parts[id].reads {
		if h := f.s.home[w]; h >= 0 && h != id && d.isFree[h] && f.r.role[w] == now && !f.r.clocked(w) {
			out = append(out, followed{k, slices.Index(d.free, h), f.parts[h].index(w)})
		}
	}
	return out
}

// read puts state bits of the joint value at hand into what a group reads.
func (d *freed) read(states []followed, reads uint64) uint64 {
	for _, r := range states {
		bit := d.f.parts[d.free[r.free]].values[d.now[r.free]][r.own/64] >> (r.own % 64) & 1
		reads = reads&^(1<<r.place) | bit<<r.place
	}
	return reads
}

// follow gives what the followers' moves cost more than in the plan where the free groups have the values at hand.
// It is false where one has no move.
func (d *freed) follow() (more int64, ok bool) {
	for k := range d.followers {
		x := &d.followers[k]
		moves := d.f.parts[x.id].moves[d.plan.values[d.t][x.id]]
		n := d.following(x)
		if n < 0 {
			return 0, false
		}
		more += moves[n].cost - moves[d.plan.moves[d.t][x.id]].cost
	}
	return more, true
}

// following is a follower's move where the free groups have the values at hand; -1 for none.
func (d *freed) following(x *follower) int32 {
	g, v, old := &d.f.parts[x.id], d.plan.values[d.t][x.id], d.plan.moves[d.t][x.id]
	reads := d.read(x.reads, g.moves[v][old].reads)
	if reads == g.moves[v][old].reads {
		return old
	}
	if x.moves[d.t] == nil {
		x.moves[d.t] = map[uint64]int32{}
	}
	n, ok := x.moves[d.t][reads]
	if !ok {
		n = int32(slices.IndexFunc(g.moves[v], func(m move) bool { return m.reads == reads && m.to == g.moves[v][old].to }))
		if n >= 0 && !slices.Equal(d.uses[x.id][v][n], d.uses[x.id][v][old]) {
			n = -1
		}
		x.moves[d.t][reads] = n
		d.work += int64(len(g.moves[v]) / 16)
	}
	return n
}

// pinned is the least that a follower's moves between its values may cost from each step on, with prices.
func (d *freed) pinned(id int32) []int64 {
	g := &d.f.parts[id]
	out := make([]int64, d.f.horizon+1)
	for t := d.f.horizon - 1; t >= 0; t-- {
		v, to := d.plan.values[t][id], d.plan.values[t+1][id]
		out[t] = infinite
		for i := range g.moves[v] {
			if m := &g.moves[v][i]; m.to == to && m.reads&g.known[t] == g.fixed[t] {
				out[t] = min(out[t], out[t+1]+d.priced(t, g, v, m))
			}
		}
	}
	return out
}
