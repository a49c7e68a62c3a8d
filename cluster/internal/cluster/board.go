package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// MaxBoard bounds what a board shows, in bytes.
const MaxBoard = 512 << 10

// boardTime is how long a board is kept after the last change.
const boardTime = 24 * time.Hour

// Board returns what the board of a name shows, and the revision of that; nil for nothing. The
// name consists of letters, digits, dashes and dots. Whoever can reach the server can write to
// its boards: what they show has to be judged before it is used.
func (c *Client) Board(ctx context.Context, name string) (text []byte, revision uint64, err error) {
	e, err := c.entry(ctx, c.boards, name)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return e.Value(), e.Revision(), nil
}

// Wipe removes a revision of what a board shows, and reports whether it was still there.
func (c *Client) Wipe(ctx context.Context, name string, revision uint64) (bool, error) {
	return c.remove(ctx, c.boards, name, revision)
}

// Improve puts a text on the board of a name, if it is better than what that shows, whoever
// else does so at the time. better is called with what is shown, which is nil for nothing.
func (c *Client) Improve(ctx context.Context, name string, text []byte, better func(shown []byte) bool) error {
	if len(text) > MaxBoard {
		return fmt.Errorf("a board of %d bytes; expected at most %d", len(text), MaxBoard)
	}
	return c.change(ctx, c.boards, name, func(shown []byte) ([]byte, error) {
		if !better(shown) {
			return nil, nil
		}
		return text, nil
	})
}

// change replaces the value of a key by what next makes of it, whoever else does so at the time. next is called with nil where
// there is no value, and may return nil to leave it.
func (c *Client) change(ctx context.Context, kv jetstream.KeyValue, key string, next func(old []byte) ([]byte, error)) error {
	return c.try(ctx, func(ctx context.Context) error {
		for {
			var old []byte
			var revision uint64
			e, err := kv.Get(ctx, key)
			switch {
			case err == nil:
				old, revision = e.Value(), e.Revision()
			case !errors.Is(err, jetstream.ErrKeyNotFound):
				return err
			}
			value, err := next(old)
			if value == nil || err != nil {
				return err
			}
			if revision == 0 {
				_, err = kv.Create(ctx, key, value)
			} else {
				_, err = kv.Update(ctx, key, value, revision)
			}
			if !errors.Is(err, jetstream.ErrKeyExists) {
				return full(err)
			}
		}
	})
}
