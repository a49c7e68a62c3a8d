package acting

import (
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// decide chooses the next action; nil if the run is over.
func (l *learner) decide(ctx context.Context) (factored.Valuation, error) {
	for {
		if action := l.follow(); action != nil {
			return action, nil
		}
		root, err := l.ask(ctx, l.start, nil, l.o.Horizon)
		if err != nil {
			return nil, err
		}
		if root.Trace == nil {
			if l.impossible() {
				return nil, nil
			}
			continue
		}
		best := l.known()
		l.out.Bound = &root.Reward
		if best != nil && best.reward >= root.Reward {
			l.out.Status = engine.Optimal
			return nil, nil
		}
		if l.o.Reset {
			err = l.withReset(ctx, root.Trace)
		} else {
			err = l.withoutReset(ctx, root.Trace)
		}
		if err != nil || l.out.Reason != "" {
			return nil, err
		}
	}
}

// follow takes the next step of the path, if the system is where it is expected.
func (l *learner) follow() factored.Valuation {
	if len(l.path) == 0 {
		return nil
	}
	next := l.path[0]
	if keyOf(next, l.g.states) != l.here.key {
		l.path = nil
		return nil
	}
	l.path = l.path[1:]
	return next
}

// impossible concludes that no plan exists, if next values depend on no more variables than one more than the
// rows need: few rows fit too few variables often.
func (l *learner) impossible() bool {
	need := 0
	for _, f := range l.m.functions {
		need = max(need, f.Least(len(l.m.Variables)))
	}
	if l.m.K >= min(max(need, l.o.K)+1, len(l.m.Variables)) {
		l.out.Status = engine.Infeasible
		return true
	}
	l.m.Widen(l.m.K + 1)
	l.widened()
	return false
}

// fresh is the part of a plan up to its first step that was never taken, and whether there is one.
func (l *learner) fresh(tr *factored.Trace) ([]factored.Valuation, bool) {
	for t := range tr.Horizon() {
		if l.g.arc(tr.Steps[t]) == nil {
			return tr.Steps[:t+1], true
		}
	}
	return nil, false
}

// withReset goes on with the episode where something can be learned on its way, and finishes it at random where
// nothing can.
func (l *learner) withReset(ctx context.Context, root *factored.Trace) error {
	if l.taken > 0 && l.taken < l.o.Horizon && l.here.legal && !l.now.Terminal {
		if p := l.layers[l.taken][l.here]; p != nil {
			path, err := l.relevant(ctx, p, l.taken)
			if err != nil || path != nil {
				l.path, l.why = path, Try
				return err
			}
		}
		return l.random()
	}
	if l.taken > 0 {
		if err := l.reset(ctx); err != nil {
			return err
		}
	}
	path, ok := l.fresh(root)
	if !ok {
		return fmt.Errorf("%w: no step of the optimistic plan is new", ErrSystem)
	}
	l.path, l.why = slices.Clone(path), Try
	return nil
}

// random has the next step drawn at random.
func (l *learner) random() error {
	action, err := l.o.Draw(l.now)
	if err == nil {
		l.path, l.why = []factored.Valuation{l.g.join(l.here.state, action)}, Random
	}
	return err
}

// relevant is the part of the best optimistic plan from a place at a step, from 0, up to what was never tried; nil
// where it is no better than what was seen to hold.
func (l *learner) relevant(ctx context.Context, p *place, t int) ([]factored.Valuation, error) {
	key := fmt.Sprint(t, " ", p.reward, " ", p.at.key)
	if l.dull[key] || t == l.o.Horizon {
		return nil, nil
	}
	r, err := l.ask(ctx, p.at, nil, l.o.Horizon-t)
	if err != nil {
		return nil, err
	}
	if r.Trace == nil || l.out.Reward != nil && p.reward+r.Reward <= *l.out.Reward {
		l.dull[key] = true
		return nil, nil
	}
	path, _ := l.fresh(r.Trace)
	return slices.Clone(path), nil
}

// withoutReset walks to the nearest place where an optimistic plan that begins at the start tries something
// new.
func (l *learner) withoutReset(ctx context.Context, root *factored.Trace) error {
	type visit struct {
		n    *node
		path []factored.Valuation
	}
	queue := []visit{{l.here, nil}}
	seen := map[*node]bool{l.here: true}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for t, layer := range l.layers {
			p := layer[v.n]
			if p == nil {
				continue
			}
			path, err := l.relevant(ctx, p, t)
			if err != nil {
				return err
			}
			if path != nil {
				l.path, l.why = slices.Concat(v.path, path), Walk
				if len(v.path) == 0 {
					l.why = Try
				}
				return nil
			}
		}
		for _, a := range v.n.arcs {
			if a.to != nil && !seen[a.to] {
				seen[a.to] = true
				queue = append(queue, visit{a.to, append(slices.Clone(v.path), a.action)})
			}
		}
	}
	return l.walk(ctx, root)
}

// walk goes towards the first new step of a plan by a shortest optimistic walk, where known steps do not lead there.
func (l *learner) walk(ctx context.Context, root *factored.Trace) error {
	path, _ := l.fresh(root)
	to := l.g.at(path[len(path)-1])
	for h := 1; h <= len(l.g.nodes)+l.o.Horizon; h++ {
		r, err := l.ask(ctx, l.here, to, h)
		if err != nil {
			return err
		}
		if r.Trace == nil {
			continue
		}
		if path, ok := l.fresh(r.Trace); ok {
			l.path, l.why = slices.Clone(path), Walk
			return nil
		}
	}
	l.out.Reason = "no place where something could be learned can be reached from here without a reset"
	return nil
}
