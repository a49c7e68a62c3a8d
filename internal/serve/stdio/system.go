package stdio

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
)

// reset begins an episode in the problem's RDDL or in a process. The system of the episode
// before goes on, with its random numbers, unless a seed or another system is asked for.
func (s *server) reset(j *job) (any, error) {
	var params struct {
		of
		load.Changes
		execute.SimulatorRef
		Seed *uint64
	}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	l, err := s.find(params.of)
	if err != nil {
		return nil, err
	}
	from, err := l.Changed(params.Changes)
	if err != nil {
		return nil, err
	}
	system := struct {
		execute.SimulatorRef
		load.Changes
	}{params.SimulatorRef, load.Changes{Edits: load.Edits{Require: params.Require, Reward: params.Reward}}}
	system.Name = cmp.Or(system.Name, "rddl")
	fields, err := app.Binder().Encode(&system)
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if l.system != string(key) || params.Seed != nil {
		if params.Seed != nil {
			system.Seed = *params.Seed
		}
		if err := s.open(l, system.SimulatorRef, system.Changes); err != nil {
			return nil, err
		}
		l.system = string(key)
	}
	o, err := l.driven.Reset(j.ctx, from)
	return l.observed(o, err)
}

// open starts the system of a problem with rules of the user's, and ends the one before.
func (s *server) open(l *loaded, ref execute.SimulatorRef, rules load.Changes) error {
	if err := l.end(); err != nil {
		return err
	}
	p, err := l.Changed(rules)
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
	var params struct {
		of
		Action json.RawMessage
	}
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
	if params.Action == nil {
		params.Action = json.RawMessage("{}")
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
