package acting

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

const (
	draws          = 20  // random actions, or plans, that are looked at for one that will do
	drawnConflicts = 500 // that a plan by random rewards may take
	mostWeight     = 2   // of a bit in such rewards
)

// richer has a step drawn at random be the path, if more than a number is expected to be learned from it, and reports whether one is.
func (l *learner) richer(most float64) (found bool, err error) {
	for range draws {
		action, err := l.o.Draw(l.now)
		if err != nil {
			return false, err
		}
		now := l.g.join(l.here.state, action)
		if d := l.m.doubt(now); d > most {
			l.path, l.why, most, found = []factored.Valuation{now}, Random, d, true
		}
	}
	return found, nil
}

// rather has a step drawn at random take the place of the path, if more than twice as much is expected to be learned from it than from the
// new step of the path. Where objects share functions, plans show as much as that.
func (l *learner) rather() error {
	if l.o.Safe || l.m.shared {
		return nil
	}
	_, err := l.richer(2 * l.m.doubt(l.path[len(l.path)-1]))
	return err
}

// first takes the first step of all, where objects share functions: that of the optimistic plan, or one at random of which clearly more next
// values are open. Where nothing is known, an optimistic plan treats many objects alike, and shows little.
func (l *learner) first(root *factored.Trace) error {
	l.path, l.why = slices.Clone(root.Steps[:1]), Try
	_, err := l.richer(1.25 * l.m.doubt(root.Steps[0]))
	return err
}

// stray has the next step drawn at random, of a new episode where the last one is over.
func (l *learner) stray(ctx context.Context) error {
	if l.o.Reset && l.taken > 0 && !l.underWay() {
		if err := l.reset(ctx, nil); err != nil {
			return err
		}
	}
	if !l.here.legal || l.now.Terminal {
		return nil
	}
	return l.random(ctx)
}

// wander takes steps beside those of optimistic plans: a step at random, or where the system can be reset, half the time, an episode of a plan
// that is best by random rewards. Few actions that are drawn keep to rules and come as far.
func (l *learner) wander(ctx context.Context) error {
	var tr *factored.Trace
	if l.o.Reset && !l.o.Safe && l.o.Rand.IntN(2) == 0 {
		var err error
		if tr, err = l.drawn(ctx); err != nil {
			return err
		}
	}
	if tr == nil {
		l.strays--
		return l.stray(ctx)
	}
	if l.taken > 0 {
		if err := l.reset(ctx, nil); err != nil {
			return err
		}
	}
	l.path, l.why = slices.Clone(tr.Steps[:tr.Horizon()]), Random
	l.strays = max(0, l.strays-tr.Horizon())
	return nil
}

// random has the next step drawn at random; where none that was drawn is safe, the episode ends.
func (l *learner) random(ctx context.Context) error {
	for range draws {
		action, err := l.o.Draw(l.now)
		if err != nil {
			return err
		}
		now := l.g.join(l.here.state, action)
		var rule *factored.Constraint
		if a := l.g.arc(now); l.o.Safe && a == nil {
			if rule, err = l.unsafe(ctx, now); err != nil {
				return err
			}
		} else if l.o.Safe && a.to != nil && !a.to.legal {
			continue
		}
		if rule == nil {
			l.path, l.why = []factored.Valuation{now}, Random
			return nil
		}
	}
	if l.o.Reset {
		return l.reset(ctx, nil)
	}
	return nil
}

// drawn is a plan with the goal that is best, or good, by rewards drawn at random; nil where none was found soon.
func (l *learner) drawn(ctx context.Context) (*factored.Trace, error) {
	q := &query{question: question{from: l.start, horizon: l.o.Horizon, drawn: true}}
	if err := l.reopen(ctx, q); err != nil {
		return nil, err
	}
	limits := l.o.Limits
	limits.Conflicts = drawnConflicts
	for range draws {
		r, err := q.better(ctx, limits)
		if err != nil || r.Trace == nil {
			return nil, err
		}
		q.result = r
		if !l.m.Refute(r.Trace) && !l.refused(q) {
			return r.Trace, nil
		}
		q.tell(l.m)
	}
	return q.result.Trace, nil
}

// weights is a reward of random weights of bits of states and actions.
func (l *learner) weights() factored.Reward {
	reward := factored.Reward{Scale: 1}
	for _, b := range slices.Concat(l.g.actions, l.g.states) {
		if w := l.o.Rand.Int64N(2*mostWeight+1) - mostWeight; w != 0 {
			reward.Terms = append(reward.Terms, factored.RewardTerm{Weight: w, Lit: factored.Lit{Bit: b}})
		}
	}
	return reward
}
