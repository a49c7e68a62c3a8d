package spread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/routine"
)

// Cubes has the parts of a planning problem solved by workers. It implements divide.Executor.
type Cubes struct{ *Coordinator }

// headStart is how long the process that wants a plan works alone.
const headStart = time.Second

// ErrNotDivided is wrapped by the error for a query whose work is not sent to workers.
var ErrNotDivided = errors.New("this work stays in one process")

// Plan returns what makes an engine that sends its work to the workers from the engine that a
// query asks for.
func (c *Coordinator) Plan(o plan.Division) (func(engine.Engine) engine.Engine, error) {
	units := divide.Engines()
	if o.Engine != registry.Auto && !slices.Contains(units, o.Engine) {
		return nil, fmt.Errorf("%w: engine %s does not solve parts of a problem; expected %s, %s or %s", ErrNotDivided, o.Engine, registry.Auto, units[0], units[1])
	}
	d := divide.Options{Executor: Cubes{c}, HeadStart: headStart, Proof: o.Proof, Literal: o.Literal}
	if o.Engine != registry.Auto && !o.Proof {
		d.Unit = o.Engine
	}
	return func(e engine.Engine) engine.Engine {
		if !o.WorkersOnly {
			d.First = e
		}
		return divide.Engine{Options: d}
	}, nil
}

// Times of what a coordinator asks the workers.
const (
	askTime  = 300 * time.Millisecond // for their answers
	askAgain = 15 * time.Second
)

// A coordinator hands in unitsPerSlot units for each slot, so that no worker waits for the
// next, and at least fewestUnits, for workers that come.
const (
	unitsPerSlot = 2
	fewestUnits  = 8
)

// maxCubeFile bounds the files of a result, in bytes.
const maxCubeFile = 1 << 30

// Open stores the problem on the server.
func (c Cubes) Open(ctx context.Context, t engine.Task, horizon int) (divide.Workers, error) {
	text, err := divide.Encode(t)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "fdplan-plan-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the problem: %w", err)
	}
	name := filepath.Join(dir, taskFile)
	w := &cubeWorkers{c: c.Coordinator, of: t, horizon: horizon, dir: dir, outcomes: make(chan *divide.Outcome)}
	if err = os.WriteFile(name, text, 0o600); err == nil {
		w.task, err = c.Session.Add(ctx, name)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	w.board = fmt.Sprintf("%s-%d", w.task, horizon)
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.count()
	w.post()
	w.wait.Go(func() {
		tick := time.NewTicker(askAgain)
		defer tick.Stop()
		for {
			select {
			case <-w.ctx.Done():
				return
			case <-tick.C:
				w.count()
				w.post()
			}
		}
	})
	return w, nil
}

// cubeWorkers are the workers of a server, for one problem over one horizon.
type cubeWorkers struct {
	c        *Coordinator
	of       engine.Task
	horizon  int
	ctx      context.Context
	cancel   context.CancelFunc
	dir      string // with the file of the problem
	task     cluster.Hash
	board    string
	slots    atomic.Int64 // of the workers of this version
	outcomes chan *divide.Outcome
	wait     routine.Group

	mu   sync.Mutex
	best *divide.Best
}

// count asks how many slots there are.
func (w *cubeWorkers) count() {
	s, err := w.c.Session.Client().Status(w.ctx, askTime)
	if err != nil {
		return // the last number stays
	}
	var sum int64
	for _, one := range s.Workers {
		if one.Version == w.c.Version {
			sum += int64(one.Slots)
		}
	}
	w.slots.Store(sum)
}

// Slots is how many units are to be handed in at a time.
func (w *cubeWorkers) Slots() int { return max(fewestUnits, unitsPerSlot*int(w.slots.Load())) }

// Publish puts a plan on the server's board.
func (w *cubeWorkers) Publish(b divide.Best) {
	w.mu.Lock()
	better := w.best == nil || b.Reward > w.best.Reward
	if better {
		w.best = &b
	}
	w.mu.Unlock()
	if better {
		w.wait.Go(w.post)
	}
}

// post puts the best plan on the server's board, from which it removes one that the checker
// refuses. When that fails, workers go on without it.
func (w *cubeWorkers) post() {
	client := w.c.Session.Client()
	if b := shown(w.ctx, client, w.board); b != nil {
		if why := b.Best.Judge(w.of, w.horizon); why != nil {
			wipe(w.ctx, client, w.board, refusal{b.Revision, why.Error()})
		}
	}
	if b := w.Best(); b != nil {
		_ = improve(w.ctx, client, w.board, *b)
	}
}

// Best is the best plan that was published here; workers ask the server.
func (w *cubeWorkers) Best() *divide.Best {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.best
}

// Refuse does nothing: the plans of Best were published here.
func (w *cubeWorkers) Refuse(*divide.Best, error) {}

// Start hands in a unit.
func (w *cubeWorkers) Start(_ context.Context, u divide.Unit) error {
	u.Memory = w.c.Memory // that of this machine says nothing about theirs
	out, err := unit(w.c.Version, "cube", cubeArgs{Board: w.board, Unit: u}, 0)
	if err != nil {
		return err
	}
	out.Inputs, out.Memory = map[string]cluster.Hash{taskFile: w.task}, w.c.Memory
	w.wait.Go(func() {
		o, err := routine.Get(func() (*divide.Outcome, error) { return w.outcome(u.ID, out), nil })
		if err != nil {
			o = &divide.Outcome{ID: u.ID, Fault: err.Error()}
		}
		select {
		case w.outcomes <- o:
		case <-w.ctx.Done():
		}
	})
	return nil
}

// outcome waits for the result of a unit. One whose processes died may be too large for the
// workers' memory: its parts are not.
func (w *cubeWorkers) outcome(id string, u *cluster.Unit) *divide.Outcome {
	r, err := w.c.Session.Do(w.ctx, u)
	var o *divide.Outcome
	if err == nil {
		o, err = w.read(r, id)
	}
	var aside *cluster.AsideError
	switch {
	case cluster.Gone(err) || atomicfile.IsFull(err):
		return &divide.Outcome{ID: id, Lost: err}
	case errors.As(err, &aside) && aside.Died:
		return &divide.Outcome{ID: id, Reason: err.Error()}
	case err != nil:
		return &divide.Outcome{ID: id, Fault: err.Error()}
	}
	return o
}

// errNotOurs is wrapped by the error for an outcome of another unit.
var errNotOurs = errors.New("it is not the outcome of this unit")

// read brings the files of a result of a cube. One with the files of another unit is
// discarded.
func (w *cubeWorkers) read(r *cluster.Result, cube string) (*divide.Outcome, error) {
	client := w.c.Session.Client()
	var o outcome
	h, ok := r.Files[outcomeFile]
	if ok {
		text, err := client.Bytes(w.ctx, h, maxCubeFile)
		if err != nil {
			return nil, err
		}
		ok = json.Unmarshal(text, &o) == nil
	}
	h, proven := r.Files[cubeProof]
	if !ok || o.Unit != r.Unit || o.ID != cube || o.ProofSHA256 != h {
		return nil, errors.Join(errNotOurs, w.c.Session.Discard(w.ctx, r, r.Unit, errNotOurs))
	}
	if o.Proof = nil; proven {
		var err error
		if o.Proof, err = client.Bytes(w.ctx, h, maxCubeFile); err != nil {
			return nil, err
		}
	}
	return &o.Outcome, nil
}

// Outcomes delivers what became of units.
func (w *cubeWorkers) Outcomes() <-chan *divide.Outcome { return w.outcomes }

// Close withdraws what is not done.
func (w *cubeWorkers) Close() error {
	w.cancel()
	w.wait.Wait()
	return os.RemoveAll(w.dir)
}
