package backward

import (
	"fmt"
	"maps"
	"slices"
)

// reach lists, step by step, the states that need a clause, with their steps, and
// what reaching each costs at least. Of a state that is expensive to reach nothing
// is needed, and its steps are not followed.
func (w *writer) reach() error {
	w.layers[0].add("", 0)
	for t, l := range w.layers {
		for i := range l.states {
			if err := w.follow(t, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// need is what the steps from a state on must cost for the claim to hold; dead if
// the claim is that there is no plan.
func (w *writer) need(s *state) int64 {
	if w.target == dead {
		return dead
	}
	return w.target - s.cost
}

// follow lists the steps of a state that is needed.
func (w *writer) follow(t, i int) error {
	l := w.layers[t]
	s := &l.states[i]
	need := w.need(s)
	if need <= 0 {
		return nil
	}
	w.stats.States++
	if !l.assign(s.key) {
		s.closed, s.rest = true, dead
		return nil
	}
	if t > w.m.Horizon {
		s.rest = dead
		if l.st.Satisfiable(slices.Concat(l.branch, l.rest)) {
			s.rest = 0
		}
		return w.ctx.Err()
	}
	to := map[int32]int64{}
	r := tree{w: w, l: l, st: l.st, branch: l.branch}
	r.closed = func() bool {
		w.listed++
		otherwise, ok := l.below(need)
		s.capped = min(s.capped, otherwise)
		return !ok
	}
	r.leaf = func() error {
		if !l.st.Satisfiable(l.rest) {
			return w.ctx.Err()
		}
		cost := l.paid()
		next := w.layers[t+1].add(l.pack(l.next), s.cost+cost)
		if old, ok := to[next]; !ok || cost < old {
			to[next] = cost
		}
		return w.tooLarge(int64(len(to)))
	}
	if err := r.refute(); err != nil {
		return err
	}
	if len(l.rest) == 0 {
		s.paths = r.paths
	}
	for _, next := range slices.Sorted(maps.Keys(to)) {
		s.edges = append(s.edges, edge{next, to[next]})
	}
	w.stats.Edges += int64(len(s.edges))
	return w.tooLarge(0)
}

// nodesPerEdge is how many partial joint actions may be looked at for each step
// between states that is allowed.
const nodesPerEdge = 50

// tooLarge reports that there are too many steps, with so many more, or too much
// to look at.
func (w *writer) tooLarge(more int64) error {
	if w.most > 0 && (w.stats.Edges+more > w.most || w.listed > nodesPerEdge*w.most) {
		return fmt.Errorf("%w: more than %d steps between states", ErrTooLarge, w.most)
	}
	return nil
}

// exactValues is how many values a step may have before they are merged: each is
// a pair of definitions in the proof.
const exactValues = 16

// values chooses what the proof shows of each state. What is needed of a state at
// least, and what holds at most, is a range; few values meet all ranges.
func (w *writer) values() error {
	for t := w.m.Horizon + 1; t >= 0; t-- {
		l := w.layers[t]
		for i := range l.states {
			s := &l.states[i]
			need := w.need(s)
			if need <= 0 || s.closed {
				continue
			}
			if t <= w.m.Horizon {
				s.rest = s.capped
				for _, e := range s.edges {
					if rest := w.layers[t+1].states[e.to].rest; rest != dead {
						s.rest = min(s.rest, e.cost+rest)
					}
				}
			}
			if s.rest < need {
				return fmt.Errorf("%w: a plan may cost %d less", ErrClaim, need-s.rest)
			}
		}
	}
	for t, l := range w.layers {
		for i := range l.states {
			if s := &l.states[i]; t == 0 {
				s.value = w.need(s)
			} else {
				s.value = max(s.value, 0)
			}
		}
		l.merge()
		if t > w.m.Horizon {
			break
		}
		for i := range l.states {
			s := &l.states[i]
			for _, e := range s.edges {
				next := &w.layers[t+1].states[e.to]
				if s.value == dead {
					next.value = dead
				} else if s.value > 0 {
					next.value = max(next.value, s.value-e.cost)
				}
			}
		}
	}
	return nil
}

// merge raises what is needed of the states to few values, where there are many.
func (l *layer) merge() {
	distinct := map[int64]bool{}
	var open []*state
	for i := range l.states {
		if s := &l.states[i]; s.value > 0 && s.value != dead && !s.closed {
			distinct[s.value] = true
			open = append(open, s)
		}
	}
	if len(distinct) <= exactValues || l.t == 0 {
		return
	}
	// From the highest need on: a value serves every state whose range it meets.
	slices.SortFunc(open, func(a, b *state) int {
		switch {
		case a.value != b.value:
			if a.value > b.value {
				return -1
			}
			return 1
		default:
			return 0
		}
	})
	point := int64(dead)
	for _, s := range open {
		if point > s.rest || point == dead {
			point = s.value
		}
		s.value = point
	}
}
