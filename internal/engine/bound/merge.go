package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/sorting"
)

// The sizes up to which two groups that conflict are made one.
const (
	maxPairValues = 6_000
	maxPairMoves  = 150_000
	maxPairsMoves = 300_000 // of all groups together
)

// conflict is how much two groups disagree at the prices that were found.
type conflict struct {
	a, b  int32
	score float64
}

// conflicts scores the pairs of groups that share a relation with no third: by
// how much their best paths violate it, and what it is priced at.
func (o *optimizer) conflicts() []conflict {
	f := o.f
	if o.d == nil {
		o.start()
	}
	if math.IsInf(o.d.eval(o.price), 1) {
		return nil
	}
	score := map[[2]int32]float64{}
	for e := range f.rels {
		ids := f.sides(e)
		if len(ids) != 2 {
			continue
		}
		pair := [2]int32{min(ids[0], ids[1]), max(ids[0], ids[1])}
		for i := range f.horizon {
			x := o.d.excess[i*len(f.rels)+e]
			if !f.rels[e].equal {
				x = max(x, 0)
			}
			score[pair] += math.Abs(x) + math.Abs(o.price[i*len(f.rels)+e])/o.unit
		}
	}
	var out []conflict
	for pair, x := range score {
		if x > 0 {
			out = append(out, conflict{pair[0], pair[1], x})
		}
	}
	sorting.Stable(out, func(x, y conflict) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return out
}

// sides lists the groups that a relation is about.
func (f *Factors) sides(e int) []int32 {
	x := &f.rels[e]
	if x.rule < 0 {
		return []int32{x.copier, f.s.home[x.variable]}
	}
	var ids []int32
	for _, t := range f.s.rules[x.rule].Terms {
		if h := f.s.home[t.Lit.Var()]; !slices.Contains(ids, h) {
			ids = append(ids, h)
		}
	}
	return ids
}

// merge makes one group of each of the pairs that conflict most; nil where none
// can be merged.
func (o *optimizer) merge(ctx context.Context) *Factors {
	f := o.f
	union := slices.Clone(f.s.union)
	used := make([]bool, len(f.parts))
	found := false
	for _, c := range o.conflicts() {
		a, b := &f.parts[c.a], &f.parts[c.b]
		values := len(a.values) * len(b.values)
		if used[c.a] || used[c.b] || len(a.units) == 0 || len(b.units) == 0 || len(a.reads)+len(b.reads) > f.s.reads ||
			values > maxPairValues || a.total*b.total > maxPairMoves {
			continue
		}
		used[c.a], used[c.b], found = true, true, true
		root := min(a.units[0], b.units[0])
		for _, u := range slices.Concat(a.units, b.units) {
			union[u] = root
		}
	}
	if !found {
		return nil
	}
	return f.regroup(ctx, union, f.s.reads, maxPairMoves, maxPairsMoves)
}

// regroup cuts the problem into the groups of union, that read so many bits beside their own and have so many moves at most, each
// and all together; nil where there are more.
func (f *Factors) regroup(ctx context.Context, union []int, reads, one, all int) *Factors {
	s := groupUp(f.r, f.s.d, f.s.asks, union, reads)
	if s == nil {
		return nil
	}
	s.addExclusive()
	l := &lister{s: s, first: f.r.first.NewState(), last: f.r.final.NewState(), stop: func() bool { return ctx.Err() != nil }}
	s, groups, constant, err := l.listAll(ctx, s, one, all)
	if err != nil {
		return nil
	}
	g, err := newFactors(f.r, s, groups, constant)
	if err != nil {
		return nil
	}
	return g
}
