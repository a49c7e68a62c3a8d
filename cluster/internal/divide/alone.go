package divide

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// alone is an engine that works on the whole problem, at first by itself and then beside the
// workers, with whom it exchanges plans.
type alone struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when res and err are there
	res    *engine.Result
	err    error
}

// startAlone has Options.First begin.
func (r *run) startAlone(ctx context.Context) {
	if r.First == nil {
		return
	}
	a := &alone{done: make(chan struct{})}
	ctx, a.cancel = context.WithCancel(ctx)
	r.alone = a
	q := engine.Query{Task: r.task, MinHorizon: r.horizon, MaxHorizon: r.horizon}
	routine.Go(func() {
		defer close(a.done)
		a.res, a.err = routine.Get(func() (*engine.Result, error) { return r.First.Solve(ctx, q, r.limits, r.forward) })
	}, func(error) {})
}

// headStart waits until the engine that works alone has ended, or its head start has.
func (r *run) headStart(ctx context.Context) {
	if r.alone == nil || r.HeadStart <= 0 {
		return
	}
	select {
	case <-r.alone.done:
	case <-time.After(r.HeadStart):
	case <-ctx.Done():
		<-r.alone.done
	}
}

// ended is closed when the engine that works alone has ended; nil if no engine does.
func (r *run) ended() <-chan struct{} {
	if r.alone == nil {
		return nil
	}
	return r.alone.done
}

// stopAlone ends the engine that works alone, and waits for it.
func (r *run) stopAlone() {
	if r.alone != nil {
		r.alone.cancel()
		<-r.alone.done
	}
}

// answer is the result of the engine that works alone; nil while it has no proof.
func (r *run) answer() (*engine.Result, error) {
	if r.alone == nil {
		return nil, nil
	}
	select {
	case <-r.alone.done:
	default:
		return nil, nil
	}
	res, err := r.alone.res, r.alone.err
	if err != nil || res.Status != engine.Optimal && res.Status != engine.Infeasible {
		return nil, err
	}
	if res.Trace != nil {
		r.trace, r.reward = res.Trace, res.Reward
	}
	if res.Winner == "" {
		res.Winner = r.First.Name()
	}
	res.Note = "one process had the answer before the work was divided"
	if n := r.stats[cubesStat]; n > 0 {
		res.Note = "one process had the answer before the workers"
	}
	if res.Stats == nil {
		res.Stats = map[string]int64{}
	}
	for name, n := range r.stats {
		res.Stats[name] += n
	}
	if r.Proof {
		res.Evidence = &engine.Evidence{Literal: r.Literal, Costly: true, Write: r.proveLate}
	}
	return res, nil
}

// proveLate has workers prove the answer of the engine that worked alone, and joins their
// proofs.
func (r *run) proveLate(ctx context.Context, w io.Writer, f proof.Format) (*int64, error) {
	r.report = func(engine.Progress) {} // the answer is out
	r.alone = nil
	if err := r.work(ctx); err != nil {
		return nil, err
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case r.open():
		return nil, fmt.Errorf("%w: %s", ErrMissing, r.reason)
	}
	return r.join(ctx, w, f)
}

// exchange takes the best plan of the engine that works alone, and gives it that of the
// workers.
func (r *run) exchange() {
	r.limits.Shared.Offer(r.trace, r.reward)
	t, reward := r.limits.Shared.Best()
	if t == nil || r.trace != nil && reward <= r.reward {
		return
	}
	r.trace, r.reward = t, reward
	if r.workers != nil {
		r.workers.Publish(*bestOf(t, reward))
	}
}

// ceiling is an upper bound on the reward of all plans that needs no cubes. With proven, it is
// one that needs no proof.
func (r *run) ceiling(proven bool) int64 {
	if b := r.limits.Shared.Bound(); b != nil && !proven {
		return min(r.most, *b)
	}
	return r.most
}
