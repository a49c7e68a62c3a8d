package rddlsim

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/source"
)

// The kinds of an Error.
var (
	ErrTimeout  = errors.New("no answer")
	ErrClosed   = errors.New("the connection was closed")
	ErrNonsense = errors.New("an answer that is not understood")
)

// ErrOver is returned by Round where the session has no further round.
var ErrOver = errors.New("the server has ended the session")

// Error is an error of the other side, or of the connection to it.
type Error struct {
	Kind   error
	Detail string
}

func (e *Error) Error() string { return fmt.Sprintf("%v: %s", e.Kind, e.Detail) }

// Is lets errors.Is find the Kind.
func (e *Error) Is(target error) bool { return e.Kind == target }

func nonsensef(format string, args ...any) error {
	return &Error{ErrNonsense, fmt.Sprintf(format, args...)}
}

// Client is the client of a session. It belongs to one goroutine. After an error it must only be closed.
type Client struct {
	Init Session // what the server said at the beginning

	conn    net.Conn
	in      *reader
	timeout time.Duration
	round   int      // number of the present round, or the last one
	inside  bool     // a round is in progress
	total   *float64 // the reward of the session, once it has ended
}

// Session is what a server says of a session.
type Session struct {
	Task    []byte // RDDL, domain and instance; nil if none was sent
	ID      string
	Rounds  int
	Allowed time.Duration
}

// Turn is the answer of a server to a request for a round, or to a joint action.
type Turn struct {
	Reward float64 // of the last step
	State  []Fluent
	// End is the end of the round, which is sent in place of a state; nil before.
	End *RoundEnd
}

// RoundEnd is what a server says of a round.
type RoundEnd struct {
	Reward float64 // of the round, with the discount of the instance
	Turns  *int    // steps that were taken; nil if it does not say
}

// Dial connects to a server and requests a session for an instance. Each answer must come within the
// timeout.
func Dial(ctx context.Context, address, instance string, timeout time.Duration) (*Client, error) {
	d := net.Dialer{Timeout: timeout}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	c := &Client{conn: conn, in: newReader(conn), timeout: timeout}
	if err = c.begin(ctx, instance); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// begin requests the session.
func (c *Client) begin(ctx context.Context, instance string) error {
	if err := c.send(ctx, &message{Problem: instance, Client: "fdplan", Language: "rddl"}, sessionRequest); err != nil {
		return err
	}
	m, err := c.receive(ctx, sessionInit)
	if err != nil {
		return err
	}
	return c.init(m)
}

// init reads session-init.
func (c *Client) init(m *message) error {
	s := Session{ID: strings.TrimSpace(m.Session)}
	var err error
	if text := strings.Join(strings.Fields(m.Task), ""); text != "" {
		if s.Task, err = base64.StdEncoding.DecodeString(text); err != nil {
			return nonsensef("the task of session-init: %v", err)
		}
		s.Task = once(s.Task)
	}
	if m.Rounds == nil || *m.Rounds < 1 {
		return nonsensef("expected session-init to have num-rounds of at least 1")
	}
	s.Rounds = *m.Rounds
	if m.Allowed != nil && *m.Allowed > 0 {
		s.Allowed = time.Duration(min(*m.Allowed*float64(time.Millisecond), math.MaxInt64/2))
	}
	c.Init = s
	return nil
}

// once returns a text that is there twice, once: RDDLSim sends the file of the domain and that of the instance, also
// if they are the same.
func once(text []byte) []byte {
	all := bytes.TrimSpace(text)
	first, second := all[:len(all)/2], all[len(all)/2:]
	if bytes.Equal(bytes.TrimSpace(first), bytes.TrimSpace(second)) {
		return first
	}
	return text
}

// More reports whether the session has another round.
func (c *Client) More() bool { return c.total == nil && c.round < c.Init.Rounds }

// Round requests the next round and returns its first turn. A round in progress must have ended. It returns ErrOver
// if the server ends the session instead.
func (c *Client) Round(ctx context.Context) (*Turn, error) {
	if c.total != nil {
		return nil, ErrOver
	}
	// A server whose time is over has ended the session and may have closed the connection: then the end
	// is there to be read.
	err := c.send(ctx, &message{Execute: "yes"}, roundRequest)
	if err != nil && (c.round == 0 || !errors.Is(err, ErrClosed)) {
		return nil, err
	}
	m, err := c.receive(ctx, roundInit, sessionEnd)
	switch {
	case err != nil:
		return nil, err
	case m.Name == sessionEnd:
		if err := c.end(m); err != nil {
			return nil, err
		}
		return nil, ErrOver
	}
	c.round++
	c.inside = true
	return c.turn(ctx)
}

// Inside reports whether a round is in progress.
func (c *Client) Inside() bool { return c.inside }

// Act sends the actions that are not at their default and returns the next turn.
func (c *Client) Act(ctx context.Context, list []Action) (*Turn, error) {
	if err := c.send(ctx, &message{Actions: list}, actions); err != nil {
		return nil, err
	}
	return c.turn(ctx)
}

// turn reads a turn, or the end of a round and what follows it.
func (c *Client) turn(ctx context.Context) (*Turn, error) {
	m, err := c.receive(ctx, turn, roundEnd)
	if err != nil {
		return nil, err
	}
	t := &Turn{State: m.Fluents}
	if m.Immediate != nil {
		t.Reward = *m.Immediate
	}
	if m.Name == turn {
		return t, nil
	}
	if m.Reward == nil || m.Immediate == nil {
		return nil, nonsensef("expected round-end to have round-reward and immediate-reward")
	}
	t.End = &RoundEnd{Reward: *m.Reward, Turns: m.Used}
	c.inside = false
	if c.round < c.Init.Rounds {
		return t, nil
	}
	if m, err = c.receive(ctx, sessionEnd); err == nil {
		err = c.end(m)
	}
	return t, err
}

// end reads session-end.
func (c *Client) end(m *message) error {
	if m.Total == nil {
		return nonsensef("expected session-end to have total-reward")
	}
	c.total = m.Total
	return nil
}

// Total is the reward of the session according to the server; nil before its end.
func (c *Client) Total() *float64 { return c.total }

// Close closes the connection.
func (c *Client) Close() error {
	return c.conn.Close()
}

// within bounds what follows by the timeout and by ctx, until it is released.
func (c *Client) within(ctx context.Context) (release func() bool) {
	_ = c.conn.SetDeadline(time.Now().Add(c.timeout))
	return context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
}

func (c *Client) send(ctx context.Context, m *message, name string) error {
	defer c.within(ctx)()
	return c.failed(ctx, write(c.conn, m, name, false))
}

func (c *Client) receive(ctx context.Context, names ...string) (*message, error) {
	defer c.within(ctx)()
	m, err := c.in.next(names...)
	if err = c.failed(ctx, err); err != nil {
		return nil, err
	}
	for _, x := range []*float64{m.Allowed, m.Reward, m.Total, m.Left, m.Immediate} {
		if x != nil && *x-*x != 0 {
			return nil, nonsensef("%s has a number that is not finite", m.Name)
		}
	}
	return m, nil
}

// failed gives an error its kind. When ctx has ended, that is why the connection failed.
func (c *Client) failed(ctx context.Context, err error) error {
	var known *Error
	var slow net.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return err
	case errors.As(err, &slow) && slow.Timeout():
		return &Error{ErrTimeout, fmt.Sprintf("nothing came within %v", c.timeout)}
	case errors.Is(err, io.EOF):
		return &Error{ErrClosed, "it closed the connection"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{ErrClosed, "it closed the connection in the middle of a message"}
	}
	return &Error{ErrClosed, source.Printable(err.Error(), source.MaxLine/2)}
}
