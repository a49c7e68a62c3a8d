// Package judge implements the use case of judging planners: a server that speaks the protocol of RDDLSim
// (package rddlsim) and simulates a problem's RDDL.
package judge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/rddlsim"
)

// Request asks for a server.
type Request struct {
	Listen   string // HOST:PORT
	Sessions int    // number of sessions; 0 is no bound
	Rounds   int    // of a session
	Steps    int    // of a round; 0 for the instance's horizon
	Allowed  time.Duration
	Seed     uint64 // round i of every session draws from Seed+i-1
	Now      func() time.Time
	Ready    func(*Document) // called when clients can connect
	Round    func(session int, r rddlsim.RoundReport)
	Session  func(Session) // called after each session; may be nil, as may Ready and Round
}

// Document is the answer of `fdplan simulate --rddlsim`.
type Document struct {
	Schema   int       `json:"schema"`
	Problem  string    `json:"problem"`
	Instance string    `json:"instance"` // that clients ask for
	Address  string    `json:"address"`
	Rounds   int       `json:"rounds"`
	Steps    int       `json:"steps"` // of a round, at most
	Seconds  float64   `json:"time_allowed"`
	Seed     uint64    `json:"seed"`
	Sessions []Session `json:"sessions"`
}

// Session is the session of a client, with the average of its rounds.
type Session struct {
	rddlsim.SessionReport
	execute.Average
}

// Serve simulates the problem's RDDL for clients until ctx ends or there were as many sessions as asked for.
func Serve(ctx context.Context, p *load.Problem, r Request) (*Document, error) {
	s, err := p.Simulator()
	if err != nil {
		return nil, err
	}
	text, err := p.Truth.Text()
	if err != nil {
		return nil, err
	}
	if r.Steps == 0 {
		if r.Steps = s.Problem().Horizon; r.Steps <= 0 {
			return nil, fmt.Errorf("%s has no horizon of its own; give a number of --steps", p.Problem.Name)
		}
	}
	if err := s.NewRunner(nil).Reset(); err != nil {
		return nil, fmt.Errorf("the initial state: %w", err)
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", r.Listen)
	if err != nil {
		return nil, fmt.Errorf("%w; expected a free port, or HOST:PORT of this machine", err)
	}
	d := &Document{
		Schema: app.Schema, Problem: p.Problem.Name, Instance: s.Problem().Instance, Address: l.Addr().String(),
		Rounds: r.Rounds, Steps: r.Steps, Seconds: r.Allowed.Seconds(), Seed: r.Seed, Sessions: []Session{},
	}
	if r.Ready != nil {
		r.Ready(d)
	}
	server := &rddlsim.Server{Sim: s, Task: text, Rounds: r.Rounds, Steps: r.Steps, Allowed: r.Allowed, Seed: r.Seed, Now: r.Now}
	if r.Round != nil {
		server.Round = func(x *rddlsim.SessionReport, round rddlsim.RoundReport) { r.Round(x.Session, round) }
	}
	if r.Session != nil {
		server.Session = func(x *rddlsim.SessionReport) { r.Session(judged(x)) }
	}
	all, err := server.Serve(ctx, l, r.Sessions)
	for _, x := range all {
		d.Sessions = append(d.Sessions, judged(x))
	}
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return d, err
}

// judged averages the rounds of a session.
func judged(x *rddlsim.SessionReport) Session {
	var outcomes []execute.Outcome
	for _, r := range x.Rounds {
		outcomes = append(outcomes, execute.Outcome{Reward: r.Reward, Broken: r.Broken})
	}
	return Session{SessionReport: *x, Average: execute.AverageOf(outcomes)}
}
