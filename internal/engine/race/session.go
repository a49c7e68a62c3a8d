package race

import (
	"context"
	"errors"
	"sync"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/search"
)

// session races search and pb over the first query. Who proves it first has
// learned the most, and answers the others alone.
type session struct {
	task    engine.Task
	horizon int
	search  engine.Session // nil once pb has won
	pb      engine.Session // nil until it joins, and once search has won
	marks   []engine.Landmark
}

// Open prepares for queries about one horizon.
func (Engine) Open(ctx context.Context, t engine.Task, horizon int) (engine.Session, error) {
	s, err := search.Engine{}.Open(ctx, t, horizon)
	if err != nil {
		return nil, err
	}
	return &session{task: t, horizon: horizon, search: s}, nil
}

// Exclude adds a landmark.
func (x *session) Exclude(l engine.Landmark) error {
	x.marks = append(x.marks, l)
	for _, s := range []engine.Session{x.search, x.pb} {
		if s != nil {
			if err := s.Exclude(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// alone has one engine answer.
func alone(ctx context.Context, name string, s engine.Session, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	res, err := s.Solve(ctx, l, report)
	if res != nil {
		res.Winner = name
	}
	return res, err
}

// withPB opens pb's session with what is excluded so far.
func (x *session) withPB(ctx context.Context) (engine.Session, error) {
	s, err := conflict.PB{}.Open(ctx, x.task, x.horizon)
	for i := 0; err == nil && i < len(x.marks); i++ {
		err = s.Exclude(x.marks[i])
	}
	return s, err
}

// Solve answers for the plans that are not excluded.
func (x *session) Solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	switch {
	case x.search == nil:
		return alone(ctx, "pb", x.pb, l, report)
	case x.search.(*search.Session).Explored():
		return alone(ctx, "search", x.search, l, report)
	}
	if report == nil {
		report = func(engine.Progress) {}
	}
	if l.Memory > 0 {
		l.Memory /= 2
	}
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	busy := make(chan struct{})
	var once sync.Once
	done := make(chan entry, 2)
	go func() {
		res, err := x.search.Solve(own, l, func(p engine.Progress) {
			if p.Work >= headStart {
				once.Do(func() { close(busy) })
			}
			mu.Lock()
			defer mu.Unlock()
			report(p)
		})
		once.Do(func() { close(busy) })
		done <- entry{"search", res, err}
	}()
	<-busy
	running := 1
	var late []entry
	select {
	case e := <-done:
		running--
		if proven(e) {
			e.res.Winner = e.name
			return e.res, nil
		}
		late = append(late, e)
	default:
	}
	running++
	go func() {
		var res *engine.Result
		s, err := x.pb, error(nil)
		if s == nil {
			s, err = x.withPB(own)
		}
		if err == nil {
			x.pb = s
			res, err = s.Solve(own, l, func(p engine.Progress) {
				mu.Lock()
				defer mu.Unlock()
				report(p)
			})
		}
		done <- entry{"pb", res, err}
	}()
	var won *entry
	for ; running > 0; running-- {
		e := <-done
		if won == nil && proven(e) {
			won = &e
			cancel(errors.New("the other engine was faster"))
		}
		late = append(late, e)
	}
	if won == nil {
		return better(late)
	}
	if won.name == "pb" {
		x.search = nil
	} else {
		x.pb = nil
	}
	won.res.Winner = won.name
	return won.res, nil
}

// proven says that an entry settles the query.
func proven(e entry) bool {
	return e.err == nil && (e.res.Status == engine.Optimal || e.res.Status == engine.Infeasible)
}
