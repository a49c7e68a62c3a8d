package rddlsim

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/internal/source"
)

// Server simulates RDDL for clients, each in a session of its own. Round i of every session draws from a generator
// seeded Seed+i-1.
type Server struct {
	Sim     *sim.Simulator
	Task    []byte // the RDDL, domain and instance, which clients are sent
	Rounds  int
	Steps   int           // of a round
	Allowed time.Duration // for a session; a round in which it ends is the last one
	Seed    uint64
	Now     func() time.Time
	// Round, if set, is called after each round, and Session after each session, by one goroutine at a time.
	Round   func(*SessionReport, RoundReport)
	Session func(*SessionReport)

	mu sync.Mutex // of Round and Session, and of the reports
}

// SessionReport is one session.
type SessionReport struct {
	Session int           `json:"session"`
	Client  string        `json:"client"`
	Rounds  []RoundReport `json:"rounds"`
	// Total is the sum of the rewards of the rounds.
	Total float64 `json:"total_reward"`
	// Says is why the session has fewer rounds than it should have; empty if it has them all.
	Says string `json:"says,omitempty"`
}

// RoundReport is one round of a session.
type RoundReport struct {
	Round   int     `json:"round"`
	Steps   int     `json:"steps"`
	Reward  float64 `json:"reward"` // with the discount of the instance
	Seconds float64 `json:"seconds"`
	// Broken is the rule that ended the round early; absent if none did.
	Broken string `json:"broken,omitempty"`
}

const (
	// handshake is the time within which a client must request a session, and take what it is sent.
	handshake = 30 * time.Second
	// grace is how long after its time a session waits for the last action of a client.
	grace = time.Minute
)

// Serve answers clients until ctx ends or the given number of sessions has ended; 0 is no bound. It closes the
// listener, and returns the sessions in the order in which they began.
func (s *Server) Serve(ctx context.Context, l net.Listener, sessions int) ([]*SessionReport, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	var all []*SessionReport
	var group routine.Group
	ended := 0
	for {
		conn, err := l.Accept()
		if err != nil {
			group.Wait()
			if ctx.Err() != nil {
				err = nil
			}
			return all, err
		}
		group.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			x := &session{s: s, conn: conn, in: newReader(conn), began: s.Now()}
			if !x.requested() {
				return
			}
			s.mu.Lock()
			all = append(all, &x.report)
			x.report.Session = len(all)
			s.mu.Unlock()
			err := x.play()
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			x.end(err)
			s.mu.Lock()
			defer s.mu.Unlock()
			if ended++; ended == sessions {
				cancel()
			}
		})
	}
}

// session is a session in progress.
type session struct {
	s      *Server
	conn   net.Conn
	in     *reader
	plain  bool // the client wants no XML declaration
	began  time.Time
	report SessionReport
}

// requested reads the request for a session. As RDDLSim does, a server does not answer clients that ask for another
// instance.
func (x *session) requested() bool {
	_ = x.conn.SetDeadline(time.Now().Add(handshake))
	m, err := x.in.next(sessionRequest)
	if err != nil {
		return false
	}
	if object(m.Problem) != x.s.Sim.Problem().Instance {
		return false
	}
	x.plain = m.NoHeader
	x.report.Client = source.Printable(object(m.Client), source.MaxLine/4)
	x.report.Rounds = []RoundReport{}
	return true
}

// begin answers the request.
func (x *session) begin() error {
	allowed := float64(x.s.Allowed.Milliseconds())
	return x.send(&message{
		Task: base64.StdEncoding.EncodeToString(x.s.Task), Session: strconv.Itoa(x.report.Session), Rounds: &x.s.Rounds, Allowed: &allowed,
	}, sessionInit)
}

// left is the time that is left, in milliseconds, for a message.
func (x *session) left() *float64 {
	ms := float64((x.s.Allowed - x.s.Now().Sub(x.began)).Milliseconds())
	return &ms
}

func (x *session) send(m *message, name string) error {
	_ = x.conn.SetWriteDeadline(time.Now().Add(handshake))
	return write(x.conn, m, name, x.plain)
}

// receive reads a message of a name, and answers requests for what is left.
func (x *session) receive(name string) (*message, error) {
	for {
		_ = x.conn.SetReadDeadline(time.Now().Add(x.s.Allowed - x.s.Now().Sub(x.began) + grace))
		m, err := x.in.next(name, resources)
		if err != nil || m.Name == name {
			return m, err
		}
		if err = x.send(&message{Left: x.left(), Memory: "enough"}, resourcesLeft); err != nil {
			return nil, err
		}
	}
}

// play plays the rounds, until the time is over.
func (x *session) play() error {
	if err := x.begin(); err != nil {
		return err
	}
	g := x.s.Sim.Problem()
	for round := 1; round <= x.s.Rounds && (round == 1 || *x.left() >= 0); round++ {
		if _, err := x.receive(roundRequest); err != nil {
			return err
		}
		rest := x.s.Rounds - round
		if err := x.send(&message{Round: &round, RoundLeft: &rest, Left: x.left()}, roundInit); err != nil {
			return err
		}
		began := x.s.Now()
		r, last, err := x.round(round)
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		r.Seconds = x.s.Now().Sub(began).Seconds()
		x.s.mu.Lock()
		x.report.Total += r.Reward
		x.report.Rounds = append(x.report.Rounds, r)
		if x.s.Round != nil {
			x.s.Round(&x.report, r)
		}
		x.s.mu.Unlock()
		err = x.send(&message{
			Instance: g.Instance, Client: x.report.Client, Round: &round, Reward: &r.Reward, Used: &r.Steps, Left: x.left(), Immediate: &last,
		}, roundEnd)
		if err != nil {
			return err
		}
	}
	used := len(x.report.Rounds)
	return x.send(&message{Instance: g.Instance, Total: &x.report.Total, RoundUsed: &used, Client: x.report.Client, Session: strconv.Itoa(x.report.Session), Left: x.left()}, sessionEnd)
}

// round plays a round and returns the reward of its last step too.
func (x *session) round(number int) (r RoundReport, last float64, err error) {
	r.Round = number
	run := x.s.Sim.NewRunner(rand.New(rand.NewPCG(x.s.Seed+uint64(number)-1, 0)))
	if err := run.Reset(); err != nil {
		return r, 0, err
	}
	weight := 1.0
	for {
		step := r.Steps + 1
		if err := x.send(&message{Turn: &step, Left: x.left(), Immediate: &last, Fluents: x.observed(run)}, turn); err != nil {
			return r, 0, err
		}
		m, err := x.receive(actions)
		if err != nil {
			return r, 0, fmt.Errorf("step %d: %w", step, err)
		}
		action, err := actionOf(x.s.Sim, m.Actions)
		if err != nil {
			return r, 0, fmt.Errorf("step %d: %w", step, err)
		}
		before := run.Steps()
		reward, err := run.Step(action)
		if run.Steps() > before {
			r.Steps++
			last = reward
			r.Reward += weight * reward
			weight *= x.s.Sim.Problem().Discount
		}
		if err != nil {
			r.Broken = err.Error()
			return r, last, nil
		}
		done, err := run.Terminal()
		if err != nil || done || r.Steps >= x.s.Steps || *x.left() < 0 {
			return r, last, err
		}
	}
}

// observed writes the state of a runner.
func (x *session) observed(run *sim.Runner) []Fluent {
	var out []Fluent
	for _, f := range x.s.Sim.States() {
		out = append(out, Written(x.s.Sim.Problem(), &x.s.Sim.Problem().Fluents[f], run.Value(f)))
	}
	return out
}

// end tells of the end of a session.
func (x *session) end(err error) {
	var slow net.Error
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	switch {
	case errors.As(err, &slow) && slow.Timeout():
		x.report.Says = "the client sent nothing in time"
	case errors.Is(err, io.EOF):
		x.report.Says = "the client closed the connection"
	case err != nil:
		x.report.Says = source.Printable(err.Error(), source.MaxLine)
	case len(x.report.Rounds) < x.s.Rounds:
		x.report.Says = fmt.Sprintf("the time of %v was over", x.s.Allowed)
	}
	if x.s.Session != nil {
		x.s.Session(&x.report)
	}
}
