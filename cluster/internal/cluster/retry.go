package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Times of the protocol.
const (
	opTime    = 5 * time.Second       // for one request
	firstWait = 50 * time.Millisecond // before a request is repeated
	mostWait  = 2 * time.Second
	quiet     = 3 * time.Second // after which the user hears that the server does not answer
)

// UnreachableError is the error when the server could not be reached for too long.
type UnreachableError struct {
	URL   string
	After time.Duration
	Err   error
}

// Error names the server and the time.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer from %s for %v: %v", e.URL, e.After, e.Err)
}

// Unwrap returns the last error.
func (e *UnreachableError) Unwrap() error { return e.Err }

// try calls do until it succeeds or fails for good. Errors of the connection are
// repeated, with growing pauses, for as long as the client's patience lasts.
func (c *Client) try(ctx context.Context, do func(ctx context.Context) error) error {
	began := c.o.Now()
	for wait := firstWait; ; wait = min(2*wait, mostWait) {
		once, cancel := context.WithTimeout(ctx, opTime)
		unhook := context.AfterFunc(c.life, cancel)
		err := do(once)
		unhook()
		cancel()
		if err != nil && c.life.Err() != nil {
			return context.Cause(c.life)
		}
		if err == nil || ctx.Err() != nil || permanent(err) {
			return err
		}
		past := c.o.Now().Sub(began)
		if past >= c.o.Patience {
			return &UnreachableError{c.o.URL, past.Round(time.Second), err}
		}
		if past >= quiet && !c.told.Swap(true) {
			c.Warn(fmt.Sprintf("no answer from %s so far (%v); it is tried for %v", c.o.URL, err, c.o.Patience))
		}
		if lost(err) {
			// The server may have lost its store, or be a new one.
			again, cancel := context.WithTimeout(ctx, opTime)
			c.makeStores(again)
			cancel()
		}
		if !c.pause(ctx, wait) {
			return err
		}
	}
}

// pause waits for d, give or take a half, so that clients do not move in step. It
// reports false when ctx ended before, or the server for good.
func (c *Client) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d/2 + time.Duration(float64(d)*c.o.Jitter()))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	case <-c.life.Done():
		return false
	}
}

// lost reports whether an error means that a store does not exist.
func lost(err error) bool {
	for _, e := range []error{
		jetstream.ErrNoStreamResponse, jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted,
		jetstream.ErrConsumerDoesNotExist, jetstream.ErrBucketNotFound, nats.ErrNoResponders,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// permanent reports whether an error is an answer rather than a fault of the
// connection or the server.
func permanent(err error) bool {
	if lost(err) {
		return false
	}
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code >= 400 && api.Code < 500 || isFull(api)
	}
	for _, e := range []error{
		jetstream.ErrKeyNotFound, jetstream.ErrKeyExists, jetstream.ErrKeyDeleted, jetstream.ErrInvalidKey, jetstream.ErrMsgAlreadyAckd, jetstream.ErrMsgNotFound,
		nats.ErrMaxPayload, nats.ErrAuthorization, nats.ErrConnectionClosed, errDamaged, errMissing,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// errFull is wrapped by the error for a store of the server that takes no more.
var errFull = errors.New("the server's store is full")

// codeStoreFailed is the server's code for a message that a stream refuses, such as
// one whose subject has a message already.
const codeStoreFailed jetstream.ErrorCode = 10077

// codesFull are the codes for what does not fit: into a stream, or on the disk.
var codesFull = []jetstream.ErrorCode{codeStoreFailed, 10023, 10047}

func isFull(err *jetstream.APIError) bool {
	return slices.Contains(codesFull, err.ErrorCode) || strings.Contains(err.Description, noSpace)
}

// full replaces the server's error for a store without room.
func full(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && isFull(api) {
		return fmt.Errorf("%w: %w; expected room on its disk, or a larger bound", errFull, err)
	}
	return err
}
