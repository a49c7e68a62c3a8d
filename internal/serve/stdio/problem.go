package stdio

import (
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
)

// loaded is a problem of the session, with the system that is driven for it.
type loaded struct {
	*load.Problem
	handle int
	system string // what the system was opened with
	real   *execute.Real
	driven *execute.Interactive // nil for no system
}

// of names a problem of the session.
type of struct {
	Handle int // 0 for the one loaded last
}

// asked names a problem of the session with what is changed of it for one request.
type asked struct {
	of
	load.Question
	load.Changes
}

// load loads a problem.
func (s *server) load(j *job) (any, error) {
	var params struct {
		load.Ref
		load.Changes
	}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	p, err := load.Load(j.ctx, params.Ref)
	if err == nil && !params.None() {
		err = p.Apply(params.Changes)
	}
	if err != nil {
		return nil, err
	}
	s.last++
	s.problems[s.last] = &loaded{Problem: p, handle: s.last}
	return struct {
		Handle int `json:"handle"`
		*inspect.Summary
	}{s.last, inspect.Show(p)}, nil
}

// close forgets a problem.
func (s *server) close(j *job) (any, error) {
	var params of
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	l, err := s.find(params)
	if err != nil {
		return nil, err
	}
	delete(s.problems, l.handle)
	return struct{}{}, l.end()
}

// end stops the system.
func (l *loaded) end() error {
	err := l.real.Close()
	l.system, l.real, l.driven = "", nil, nil
	return err
}

// closeAll ends the systems of all problems. Their errors have no reader any more.
func (s *server) closeAll() {
	for _, l := range s.problems {
		_ = l.end()
	}
}

// find returns the problem of a handle.
func (s *server) find(x of) (*loaded, error) {
	if x.Handle == 0 {
		x.Handle = s.last
	}
	switch l := s.problems[x.Handle]; {
	case l != nil:
		return l, nil
	case s.last == 0:
		return nil, errors.New("no problem is loaded; expected a request of method load first")
	default:
		return nil, fmt.Errorf("there is no problem of handle %d", x.Handle)
	}
}

// changed returns the problem of a handle with another question and changes. It may be changed further.
func (s *server) changed(j *job, x asked) (*load.Problem, error) {
	l, err := s.find(x.of)
	if err != nil {
		return nil, err
	}
	p, err := l.Asked(j.ctx, x.Question)
	if err != nil {
		return nil, err
	}
	return p.Changed(x.Changes)
}
