package validate

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// NoPlan checks that no plan of some steps is worth more than a limit: no sequence of actions that is the
// same whatever is seen. The limit is a probability, or a reward in the scale of the problem; nil says that no
// plan keeps the rules or, with Worst, reaches the goal. A plan cannot be worth more than a policy, so the bounds of the table, which
// must have been accepted, settle most sets of states that runs may be in; of the others all actions are tried. It returns how
// many sets were looked at, and false if a plan may be worth more.
func (c *Ceiled) NoPlan(ctx context.Context, start factored.Valuation, horizon int, limit *big.Rat) (sets int, ok bool, err error) {
	if c.Refused != "" || horizon > c.c.Horizon || limit == nil && c.c.Success && !c.c.Worst {
		return 0, false, nil
	}
	b := &blind{ceiling: c.c, ctx: ctx, lists: map[int]*choices{}, proven: map[string]*big.Rat{}}
	first, err := b.node(start)
	if err != nil {
		return 0, false, err
	}
	of := &runs{parts: []part{{node: first, left: b.Disturbances, mass: big.NewRat(1, 1)}}, gained: new(big.Rat)}
	if n := b.nodes[first]; n.broken != nil || n.ends || b.Success && n.goal {
		x := b.at(first, horizon, b.Disturbances)
		return 1, x == Never || limit != nil && b.rat(x).Cmp(limit) <= 0, nil
	}
	ok, err = b.check(of, horizon, limit)
	return b.sets, ok, err
}

// blind is the state of NoPlan.
type blind struct {
	*ceiling
	ctx    context.Context
	lists  map[int]*choices
	proven map[string]*big.Rat // of runs and steps left: the least limit that was proven beyond what they have gained
	sets   int
}

// mostSets bounds the sets of states that are looked at.
const mostSets = 1 << 22

// choices are the legal actions in a state.
type choices struct {
	names []string
	by    map[string]*branch
}

// part is a state that runs may be in.
type part struct {
	node, left int      // with so many disturbances left
	reward     int64    // so far, with Worst
	mass       *big.Rat // the probability, without Worst
}

// runs are those that a plan may lead to.
type runs struct {
	parts  []part
	gained *big.Rat // what runs that are over have won, and all rewards so far; with Worst the least of runs that are over, nil for none
}

func (b *blind) rat(x int64) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(x), new(big.Int).Lsh(big.NewInt(1), b.Unit))
}

// bounded reports whether the table alone shows that no plan is worth more than a limit.
func (b *blind) bounded(of *runs, left int, limit *big.Rat) bool {
	if b.Worst {
		if limit != nil && of.gained != nil && of.gained.Cmp(limit) <= 0 {
			return true
		}
		return slices.ContainsFunc(of.parts, func(p part) bool {
			x := b.at(p.node, left, p.left)
			return x == Never || x != unsaid && limit != nil && big.NewRat(x+p.reward, 1).Cmp(limit) <= 0
		})
	}
	sum, known := new(big.Rat).Set(of.gained), limit != nil
	for _, p := range of.parts {
		switch x := b.at(p.node, left, 0); x {
		case Never:
			return true
		case unsaid:
			known = false
		default:
			sum.Add(sum, new(big.Rat).Mul(p.mass, b.rat(x)))
		}
	}
	return known && sum.Cmp(limit) <= 0
}

// check reports whether no plan is worth more than a limit from some runs on.
func (b *blind) check(of *runs, left int, limit *big.Rat) (bool, error) {
	if b.bounded(of, left, limit) {
		return true, nil
	}
	if left == 0 || len(of.parts) == 0 {
		return false, nil
	}
	// What is still to come does not depend on what was gained, nor does it on a reward that all runs have.
	key, beyond := b.name(of, left), (*big.Rat)(nil)
	if limit != nil {
		beyond = new(big.Rat).Sub(limit, b.base(of))
	}
	if was, known := b.proven[key]; known && (was == nil || beyond != nil && was.Cmp(beyond) <= 0) {
		return true, nil
	}
	if b.sets++; b.sets > mostSets {
		return false, fmt.Errorf("%w: more than %d sets of states", ErrManyStates, mostSets)
	}
	if b.ctx.Err() != nil {
		return false, context.Cause(b.ctx)
	}
	names, err := b.candidates(of)
	if err != nil {
		return false, err
	}
	if b.Success && !b.Worst && of.gained.Cmp(limit) > 0 {
		return false, nil
	}
	for _, name := range names {
		next, legal, err := b.after(of, name)
		if err != nil {
			return false, err
		}
		if !legal {
			continue
		}
		if ok, err := b.check(next, left-1, limit); !ok || err != nil {
			return false, err
		}
	}
	b.proven[key] = beyond
	return true, nil
}

// base is the part of a limit that has been gained.
func (b *blind) base(of *runs) *big.Rat {
	if !b.Worst {
		return of.gained
	}
	return big.NewRat(of.parts[0].reward, 1)
}

// name is a map key for runs with some steps left, without what they have gained.
func (b *blind) name(of *runs, left int) string {
	k := fmt.Appendf(nil, "%d", left)
	for _, p := range of.parts {
		if b.Worst {
			k = fmt.Appendf(k, " %d,%d,%d", p.node, p.left, p.reward-of.parts[0].reward)
		} else {
			k = fmt.Appendf(k, " %d,%s", p.node, p.mass.RatString())
		}
	}
	if b.Worst && of.gained != nil {
		k = fmt.Appendf(k, " %s", new(big.Rat).Sub(of.gained, b.base(of)).RatString())
	}
	return string(k)
}

// choices lists the legal actions of a state.
func (b *blind) choices(i int) (*choices, error) {
	if l := b.lists[i]; l != nil {
		return l, nil
	}
	list, err := b.legal(b.nodes[i])
	if err != nil {
		return nil, err
	}
	l := &choices{by: map[string]*branch{}}
	for _, x := range list {
		l.names = append(l.names, x.action)
		l.by[x.action] = x
	}
	b.lists[i] = l
	return l, nil
}

// candidates lists the actions that are legal in one of the states. Where an action is not, the run has failed.
func (b *blind) candidates(of *runs) (names []string, err error) {
	seen := map[string]bool{}
	for _, p := range of.parts {
		l, err := b.choices(p.node)
		if err != nil {
			return nil, err
		}
		for _, name := range l.names {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// after is what an action leads to; false where it breaks a rule, or may.
func (b *blind) after(of *runs, name string) (*runs, bool, error) {
	next := &runs{}
	if of.gained != nil {
		next.gained = new(big.Rat).Set(of.gained)
	}
	for _, p := range of.parts {
		l, err := b.choices(p.node)
		if err != nil {
			return nil, false, err
		}
		x := l.by[name]
		if x == nil && b.Success && !b.Worst {
			continue
		}
		if x == nil {
			return nil, false, nil
		}
		for k := range x.next {
			if ok := b.outcome(next, p, x, k); !ok {
				return nil, false, nil
			}
		}
	}
	next.merge(b.Worst)
	return next, true, nil
}

// outcome adds one outcome of an action; false where it breaks a rule or misses the goal.
func (b *blind) outcome(next *runs, p part, x *branch, k int) bool {
	n := b.nodes[x.next[k]]
	if b.Worst {
		left, reward := p.left-x.events[k], p.reward+x.reward[k]
		switch {
		case left < 0:
		case n.broken != nil || b.Success && n.ends && !n.goal:
			return false
		case n.ends || b.Success && n.goal:
			if r := big.NewRat(reward, 1); next.gained == nil || r.Cmp(next.gained) < 0 {
				next.gained = r
			}
		default:
			next.parts = append(next.parts, part{node: x.next[k], left: left, reward: reward})
		}
		return true
	}
	mass := new(big.Rat).SetFrac(x.weight[k], x.total)
	mass.Mul(mass, p.mass)
	switch {
	case n.broken != nil:
		return b.Success
	case b.Success && n.goal:
		next.gained.Add(next.gained, mass)
		return true
	}
	if !b.Success {
		next.gained.Add(next.gained, new(big.Rat).Mul(mass, big.NewRat(x.reward[k], 1)))
	}
	if !n.ends {
		next.parts = append(next.parts, part{node: x.next[k], mass: mass})
	}
	return true
}

// merge puts the parts in order, each state once: with the sum of the probabilities or, for the worst case, with each number of
// disturbances left and the least reward.
func (r *runs) merge(worst bool) {
	order := make([]int, len(r.parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &r.parts[i], &r.parts[j]
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.left, b.left), cmp.Compare(a.reward, b.reward))
	})
	var kept []part
	for _, i := range order {
		p := r.parts[i]
		switch n := len(kept); {
		case n == 0 || kept[n-1].node != p.node || kept[n-1].left != p.left:
			kept = append(kept, p)
		case !worst:
			kept[n-1].mass = new(big.Rat).Add(kept[n-1].mass, p.mass)
		}
	}
	r.parts = kept
}
