// Package scenario finds plans and policies that hold in every run with at most so many disturbances by a loop of two: a plan for
// the scenarios so far, by engine pb, and a scenario that breaks the plan, by following it. It ends with a plan that no scenario
// breaks, or with scenarios in which no plan holds. See package certify/scenario for the joint problem.
package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"

	joint "github.com/fdplan/fdplan/certify/scenario"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Question is that of the joint problem.
type Question = joint.Question

// ErrUnsuited is that of the joint problem.
var ErrUnsuited = joint.ErrUnsuited

// Task is the joint problem of scenarios. It has a plan if one plan or policy holds in all of them.
func Task(q *Question, scenarios [][]factored.Event) (t engine.Task, err error) {
	tables, err := joint.NewTables(q)
	if err != nil {
		return t, err
	}
	j, err := joint.New(q, tables, scenarios)
	if err != nil {
		return t, err
	}
	return engine.Task{Problem: j.Problem}, nil
}

// Suits reports why a question cannot be asked by scenarios.
func Suits(q *Question) error {
	_, err := Task(q, nil)
	return err
}

// Options are the limits of Solve.
type Options struct {
	MinHorizon, MaxHorizon int // the shortest horizon of this range is taken
	Limits                 engine.Limits
}

// Solution is a plan or policy, or that there is none.
type Solution struct {
	Found     bool
	Horizon   int // of the plan; the longest if there is none
	Rows      []Row
	Reward    int64 // the worst
	Scenarios [][]factored.Event
	Refuted   []Refuted
	Best      bool  // no other has a better worst reward
	Stopped   error // why this is not known, where the time was over
}

// Refuted is a horizon over which no plan holds in the first so many scenarios or, if Above is not nil, none with a reward above it in
// each, in the scale of the problem.
type Refuted struct {
	Horizon   int    `json:"horizon"`
	Scenarios int    `json:"scenarios"`
	Above     *int64 `json:"above"`
}

// Row is what is done in a state at a step after some disturbances. Now has state and action.
type Row struct {
	Step, Spent int
	Now         factored.Valuation
}

// errBeyond is the error about what does not fit memory.
var errBeyond = errors.New("the runs of a plan pass too many states")

// solver is the state of Solve.
type solver struct {
	q      *Question
	o      Options
	tables *joint.Tables
	Solution
}

// Solve finds a plan or policy for the shortest of the horizons. The error says how far it came where it did not come to an end.
func Solve(ctx context.Context, q *Question, o Options) (*Solution, error) {
	of := *q
	s := &solver{q: &of, o: o}
	s.Scenarios = [][]factored.Event{nil} // no disturbance
	var err error
	if s.tables, err = joint.NewTables(q); err != nil {
		return nil, err
	}
	for h := o.MinHorizon; h <= o.MaxHorizon; h++ {
		s.Horizon, s.q.Horizon = h, h
		for {
			found, err := s.turn(ctx, h)
			if err != nil {
				return nil, fmt.Errorf("after %d scenarios, horizon %d: %w", len(s.Scenarios), h, err)
			}
			if found == refuted {
				s.Refuted = append(s.Refuted, Refuted{Horizon: h, Scenarios: len(s.Scenarios)})
				break
			}
			if found == holds {
				s.Found = true
				return &s.Solution, s.improve(ctx)
			}
		}
	}
	return &s.Solution, nil
}

const (
	// mostTurns bounds the search for a better worst reward, and mostConflicts each of its plans.
	mostTurns, mostConflicts = 256, 20_000
)

// improve looks for a better worst reward.
func (s *solver) improve(ctx context.Context) error {
	_, most := s.q.Rewards()
	step := int64(1)
	s.o.Limits.Conflicts = mostConflicts
	for range mostTurns {
		if s.Best = s.Reward >= most; s.Best {
			s.Refuted = append(s.Refuted, Refuted{s.Horizon, len(s.Scenarios), &most})
			return nil
		}
		above := min(s.Reward+step, most) - 1
		s.q.Above = &above
		found, err := s.turn(ctx, s.Horizon)
		switch {
		case ctx.Err() != nil:
			s.Stopped = context.Cause(ctx)
			return nil
		case errors.Is(err, ErrUnsuited) || errors.Is(err, errBeyond):
			return nil
		case err != nil:
			return err
		case found == holds:
			step *= 2
		case found == refuted:
			most, step = above, 1
		case found == unknown:
			return nil
		}
	}
	return nil
}

// verdict is what a turn found.
type verdict int

const (
	broken  verdict = iota // there is a scenario more
	holds                  // in all runs
	refuted                // there is no plan
	unknown                // the limit on conflicts was reached
)

// turn plans for the scenarios and looks for one that breaks the plan.
func (s *solver) turn(ctx context.Context, horizon int) (verdict, error) {
	j, err := joint.New(s.q, s.tables, s.Scenarios)
	if err != nil {
		return 0, err
	}
	res, err := plan(ctx, engine.Task{Problem: j.Problem}, horizon, s.o.Limits)
	switch {
	case err != nil:
		return 0, err
	case res.Status == engine.Infeasible:
		return refuted, nil
	case res.Trace == nil && res.Reason == engine.ReasonConflicts:
		return unknown, nil
	case res.Trace == nil:
		return 0, errors.Join(context.Cause(ctx), errors.New(res.Reason))
	}
	events, err := s.follow(ctx, s.choices(j, res.Trace), horizon)
	switch {
	case err != nil:
		return 0, err
	case events == nil:
		return holds, nil
	}
	for _, x := range s.Scenarios {
		if slices.Equal(x, *events) {
			return 0, errors.New("a plan is broken by a scenario that it was made for")
		}
	}
	s.Scenarios = append(s.Scenarios, *events)
	return broken, nil
}

// plan looks for any plan of a task.
func plan(ctx context.Context, t engine.Task, horizon int, l engine.Limits) (*engine.Result, error) {
	e := conflict.PB{Change: conflict.Tables}
	if l.Conflicts == 0 {
		return e.Solve(ctx, engine.Query{Task: t, MinHorizon: horizon, MaxHorizon: horizon}, l, nil)
	}
	session, err := e.Open(ctx, t, horizon)
	if err != nil {
		return nil, err
	}
	return session.(engine.Clausal).Better(ctx, nil, l)
}

// follow looks for a run that breaks what the choices say, with as few disturbances as possible. It returns its events, as a
// scenario; nil where there is none. Then the rows are what was done, and the reward is the worst.
func (s *solver) follow(ctx context.Context, c *choices, horizon int) (*[]factored.Event, error) {
	most := int(s.o.Limits.Memory / bytesPerState)
	for budget := range s.q.Disturbances + 1 {
		var rows []Row
		act := func(step, spent int, state factored.Valuation) factored.Valuation {
			if ctx.Err() != nil || most > 0 && len(rows) >= most {
				return nil
			}
			now := slices.Clone(state)
			for b, on := range c.action(step, spent, state) {
				if s.q.Problem.Kind(factored.Bit(b)) == factored.Action {
					now[b] = on
				}
			}
			rows = append(rows, Row{step, spent, now})
			return now
		}
		w, err := validate.WorstCase(s.q.Problem, nil, s.q.Draws, s.q.Start, act, horizon, budget, s.q.Goal)
		switch {
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case most > 0 && len(rows) >= most:
			return nil, errBeyond
		case w.Failure != nil, s.q.Above != nil && w.Reward <= *s.q.Above:
			events := c.scenario(w.Run)
			return &events, nil
		case budget == s.q.Disturbances:
			s.Rows, s.Reward = rows, w.Reward
		}
	}
	return nil, nil
}

// bytesPerState is the memory of a state that a run passes, with what follows from it, about.
const bytesPerState = 8 << 10
