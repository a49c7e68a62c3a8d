package execute

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
)

// SessionLine is what a server says of a session.
type SessionLine struct {
	Name    string   `json:"name"`
	Session string   `json:"session"`
	Rounds  int      `json:"rounds"`
	Seconds float64  `json:"time_allowed"`
	Total   *float64 `json:"total_reward"` // null if the session has not ended
}

// Join begins a session of the server that r names where a command names no problem: the problem is then the RDDL
// that the server sends. It returns what to load, and r with the session, which the caller closes. Where there is
// nothing to do, it returns what it is given.
func Join(ctx context.Context, r SimulatorRef, of load.Ref) (SimulatorRef, load.Ref, error) {
	server, ok, err := simulator.ParseServer(r.Name)
	if !ok || err != nil || of.Name != "" || of.Domain != "" {
		return r, of, err
	}
	if server.Instance == "" {
		return r, of, fmt.Errorf("no problem is named; expected one, or %s/INSTANCE with the name of an instance of the server", server)
	}
	if r.Joined, err = simulator.Connect(ctx, server, time.Duration(r.Timeout)); err != nil {
		return r, of, err
	}
	text := r.Joined.Session().Task
	if text == nil {
		return r, of, errors.Join(fmt.Errorf("the server %s sends no RDDL; expected the name of a problem", server), r.Joined.Close())
	}
	of.Domain, of.Read = server.String(), func(string) ([]byte, error) { return text, nil }
	return r, of, nil
}

// IsServer reports whether r names a server.
func (r SimulatorRef) IsServer() bool {
	_, ok, _ := simulator.ParseServer(r.Name)
	return ok
}

// Leave closes the session that Join began, if it did.
func (r SimulatorRef) Leave() {
	if r.Joined != nil {
		r.Joined.Close()
	}
}

// session begins a session for a problem, or takes the one that has begun.
func session(ctx context.Context, p *load.Problem, server simulator.Server, r SimulatorRef) (*simulator.Rddlsim, error) {
	if p.Other != nil {
		return nil, fmt.Errorf("%s shows RDDL; a problem in the FD-SAT-Plan layout has none", server)
	}
	var t *simulator.Truth
	instance := server.Instance
	if p.Truth != nil {
		t = p.Truth.System()
		if instance == "" {
			instance = t.Sim.Problem().Instance
		}
	}
	if instance == "" {
		return nil, fmt.Errorf("%s has no RDDL that names an instance; expected %s/INSTANCE", p.Problem.Name, server)
	}
	server.Instance = instance
	s, err := r.Joined, error(nil)
	if s == nil {
		if s, err = simulator.Connect(ctx, server, time.Duration(r.Timeout)); err != nil {
			return nil, err
		}
	}
	if err = s.Attach(p.World(), t); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// rounds plays the rounds of a server's session, each an episode whose reward is what the server says.
func (d *EpisodesDocument) rounds(ctx context.Context, p *load.Problem, r EpisodesRequest) (err error) {
	if r.Episodes != 0 {
		return errors.New("a server decides how many episodes there are; expected no --episodes")
	}
	real, err := OpenSimulator(ctx, p, r.Simulator)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, real.Close()) }()
	said := real.Server.Session()
	d.Server = &SessionLine{Name: real.Server.Info().Name, Session: said.ID, Rounds: said.Rounds, Seconds: said.Allowed.Seconds()}
	seed := r.Seed
	for i := 0; real.Server.More() && d.Stopped == ""; i++ {
		r.RunRequest.Seed = seed + uint64(i)
		run, err := Run(ctx, p, real, r.RunRequest)
		if errors.Is(err, simulator.ErrOver) {
			d.Stopped = err.Error()
			break
		}
		if err == nil && ctx.Err() == nil {
			err = real.Server.Finish(ctx)
		}
		if ctx.Err() != nil {
			d.Stopped = context.Cause(ctx).Error()
			break
		}
		if err != nil {
			return fmt.Errorf("episode %d: %w", i+1, err)
		}
		line := lineOf(run, i, said.Rounds, r.RunRequest.Seed)
		line.Reward.Reward = real.Server.Round().End.Reward
		d.Episodes = append(d.Episodes, *line)
		if r.Episode != nil {
			r.Episode(*line)
		}
		if run.Status == RunStopped {
			d.Stopped = run.Says
		}
	}
	d.Server.Total = real.Server.Total()
	d.summarise()
	return nil
}
