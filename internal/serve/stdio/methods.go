package stdio

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/draw"
	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/picture"
)

// method carries out a job and returns its result.
type method func(s *server, j *job) (any, error)

// methods returns what can be asked for, besides cancel.
func methods() map[string]method {
	return map[string]method{
		"load": (*server).load, "show": (*server).show, "close": (*server).close, "plan": (*server).plan, "validate": (*server).validate,
		"list": (*server).list, "draw": (*server).draw, "explain": (*server).explain, "verify": (*server).verify, "simulate": (*server).simulate, "reset": (*server).reset, "step": (*server).step,
	}
}

// methodNames lists the methods.
func methodNames() string {
	return strings.Join(append(slices.Sorted(maps.Keys(methods())), "cancel"), ", ")
}

// question is what requests about a problem have in common.
type question struct {
	asked
	effort
}

// begin reads the parameters of a request, of which q is a part. It returns the problem with its changes and the
// limits of an engine; end frees what bounds the request.
func (s *server) begin(j *job, params any, q *question) (p *load.Problem, limits engine.Limits, end func(), err error) {
	if err = decode(j.Params, params); err == nil {
		p, err = s.changed(j, q.asked)
	}
	if err != nil {
		return nil, limits, nil, err
	}
	limits, end = s.start(j, &q.effort)
	return p, limits, end, nil
}

// plan finds a plan, as fdplan plan does.
func (s *server) plan(j *job) (any, error) {
	var params struct {
		question
		plan.Query
		execute.SimulatorRef
	}
	p, limits, end, err := s.begin(j, &params, &params.question)
	if err != nil {
		return nil, err
	}
	defer end()
	began := s.Now()
	r := plan.Request{Query: params.Query, Limits: limits, Now: s.Now, Started: began, Loaded: began, Divide: s.Divide}
	if reporter := s.reporter(j, params.Progress); reporter.Enabled() {
		r.Report = events.NewPlanning(reporter, p.Task).Engine
	}
	real, err := params.SimulatorRef.Open(j.ctx, p, params.effort.Seed)
	if err != nil {
		return nil, err
	}
	if real != nil {
		r.Try, r.System = real.Try, real.Name
	}
	d, err := plan.Plan(j.ctx, p, r)
	return d, errors.Join(err, real.Close())
}

// validate replays a plan, as fdplan validate does.
func (s *server) validate(j *job) (any, error) {
	var params struct {
		question
		Plan bind.Plan
		execute.SimulatorRef
	}
	p, _, end, err := s.begin(j, &params, &params.question)
	if err != nil {
		return nil, err
	}
	defer end()
	real, err := params.SimulatorRef.Open(j.ctx, p, params.effort.Seed)
	if err != nil {
		return nil, err
	}
	v, err := execute.Validate(j.ctx, p, "plan", params.Plan.Text, real)
	return v, errors.Join(err, real.Close())
}

// explain explains a plan, or why there is none, as fdplan explain does.
func (s *server) explain(j *job) (any, error) {
	var params struct {
		question
		explain.Request
	}
	p, limits, end, err := s.begin(j, &params, &params.question)
	if err != nil {
		return nil, err
	}
	defer end()
	r := params.Request
	r.Limits = limits
	if reporter := s.reporter(j, params.Progress); reporter.Enabled() {
		r.Report = events.NewPlanning(reporter, p.Task).Engine
	}
	return explain.Explain(j.ctx, p, r)
}

// verify decides a property of one step, as fdplan verify does.
func (s *server) verify(j *job) (any, error) {
	var params struct {
		question
		explain.VerifyRequest
	}
	p, _, end, err := s.begin(j, &params, &params.question)
	if err != nil {
		return nil, err
	}
	defer end()
	return explain.Verify(j.ctx, p, params.VerifyRequest)
}

// simulate runs a plan or a policy in the problem's RDDL, as fdplan simulate does.
func (s *server) simulate(j *job) (any, error) {
	var params struct {
		of
		execute.Simulation
	}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	l, err := s.find(params.of)
	if err != nil {
		return nil, err
	}
	if params.Plan.Text != nil && params.Policy != "" {
		return nil, errors.New("params: plan and policy both name the actions; expected one of them")
	}
	return execute.Simulate(j.ctx, l.Problem, params.Simulation)
}

// show summarises a problem, as fdplan show does.
func (s *server) show(j *job) (any, error) {
	var params asked
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	p, err := s.changed(j, params)
	if err != nil {
		return nil, err
	}
	return inspect.Show(p), nil
}

// list describes the bundled problems.
func (s *server) list(j *job) (any, error) {
	if err := decode(j.Params, &struct{}{}); err != nil {
		return nil, err
	}
	return inspect.List(j.ctx)
}

// draw draws a plan in parts, or the initial state.
func (s *server) draw(j *job) (any, error) {
	var params struct {
		asked
		Plan bind.Plan
	}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	p, err := s.changed(j, params.asked)
	if err != nil {
		return nil, err
	}
	var drawn *picture.Picture
	if params.Plan.Text != nil {
		drawn, err = draw.Of(p, "plan", params.Plan.Text)
	} else {
		drawn, err = draw.Start(p)
	}
	if err != nil {
		return nil, err
	}
	return drawn.Frames()
}
