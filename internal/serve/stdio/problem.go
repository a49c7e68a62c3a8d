package stdio

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
	Handle int `json:"handle"` // 0 for the one loaded last
}

// noRule is the name of no rule of determinisation.
const noRule = "none"

// load loads a problem.
func (s *server) load(j *job) (any, error) {
	params := struct {
		Problem        string   `json:"problem"`
		Files          string   `json:"files"`
		Domain         string   `json:"domain"`
		Instance       string   `json:"instance"`
		Goal           string   `json:"goal"`
		Range          []string `json:"range"`
		Model          string   `json:"model"`
		Determinize    string   `json:"determinize"`
		IgnoreDiscount bool     `json:"ignore_discount"`
		Levels         bool     `json:"levels"`
		changes
	}{Model: load.Models[0], Determinize: noRule}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	rules := []string{noRule, "most-likely", "mean"}
	for _, x := range []struct {
		name, value string
		of          []string
	}{{"model", params.Model, load.Models}, {"determinize", params.Determinize, rules}} {
		if !slices.Contains(x.of, x.value) {
			return nil, fmt.Errorf("params: %s %.40q; expected one of %s", x.name, x.value, strings.Join(x.of, ", "))
		}
	}
	r := load.Ref{
		Name: params.Problem, Files: params.Files, Domain: params.Domain, Instance: params.Instance, Goal: params.Goal, Ranges: params.Range,
		Known: params.Model == load.Models[1], IgnoreDiscount: params.IgnoreDiscount, Levels: params.Levels,
	}
	if params.Determinize != noRule {
		r.Determinize = params.Determinize
	}
	p, err := load.Load(j.ctx, r)
	if err == nil && !params.none() {
		err = p.Apply(params.changes.load())
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

// changed returns the problem of a handle with changes. It may be changed further.
func (s *server) changed(x of, c *changes) (*load.Problem, error) {
	l, err := s.find(x)
	if err != nil {
		return nil, err
	}
	return l.Changed(c.load())
}
