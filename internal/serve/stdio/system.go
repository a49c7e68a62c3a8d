package stdio

import (
	"encoding/json"
	"errors"

	"github.com/fdplan/fdplan/internal/app/execute"
)

// reset begins an episode in the problem's RDDL or in a process. The system of the episode
// before goes on, with its random numbers, unless a seed or another system is asked for.
func (s *server) reset(j *job) (any, error) {
	params := struct {
		of
		changes
		Simulator string  `json:"simulator"`
		Seed      *uint64 `json:"seed"`
	}{Simulator: "rddl"}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	l, err := s.find(params.of)
	if err != nil {
		return nil, err
	}
	from, err := l.Changed(params.changes.load())
	if err != nil {
		return nil, err
	}
	rules := changes{Require: params.Require, Reward: params.Reward}
	key, err := json.Marshal(struct {
		Simulator string
		Rules     changes
	}{params.Simulator, rules})
	if err != nil {
		return nil, err
	}
	if l.system != string(key) || params.Seed != nil {
		ref := execute.SimulatorRef{Name: params.Simulator}
		if params.Seed != nil {
			ref.Seed = *params.Seed
		}
		if err := s.open(l, ref, rules); err != nil {
			return nil, err
		}
		l.system = string(key)
	}
	o, err := l.driven.Reset(j.ctx, from)
	return l.observed(o, err)
}

// open starts the system of a problem with rules of the user's, and ends the one before.
func (s *server) open(l *loaded, ref execute.SimulatorRef, rules changes) error {
	if err := l.end(); err != nil {
		return err
	}
	p, err := l.Changed(rules.load())
	if err != nil {
		return err
	}
	real, err := execute.OpenSimulator(s.ctx, p, ref)
	if err != nil {
		return err
	}
	l.real = real
	if l.driven, err = execute.NewInteractive(p, real); err != nil {
		return errors.Join(err, l.end())
	}
	return nil
}

// step takes an action in the system that was reset.
func (s *server) step(j *job) (any, error) {
	params := struct {
		of
		Action json.RawMessage `json:"action"`
	}{Action: json.RawMessage("{}")}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	l, err := s.find(params.of)
	if err != nil {
		return nil, err
	}
	if l.driven == nil {
		return nil, execute.ErrEpisode
	}
	o, err := l.driven.Step(j.ctx, params.Action)
	return l.observed(o, err)
}

// observed returns an observation. A system that failed is ended; after an error of the
// caller's it goes on.
func (l *loaded) observed(o *execute.Observation, err error) (any, error) {
	if err == nil {
		return o, nil
	}
	if l.driven.Failed() {
		err = errors.Join(err, l.end())
	}
	return nil, err
}
