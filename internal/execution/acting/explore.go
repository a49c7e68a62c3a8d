package acting

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Extent is what is within reach by steps that the rules allow.
type Extent struct {
	States int `json:"states"`
	Steps  int `json:"steps"` // from these states, but for those that were refused
	// From are the states that episodes may begin in, the start first.
	From []factored.Valuation `json:"-"`
}

// explore goes to the nearest step of which some next value is not known. Where there is none, the model is known.
func (l *learner) explore(ctx context.Context) error {
	var from []*node
	if l.here.legal && !l.here.ends || !l.o.Reset {
		from = append(from, l.here)
	}
	if l.o.Reset {
		from = append(from, l.sources()...)
	}
	v, _, err := l.nearest(ctx, from)
	if errors.Is(err, errHard) {
		l.effort += 1 + l.effort/4
		return l.stray(ctx)
	}
	if err != nil {
		return err
	}
	if v != nil {
		return l.embark(ctx, v, Explore)
	}
	v, extent, err := l.nearest(ctx, l.sources())
	if err != nil {
		return err
	}
	if v != nil {
		return l.confined(ctx, "no place where something could be learned can be reached from here without a reset")
	}
	if l.o.Safe {
		any, err := l.relent(ctx)
		if any || err != nil {
			return err
		}
		if len(l.out.Unsafe) > 0 {
			l.out.Reason = "no step that could show more of the model is safe, as far as is known"
			return nil
		}
	}
	for _, n := range l.sources() {
		extent.From = append(extent.From, n.state)
	}
	l.out.Extent = extent
	return nil
}

// sources are the states that episodes may begin in.
func (l *learner) sources() []*node {
	from := append([]*node{l.start}, l.starts...)
	if l.o.Anywhere && l.starts == nil {
		for _, a := range l.g.arcs {
			if from = append(from, l.g.at(a.action)); a.to != nil {
				from = append(from, a.to)
			}
		}
	}
	return slices.DeleteFunc(from, func(n *node) bool { return !n.legal })
}

// nearest is the shortest walk, by steps that were taken or are foreseen, to a step of which some next value is not
// known; nil where there is none, with all that is within reach.
func (l *learner) nearest(ctx context.Context, from []*node) (*visit, *Extent, error) {
	all := &Extent{}
	for walks := range l.outward(from...) {
		for _, v := range walks {
			if !v.at.legal || v.at.ends {
				continue
			}
			r, err := l.ask(ctx, question{from: v.at, horizon: 1, fresh: true, open: true, safe: l.o.Safe})
			if err != nil {
				return nil, nil, err
			}
			if r.Trace != nil {
				v.action = r.Trace.Steps[0]
				return v, nil, nil
			}
			all.States++
			actions := map[string]bool{}
			for _, a := range slices.Concat(v.at.arcs, v.at.foreseen) {
				if a.to != nil && a.to.legal {
					actions[a.action.Key(l.g.actions)] = true
				}
			}
			all.Steps += len(actions)
		}
	}
	return nil, all, nil
}

// foresee notes where the first step of a plan leads, with clauses for all of it, and reports whether all of it is known.
func (l *learner) foresee(q *query) bool {
	now := q.result.Trace.Steps[0]
	if len(l.m.next(now)) < len(l.m.Outputs) {
		return false
	}
	l.m.settle(now)
	q.from.foreseen = append(q.from.foreseen, &arc{action: now, to: l.g.at(q.result.Trace.Steps[1])})
	return true
}

// settle adds clauses for the next values that all functions have in a state with an action, where none says them.
func (m *Model) settle(now factored.Valuation) {
	for _, s := range m.spots(now) {
		said := slices.ContainsFunc(m.Clauses, func(c Clause) bool { return c.Output == s.f.outputs[s.i] && m.applies(&c, now) })
		if v := m.value(s.o, s.f, s.at); v != 2 && !said {
			m.add(s.f, s.i, s.at, v == 1, now)
		}
	}
}

// applies reports whether the variables of a clause have its values.
func (m *Model) applies(c *Clause, now factored.Valuation) bool {
	for i, v := range c.Variables {
		if m.Variables[v].pattern(now) != c.Is[i] {
			return false
		}
	}
	return true
}
