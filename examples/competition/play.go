package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/judge"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/rddlsim"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// Statuses of records.
const (
	failed  = "error"   // the session has not ended; it is played again
	unknown = "unknown" // a limit was reached before there was an exact value
)

// exact stands among the planners for the value of the best policy, by dynamic programming.
const exact = "exact"

// play plays a session.
func (s settings) play(ctx context.Context, c cell) *journal.Record {
	r := &journal.Record{Kind: "session", ID: s.id(c), Table: "competition", Problem: c.name, Horizon: s.steps, Planner: c.planner, Seed: s.seed, TimeLimit: s.step.Seconds(), Status: "measured"}
	began := time.Now()
	var played *judge.Session
	var err error
	switch c.planner {
	case exact:
		err = s.solve(ctx, c, r)
	case "noop", "random":
		played, err = s.simulate(ctx, c)
	default:
		played, err = s.session(ctx, c, r)
	}
	r.Seconds = time.Since(began).Seconds()
	switch {
	case err != nil:
		r.Status, r.Error = failed, err.Error()
	case c.planner == exact:
	case len(played.Rounds) < s.rounds:
		r.Status, r.Error = failed, fmt.Sprintf("%d of %d rounds: %s", len(played.Rounds), s.rounds, played.Says)
	default:
		r.Reward = &played.Mean
		if r.Document, err = json.Marshal(played); err != nil {
			r.Status, r.Error = failed, err.Error()
		}
	}
	return r
}

// limitReached is the exit status of a command that a limit of time or memory ended.
const limitReached = 3

// solve finds the value of the best policy, if dynamic programming fits the time and half of the memory that fdplan
// allows itself.
func (s settings) solve(ctx context.Context, c cell, r *journal.Record) error {
	r.TimeLimit = s.exact.Seconds()
	cmd := program(ctx, s.fdplan, "plan", "--domain", c.domain, "--instance", c.instance, "--policy", "--maximize", "reward", "-H", fmt.Sprint(s.steps), "--time-limit", s.exact.String(), "--json", "--quiet")
	r.Args = cmd.Args[1:]
	var says bytes.Buffer
	cmd.Stderr = &says
	out, err := cmd.Output()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == limitReached {
		r.Status, r.Error = unknown, lastLine(append(out, says.Bytes()...))
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(says.Bytes()))
	}
	var answer struct {
		Value  *float64 `json:"value"`
		States int64    `json:"states"`
	}
	if err := json.Unmarshal(out, &answer); err != nil || answer.Value == nil {
		return fmt.Errorf("the answer has no value: %w", err)
	}
	r.Status, r.Reward, r.Stats = "optimal", answer.Value, map[string]int64{"states": answer.States}
	return nil
}

// spread is how the rounds of a session differ that was read from the journal or just played.
type spread struct {
	Error  float64 `json:"standard_error"`
	Broken int     `json:"broken"` // rounds that a rule ended early, whose rewards say nothing of the rest
}

func spreadOf(r *journal.Record) (d spread) {
	_ = json.Unmarshal(r.Document, &d)
	return d
}

// simulate runs a policy that does not plan, in rounds of the same seeds as those of a session.
func (s settings) simulate(ctx context.Context, c cell) (*judge.Session, error) {
	p, err := load.Load(ctx, load.Ref{Source: load.Source{Domain: c.domain, Instance: c.instance, Model: load.RDDL}, Simulate: true})
	if err != nil {
		return nil, err
	}
	out := &judge.Session{SessionReport: rddlsim.SessionReport{Client: c.planner}}
	var outcomes []execute.Outcome
	for i := range s.rounds {
		e, err := execute.Simulate(ctx, p, execute.Simulation{Policy: c.planner, Steps: s.steps, Seed: s.seed + uint64(i)})
		if err != nil {
			return nil, err
		}
		round := rddlsim.RoundReport{Round: i + 1, Steps: e.Steps, Reward: e.Discounted}
		if e.Failure != nil {
			round.Broken = e.Failure.Text
		}
		out.Total += round.Reward
		out.Rounds = append(out.Rounds, round)
		outcomes = append(outcomes, execute.Outcome{Reward: round.Reward, Broken: round.Broken})
	}
	out.Average = execute.AverageOf(outcomes)
	return out, nil
}

// address finds the address in what a server says when it is ready.
var address = regexp.MustCompile(`127\.0\.0\.1:(\d+)`)

// session starts a server and has a planner play a session.
func (s settings) session(ctx context.Context, c cell, r *journal.Record) (*judge.Session, error) {
	folder, err := os.MkdirTemp("", "competition")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	// Twice the time, and a minute to prepare: the planners keep to the time for a step.
	allowed := 2*time.Duration(s.rounds*s.steps)*s.step + time.Minute
	ctx, cancel := context.WithTimeout(ctx, allowed+time.Minute)
	defer cancel()
	server := program(ctx, s.fdplan, "simulate", "--domain", c.domain, "--instance", c.instance, "--rddlsim", "0", "--json", "--sessions", "1",
		"--rounds", fmt.Sprint(s.rounds), "--steps", fmt.Sprint(s.steps), "--seed", fmt.Sprint(s.seed), "--session-time", allowed.String())
	var answer bytes.Buffer
	server.Stdout = &answer
	says, err := server.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	ended := false
	defer func() {
		if !ended {
			cancel()
			_ = server.Wait()
		}
	}()
	in := bufio.NewReader(says)
	line, err := in.ReadString('\n')
	at := address.FindStringSubmatch(line)
	if at == nil {
		return nil, errors.Join(fmt.Errorf("the server says %q", strings.TrimSpace(line)), err)
	}
	planner, err := s.planner(ctx, c, at[1])
	if err != nil {
		return nil, err
	}
	r.Args = planner.Args[1:]
	planner.Dir = folder
	if text, err := planner.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", c.planner, err, lastLine(text))
	}
	_, _ = io.Copy(io.Discard, in)
	ended = true
	if err := server.Wait(); err != nil {
		return nil, fmt.Errorf("the server: %w", err)
	}
	var d judge.Document
	if err := json.Unmarshal(answer.Bytes(), &d); err != nil {
		return nil, fmt.Errorf("the server's answer: %w", err)
	}
	if len(d.Sessions) != 1 {
		return nil, fmt.Errorf("the server had %d sessions, expected one", len(d.Sessions))
	}
	return &d.Sessions[0], nil
}

// planner is the command of a planner that plays a session at a port.
func (s settings) planner(ctx context.Context, c cell, port string) (*exec.Cmd, error) {
	own := []string{"run", "--simulator", "rddlsim:127.0.0.1:" + port + "/" + c.asked, "--plan-time", s.step.String(), "--steps", fmt.Sprint(s.steps), "--seed", fmt.Sprint(s.seed)}
	switch c.planner {
	case "policy":
		return program(ctx, s.fdplan, append(own, "--policy")...), nil
	case "most-likely":
		return program(ctx, s.fdplan, append(own, "-H", fmt.Sprint(s.steps), "--determinize", "most-likely")...), nil
	case "prost":
		return program(ctx, s.prost, c.asked, "-h", "127.0.0.1", "-p", port, fmt.Sprintf("[Prost -s %d -se [IPC2014]]", s.seed)), nil
	}
	return nil, fmt.Errorf("no planner %q; expected exact, policy, prost, most-likely, noop or random", c.planner)
}

// program is a command that is asked to stop when ctx ends, with what it started.
func program(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// lastLine is the last line of an output that is not empty, but for the request to report what the line before it says.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if n := len(lines) - 1; n > 0 && strings.HasPrefix(lines[n], "This is a bug.") {
		lines = lines[:n]
	}
	return lines[len(lines)-1]
}
