package bracket

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

// errTooLarge says that a pattern has too many states.
var errTooLarge = errors.New("the pattern is too large")

// choose makes patterns for all terms or conditions, within a number of leaves for all of them. What is
// not in a pattern is bounded by its range.
func (b *builder) choose(ctx context.Context, most int) (list []*pattern, rest []int, err error) {
	parts := b.terms
	if b.objective == policy.Success {
		parts = b.goals
	}
	if err := b.pair(); err != nil {
		return nil, nil, err
	}
	open := make([]int, 0, len(parts))
	for i := range parts {
		open = append(open, i)
	}
	// The parts that read the least come first: they find a pattern that has them by the way last.
	slices.SortStableFunc(open, func(x, y int) int { return len(parts[y].Reads) - len(parts[x].Reads) })
	share := most / max(1, len(parts))
	for len(open) > 0 {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		seed := open[0]
		p, err := b.grow(parts, seed, (most-leaves(list))/2, share)
		if errors.Is(err, errTooLarge) {
			rest = append(rest, seed)
			open = open[1:]
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		covered := func(i int) bool { return i == seed || b.covers(p, &parts[i]) }
		var mine []int
		for _, i := range open {
			if covered(i) {
				mine = append(mine, i)
			}
		}
		open = slices.DeleteFunc(open, covered)
		p = b.paid(p.fields, mine)
		if err = b.build(p, max(4*share, (most-leaves(list))/2)); errors.Is(err, errTooLarge) { // more terms make more classes of actions
			rest = append(rest, mine...)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if list = append(list, p); len(open) > 0 {
			share = max(share, (most-leaves(list))/len(open))
		}
	}
	list, err = b.merge(ctx, list, most)
	return list, rest, err
}

// covers reports whether a part reads nothing outside of a pattern. What an action costs in all states is best paid where the pattern tells such
// actions apart anyway: elsewhere it makes many classes of them.
func (b *builder) covers(p *pattern, part *Scope) bool {
	if len(part.Reads) > 0 {
		return len(b.hidden(part, p)) == 0
	}
	return len(p.fields) == 0 || len(part.Classes) > 0 && b.alike(part, p)
}

// merge makes one pattern of two, as long as that fits: first of those that share the most fields.
func (b *builder) merge(ctx context.Context, list []*pattern, most int) ([]*pattern, error) {
	type pair struct{ p, q *pattern }
	failed := map[pair]bool{}
	for len(list) > 1 && len(failed) < 3*len(list) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		best, x, y := -1, 0, 0
		for i, p := range list {
			for j, q := range list[:i] {
				if n := shared(p, q); n > best && !failed[pair{p, q}] {
					best, x, y = n, i, j
				}
			}
		}
		if best < 0 {
			break
		}
		p, q := list[x], list[y]
		fields := append(slices.Clone(p.fields), q.fields...)
		slices.Sort(fields)
		m := b.pattern(slices.Compact(fields), append(slices.Clone(p.terms), q.terms...), append(slices.Clone(p.goals), q.goals...))
		err := b.build(m, most/(len(list)-1))
		if errors.Is(err, errTooLarge) {
			failed[pair{p, q}] = true
			continue
		}
		if err != nil {
			return nil, err
		}
		list[y] = m
		list = slices.Delete(list, x, x+1)
	}
	return list, nil
}

// shared is how much two patterns have in common, as a share of the smaller one in thousandths.
func shared(p, q *pattern) int {
	n := 0
	for _, k := range p.fields {
		if slices.Contains(q.fields, k) {
			n++
		}
	}
	return 1000 * n / max(1, min(len(p.fields), len(q.fields)))
}

func leaves(list []*pattern) (n int) {
	for _, p := range list {
		for i := range p.moves {
			n += len(p.moves[i].leaves)
		}
	}
	return n
}

// paid is pattern with terms or conditions, whichever the objective has.
func (b *builder) paid(fields, parts []int) *pattern {
	if b.objective == policy.Success {
		return b.pattern(fields, nil, parts)
	}
	return b.pattern(fields, parts, nil)
}

// grow finds fields for a term or condition: what it reads, if that has at most least leaves, and as much of what these
// depend on as fits most.
func (b *builder) grow(parts []Scope, part, least, most int) (*pattern, error) {
	fields := slices.Clone(parts[part].Reads)
	slices.Sort(fields)
	p := b.paid(fields, []int{part})
	if err := b.build(p, least); err != nil {
		return nil, err
	}
	refused := map[int]bool{}
	for {
		next := b.wanted(p, refused)
		if next < 0 {
			return p, nil
		}
		q, err := b.with(p, next, part, most)
		if errors.Is(err, errTooLarge) {
			if refused[next] = true; len(refused) > mostRefused {
				return p, nil
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		p = q
	}
}

// with is a pattern with a field more, and with its mates if that fits. Mates that do not fit may later on, beside fields that decide
// them: without these they take any values.
func (b *builder) with(p *pattern, field, part, most int) (q *pattern, err error) {
	for _, more := range [][]int{b.mates[field], {field}} {
		if len(more) == 0 {
			continue
		}
		fields := append(slices.Clone(p.fields), more...)
		slices.Sort(fields)
		q = b.paid(slices.Compact(fields), []int{part})
		if err = b.build(q, most); !errors.Is(err, errTooLarge) {
			break
		}
	}
	return q, err
}

// mostRefused bounds the fields that are tried in vain.
const mostRefused = 6

// wanted is the field that most factors and rules of a pattern read but do not know; -1 for none.
func (b *builder) wanted(p *pattern, refused map[int]bool) int {
	count := map[int]int{}
	best := -1
	want := func(s *Scope) {
		for _, k := range b.hidden(s, p) {
			if count[k]++; !refused[k] && (best < 0 || count[k] > count[best] || count[k] == count[best] && k < best) {
				best = k
			}
		}
	}
	for _, f := range p.factors {
		want(&b.factors[f])
	}
	for _, i := range p.rules {
		want(&b.rules[i])
	}
	return best
}
