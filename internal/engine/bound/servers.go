package bound

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/model"
)

// A server is a variable, or several that read each other, that holds a set of others: a lift with its riders, a ward with
// its beds. Where it stands says when they come and go, and a rule says how many there are. Split up, each of the
// others would have a group with its own copy of the server's bits, and the rule would be priced: little of it is left in the bound.
// As one group, the place and all sets that the rule allows, only that somebody comes is shared.

// The sizes up to which a server and what it holds are one group, and the rounds of prices that say whether it pays.
const (
	leastHeld    = 3
	linkUnits    = 16
	serverReads  = 60
	serverMoves  = 20_000
	serversMoves = 150_000 // of all groups together
	listedMoves  = 400_000 // before what groups read of each other is put into classes
	triedRounds  = 150
	noticeable   = 100 // the part of a step by which another way must be better
)

// withServers gives the factors with servers as groups, where there are any and the bound after some rounds of prices
// is better; else f.
func (f *Factors) withServers(ctx context.Context) *Factors {
	union, whole := f.s.servers()
	if union == nil {
		return f
	}
	g := f.regroup(ctx, whole, f.s.asks, serverReads)
	if g == nil {
		g = f.regroup(ctx, union, f.s.asks, serverReads)
	}
	return f.better(ctx, g)
}

// better is that of two ways to cut a problem whose bound is better after some rounds of prices; f where there is no other.
func (f *Factors) better(ctx context.Context, g *Factors) *Factors {
	if g == nil || g.constant != f.constant || g.step != f.step {
		return f
	}
	for _, x := range []*Factors{f, g} {
		if x.tried == nil {
			x.tried = x.newOptimizer(scale)
			f.r.spend(triedRounds * x.tried.roundNodes())
			x.tried.improve(ctx, triedRounds, infinite)
		}
	}
	if g.tried.bound-f.tried.bound > f.step*scale/noticeable && ctx.Err() == nil {
		return g
	}
	return f
}

// regroup cuts the problem into the groups of union; nil where they are too large.
func (f *Factors) regroup(ctx context.Context, union []int, asks []assertion, reads int) *Factors {
	s := groupUp(f.r, f.s.d, asks, union, reads)
	if s == nil {
		return nil
	}
	s.hideOwn()
	s.addExclusive()
	l := &lister{s: s, first: f.r.first.NewState(), last: f.r.final.NewState()}
	s, groups, constant, err := l.listAll(ctx, s, serverMoves, listedMoves)
	if err != nil {
		return nil
	}
	total := 0
	for _, x := range groups {
		total += x.total
	}
	if total > serversMoves {
		return nil
	}
	g, err := newFactors(f.r, s, groups, constant)
	if err != nil {
		return nil
	}
	return g
}

// hideOwn hides what only one group reads and follows from what else it has, so that its moves are not told apart by it.
func (s *structure) hideOwn() {
	used := make([]int, s.r.numVars+1)
	for _, g := range s.groups {
		for _, v := range g.reads {
			used[v]++
		}
	}
	for i := range s.rules {
		for _, t := range s.rules[i].Terms {
			used[t.Lit.Var()] = 2
		}
	}
	for id, g := range s.groups {
		var reads []int32
		for _, v := range g.reads {
			if s.r.role[v] == internal && s.home[v] == int32(id) && used[v] == 1 && s.d.rows[v] != nil {
				g.hides, s.home[v] = append(g.hides, v), -1
			} else {
				reads = append(reads, v)
			}
		}
		g.reads = reads
		// What an assertion that was taken apart hides may be the group's after all.
		g.hides = slices.DeleteFunc(g.hides, func(v int32) bool { return slices.Contains(g.own, v) || slices.Contains(g.reads, v) })
	}
}

// servers puts the variables together that a server holds, and with them the server; nil where there is none. In whole, what was one
// group with a part of it is so, too.
func (s *structure) servers() (union, whole []int) {
	n := len(s.union)
	single := integer.Below[int](n)
	alone := groupUp(s.r, s.d, s.asks, single, s.reads)
	if alone == nil {
		return nil, nil
	}
	found := false
	union = slices.Clone(single)
	var linked map[[2]int]bool
	var parts [][]int
	for i := range alone.rules {
		held := alone.holds(&alone.rules[i])
		if len(held) < leastHeld || slices.ContainsFunc(held, func(u int) bool { return union[u] != u }) {
			continue
		}
		if linked == nil {
			linked, parts = alone.linked(), alone.strongComponents()
		}
		for _, part := range parts {
			if slices.ContainsFunc(part, func(u int) bool { return union[u] != u || slices.Contains(held, u) }) || !linksAll(linked, part, held) {
				continue
			}
			for _, u := range slices.Concat(part[1:], held) {
				union[u] = part[0]
			}
			found = true
			break
		}
	}
	if !found {
		return nil, nil
	}
	s.r.findExclusive(alone.pairs(linked))
	return s.asBefore(union)
}

// asBefore leaves what is no server's as it was: in the first union units apart from those of servers, in the second together with
// the server that they have a unit in common with.
func (s *structure) asBefore(servers []int) (union, whole []int) {
	union, whole = servers, slices.Clone(servers)
	inside := make([]bool, len(union))
	for u, v := range union {
		if u != v {
			inside[u], inside[v] = true, true
		}
	}
	server := make([]int, len(union)) // by root: the server that a part of it is in, plus one
	for u, v := range union {
		if inside[u] && server[s.root(u)] == 0 {
			server[s.root(u)] = v + 1
		}
	}
	for u, v := range s.union {
		if inside[u] {
			continue
		}
		if whole[u] = s.root(u); server[whole[u]] > 0 {
			whole[u] = server[whole[u]] - 1
		}
		if !inside[v] {
			union[u] = v
		}
	}
	return union, whole
}

// root is the unit that stands for the group of a unit.
func (s *structure) root(u int) int {
	for s.union[u] != u {
		u = s.union[u]
	}
	return u
}

// holds lists the units whose state a rule limits together.
func (s *structure) holds(rule *model.Sum) (units []int) {
	for _, t := range rule.Terms {
		if v := t.Lit.Var(); s.r.role[v] == now && !s.r.clocked(v) {
			units = insertUnit(units, int(s.r.unit(v)))
		}
	}
	return units
}

func insertUnit(units []int, u int) []int {
	if at, ok := slices.BinarySearch(units, u); !ok {
		units = slices.Insert(units, at, u)
	}
	return units
}

// linked says which units are mentioned together: by a constraint, not over many, on the state of one or an action that it
// reads.
func (s *structure) linked() map[[2]int]bool {
	out := map[[2]int]bool{}
	readers := make([][]int, s.r.numVars+1)
	for _, g := range s.groups {
		for _, v := range g.reads {
			if s.r.role[v] == action {
				for _, u := range g.units {
					readers[v] = insertUnit(readers[v], u)
				}
			}
		}
	}
	for i := range s.asks {
		var units []int
		for _, v := range s.asks[i].reads {
			switch s.r.role[v] {
			case now, after:
				if !s.r.clocked(v) {
					units = insertUnit(units, int(s.r.unit(v)))
				}
			case action:
				for _, u := range readers[v] {
					units = insertUnit(units, u)
				}
			}
		}
		if len(units) > linkUnits {
			continue
		}
		for _, u := range units {
			for _, v := range units {
				out[[2]int{u, v}] = true
			}
		}
	}
	return out
}

// pairs lists the pairs of state bits of units that are linked, if these are not too many.
func (s *structure) pairs(linked map[[2]int]bool) (out [][2]int32) {
	var bits []int32
	for v := range s.r.numVars {
		if s.r.role[v] == now && s.home[v] >= 0 {
			bits = append(bits, v)
		}
	}
	for i, v := range bits {
		for _, w := range bits[:i] {
			if linked[[2]int{int(s.r.unit(w)), int(s.r.unit(v))}] {
				if out = append(out, [2]int32{w, v}); len(out) > maxExclusive {
					return nil
				}
			}
		}
	}
	return out
}

// linksAll reports whether some unit of a part is linked with each of the held ones.
func linksAll(linked map[[2]int]bool, part, held []int) bool {
	for _, h := range held {
		if !slices.ContainsFunc(part, func(u int) bool { return linked[[2]int{u, h}] }) {
			return false
		}
	}
	return true
}
