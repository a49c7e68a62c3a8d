package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/routine"
)

// Runner does units.
type Runner interface {
	// Run does a unit in a folder that contains its inputs under their names. slot
	// is less than the worker's number of slots; at most one unit runs in each. A
	// *DeathError means that the process of the unit died, a *FullError that this machine
	// cannot go on; any other error, unless ctx has ended, that the unit can never be done.
	Run(ctx context.Context, slot int, u *Unit, dir string) (*Outcome, error)
}

// FullError is a Runner's error for a disk of this machine that is full: the worker ends.
type FullError struct{ Reason string }

// Error returns the reason.
func (e *FullError) Error() string { return e.Reason }

// Outcome is what a Runner returns.
type Outcome struct {
	Output any      // becomes JSON
	Files  []string // of the unit's folder, that are part of the result
}

// DefaultLease is the time after which a unit whose worker is silent is given to
// another.
const DefaultLease = 15 * time.Second

// WorkerConfig describes a worker.
type WorkerConfig struct {
	Version string // result version of this build
	Name    string // of the worker, as results name it
	Slots   int
	Runner  Runner
	Dir     string        // folder for inputs and units in progress, of this worker alone
	Cache   int64         // bytes of inputs that are kept
	Lease   time.Duration // 0 is DefaultLease; of all workers of a version the last one's counts
	Drain   time.Duration // after the end of the context, time for units in progress
	Log     func(string)  // called for what an operator should know; may be nil
}

// unitPrefix begins the names of the folders of units.
const unitPrefix = "unit-"

// worker is a worker in progress.
type worker struct {
	c     *Client
	o     WorkerConfig
	cache *cache
	tally tally
	acks  routine.Group // acknowledgements on their way: the slot is free already

	mu      sync.Mutex
	running map[Hash]context.CancelCauseFunc
}

var (
	errWithdrawn = errors.New("the unit was withdrawn")
	errDraining  = errors.New("the worker is stopping")
	errStored    = errors.New("the result is stored already")
)

// Work takes units until ctx ends, and then hands back what it has not begun, and
// after the time to drain what it has not finished. It returns an error if the
// server does not answer for longer than the client's patience.
func (c *Client) Work(ctx context.Context, o WorkerConfig) error {
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if !isName(o.Version, letters) || o.Slots < 1 {
		return fmt.Errorf("a worker of version %.40q with %d slots; expected a version and at least one slot", o.Version, o.Slots)
	}
	w := &worker{c: c, o: o, running: map[Hash]context.CancelCauseFunc{}, tally: newTally(c.o.Now)}
	var err error
	if w.cache, err = newCache(c, filepath.Join(o.Dir, "objects"), o.Cache); err != nil {
		return err
	}
	// Units of a worker that was killed in this folder.
	old, _ := filepath.Glob(filepath.Join(o.Dir, unitPrefix+"*"))
	for _, dir := range old {
		os.RemoveAll(dir)
	}
	stop, err := w.listen()
	if err != nil {
		return err
	}
	defer stop()
	// Work in progress ends later than ctx.
	hard, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	defer context.AfterFunc(ctx, func() { time.AfterFunc(o.Drain, func() { cut(errDraining) }) })()
	failed, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var slots routine.Group
	for slot := range o.Slots {
		slots.Go(func() {
			err := routine.Catch(func() error { return w.slot(failed, hard, slot) })
			if err != nil && ctx.Err() == nil {
				fail(err)
				cut(err)
			}
		})
	}
	slots.Wait()
	w.acks.Wait()
	if ctx.Err() == nil {
		return context.Cause(failed)
	}
	return nil
}

// listen subscribes to what workers are told.
func (w *worker) listen() (stop func(), err error) {
	cancelled, err := w.c.nc.Subscribe(cancelSubject+"*", func(m *nats.Msg) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if cancel := w.running[Hash(strings.TrimPrefix(m.Subject, cancelSubject))]; cancel != nil {
			cancel(errWithdrawn)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("listening to sessions: %w", err)
	}
	pinged, err := w.c.nc.Subscribe(pingSubject, func(m *nats.Msg) {
		if text, err := json.Marshal(w.status()); err == nil {
			m.Respond(text)
		}
	})
	if err != nil {
		cancelled.Unsubscribe()
		return nil, fmt.Errorf("listening to sessions: %w", err)
	}
	return func() { cancelled.Unsubscribe(); pinged.Unsubscribe() }, nil
}

// slot takes one unit after the other until ctx ends.
func (w *worker) slot(ctx, hard context.Context, slot int) error {
	for {
		consumer, err := w.consumer(ctx)
		if err != nil {
			return err
		}
		for err == nil {
			if ctx.Err() != nil {
				return nil
			}
			var m jetstream.Msg
			if m, err = w.next(ctx, consumer); err == nil {
				if ctx.Err() != nil {
					m.Nak()
					return nil
				}
				if err := w.take(hard, slot, m); err != nil {
					return err
				}
			} else if errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) {
				err = nil
			}
		}
		if ctx.Err() != nil || !w.c.pause(ctx, firstWait*4) {
			return context.Cause(w.c.life)
		}
	}
}

// next asks for a unit and waits for it. The request ends with the connection.
func (w *worker) next(ctx context.Context, consumer jetstream.Consumer) (jetstream.Msg, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.c.life, cancel)()
	again := w.c.connected()
	routine.Go(func() {
		select {
		case <-again:
			cancel()
		case <-ctx.Done():
		}
	}, func(error) { cancel() })
	return consumer.Next(jetstream.FetchContext(ctx))
}

// consumer returns the consumer of this version's units.
func (w *worker) consumer(ctx context.Context) (jetstream.Consumer, error) {
	var consumer jetstream.Consumer
	err := w.c.try(ctx, func(ctx context.Context) (err error) {
		consumer, err = w.c.js.CreateOrUpdateConsumer(ctx, unitStream, jetstream.ConsumerConfig{
			Durable: consumerName(w.o.Version), FilterSubject: unitSubject + w.o.Version + ".*",
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.o.Lease, MaxDeliver: -1, MaxAckPending: -1, MaxWaiting: 1 << 20,
		})
		return err
	})
	return consumer, err
}

// consumerName names the consumer of a version's units.
func consumerName(version string) string { return "version-" + version }

// take does one delivered unit. An error means that the worker cannot go on.
func (w *worker) take(ctx context.Context, slot int, m jetstream.Msg) error {
	parts := strings.Split(m.Subject(), ".")
	id := Hash(parts[len(parts)-1])
	u, err := decodeUnit(m.Data(), id)
	if err == nil && u.Version != w.o.Version {
		err = fmt.Errorf("it is for version %s; expected %s", u.Version, w.o.Version)
	}
	if err != nil {
		return w.refuse(ctx, id, m, err)
	}
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.c.life, func() { cancel(context.Cause(w.c.life)) })()
	w.mu.Lock()
	w.running[id] = cancel
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.running, id)
		w.mu.Unlock()
	}()
	beating, rest := context.WithCancel(own)
	var heart routine.Group
	heart.Go(func() { w.beat(beating, m) })
	done, err := w.do(own, slot, u, id, m)
	rest()
	heart.Wait()
	switch {
	case done:
		w.c.nc.Publish(doneSubject+string(id), nil) // sessions also look by themselves
		w.acks.Go(func() { w.answer(func() error { return w.doubleAck(m) }) })
	case Gone(err):
		return err
	case atomicfile.IsFull(err) || errors.As(err, new(*FullError)):
		w.answer(m.Nak)
		return fmt.Errorf("the worker's folder %s: %w", w.o.Dir, err)
	case context.Cause(own) == errWithdrawn || ctx.Err() != nil:
		// A message that was withdrawn is gone, unless another session wants the unit.
		w.answer(m.Nak)
	case errors.As(err, new(*DeathError)):
		w.answer(m.Nak)
	default:
		// What failed was this machine, the store or the server.
		w.log("unit %.12s is handed back: %v", id, err)
		if errors.Is(err, errFull) {
			w.c.nc.Publish(doneSubject+string(id), []byte(err.Error()))
		}
		w.answer(func() error { return m.NakWithDelay(w.o.Lease / 3) })
	}
	return nil
}

// doubleAck acknowledges a unit and waits for the server's confirmation.
func (w *worker) doubleAck(m jetstream.Msg) error {
	ctx, cancel := context.WithTimeout(w.c.life, opTime)
	defer cancel()
	return m.DoubleAck(ctx)
}

// refuse ends a delivery that is not a unit, and stores why.
func (w *worker) refuse(ctx context.Context, id Hash, m jetstream.Msg, why error) error {
	w.log("refused unit %.12s: %v", id, why)
	w.tally.add(func(t *Counts) { t.Refused++ })
	if isHash(string(id)) {
		aside := &Aside{Unit: Unit{Kind: "malformed"}, Reason: why.Error(), Worker: w.o.Name}
		if err := w.c.setAside(ctx, id, aside); Gone(err) {
			return err
		}
	}
	w.answer(func() error { return m.TermWithReason("malformed") })
	return nil
}

// answer answers a delivery. A failure is harmless: the unit is delivered again,
// and its result is found.
func (w *worker) answer(how func() error) {
	if err := how(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
		w.log("answering a delivery: %v", err)
	}
}

// beat extends the lease of a unit.
func (w *worker) beat(ctx context.Context, m jetstream.Msg) {
	tick := time.NewTicker(w.o.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.InProgress() // when it fails, the unit may run twice
		case <-ctx.Done():
			return
		}
	}
}

// do makes the result of a unit, or sets the unit aside; done reports that one of
// both is stored.
func (w *worker) do(ctx context.Context, slot int, u *Unit, id Hash, m jetstream.Msg) (done bool, err error) {
	if meta, err := m.Metadata(); err != nil || meta.NumDelivered > 1 {
		if done, err := w.again(ctx, u, id); done || err != nil {
			return done, err
		}
	}
	w.tally.add(func(t *Counts) { t.Busy++ })
	defer w.tally.add(func(t *Counts) { t.Busy-- })
	began := w.c.o.Now()
	// A result that exists is found while the unit begins: that is rare.
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	routine.Go(func() {
		if stored, _ := w.c.has(own, w.c.results, string(id)); stored {
			cancel(errStored)
		}
	}, func(err error) { cancel(err) })
	out, dir, err := w.run(own, slot, u)
	if dir != "" {
		defer os.RemoveAll(dir)
	}
	var death *DeathError
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil && context.Cause(own) == errStored:
		w.tally.add(func(t *Counts) { t.Repeated++ })
		return true, nil
	case errors.As(err, &death):
		return w.died(ctx, u, id, death)
	case errors.As(err, new(*transientError)), errors.As(err, new(*FullError)), Gone(err):
		return false, err
	case err != nil:
		return w.aside(ctx, u, id, &Aside{Reason: err.Error()})
	}
	return w.store(ctx, u, id, out, dir, w.c.o.Now().Sub(began))
}

// again counts a delivery after the first, and sets the unit aside if there were too
// many; done reports that, and that there is a result.
func (w *worker) again(ctx context.Context, u *Unit, id Hash) (done bool, err error) {
	if stored, err := w.c.has(ctx, w.c.results, string(id)); err != nil || stored {
		if stored {
			w.tally.add(func(t *Counts) { t.Repeated++ })
		}
		return stored, err
	}
	a, err := w.c.count(ctx, id, func(a *attempt) { a.Begun++ })
	if err != nil {
		return false, err
	}
	w.tally.add(func(t *Counts) { t.Redelivered++ })
	switch {
	case a.Deaths >= maxDeaths:
		return w.aside(ctx, u, id, a.died())
	case a.Begun >= maxBegun:
		return w.aside(ctx, u, id, &Aside{Reason: fmt.Sprintf("it was begun %d times without an outcome", a.Begun), Output: a.Output, Died: true})
	}
	return false, nil
}

// transientError wraps faults of this machine or the server, after which a unit is
// tried again.
type transientError struct{ error }

// Unwrap returns the fault.
func (e *transientError) Unwrap() error { return e.error }

// run brings the inputs and runs a unit.
func (w *worker) run(ctx context.Context, slot int, u *Unit) (*Outcome, string, error) {
	dir, err := os.MkdirTemp(w.o.Dir, unitPrefix)
	if err != nil {
		return nil, "", &transientError{err}
	}
	for name, h := range u.Inputs {
		if err := w.cache.link(ctx, h, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return nil, dir, &transientError{fmt.Errorf("input %s: %w", name, err)}
		}
	}
	out, err := w.o.Runner.Run(ctx, slot, u, dir)
	return out, dir, err
}

// store stores a result and its files.
func (w *worker) store(ctx context.Context, u *Unit, id Hash, out *Outcome, dir string, took time.Duration) (bool, error) {
	text, err := marshal(out.Output)
	if err != nil {
		return w.aside(ctx, u, id, &Aside{Reason: fmt.Sprintf("its output cannot be written: %v", err)})
	}
	r := Result{Unit: id, Kind: u.Kind, Output: text, Worker: w.o.Name, Seconds: took.Seconds()}
	for _, name := range out.Files {
		if err := checkName(name); err != nil {
			return w.aside(ctx, u, id, &Aside{Reason: err.Error()})
		}
		h, err := w.c.Put(ctx, filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return false, err
		}
		if r.Files == nil {
			r.Files = map[string]Hash{}
		}
		r.Files[name] = h
	}
	if r.Digest, err = r.sum(); err == nil {
		text, err = marshal(r)
	}
	if err == nil && len(text) > MaxResult {
		err = fmt.Errorf("its result has %d bytes; expected at most %d", len(text), MaxResult)
	}
	if err == nil {
		err = checkFiles(r.Files)
	}
	if err != nil {
		return w.aside(ctx, u, id, &Aside{Reason: err.Error()})
	}
	err = w.c.try(ctx, func(ctx context.Context) error {
		_, err := w.c.results.Create(ctx, string(id), text)
		return full(err)
	})
	switch {
	case errors.Is(err, jetstream.ErrKeyExists): // another worker was faster
		w.tally.add(func(t *Counts) { t.Repeated++ })
	case err != nil:
		return false, err
	default:
		w.tally.finished()
	}
	return true, nil
}

// died counts the death of a unit's process, and sets the unit aside after the
// last one.
func (w *worker) died(ctx context.Context, u *Unit, id Hash, d *DeathError) (bool, error) {
	w.tally.add(func(t *Counts) { t.Deaths++ })
	a, err := w.c.count(ctx, id, func(a *attempt) {
		a.Deaths++
		a.Begun = max(0, a.Begun-1) // it had an outcome
		a.Reason, a.Output = d.Reason, d.Output[max(0, len(d.Output)-maxTail):]
	})
	if err != nil {
		return false, err
	}
	w.log("the process of unit %.12s (%s) died: %s; %d of %d times", id, u.Kind, d.Reason, a.Deaths, maxDeaths)
	if a.Deaths < maxDeaths {
		return false, d
	}
	return w.aside(ctx, u, id, a.died())
}

// aside sets a unit aside.
func (w *worker) aside(ctx context.Context, u *Unit, id Hash, a *Aside) (bool, error) {
	a.Unit, a.Worker = *u, w.o.Name
	if err := w.c.setAside(ctx, id, a); err != nil {
		return false, err
	}
	w.log("unit %.12s (%s) was set aside: %s", id, u.Kind, a.Reason)
	w.tally.add(func(t *Counts) { t.Aside++ })
	return true, nil
}

func (w *worker) log(format string, args ...any) {
	if w.o.Log != nil {
		w.o.Log(fmt.Sprintf(format, args...))
	}
}
