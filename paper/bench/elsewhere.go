package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// Elsewhere is a run that another machine is to make.
type Elsewhere struct {
	ID     string
	Engine string // empty for runs without one
	Solver string // an external solver that it uses; empty for none
	// Instead reports that the solver replaces one of the engine that is not installed.
	Instead bool
	Inputs  []string // files of the bench's folder that the run reads
	Memory  int64    // bytes
}

// FailedError is the error of Config.Elsewhere for a run that no machine can make.
type FailedError struct{ Reason string }

// Error returns the reason.
func (e *FailedError) Error() string { return e.Reason }

// make makes a run, here or elsewhere.
func (b *bench) make(ctx context.Context, j *Job, r *journal.Record) error {
	if b.c.Elsewhere == nil {
		return j.do(ctx, b, r)
	}
	e := &Elsewhere{ID: r.ID, Engine: r.Engine, Solver: r.Solver, Instead: r.Solver != "" && b.c.Instead[r.Engine] == r.Solver, Memory: r.MemoryLimit}
	if r.Model == trainedModel {
		e.Inputs = keptFiles(r.Problem)
	}
	out, err := b.c.Elsewhere(ctx, e)
	failed := new(FailedError)
	switch {
	case errors.As(err, &failed):
		fail(r, "%s", failed.Reason)
		return nil
	case err != nil:
		return err
	case out.ID != r.ID:
		return fmt.Errorf("another machine made the run %q; expected %q", out.ID, r.ID)
	}
	*r = *out
	r.Clock = "" // whether it had a core for itself is not known here
	return nil
}

// One makes the run with an ID in the folder of c, without a journal. It returns
// the line, and the files of the folder that the run leaves for others.
func One(ctx context.Context, c Config, id string) (*journal.Record, []string, error) {
	b, err := newBench(c)
	if err != nil {
		return nil, nil, err
	}
	jobs, err := Paper(c)
	if err != nil {
		return nil, nil, err
	}
	if err := b.writeReward(); err != nil {
		return nil, nil, err
	}
	for i := range jobs {
		j := &jobs[i]
		if j.Record.ID != id {
			continue
		}
		r := j.Record
		r.Same = ""
		if err := j.do(ctx, b, &r); err != nil {
			return nil, nil, err
		}
		var files []string
		if j.keeps != "" && r.Status == statusTrained {
			files = keptFiles(r.Problem)
		}
		return &r, files, ctx.Err()
	}
	return nil, nil, fmt.Errorf("there is no run %q of the bench", id)
}

// order makes runs wait for those of which they need the outcome.
type order struct {
	jobs []Job
	open map[string]chan struct{} // closed at the end of the run; by ID, and by the file that a run keeps
}

func newOrder(jobs []Job, open []int) *order {
	o := &order{jobs: jobs, open: map[string]chan struct{}{}}
	for _, i := range open {
		ch := make(chan struct{})
		o.open[jobs[i].Record.ID] = ch
		if k := jobs[i].keeps; k != "" {
			o.open[k] = ch
		}
	}
	return o
}

// wait waits for the runs that job i depends on, which are earlier in the order and
// so have begun.
func (o *order) wait(ctx context.Context, i int) {
	j := &o.jobs[i]
	needs := []string{j.after, j.first, j.Record.Same}
	if j.Record.Model == trainedModel {
		needs = append(needs, networkDir(j.Record.Problem)+"/"+networkFile)
	}
	for _, id := range needs {
		if ch := o.open[id]; ch != nil && id != j.Record.ID {
			select {
			case <-ch:
			case <-ctx.Done():
				return
			}
		}
	}
}

// ended reports the end of job i.
func (o *order) ended(i int) { close(o.open[o.jobs[i].Record.ID]) }
