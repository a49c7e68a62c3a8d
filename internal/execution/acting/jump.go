package acting

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// underWay reports whether an episode has begun and can go on.
func (l *learner) underWay() bool {
	return l.taken > 0 && l.taken < l.o.Horizon && l.here.legal && !l.now.Terminal
}

// ahead is how the episode that began at the start goes on to something new that may be of a better plan; nil where it does not.
func (l *learner) ahead(ctx context.Context) ([]factored.Valuation, error) {
	if l.astray || !l.underWay() {
		return nil, nil
	}
	if p := l.layers[l.taken][l.here]; p != nil {
		return l.relevant(ctx, p, l.taken)
	}
	return nil, nil
}

// jump goes to the first new step of a plan, the last of the path; where the system can be put into any state, on with the episode or to the step from
// which more than twice as much is expected to be learned, also in a state that was never seen. A plan of which nothing is open is run as
// a whole.
func (l *learner) jump(ctx context.Context, root *factored.Trace, path []factored.Valuation) error {
	step := path[len(path)-1]
	if l.starts == nil && !l.o.Safe {
		ahead, err := l.ahead(ctx)
		if err != nil {
			return err
		}
		most := 0.0
		if ahead != nil {
			most = l.m.doubt(ahead[len(ahead)-1])
			step = nil
		}
		for _, now := range root.Steps[len(path)-1 : root.Horizon()] {
			if d := l.m.doubt(now); d > 2*most && l.g.arc(now) == nil {
				step, most = now, d
			}
		}
		if most == 0 && l.m.Reward == nil { // nothing is left to learn from it but whether it holds
			if err := l.reset(ctx, nil); err != nil {
				return err
			}
			l.path, l.why = slices.Clone(root.Steps[:root.Horizon()]), Confirm
			return nil
		}
		if step == nil {
			l.path, l.why = ahead, Try
			return nil
		}
	}
	_, err := l.approach(ctx, step, Try)
	return err
}
