package divide

import (
	"context"
	"fmt"
	"sync"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/routine"
)

// Threads is an Executor: goroutines of this process.
type Threads struct {
	N int // how many
}

// Open starts the goroutines.
func (e Threads) Open(ctx context.Context, t engine.Task, _ int) (Workers, error) {
	if e.N < 1 {
		return nil, fmt.Errorf("%d threads are no workers; expected at least 1", e.N)
	}
	w := &threads{task: t, slots: e.N, units: make(chan Unit), outcomes: make(chan *Outcome)}
	w.ctx, w.cancel = context.WithCancel(ctx)
	for range e.N {
		w.wait.Go(w.work)
	}
	return w, nil
}

// threads are goroutines that do units.
type threads struct {
	ctx      context.Context
	cancel   context.CancelFunc
	task     engine.Task
	slots    int
	units    chan Unit
	outcomes chan *Outcome
	wait     routine.Group

	mu   sync.Mutex
	best *Best
}

// work does units until the context ends.
func (w *threads) work() {
	for {
		select {
		case <-w.ctx.Done():
			return
		case u := <-w.units:
			o, err := routine.Get(func() (*Outcome, error) { return Run(w.ctx, w.task, u, w) })
			if err != nil {
				o = &Outcome{ID: u.ID, Fault: err.Error()}
			}
			select {
			case <-w.ctx.Done():
				return
			case w.outcomes <- o:
			}
		}
	}
}

func (w *threads) Publish(b Best) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.best == nil || b.Reward > w.best.Reward {
		w.best = &b
	}
}

func (w *threads) Best() *Best {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.best
}

func (w *threads) Refuse(b *Best, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.best == b {
		w.best = nil
	}
}

func (w *threads) Slots() int { return w.slots }

func (w *threads) Start(_ context.Context, u Unit) error {
	u.Memory /= int64(w.slots)
	w.wait.Go(func() {
		select {
		case w.units <- u:
		case <-w.ctx.Done():
		}
	})
	return nil
}

func (w *threads) Outcomes() <-chan *Outcome { return w.outcomes }

func (w *threads) Close() error {
	w.cancel()
	w.wait.Wait()
	return nil
}
