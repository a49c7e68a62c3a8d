package acting

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// decide chooses the next action; nil if the run is over.
func (l *learner) decide(ctx context.Context) (factored.Valuation, error) {
	stray := l.o.Random > 0 && l.o.Rand.Float64() < l.o.Random
	for {
		if stray && l.why != Confirm {
			l.path = nil
		}
		if action := l.follow(); action != nil {
			return action, nil
		}
		if ok, err := l.again(ctx); err != nil || ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		if l.out.Status != engine.Unknown {
			if err := l.explore(ctx); err != nil || l.ended() {
				return nil, err
			}
			continue
		}
		if l.strays > 0 {
			if err := l.wander(ctx); err != nil {
				return nil, err
			}
			continue
		}
		best := l.known()
		if best != nil && l.out.Bound != nil && best.reward >= *l.out.Bound {
			return l.proven(ctx, best)
		}
		root, err := l.open(ctx)
		if errors.Is(err, errHard) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if root.Trace == nil && best != nil {
			return l.proven(ctx, best)
		}
		l.lower(root.Bound)
		if root.Trace == nil {
			if l.impossible() {
				return nil, nil
			}
			continue
		}
		err = l.advance(ctx, root, stray)
		if stray = false; err != nil || l.out.Reason != "" {
			return nil, err
		}
	}
}

// open asks what is best from the start. Where that is hard, steps at random come before it is asked again.
func (l *learner) open(ctx context.Context) (*engine.Result, error) {
	if l.stated > 0 && l.m.rows >= l.stated+l.stated/4 {
		l.generalise()
	}
	root, err := l.ask(ctx, question{from: l.start, horizon: l.o.Horizon, over: l.out.Reward})
	if errors.Is(err, errHard) {
		if !l.news { // steps show nothing that would make it easier
			l.effort *= 2
			return nil, err
		}
		l.effort += 1 + l.effort/4
		l.strays, l.news = max(l.o.Horizon, l.m.rows/8), false
		l.generalise()
	}
	return root, err
}

// lower takes a bound, if it is lower than that of before.
func (l *learner) lower(bound *int64) {
	if l.out.Bound == nil || bound != nil && *bound < *l.out.Bound {
		l.out.Bound = bound
	}
}

// advance finds the next steps of an optimistic plan, or a random one.
func (l *learner) advance(ctx context.Context, root *engine.Result, stray bool) (err error) {
	if l.o.Safe {
		root, err = l.ask(ctx, question{from: l.start, horizon: l.o.Horizon, over: l.out.Reward, safe: true})
		switch {
		case errors.Is(err, errHard):
			l.effort += 1 + l.effort/4
			return nil
		case err != nil:
			return err
		case root.Trace == nil:
			return l.confined(ctx, "no step that could lead to a better plan is safe, as far as is known")
		}
	}
	switch {
	case l.now.Terminal && !l.o.Reset:
		return l.confined(ctx, "the system ended the run, and --resets no lets none begin")
	case stray:
		return l.stray(ctx)
	case l.m.shared && l.m.rows == 0 && !l.o.Safe && !l.o.Anywhere:
		return l.first(root.Trace)
	case l.o.Reset:
		return l.withReset(ctx, root.Trace)
	}
	return l.withoutReset(ctx, root.Trace)
}

// proven ends the run with a plan of which each step was seen. Where the system can be reset, it has to be seen as
// a whole too.
func (l *learner) proven(ctx context.Context, best *place) (factored.Valuation, error) {
	plan := best.trace()
	l.out.Bound, l.out.Whole = &best.reward, l.whole[l.g.actionsOf(plan)]
	if !l.o.Reset || l.out.Whole {
		l.out.Status = engine.Optimal
		return nil, nil
	}
	if err := l.reset(ctx, nil); err != nil {
		return nil, err
	}
	l.path, l.why = slices.Clone(plan.Steps[:plan.Horizon()]), Confirm
	return l.follow(), nil
}

// follow takes the next step of the path, if the system is where it is expected.
func (l *learner) follow() factored.Valuation {
	if len(l.path) == 0 {
		return nil
	}
	next := l.path[0]
	if next.Key(l.g.states) != l.here.key {
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
	for _, b := range l.m.Outputs {
		need = max(need, l.m.Least(b))
	}
	if l.m.K >= min(max(need, l.o.K)+1, l.m.Most()) {
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

// withReset goes on with the episode where something can be learned on its way. Where nothing can, it is finished at random if more is
// expected to be learned from that than from the new step of a plan, which begins another.
func (l *learner) withReset(ctx context.Context, root *factored.Trace) error {
	path, ok := l.fresh(root)
	if !ok {
		return fmt.Errorf("%w: no step of the optimistic plan is new", ErrSystem)
	}
	if l.o.Anywhere {
		return l.jump(ctx, root, path)
	}
	if l.underWay() {
		on, err := l.ahead(ctx)
		if err != nil {
			return err
		}
		if on != nil {
			l.path, l.why = on, Try
			return l.rather()
		}
		if l.o.Safe {
			return l.random(ctx)
		}
		if next := l.m.doubt(path[len(path)-1]); next > 0 { // else the plan is to be seen
			if found, err := l.richer(next); found || err != nil {
				return err
			}
		}
	}
	if l.taken > 0 {
		if err := l.reset(ctx, nil); err != nil {
			return err
		}
	}
	l.path, l.why = slices.Clone(path), Try
	return l.rather()
}

// relevant is the part of the best optimistic plan from a place at a step, from 0, up to what was never tried; nil
// where it is no better than what was seen to hold.
func (l *learner) relevant(ctx context.Context, p *place, t int) ([]factored.Valuation, error) {
	key := fmt.Sprint(t, " ", p.reward, " ", p.at.key)
	if l.dull[key] || t == l.o.Horizon {
		return nil, nil
	}
	r, err := l.ask(ctx, question{from: p.at, horizon: l.o.Horizon - t, over: l.over(p), safe: l.o.Safe})
	if errors.Is(err, errHard) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if r.Trace == nil {
		l.dull[key] = true
		return nil, nil
	}
	path, _ := l.fresh(r.Trace)
	return slices.Clone(path), nil
}

// withoutReset walks to the nearest place where an optimistic plan that begins at the start tries something
// new at once; of the nearest, to that with the best plan.
func (l *learner) withoutReset(ctx context.Context, root *factored.Trace) error {
	for walks := range l.outward(l.here) {
		var best *visit
		for _, v := range walks {
			if err := l.promise(ctx, v); err != nil {
				return err
			}
			if v.action != nil && (best == nil || v.reward >= best.reward) {
				best = v
			}
		}
		if best != nil {
			l.path, l.why = best.path(), Walk
			return nil
		}
	}
	return l.walk(ctx, root)
}

// outward lists what known steps reach from some states, after no step, one, two and so on.
func (l *learner) outward(from ...*node) iter.Seq[[]*visit] {
	return func(yield func([]*visit) bool) {
		var walks []*visit
		seen := map[*node]bool{}
		for _, n := range from {
			if !seen[n] {
				seen[n] = true
				walks = append(walks, &visit{at: n})
			}
		}
		for len(walks) > 0 && yield(walks) {
			var next []*visit
			for _, v := range walks {
				for _, a := range slices.Concat(v.at.arcs, v.at.foreseen) {
					if a.to != nil && !v.at.ends && (a.to.legal || !l.o.Safe && !l.o.Reset) && !seen[a.to] {
						seen[a.to] = true
						next = append(next, &visit{at: a.to, from: v, by: a})
					}
				}
			}
			walks = next
		}
	}
}

// visit is a state on a walk by known steps.
type visit struct {
	at     *node
	from   *visit
	by     *arc
	action factored.Valuation // a new step there that promises a better plan; nil for none
	reward int64              // of that plan
}

// path is the walk with the new step at its end.
func (v *visit) path() []factored.Valuation {
	path := []factored.Valuation{v.action}
	for ; v.from != nil; v = v.from {
		path = append(path, v.by.action)
	}
	slices.Reverse(path)
	return path
}

// origin is the state that the walk begins in.
func (v *visit) origin() *node {
	for v.from != nil {
		v = v.from
	}
	return v.at
}

// approach takes a step in a state that was seen, by known steps from here or from where the system can be reset to,
// and reports whether it can be.
func (l *learner) approach(ctx context.Context, step factored.Valuation, why Why) (bool, error) {
	to := l.g.at(step)
	var from []*node
	if l.here.legal && !l.now.Terminal {
		from = append(from, l.here)
	}
	if l.o.Reset {
		from = append(append(from, l.start), l.starts...)
	}
	if l.o.Anywhere && l.starts == nil {
		from = append(from, to)
	}
	for walks := range l.outward(from...) {
		i := slices.IndexFunc(walks, func(v *visit) bool { return v.at == to })
		if i < 0 {
			continue
		}
		v := walks[i]
		v.action = step
		return true, l.embark(ctx, v, why)
	}
	return false, nil
}

// embark begins a walk, where it begins.
func (l *learner) embark(ctx context.Context, v *visit, why Why) error {
	if origin := v.origin(); origin != l.here || l.o.Reset && (!l.here.legal || l.now.Terminal) {
		var state factored.Valuation
		if origin != l.start {
			state = origin.state
		}
		if err := l.reset(ctx, state); err != nil {
			return err
		}
	}
	l.path, l.why = v.path(), why
	return nil
}

// again repeats a step that led to the state that the system begins in, once, after functions of more variables were needed: a system
// that resets itself does so at other steps too. It reports whether there is one.
func (l *learner) again(ctx context.Context) (bool, error) {
	if !l.doubt {
		return false, nil
	}
	l.doubt = false
	for _, a := range slices.Backward(l.g.arcs) {
		if now := l.g.at(a.action); a.to == l.start && now != l.start && !a.repeated {
			a.repeated = true
			return l.approach(ctx, a.action, Repeat)
		}
	}
	return false, nil
}

// promise looks for the best plan from the start that comes by a state and tries something new there.
func (l *learner) promise(ctx context.Context, v *visit) error {
	for t, layer := range l.layers[:l.o.Horizon] {
		p := layer[v.at]
		if p == nil || v.action != nil && p.reward < v.reward {
			continue
		}
		key := fmt.Sprint(t, " ", p.reward, " ", v.at.key)
		if l.dull[key] {
			continue
		}
		r, err := l.ask(ctx, question{from: v.at, horizon: l.o.Horizon - t, fresh: true, over: l.over(p), safe: l.o.Safe})
		if errors.Is(err, errHard) {
			continue
		}
		if err != nil {
			return err
		}
		switch {
		case r.Trace == nil:
			l.dull[key] = true
		case v.action == nil || p.reward+r.Reward > v.reward:
			v.action, v.reward = r.Trace.Steps[0], p.reward+r.Reward
		}
	}
	return nil
}

// walk goes towards the first new step of a plan by a shortest optimistic walk, where known steps do not lead there.
func (l *learner) walk(ctx context.Context, root *factored.Trace) error {
	path, _ := l.fresh(root)
	to := l.g.at(path[len(path)-1])
	for h := 1; h <= len(l.g.nodes)+l.o.Horizon; h++ {
		r, err := l.ask(ctx, question{from: l.here, to: to, horizon: h, safe: l.o.Safe})
		if errors.Is(err, errHard) {
			continue
		}
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
	return l.confined(ctx, "no place where something could be learned can be reached from here without a reset")
}

// confined ends the run, unless what was seen shows that steps are safe that were not before.
func (l *learner) confined(ctx context.Context, why string) error {
	any, err := l.relent(ctx)
	if !any {
		l.out.Reason = why
	}
	return err
}

// over is the reward that a plan from a place has to exceed to be better than what was seen to hold; nil for any.
func (l *learner) over(p *place) *int64 {
	if l.out.Reward == nil {
		return nil
	}
	rest := *l.out.Reward - p.reward
	return &rest
}
