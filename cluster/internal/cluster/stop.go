package cluster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// A server that cannot write to its disk keeps running and answers no request to store
// something: its clients would wait for ever. So the server's own log is listened to, and a
// server that fails tells all clients why, and ends.

// StoppedError is the error of a client whose server has ended for good.
type StoppedError struct {
	URL string
	Why string
}

// Error names the server and the reason.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("the server %s has ended: %s", e.URL, e.Why)
}

// Gone reports whether an error means that there is no server any more.
func Gone(err error) bool {
	return errors.As(err, new(*UnreachableError)) || errors.As(err, new(*StoppedError))
}

// listen has the client end when the server says that it does.
func (c *Client) listen() error {
	_, err := c.nc.Subscribe(stopSubject, func(m *nats.Msg) { c.end(&StoppedError{c.o.URL, string(m.Data)}) })
	if err != nil {
		return fmt.Errorf("listening to the server: %w", err)
	}
	return nil
}

// log is the log of a server. It keeps the first failure of its disk.
type log struct {
	store  string
	failed chan error
}

// signs are parts of the server's messages after which a store takes nothing more.
var signs = []string{noSpace, "quota exceeded", "failed to store a msg", "Critical write error", "Filesystem permission denied"}

// noSpace is the system's text for a full disk.
const noSpace = "no space left on device"

func (l *log) look(format string, args []any) {
	text := fmt.Sprintf(format, args...)
	for _, sign := range signs {
		if !strings.Contains(text, sign) {
			continue
		}
		why := fmt.Errorf("the store %s cannot be written: %s", l.store, text)
		if sign == noSpace {
			why = fmt.Errorf("the store %s is full: %s; expected room on its disk", l.store, noSpace)
		}
		select {
		case l.failed <- why:
		default: // there is one
		}
		return
	}
}

// Errorf, Warnf and Fatalf look for failures; the rest of a server's log is of no use here.
func (l *log) Errorf(format string, args ...any) { l.look(format, args) }
func (l *log) Warnf(format string, args ...any)  { l.look(format, args) }
func (l *log) Fatalf(format string, args ...any) { l.look(format, args) }
func (l *log) Noticef(string, ...any)            {}
func (l *log) Debugf(string, ...any)             {}
func (l *log) Tracef(string, ...any)             {}

// own lets this process connect to its server, and returns how: by the token, or a key of its
// own where clients have keys.
func own(o *server.Options) ([]nats.Option, error) {
	out := []nats.Option{nats.Name("broker"), nats.ReconnectBufSize(-1)}
	if o.Authorization != "" {
		out = append(out, nats.Token(o.Authorization))
	}
	if len(o.Nkeys) == 0 {
		return out, nil
	}
	key, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, err
	}
	o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: public})
	return append(out, nats.Nkey(public, key.Sign)), nil
}

// Failed delivers why the server's store can be written no more.
func (s *Server) Failed() <-chan error { return s.log.failed }

// Dismiss tells all clients that the server ends for good. They end, too.
func (s *Server) Dismiss(why error) {
	// Clients that are connecting again at the moment hear of it later.
	for range 4 {
		s.nc.Publish(stopSubject, []byte(why.Error()))
		s.nc.FlushTimeout(opTime)
		time.Sleep(250 * time.Millisecond)
	}
}
