package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/judge"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/execution/rddlsim"
)

// judgeFlags are those of a server that speaks the protocol of RDDLSim.
type judgeFlags struct {
	Rddlsim     string        `help:"Be a server that speaks the protocol of RDDLSim, of the planning competitions, at a port of this machine or at HOST:PORT; 0 is any free port (docs/simulators.md)." placeholder:"PORT|HOST:PORT" xor:"what"`
	Rounds      int           `help:"Rounds of a session, with --rddlsim." default:"30" min:"1"`
	SessionTime bind.Duration `help:"Time for a session, with --rddlsim; the round in which it ends is the last one." default:"18m"`
	Sessions    int           `help:"Sessions until the server ends, with --rddlsim; 0 for no bound." default:"0" min:"0"`
}

// checkJudge refuses counts that are none.
func (c *simulateCmd) checkJudge() error {
	switch {
	case c.SessionTime <= 0:
		return errors.New("--session-time 0s is no time; expected a positive one, such as 18m")
	case c.Steps < 0:
		return fmt.Errorf("--steps %d is not a number of steps; expected at least 1", c.Steps)
	case c.Rddlsim != "" && c.Table:
		return errors.New("--csv and --rddlsim do not go together; the sessions are in --json")
	}
	return nil
}

// judge serves until a signal, or until there were enough sessions.
func (c *simulateCmd) judge(ctx context.Context, a *environment, p *load.Problem) error {
	r := judge.Request{
		Listen: c.Rddlsim, Sessions: c.Sessions, Rounds: c.Rounds, Steps: c.Steps, Allowed: time.Duration(c.SessionTime), Seed: c.Seed, Now: a.now,
	}
	if !strings.Contains(r.Listen, ":") {
		r.Listen = "127.0.0.1:" + r.Listen
	}
	r.Ready = func(d *judge.Document) {
		a.note(fmt.Sprintf("%s at %s: sessions of %s of %s, within %v", d.Instance, d.Address, counted.Of(d.Rounds, "round"), counted.Of(d.Steps, "step"), time.Duration(c.SessionTime)))
	}
	live := !c.JSON && (c.Out == "" || c.Out == "-")
	if live {
		r.Round = func(session int, x rddlsim.RoundReport) { writeRound(a.out, session, x) }
		r.Session = func(s judge.Session) { writeSession(a.out, s) }
	}
	d, err := judge.Serve(ctx, p, r)
	if err != nil || live {
		return err
	}
	return a.answer(c.JSON, c.Out, d, func(w io.Writer) {
		for _, s := range d.Sessions {
			for _, x := range s.Rounds {
				writeRound(w, s.Session, x)
			}
			writeSession(w, s)
		}
	})
}

func writeRound(w io.Writer, session int, r rddlsim.RoundReport) {
	fmt.Fprintf(w, "session %d, round %d: reward %.6g, %s, in %.3f s\n", session, r.Round, r.Reward, counted.Of(r.Steps, "step"), r.Seconds)
	if r.Broken != "" {
		fmt.Fprintf(w, "      broken: %s\n", r.Broken)
	}
}

func writeSession(w io.Writer, s judge.Session) {
	fmt.Fprintf(w, "session %d of %s: %s, average reward %.6g, standard error %.3g", s.Session, s.Client, counted.Of(len(s.Rounds), "round"), s.Mean, s.Error)
	if s.Says != "" {
		fmt.Fprintf(w, "; ended early: %s", s.Says)
	}
	fmt.Fprintln(w)
}
