package stdio

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/model/cnf"
)

// method carries out a job and returns its result.
type method func(s *server, j *job) (any, error)

// methods returns what can be asked for, besides cancel.
func methods() map[string]method {
	return map[string]method{
		"load": (*server).load, "show": (*server).show, "close": (*server).close, "plan": (*server).plan, "validate": (*server).validate,
		"explain": (*server).explain, "verify": (*server).verify, "simulate": (*server).simulate, "reset": (*server).reset, "step": (*server).step,
	}
}

// methodNames lists the methods.
func methodNames() string {
	return strings.Join(append(slices.Sorted(maps.Keys(methods())), "cancel"), ", ")
}

// plan finds a plan, as fdplan plan does.
func (s *server) plan(j *job) (any, error) {
	params := struct {
		of
		changes
		effort
		Horizon   horizon `json:"horizon"`
		Engine    string  `json:"engine"`
		Encoding  string  `json:"encoding"`
		Solver    string  `json:"solver"`
		Confirm   bool    `json:"confirm"`
		Simulator string  `json:"simulator"`
		Seed      uint64  `json:"seed"` // of a simulator that draws
	}{Engine: registry.Auto, Encoding: "default"}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	encoding, err := cnf.ParseEncoding(params.Encoding)
	if err != nil {
		return nil, err
	}
	p, err := s.changed(params.of, &params.changes)
	if err != nil {
		return nil, err
	}
	limits, end, err := s.start(j, &params.effort)
	if err != nil {
		return nil, err
	}
	defer end()
	began := s.Now()
	r := plan.Request{
		Options:    registry.Options{Engine: params.Engine, Encoding: encoding, Solver: params.Solver},
		MinHorizon: params.Horizon.min, MaxHorizon: params.Horizon.max, Confirm: params.Confirm,
		Limits: limits, Now: s.Now, Started: began, Loaded: began, Divide: s.Divide,
	}
	if reporter := s.reporter(j, params.Progress); reporter.Enabled() {
		r.Report = events.NewPlanning(reporter, p.Task).Engine
	}
	if params.Simulator == "" {
		return plan.Plan(j.ctx, p, r)
	}
	real, err := execute.OpenSimulator(j.ctx, p, execute.SimulatorRef{Name: params.Simulator, Seed: params.Seed})
	if err != nil {
		return nil, err
	}
	r.Try, r.System = real.Try, real.Name
	d, err := plan.Plan(j.ctx, p, r)
	return d, errors.Join(err, real.Close())
}

// validate replays a plan, as fdplan validate does.
func (s *server) validate(j *job) (any, error) {
	var params struct {
		of
		changes
		effort
		Plan      json.RawMessage `json:"plan"`
		Simulator string          `json:"simulator"`
		Seed      uint64          `json:"seed"`
	}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	p, err := s.changed(params.of, &params.changes)
	if err != nil {
		return nil, err
	}
	_, end, err := s.start(j, &params.effort)
	if err != nil {
		return nil, err
	}
	defer end()
	var real *execute.Real
	if params.Simulator != "" {
		if real, err = execute.OpenSimulator(j.ctx, p, execute.SimulatorRef{Name: params.Simulator, Seed: params.Seed}); err != nil {
			return nil, err
		}
	}
	v, err := execute.Validate(j.ctx, p, planName, planText(params.Plan), real)
	return v, errors.Join(err, real.Close())
}

// explain explains a plan, or why there is none, as fdplan explain does.
func (s *server) explain(j *job) (any, error) {
	params := struct {
		of
		changes
		effort
		Plan         json.RawMessage `json:"plan"` // null to find one
		Horizon      int             `json:"horizon"`
		Engine       string          `json:"engine"`
		Alternatives int             `json:"alternatives"`
	}{Engine: registry.Auto, Alternatives: 8}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	if params.Horizon < 0 || params.Alternatives < 1 {
		return nil, fmt.Errorf("params: horizon %d, alternatives %d; expected at least 1", params.Horizon, params.Alternatives)
	}
	p, err := s.changed(params.of, &params.changes)
	if err != nil {
		return nil, err
	}
	limits, end, err := s.start(j, &params.effort)
	if err != nil {
		return nil, err
	}
	defer end()
	r := explain.Request{Horizon: params.Horizon, Engine: params.Engine, Limits: limits, Most: params.Alternatives}
	if data := planText(params.Plan); data != nil {
		r.PlanFile, r.PlanData = planName, data
	}
	if reporter := s.reporter(j, params.Progress); reporter.Enabled() {
		r.Report = events.NewPlanning(reporter, p.Task).Engine
	}
	return explain.Explain(j.ctx, p, r)
}

// verify decides a property of one step, as fdplan verify does.
func (s *server) verify(j *job) (any, error) {
	var params struct {
		of
		changes
		effort
		Property string `json:"property"`
	}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	p, err := s.changed(params.of, &params.changes)
	if err != nil {
		return nil, err
	}
	_, end, err := s.start(j, &params.effort)
	if err != nil {
		return nil, err
	}
	defer end()
	return explain.Verify(j.ctx, p, explain.VerifyRequest{Property: params.Property})
}

// simulate runs a plan or a policy in the problem's RDDL, as fdplan simulate does.
func (s *server) simulate(j *job) (any, error) {
	var params struct {
		of
		Plan   json.RawMessage `json:"plan"`
		Policy string          `json:"policy"`
		Steps  int             `json:"steps"`
		Seed   uint64          `json:"seed"`
	}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	l, err := s.find(params.of)
	if err != nil {
		return nil, err
	}
	r := execute.Simulation{Policy: params.Policy, Steps: params.Steps, Seed: params.Seed}
	if data := planText(params.Plan); data != nil {
		if r.Policy != "" {
			return nil, errors.New("params: plan and policy both name the actions; expected one of them")
		}
		r.PlanFile, r.PlanData = planName, data
	}
	return execute.Simulate(l.Problem, r)
}

// show summarises a problem, as fdplan show does.
func (s *server) show(j *job) (any, error) {
	var params struct {
		of
		changes
	}
	if err := decode(j.Params, &params); err != nil {
		return nil, err
	}
	p, err := s.changed(params.of, &params.changes)
	if err != nil {
		return nil, err
	}
	return inspect.Show(p), nil
}
