package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// A unit is set aside after its process died maxDeaths times, or after it was begun
// maxBegun times by workers that vanished. The first is a fault of the unit, very
// likely; the second may be chance where machines are taken away often.
const (
	maxDeaths = 3
	maxBegun  = 10
)

// maxTail bounds the output that is kept of a unit's process, in bytes.
const maxTail = 16 << 10

// attempt counts the tries of one unit. The first is not stored: most units need
// no second.
type attempt struct {
	Begun  int    `json:"begun"`  // deliveries after the first that had no outcome yet
	Deaths int    `json:"deaths"` // processes that died
	Output string `json:"output,omitempty"`
	Reason string `json:"reason,omitempty"` // of the last death
}

// died says why a unit is set aside whose processes died.
func (a *attempt) died() *Aside {
	return &Aside{Reason: fmt.Sprintf("its process died %d times, last by %s", a.Deaths, a.Reason), Output: a.Output, Died: true}
}

// DeathError is a Runner's error for a unit whose process died.
type DeathError struct {
	Reason string // "signal: killed", "it took more than 4 GiB"
	Output string // the end of what it printed
}

// Error returns the reason.
func (e *DeathError) Error() string { return e.Reason }

// count changes the stored attempts of a unit, whoever else does so at the time,
// and returns them.
func (c *Client) count(ctx context.Context, id Hash, change func(*attempt)) (attempt, error) {
	var a attempt
	err := c.change(ctx, c.attempts, string(id), func(stored []byte) ([]byte, error) {
		a = attempt{}
		if stored != nil && json.Unmarshal(stored, &a) != nil {
			a = attempt{} // somebody else has written it
		}
		change(&a)
		return json.Marshal(a)
	})
	return a, err
}

// readAside reads why a unit was set aside.
func readAside(text []byte) Aside {
	var a Aside
	if err := json.Unmarshal(text, &a); err != nil {
		return Aside{Reason: fmt.Sprintf("the stored reason is not readable: %v", err)}
	}
	return a
}

// setAside stores why a unit cannot be done.
func (c *Client) setAside(ctx context.Context, id Hash, a *Aside) error {
	if len(a.Output) > maxTail {
		a.Output = a.Output[len(a.Output)-maxTail:]
	}
	if len(a.Reason) > 1000 {
		a.Reason = a.Reason[:1000]
	}
	text, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("setting a unit aside: %w", err)
	}
	return c.try(ctx, func(ctx context.Context) error {
		_, err := c.aside.Put(ctx, string(id), text)
		return full(err)
	})
}

// forget removes what is stored about the tries of a unit.
func (c *Client) forget(ctx context.Context, id Hash) error {
	for _, kv := range []jetstream.KeyValue{c.attempts, c.aside} {
		if err := c.try(ctx, func(ctx context.Context) error { return kv.Purge(ctx, string(id)) }); err != nil {
			return err
		}
	}
	return nil
}
