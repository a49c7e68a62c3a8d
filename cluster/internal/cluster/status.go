package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Counts are what a worker has done since it began.
type Counts struct {
	Done        int64 `json:"done"` // results stored
	Busy        int64 `json:"busy"` // units in progress
	Deaths      int64 `json:"deaths"`
	Aside       int64 `json:"aside"`
	Redelivered int64 `json:"redelivered"`
	Repeated    int64 `json:"repeated"` // deliveries whose result existed
	Refused     int64 `json:"refused"`  // malformed
}

// WorkerStatus is a worker's answer to a ping.
type WorkerStatus struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Slots   int     `json:"slots"`
	Seconds float64 `json:"seconds"` // since it began
	Rate    float64 `json:"rate"`    // results per second in the last minute
	Lost    int64   `json:"lost"`    // times that it lost the connection
	Counts
}

// Queue is the queue of one version.
type Queue struct {
	Version string `json:"version"`
	Waiting uint64 `json:"waiting"`
	Running int    `json:"running"` // delivered, not acknowledged
}

// Status is the state of a cluster.
type Status struct {
	Workers []WorkerStatus `json:"workers"` // by name
	Queues  []Queue        `json:"queues"`  // by version
	Done    uint64         `json:"done"`    // results in the store
	Failed  uint64         `json:"failed"`  // units that are set aside
	Waiting uint64         `json:"waiting"`
	Running int            `json:"running"`
	Rate    float64        `json:"rate"`          // results per second in the last minute
	Objects uint64         `json:"objects_bytes"` // on the server's disk
	Results uint64         `json:"results_bytes"`
	// Aside are the units that are set aside, at most maxListed of them.
	Aside []AsideLine `json:"aside"`
}

// AsideLine is a unit that was set aside.
type AsideLine struct {
	Unit   Hash   `json:"unit"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	Output string `json:"output,omitempty"`
}

// maxListed bounds the units that a status lists.
const maxListed = 100

// minute is the number of seconds over which rates are taken.
const minute = 60

// tally counts what a worker does.
type tally struct {
	now   func() time.Time
	began time.Time

	mu     *sync.Mutex
	counts Counts
	slots  *[minute]struct{ second, done int64 }
}

func newTally(now func() time.Time) tally {
	return tally{now: now, began: now(), mu: &sync.Mutex{}, slots: new([minute]struct{ second, done int64 })}
}

func (t *tally) add(change func(*Counts)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.counts)
}

// finished counts a result.
func (t *tally) finished() {
	second := int64(t.now().Sub(t.began).Seconds())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Done++
	at := &t.slots[second%minute]
	if at.second != second {
		at.second, at.done = second, 0
	}
	at.done++
}

// rate returns the results per second in the last minute, or since the worker began.
func (t *tally) rate() float64 {
	age := t.now().Sub(t.began).Seconds()
	t.mu.Lock()
	defer t.mu.Unlock()
	var sum int64
	for _, s := range t.slots {
		if int64(age)-s.second < minute {
			sum += s.done
		}
	}
	return float64(sum) / min(max(age, 1), minute)
}

// status returns the worker's answer to a ping.
func (w *worker) status() WorkerStatus {
	rate := w.tally.rate()
	w.tally.mu.Lock()
	defer w.tally.mu.Unlock()
	return WorkerStatus{
		Name: w.o.Name, Version: w.o.Version, Slots: w.o.Slots, Seconds: w.c.o.Now().Sub(w.tally.began).Seconds(), Rate: rate,
		Lost: w.c.lost.Load(), Counts: w.tally.counts,
	}
}

// Status asks the server and, for the given time, the workers.
func (c *Client) Status(ctx context.Context, wait time.Duration) (*Status, error) {
	s := &Status{Workers: []WorkerStatus{}, Queues: []Queue{}, Aside: []AsideLine{}}
	if err := c.askWorkers(ctx, wait, s); err != nil {
		return nil, err
	}
	if err := c.try(ctx, func(ctx context.Context) error { return c.queues(ctx, s) }); err != nil {
		return nil, err
	}
	for _, b := range []struct {
		name    string
		entries *uint64
		bytes   *uint64
	}{{resultBucket, &s.Done, &s.Results}, {objectBucket, new(uint64), &s.Objects}} {
		err := c.try(ctx, func(ctx context.Context) error {
			stream, err := c.js.Stream(ctx, "KV_"+b.name)
			if err == nil {
				state := stream.CachedInfo().State
				*b.entries, *b.bytes = state.Msgs, state.Bytes
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return s, c.listAside(ctx, s)
}

// askWorkers collects the answers of the workers.
func (c *Client) askWorkers(ctx context.Context, wait time.Duration, s *Status) error {
	inbox := c.nc.NewRespInbox()
	sub, err := c.nc.SubscribeSync(inbox)
	if err != nil {
		return fmt.Errorf("asking the workers: %w", err)
	}
	defer sub.Unsubscribe()
	if err := c.nc.PublishRequest(pingSubject, inbox, nil); err != nil {
		return fmt.Errorf("asking the workers: %w", err)
	}
	timed, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		m, err := sub.NextMsgWithContext(timed)
		if err != nil {
			break // the time is over
		}
		var w WorkerStatus
		if json.Unmarshal(m.Data, &w) == nil && w.Name != "" {
			s.Workers = append(s.Workers, w)
			s.Rate += w.Rate
		}
	}
	slices.SortFunc(s.Workers, func(x, y WorkerStatus) int { return strings.Compare(x.Name, y.Name) })
	return ctx.Err()
}

// queues adds the queues of all versions.
func (c *Client) queues(ctx context.Context, s *Status) error {
	stream, err := c.js.Stream(ctx, unitStream)
	if err != nil {
		return err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(unitSubject+">"))
	if err != nil {
		return err
	}
	all := map[string]uint64{}
	for subject, n := range info.State.Subjects {
		version, _, _ := strings.Cut(strings.TrimPrefix(subject, unitSubject), ".")
		all[version] += n
	}
	s.Queues, s.Waiting, s.Running = []Queue{}, 0, 0
	running := map[string]int{}
	consumers := stream.ListConsumers(ctx)
	for info := range consumers.Info() {
		version := strings.TrimPrefix(info.Name, "version-")
		running[version] = info.NumAckPending
	}
	if err := consumers.Err(); err != nil {
		return err
	}
	for version, n := range all {
		q := Queue{Version: version, Running: min(running[version], int(n))}
		q.Waiting = n - uint64(q.Running)
		s.Queues = append(s.Queues, q)
		s.Waiting += q.Waiting
		s.Running += q.Running
	}
	slices.SortFunc(s.Queues, func(x, y Queue) int { return strings.Compare(x.Version, y.Version) })
	return nil
}

// listAside adds the units that are set aside.
func (c *Client) listAside(ctx context.Context, s *Status) error {
	var keys []string
	err := c.try(ctx, func(ctx context.Context) (err error) {
		keys, err = c.aside.Keys(ctx)
		if errors.Is(err, jetstream.ErrNoKeysFound) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	s.Failed = uint64(len(keys))
	slices.Sort(keys)
	for _, key := range keys[:min(len(keys), maxListed)] {
		text, err := c.value(ctx, c.aside, key)
		var a Aside
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			continue
		case errors.Is(err, jetstream.ErrInvalidKey):
			a.Reason = "this key is not a unit's"
		case err != nil:
			return fmt.Errorf("reading the units that are set aside: %w", err)
		default:
			a = readAside(text)
		}
		s.Aside = append(s.Aside, AsideLine{Unit: Hash(key), Kind: a.Unit.Kind, Reason: a.Reason, Output: a.Output})
	}
	return nil
}
