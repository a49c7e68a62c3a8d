package race

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
)

// session races the engines over the first query. The one that proves it first
// has learned the most, and answers the others alone.
type session struct {
	task    engine.Task
	horizon int
	runners []*runner // in the order in which they join; one once a query was proven
	marks   []engine.Landmark
}

// runner is one engine of a session.
type runner struct {
	engine  engine.Opener
	session engine.Session // nil until it joins
}

// explorer is a session that can report that its work is done: whatever is
// excluded, its next answer is quick, and needs no other engine.
type explorer interface {
	Explored() bool
}

// Open prepares for queries about one horizon.
func (e Engine) Open(ctx context.Context, t engine.Task, horizon int) (engine.Session, error) {
	x := &session{task: t, horizon: horizon}
	for _, one := range e.engines {
		if o, ok := one.(engine.Opener); ok {
			x.runners = append(x.runners, &runner{engine: o})
		}
	}
	if err := x.open(ctx, x.runners[0]); err != nil {
		return nil, err
	}
	return x, nil
}

// open opens a runner's session with what is excluded so far, if it has none.
func (x *session) open(ctx context.Context, r *runner) error {
	if r.session != nil {
		return nil
	}
	s, err := r.engine.Open(ctx, x.task, x.horizon)
	for i := 0; err == nil && i < len(x.marks); i++ {
		err = s.Exclude(x.marks[i])
	}
	if err == nil {
		r.session = s
	}
	return err
}

// Exclude adds a landmark.
func (x *session) Exclude(l engine.Landmark) error {
	x.marks = append(x.marks, l)
	for _, r := range x.runners {
		if r.session != nil {
			if err := r.session.Exclude(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// Solve answers for the plans that are not excluded.
func (x *session) Solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	runners := x.runners
	if done, ok := runners[0].session.(explorer); ok && done.Explored() {
		runners = runners[:1]
	}
	if len(runners) == 1 {
		res, err := runners[0].session.Solve(ctx, l, report)
		if res != nil {
			res.Winner = runners[0].engine.Name()
		}
		return res, err
	}
	entrants := make([]entrant, len(runners))
	for i, r := range runners {
		entrants[i] = entrant{r.engine.Name(), func(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
			if err := x.open(ctx, r); err != nil {
				return nil, err
			}
			return r.session.Solve(ctx, l, report)
		}}
	}
	if l.Shared == nil {
		l.Shared = &engine.Exchange{}
	}
	res, winner, err := run(ctx, entrants, l, report)
	if winner >= 0 {
		x.runners = runners[winner : winner+1]
	}
	return res, err
}
