package bound

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
)

// move is one way in which a group gets from a value to another.
type move struct {
	to   int32
	cost int64 // minus the group's share of the scaled reward
	// reads are the values of group.reads, one bit each.
	reads uint64
	sig   int32 // what that uses of relations, by part.sigs
}

// local is a group with its values and moves listed.
type local struct {
	*group
	values [][]uint64 // packed own bits; number 0 is any initial one
	starts []int32    // values that an initial state may have
	moves  [][]move   // by value
	last   []bool     // by value: a plan may end there, as far as the group knows
	total  int        // moves of all values
	// seasons are how many values the bits have that are read and known at every step: each move is of one of them.
	seasons int
}

// weights are minus the reward of each variable of the one-step model, and of amounts that are paid in the place of others, when it
// is true.
func (r *relation) weights() (w []int64, constant int64) {
	w = make([]int64, r.numVars+1)
	constant = -r.Task.Problem.Reward.Constant
	for _, t := range r.Task.Problem.Reward.Terms {
		v := r.nowVar(t.Lit.Bit)
		if t.Lit.Next {
			v += r.stride
		}
		weight := -t.Weight
		if t.Lit.Neg {
			constant += weight
			weight = -weight
		}
		switch f := r.fixed[v]; {
		case f > 0:
			constant += weight
		case f == 0:
			w[v] += weight
		}
	}
	return w, constant - r.pay(w)
}

// lister lists the values and moves of groups.
type lister struct {
	s     *structure
	most  int // moves of one group
	first *propagate.State
	last  *propagate.State
}

var errWide = fmt.Errorf("a group has too many moves")

// listing is one group while it is listed.
type listing struct {
	*lister
	g                      *group
	costs                  []int64
	out                    *local
	index                  map[string]int32
	key                    []uint64
	name                   []byte // of the key, in index
	st                     *propagate.State
	own, next, reads, paid []model.Lit
	hides                  []model.Lit
	costly                 []model.Lit   // of all these
	free                   []model.Lit   // reads that are not known at every step
	seasons                [][]model.Lit // values of the others, all that there are
	here                   map[move]int  // the places of the moves of the value at hand, by these without their costs
	tried                  int
	over                   bool // there are too many
}

// list enumerates a group's values from the initial ones on, everything outside
// free. costs says which variables it pays for.
func (l *lister) list(g *group, costs []int64) (*local, error) {
	x := &listing{
		lister: l, g: g, costs: costs, out: &local{group: g}, index: map[string]int32{}, here: map[move]int{}, key: make([]uint64, (len(g.own)+63)/64),
		own: lits(g.own), next: lits(g.next), reads: lits(g.reads), hides: lits(g.hides),
	}
	paid := func(list []model.Lit) []model.Lit {
		return slices.DeleteFunc(list, func(v model.Lit) bool { return costs[v] == 0 })
	}
	x.paid = paid(slices.Clone(x.hides))
	x.costly = paid(slices.Concat(x.own, x.next, x.reads, x.hides))
	if len(g.reads) > 64 {
		return nil, errWide
	}
	x.findSeasons()
	x.out.seasons = len(x.seasons)
	l.first.Reset()
	l.first.Each(x.own, func() bool {
		x.pack(l.first, x.own)
		x.out.starts = append(x.out.starts, x.number())
		x.over = len(x.out.values) > l.most || l.s.r.stop()
		return !x.over
	})
	x.st = l.s.r.system(g.rows).NewState()
	x.st.SetInterrupt(l.s.r.stop)
	for v := 0; v < len(x.out.values) && !x.over; v++ {
		x.out.moves = append(x.out.moves, nil)
		x.expand(v)
	}
	if x.over {
		return nil, errWide
	}
	for _, value := range x.out.values {
		l.last.Reset()
		x.out.last = append(x.out.last, l.last.Consistent() && step.Assign(l.last, x.own, value))
	}
	return x.out, nil
}

// number returns the number of the value in x.key, a new one if it was not there.
func (x *listing) number() int32 {
	x.name = x.name[:0]
	for _, w := range x.key {
		x.name = binary.LittleEndian.AppendUint64(x.name, w)
	}
	id, ok := x.index[string(x.name)]
	if !ok {
		id = int32(len(x.out.values))
		x.index[string(x.name)] = id
		x.out.values = append(x.out.values, slices.Clone(x.key))
	}
	return id
}

// pack writes the values of vars into x.key.
func (x *listing) pack(st *propagate.State, vars []model.Lit) {
	clear(x.key)
	for i, v := range vars {
		if st.Value(v) > 0 {
			x.key[i/64] |= 1 << (i % 64)
		}
	}
}

// workPerLeaf is what a move that is tried counts for in the units of engine.Limits.Spend: it takes some two microseconds.
const workPerLeaf = 6

// expand lists the moves from a value.
func (x *listing) expand(v int) {
	st := x.st
	if !st.Consistent() {
		return
	}
	clear(x.here)
	for _, season := range x.seasons {
		st.Reset()
		if !step.Assign(st, x.own, x.out.values[v]) || slices.ContainsFunc(season, func(b model.Lit) bool { return !st.Assign(b) }) {
			continue
		}
		st.Each(x.free, func() bool {
			return st.Each(x.next, func() bool {
				x.s.r.spend(workPerLeaf)
				if x.tried++; x.tried > 4*x.most {
					x.over = true
					return false
				}
				if cost, ok := x.cheapest(); ok {
					x.add(v, cost)
				}
				x.over = x.over || x.out.total > x.most || len(x.out.values) > x.most || x.s.r.stop()
				return !x.over
			})
		})
		if x.over {
			return
		}
	}
}

// findSeasons finds the values that the bits have that are known at every step.
func (x *listing) findSeasons() {
	r := x.s.r
	var clocks []int32
	for _, v := range x.g.reads {
		if r.clocked(v) {
			clocks = append(clocks, v)
		} else {
			x.free = append(x.free, model.Lit(v))
		}
	}
	x.free = x.s.enumerated(x.g, x.free)
	seen := map[string]bool{}
	for t := 1; t <= r.horizon; t++ {
		var season []model.Lit
		for _, v := range clocks {
			season = append(season, model.Lit(v)*model.Lit(r.valueAt(t, v)))
		}
		if key := fmt.Sprint(season); !seen[key] {
			seen[key] = true
			x.seasons = append(x.seasons, season)
		}
	}
}

// cheapest is the least cost over the internal variables that the assignment at
// hand leaves open; false where they cannot be assigned.
func (x *listing) cheapest() (cost int64, ok bool) {
	st := x.st
	st.Each(x.paid, func() bool {
		if st.Satisfiable(x.hides) {
			var c int64
			for _, v := range x.costly {
				if st.Value(v) > 0 {
					c += x.costs[v]
				}
			}
			if !ok || c < cost {
				ok, cost = true, c
			}
		}
		return true
	})
	return cost, ok
}

// add notes the move of the assignment at hand.
func (x *listing) add(v int, cost int64) {
	var m move
	for i, r := range x.reads {
		if x.st.Value(r) > 0 {
			m.reads |= 1 << i
		}
	}
	x.pack(x.st, x.next)
	m.to = x.number()
	if i, ok := x.here[m]; ok { // it differs in what the group hides
		x.out.moves[v][i].cost = min(x.out.moves[v][i].cost, cost)
		return
	}
	x.here[m] = len(x.out.moves[v])
	m.cost = cost
	x.out.moves[v] = append(x.out.moves[v], m)
	x.out.total++
}

func lits(vars []int32) []model.Lit {
	out := make([]model.Lit, len(vars))
	for i, v := range vars {
		out[i] = model.Lit(v)
	}
	return out
}

// shares deals out the reward: each group pays for its own state bits, for the
// actions and shared variables that it is the home of, and the first group that
// hides an internal variable for that one.
func (s *structure) shares() (costs [][]int64, constant int64) {
	all, constant := s.r.weights()
	costs = make([][]int64, len(s.groups))
	for id := range s.groups {
		costs[id] = make([]int64, len(all))
	}
	for v, c := range all {
		if c == 0 {
			continue
		}
		home := s.home[v]
		for id := 0; home < 0 && id < len(s.groups); id++ {
			if slices.Contains(s.groups[id].hides, int32(v)) {
				home = int32(id)
			}
		}
		if home >= 0 {
			costs[home][v] = c
		} else {
			constant += min(c, 0) // nothing else mentions it: it is what pays
		}
	}
	return costs, constant
}
