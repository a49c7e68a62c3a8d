package policy

import (
	"context"
	"slices"
)

// Guarded is a process in which nothing is expected of some actions: the state stays and the reward is Least.
type Guarded struct {
	Process
	// Known reports whether an action is as in Process; next has the packed states that it can lead to, one after another.
	Known func(state []uint64, action uint32, next []uint64) (bool, error)
	Least float64
	inner Expansion
}

// Expand implements Process.
func (g *Guarded) Expand(state []uint64, x *Expansion) error {
	g.inner.clear(x.words)
	g.inner.within = x.within
	if err := g.Process.Expand(state, &g.inner); err != nil {
		return err
	}
	for k, id := range g.inner.actions {
		x.Action(id)
		list, first := g.inner.of(k)
		known, err := g.Known(state, id, g.inner.states[first*x.words:(first+len(list))*x.words])
		if err != nil {
			return err
		}
		if !known {
			if err := x.Outcome(1, g.Least, 0, state); err != nil {
				return err
			}
			continue
		}
		for j, o := range list {
			at := (first + j) * x.words
			if err := x.Outcome(o.p, o.reward, int(o.disturbances), g.inner.states[at:at+x.words]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Guard returns the policy of a solution of a guarded process where it counts on what is known, and that of s, the solution of the process itself, elsewhere. Its value is
// that in the process itself.
func (s *Solution) Guard(ctx context.Context, by *Solution, p *Guarded) (*Solution, error) {
	g := &Solution{Horizon: s.Horizon, States: s.States, Pairs: s.Pairs, Updates: s.Updates + by.Updates, t: s.t, o: s.o, n: s.n, first: make([]int64, 1, len(s.first))}
	for i := range s.t.states() {
		at, found := by.t.keys.Find(s.t.key(i))
		last, asked, known := none, none, false
		for left := 1; left <= s.Horizon; left++ {
			c := s.choice(i, left)
			if found {
				if b := by.choice(at, left); b != none { // both list the same actions
					if b != asked {
						var err error
						if known, err = p.Known(s.t.key(i), s.t.actions[s.t.firstAction[i]+int64(b)], s.t.successors(i, b)); err != nil {
							return nil, err
						}
						asked = b
					}
					if known {
						c = b
					}
				}
			}
			if c != last && c != none {
				g.changes, last = append(g.changes, change{uint32(i), uint16(left), uint16(c)}), c
			}
		}
		g.first = append(g.first, int64(len(g.changes)))
	}
	var err error
	g.Value, err = g.Worth(ctx, s)
	return g, err
}

// successors are the packed states that a choice can lead to, one after another.
func (t *table) successors(state, choice int) (packed []uint64) {
	_, next := t.outcomes(state, choice)
	for _, j := range next {
		packed = append(packed, t.key(int(j))...)
	}
	return packed
}

// Worth is the value of a policy, not one for the worst case, in the process of another solution with the same horizon, whose states and legal
// actions are among its own.
func (s *Solution) Worth(ctx context.Context, in *Solution) (float64, error) {
	t := in.t
	place := make([]int, t.states()) // in s, by state of in
	before := make([]float64, t.states())
	for i := range place {
		place[i], _ = s.t.keys.Find(t.key(i))
		before[i] = in.o.atEnd(t.kinds[i])
	}
	values := slices.Clone(before)
	for left := 1; left <= s.Horizon; left++ {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		for i := range t.levels[s.Horizon-left] {
			if c := s.choice(place[i], left); c != none {
				values[i] = t.worth(i, c, before)
			}
		}
		values, before = before, values
	}
	return before[0], nil
}

// worth is the value of a choice in a state from those with one step less left.
func (t *table) worth(state, choice int, before []float64) float64 {
	d, next := t.outcomes(state, choice)
	v := d.more + t.amounts[t.rewards[t.firstAction[state]+int64(choice)]]
	for j, q := range t.p[d.first : d.first+d.n] {
		v += q * before[next[j]]
	}
	return v
}

// outcomes are those of a choice among the actions of a state: their distribution, and the states that they lead to.
func (t *table) outcomes(state, choice int) (d *distribution, next []uint32) {
	k, a := t.firstNext[state], t.firstAction[state]
	for b := a; b < a+int64(choice); b++ {
		k += int64(t.dist[t.distributions[b]].n)
	}
	d = &t.dist[t.distributions[a+int64(choice)]]
	return d, t.next[k : k+int64(d.n)]
}
