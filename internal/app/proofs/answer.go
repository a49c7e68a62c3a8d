package proofs

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// basis is what answers are derived from.
type basis struct {
	problem *load.Problem // nil: only what the claims show is derived
	// folder reports that the answer is that of a certificate's folder, so that all of it was
	// to be proven.
	folder bool
}

// answer derives the answer of `fdplan plan` or `fdplan verify` from the claims of a report, all
// of which were accepted. It is for certify.Files.
func (b basis) answer(ctx context.Context, r *certify.Report, name string, data []byte) (*certify.Expected, error) {
	var kind map[string]json.RawMessage
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, err
	}
	if kind["property"] != nil {
		return b.property(ctx, name, data)
	}
	a := &execute.Document{}
	if err := app.ReadExact(name, data, a, "an answer as fdplan plan --json prints it"); err != nil {
		return nil, err
	}
	if b.problem == nil {
		return b.claimed(a, r), nil
	}
	x := &restatement{basis: b, a: a, r: r, unchecked: slices.Clone(aside)}
	return x.plan(ctx, name, data)
}

// aside are the fields of an answer about which nothing is to be derived: how the run went.
var aside = []string{"engine", "seconds", "stats", "stopped", "proof.by", "proof.certificate"}

// claimedFields are the fields that follow from the claims alone.
var claimedFields = []string{"schema", "horizon", "status", "reward", "bound", "gap", "range", "horizons"}

// claimed derives what follows from the claims alone.
func (b basis) claimed(a *execute.Document, r *certify.Report) *certify.Expected {
	e := *a
	x := &restatement{basis: b, a: a, r: r}
	x.claims(&e.Document)
	e.Gap = nil
	if e.Reward = a.Reward; e.Status == engine.Infeasible {
		e.Reward = nil
	} else if e.Reward != nil && e.Bound != nil {
		gap := plan.Gap(*e.Bound, *e.Reward)
		e.Gap = &gap
	}
	return &certify.Expected{Answer: e, Unchecked: append(x.unchecked, certify.FieldsBut(e, claimedFields)...)}
}

// restatement is one call of answer about a plan.
type restatement struct {
	basis
	a         *execute.Document
	r         *certify.Report
	unchecked []string
}

// claims takes over what the checker compared with the proofs.
func (x *restatement) claims(d *plan.Document) {
	d.Schema, d.Status, d.Range, d.Horizons = app.Schema, x.a.Status, nil, nil
	switch {
	case d.Status == engine.Infeasible:
		d.Bound = nil
	case d.Status == engine.Optimal:
		d.Bound = x.a.Reward
	default:
		d.Bound, d.Status = x.r.Shown.Bound, engine.Unknown
		if len(x.a.Plan) > 0 {
			d.Status = engine.Feasible
		}
	}
	if len(x.a.Horizons) == 0 {
		d.Horizon = x.a.Horizon
		return
	}
	if x.a.Plan == nil {
		d.Horizon = nil
	}
	x.horizons(d)
}

// horizons derives what an answer says of each horizon of its range.
func (x *restatement) horizons(d *plan.Document) {
	d.Range = x.a.Range
	if d.Range == nil {
		d.Range = &[2]int{x.a.Horizons[0].Horizon, x.a.Horizons[len(x.a.Horizons)-1].Horizon}
	}
	open := false
	for h := d.Range[0]; h <= d.Range[1] && len(d.Horizons) <= len(x.a.Horizons); h++ {
		line := plan.HorizonLine{Horizon: h, Status: engine.Unknown}
		if i := len(d.Horizons); i < len(x.a.Horizons) {
			line.Status, line.Reward = x.a.Horizons[i].Status, x.a.Horizons[i].Reward
		}
		switch line.Status {
		case engine.Optimal:
		case engine.Infeasible:
			line.Reward = nil
		case engine.Feasible, engine.Unknown:
			line.Reward, open = nil, true
		default:
			line.Status = engine.Unknown
		}
		d.Horizons = append(d.Horizons, line)
	}
	if open {
		x.unchecked = append(x.unchecked, "horizons.status")
	}
}

// plan derives the answer with the problem.
func (x *restatement) plan(ctx context.Context, name string, data []byte) (*certify.Expected, error) {
	p := *x.problem
	if x.a.Safe != nil {
		q, err := support.Safe(x.problem)
		if err != nil {
			return nil, err
		}
		p = *q
	}
	if t := x.r.Shown.Task; t != nil {
		p.Network = t.Network
	}
	d := plan.About(&p)
	d.Engine, d.Seconds, d.Stats, d.Stopped = x.a.Engine, x.a.Seconds, x.a.Stats, x.a.Stopped
	d.Landmarks = x.r.Shown.Excluded
	x.claims(d)
	res := &engine.Result{Status: d.Status}
	if len(x.a.Plan) > 0 {
		steps, err := app.ReadPlan(p.Problem, name, data)
		if err != nil {
			return nil, err
		}
		report, err := validate.Check(p.Problem, p.Network, steps)
		if err != nil || !report.Valid {
			return nil, err // the report says so
		}
		res.Trace, res.Reward = report.Trace, report.Reward
	}
	if err := d.Follow(&p, res, func(tr *factored.Trace) error { return x.simulated(ctx, &p, d, tr) }); err != nil {
		return nil, err
	}
	if d.Note == "" && x.a.Note != "" { // an engine's
		d.Note, x.unchecked = x.a.Note, append(x.unchecked, "note")
	}
	if d.OutOfRange == nil && x.foreign(&p) {
		d.OutOfRange, x.unchecked = x.a.OutOfRange, append(x.unchecked, "out_of_range")
	}
	x.proof(d)
	x.bracket(d)
	e := execute.Document{Document: *d}
	if x.a.Loop != nil {
		loop := *x.a.Loop
		loop.Corrected = x.r.Shown.Corrected
		e.Loop = &loop
		for _, name := range certify.FieldsBut(loop, []string{"corrected"}) {
			x.unchecked = append(x.unchecked, "incremental."+name)
		}
		e.TellNoPlan(&p)
	}
	e.SumSafe()
	return &certify.Expected{Answer: e, Unchecked: x.unchecked}, nil
}

// ownRDDL is the name of a problem's own RDDL among simulators.
const ownRDDL = "rddl"

// foreign reports whether the plan was tried in a system other than the RDDL of the problem.
func (x *restatement) foreign(p *load.Problem) bool {
	system := x.a.Simulator
	if x.a.Loop != nil {
		system = x.a.Loop.Simulator
	}
	return system != "" && (system != ownRDDL || p.Truth == nil || p.Truth.Sim.Stochastic())
}

// simulated has the plan replayed in the problem's RDDL. What another system showed is taken
// from the answer, and not checked.
func (x *restatement) simulated(ctx context.Context, p *load.Problem, d *plan.Document, tr *factored.Trace) error {
	if d.Simulator = x.a.Simulator; x.foreign(p) {
		d.Valid.Simulator, d.Simulated, d.SimulatorSays, d.Observed = x.a.Valid.Simulator, x.a.Simulated, x.a.SimulatorSays, x.a.Observed
		x.unchecked = append(x.unchecked, "simulator", "valid.simulator", "simulated_reward", "simulator_says", "observed")
		return nil
	}
	if x.a.Loop == nil {
		return d.Simulate(ctx, p, tr, nil)
	}
	found := plan.Document{}
	err := found.Simulate(ctx, p, tr, nil)
	d.Valid.Simulator, d.Simulated = found.Valid.Simulator, found.Simulated
	return err
}

// proof derives that a certificate's answer was checked.
func (x *restatement) proof(d *plan.Document) {
	if !x.folder {
		d.Proof, x.unchecked = x.a.Proof, append(x.unchecked, "proof")
		return
	}
	checked := true
	d.Proof = &plan.Proof{Checked: &checked}
	if x.a.Proof != nil {
		d.Proof.By, d.Proof.Certificate = x.a.Proof.By, x.a.Proof.Certificate
	}
}

// bracket derives what the answer says of plans that rely on steps without support.
func (x *restatement) bracket(d *plan.Document) {
	if x.a.Safe == nil {
		return
	}
	d.Safe = plan.NewBracket(x.problem, d.Reward)
	d.Safe.BoundUnseen, d.Safe.Impossible = x.r.Shown.Unseen, x.r.Shown.NoneUnseen
	if d.Safe.Held = x.a.Safe.Held; d.Safe.Held != nil {
		x.unchecked = append(x.unchecked, "safe.held")
	}
	if d.Safe.Unproven = x.a.Safe.Unproven; d.Safe.Unproven || !x.folder {
		d.Safe.BoundUnseen, d.Safe.Impossible = x.a.Safe.BoundUnseen, x.a.Safe.Impossible
		x.unchecked = append(x.unchecked, "safe.unproven", "safe.bound_unseen", "safe.impossible")
	}
}

// property derives the answer about a property that holds.
func (b basis) property(ctx context.Context, name string, data []byte) (*certify.Expected, error) {
	a := &explain.Property{}
	if err := app.ReadExact(name, data, a, "an answer as fdplan verify --json prints it"); err != nil {
		return nil, err
	}
	if b.problem == nil {
		return &certify.Expected{Answer: a, Unchecked: certify.FieldsBut(*a, []string{"schema", "property", "status"})}, nil
	}
	e, err := explain.Verify(ctx, b.problem, explain.VerifyRequest{Property: a.Property})
	if err != nil {
		return nil, err
	}
	unchecked := []string{"certificate"}
	if e.Certificate = a.Certificate; a.Data != "" { // what its rows show is not known
		e.Data, e.Rows, e.Warnings = a.Data, a.Rows, a.Warnings
		unchecked = append(unchecked, "data", "rows", "warnings")
	}
	return &certify.Expected{Answer: e, Unchecked: unchecked}, nil
}
