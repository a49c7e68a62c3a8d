package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// lookAgain is the time after which a session asks for a result that it was not
// told of.
const lookAgain = 5 * time.Second

// Session waits for results of units. Its methods may be called from several
// goroutines.
type Session struct {
	c    *Client
	sub  *nats.Subscription
	look time.Duration // lookAgain, but for tests

	mu      sync.Mutex
	waiting map[Hash][]chan string
	sources map[Hash]source // of inputs
	// discarded counts the results of units that were refused.
	discarded map[Hash]int
	looked    time.Time // for workers, the last time
	alone     bool      // no worker answered, and the user knows
}

// source is a file with the content of an input.
type source struct {
	name string
	seen time.Time // when it was last known to be on the server
}

// NewSession begins a session.
func (c *Client) NewSession() (*Session, error) {
	s := &Session{c: c, look: lookAgain, waiting: map[Hash][]chan string{}, sources: map[Hash]source{}, discarded: map[Hash]int{}}
	sub, err := c.nc.Subscribe(doneSubject+"*", func(m *nats.Msg) {
		s.wake(Hash(strings.TrimPrefix(m.Subject, doneSubject)), string(m.Data))
	})
	if err != nil {
		return nil, fmt.Errorf("listening for results: %w", err)
	}
	s.sub = sub
	return s, nil
}

// Close ends the session. Units that were not withdrawn stay in the queue.
func (s *Session) Close() { s.sub.Unsubscribe() }

// Client returns the session's connection.
func (s *Session) Client() *Client { return s.c }

// Add stores the content of a file for units to name, and keeps the name, from
// which it is stored again if the server loses it. The file must not change.
func (s *Session) Add(ctx context.Context, name string) (Hash, error) {
	h, err := s.c.Put(ctx, name)
	if err == nil {
		s.mu.Lock()
		s.sources[h] = source{name, s.c.o.Now()}
		s.mu.Unlock()
	}
	return h, err
}

// wake tells those who wait for a unit, with the reason where its result cannot be stored.
func (s *Session) wake(id Hash, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range s.waiting[id] {
		select {
		case ch <- why:
		default: // it has not looked at the last one yet
		}
	}
}

// wait registers a channel for a unit, which the returned function removes. That
// reports whether it was the last one.
func (s *Session) wait(id Hash) (<-chan string, func() bool) {
	ch := make(chan string, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[id] = append(s.waiting[id], ch)
	return ch, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		left := s.waiting[id][:0]
		for _, other := range s.waiting[id] {
			if other != ch {
				left = append(left, other)
			}
		}
		if s.waiting[id] = left; len(left) == 0 {
			delete(s.waiting, id)
			return true
		}
		return false
	}
}

// Do returns the result of a unit: the stored one if it exists, otherwise that of
// the worker that does it. A unit that was set aside before is tried once more; one
// that is set aside now is an *AsideError. If ctx ends, the unit is withdrawn.
func (s *Session) Do(ctx context.Context, u *Unit) (*Result, error) {
	text, id, err := u.encode()
	if err != nil {
		return nil, err
	}
	told, forget := s.wait(id)
	defer func() {
		if last := forget(); last && err != nil && ctx.Err() != nil {
			s.withdraw(context.WithoutCancel(ctx), u.Version, id)
		}
	}()
	res, err := s.outcome(ctx, u, id, false)
	if res != nil || err != nil && !errors.Is(err, errDiscarded) {
		return res, err
	}
	if err = s.queue(ctx, u, id, text); err != nil {
		return nil, err
	}
	for {
		timer := time.NewTimer(time.Duration(float64(s.look) * (0.75 + s.c.o.Jitter()/2)))
		again := false
		select {
		case why := <-told:
			if why != "" {
				return nil, fmt.Errorf("the result of unit %.12s cannot be stored: %s", id, why)
			}
		case <-timer.C:
			again = true
		case <-ctx.Done():
		case <-s.c.life.Done():
		}
		timer.Stop()
		if err = ctx.Err(); err != nil {
			return nil, err
		}
		res, err = s.outcome(ctx, u, id, true)
		if errors.Is(err, errDiscarded) {
			again, err = true, nil
		}
		if res != nil || err != nil {
			return res, err
		}
		if again {
			s.lookForWorkers(ctx, u.Version)
			if err = s.queue(ctx, u, id, text); err != nil {
				return nil, err
			}
		}
	}
}

// lookForWorkers warns, once, when a unit has waited and no worker of its version answers. It
// looks once in a while.
func (s *Session) lookForWorkers(ctx context.Context, version string) {
	now := s.c.o.Now()
	s.mu.Lock()
	soon := s.alone || now.Sub(s.looked) < s.look
	if !soon {
		s.looked = now
	}
	s.mu.Unlock()
	if soon {
		return
	}
	var all Status
	if s.c.askWorkers(ctx, workerTime, &all) != nil {
		return
	}
	for _, w := range all.Workers {
		if w.Version == version {
			return
		}
	}
	s.mu.Lock()
	s.alone = true
	s.mu.Unlock()
	s.c.Warn(fmt.Sprintf("units wait, and no worker of version %s answers at %s; expected one: fdplan worker --connect", version, s.c.o.URL))
}

// workerTime is how long a session waits for the answers of workers.
const workerTime = 500 * time.Millisecond

// maxDiscards bounds how often a session discards the result of one unit.
const maxDiscards = 3

// errDiscarded is the error for a result that was there, and is not any more.
var errDiscarded = errors.New("the result was refused")

// Discard removes a stored result that why refuses, so that Do has the unit done again. Whoever
// knows the server's secret can store results; the user is warned once. It returns an error
// when that goes on.
func (s *Session) Discard(ctx context.Context, r *Result, id Hash, why error) error {
	s.mu.Lock()
	first := len(s.discarded) == 0
	s.discarded[id]++
	n := s.discarded[id]
	s.mu.Unlock()
	if first {
		s.c.Warn(fmt.Sprintf("the stored result of unit %.12s is refused, and the unit done again: %v", id, why))
	}
	if n > maxDiscards {
		return fmt.Errorf("%d results of unit %.12s were refused, the last one because: %w", n, id, why)
	}
	_, err := s.c.remove(ctx, s.c.results, string(id), r.revision)
	return err
}

// outcome returns the result of a unit, nil if there is none yet. One that is not the unit's
// is discarded, which is errDiscarded. With aside, a unit that was set aside is an error;
// without, that is forgotten.
func (s *Session) outcome(ctx context.Context, u *Unit, id Hash, aside bool) (*Result, error) {
	e, err := s.c.entry(ctx, s.c.results, string(id))
	switch {
	case err == nil:
		r := &Result{revision: e.Revision()}
		err := json.Unmarshal(e.Value(), r)
		if err == nil {
			err = r.check(u, id)
		}
		if err == nil {
			return r, nil
		}
		if err := s.Discard(ctx, r, id, err); err != nil {
			return nil, err
		}
		return nil, errDiscarded
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, err
	}
	var text []byte
	if text, err = s.c.value(ctx, s.c.aside, string(id)); errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if !aside {
		return nil, s.c.forget(ctx, id)
	}
	return nil, &AsideError{ID: id, Aside: readAside(text)}
}

// queue publishes a unit, unless it is in the queue, and stores its inputs, unless
// they are there.
func (s *Session) queue(ctx context.Context, u *Unit, id Hash, text []byte) error {
	for _, h := range u.Inputs {
		if err := s.restore(ctx, h); err != nil {
			return err
		}
	}
	return s.c.try(ctx, func(ctx context.Context) error {
		_, err := s.c.js.Publish(ctx, unitSubject+u.Version+"."+string(id), text)
		if queued(err) {
			return nil
		}
		return full(err)
	})
}

// restore stores an input again if the server does not have it, which it asks once
// in a while.
func (s *Session) restore(ctx context.Context, h Hash) error {
	now := s.c.o.Now()
	s.mu.Lock()
	from, own := s.sources[h]
	if !own || now.Sub(from.seen) < s.look {
		s.mu.Unlock()
		return nil
	}
	s.sources[h] = source{from.name, now}
	s.mu.Unlock()
	if has, err := s.c.has(ctx, s.c.objects, listKey(h)); err != nil || has {
		return err
	}
	if _, err := s.c.chunk(ctx, h); err == nil || !errors.Is(err, errMissing) {
		return err
	}
	again, err := s.c.Put(ctx, from.name)
	if err == nil && again != h {
		err = fmt.Errorf("%s changed while units that read it were waiting", from.name)
	}
	return err
}

// queued reports whether the error of a publication means that the unit is in the
// queue already.
func queued(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == codeStoreFailed && strings.Contains(api.Description, "per subject")
}

// withdraw takes a unit from the queue and stops the worker that runs it. It is
// done once: a unit that stays behind costs time and nothing else.
func (s *Session) withdraw(ctx context.Context, version string, id Hash) {
	if s.c.life.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, opTime)
	defer cancel()
	stream, err := s.c.js.Stream(ctx, unitStream)
	if err != nil {
		return
	}
	if m, err := stream.GetLastMsgForSubject(ctx, unitSubject+version+"."+string(id)); err == nil {
		stream.DeleteMsg(ctx, m.Sequence)
	}
	s.c.nc.Publish(cancelSubject+string(id), nil)
	s.c.nc.FlushWithContext(ctx)
}
