package plan

import (
	"context"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/validate"
)

// Proof names who stands for what a document says beyond its plan: that no plan
// is better, that there is none, or a bound.
type Proof struct {
	// By is "fdplan" and its engine, or the name of an outside solver.
	By          string  `json:"by"`
	Certificate *string `json:"certificate"` // the folder that has the proof; null for none
	// Checked reports whether fdplan has proved what an outside solver claims. It
	// is null for what fdplan itself proved and no checker has replayed.
	Checked *bool `json:"checked"`
}

// Claim notes who stands for the status or the bound: prover is the outside solver
// on whose word alone it is, "" for none.
func (d *Document) Claim(prover string) {
	if d.Status != engine.Optimal && d.Status != engine.Infeasible && d.Bound == nil {
		return
	}
	if prover == "" {
		d.Proof = &Proof{By: "fdplan " + d.Engine}
		return
	}
	checked := false
	d.Proof = &Proof{By: prover, Checked: &checked}
}

// Certified notes the folder with a proof of all that the document says, which the
// project's checker has accepted.
func (d *Document) Certified(folder string) {
	checked := true
	if d.Proof == nil {
		d.Proof = &Proof{By: "fdplan " + d.Engine}
	}
	d.Proof.Certificate, d.Proof.Checked = &folder, &checked
}

// ByOther reports whether an outside solver stands for what the document says.
func (d *Document) ByOther() bool { return d.Proof != nil && !strings.HasPrefix(d.Proof.By, "fdplan ") }

// ContradictionError is a claim of an outside solver that this program can
// refute.
type ContradictionError = outsource.LieError

// check has this program's own engine prove or refute what an outside solver
// claims. Where a limit comes first, the claim stays unchecked.
func (d *Document) check(ctx context.Context, p *load.Problem, r *Request, res *engine.Result) error {
	if !d.ByOther() || d.Status != engine.Optimal && d.Status != engine.Infeasible {
		return nil
	}
	e, err := registry.New(registry.Options{})
	if err != nil {
		return err
	}
	own, err := engine.InTime(e).Solve(ctx, engine.Query{Task: p.Task, MinHorizon: r.Horizon.Min, MaxHorizon: r.Horizon.Max}, r.Limits, r.Report)
	if err != nil {
		return fmt.Errorf("checking the claim of %s: %w", d.Proof.By, err)
	}
	refute := func(format string, args ...any) error {
		return &ContradictionError{Solver: d.Proof.By, Msg: fmt.Sprintf(format, args...)}
	}
	reward := func(scaled int64) float64 { return *app.RewardOf(p.Problem, scaled) }
	if own.Trace != nil {
		if report, err := validate.Check(p.Problem, p.Network, validate.FromTrace(own.Trace)); err != nil || !report.Valid {
			return fmt.Errorf("%w: the checker refuses the plan of engine %s", app.ErrInternal, e.Name())
		}
		if d.Status == engine.Infeasible {
			return refute("it claims that there is no plan, and there is one of %v", reward(own.Reward))
		}
		if own.Reward > res.Reward {
			return refute("it claims that %v is the best reward, and there is a plan of %v", reward(res.Reward), reward(own.Reward))
		}
	}
	switch own.Status {
	case engine.Optimal, engine.Infeasible:
		if own.Status != d.Status || own.Reward != res.Reward {
			return fmt.Errorf("%w: engine %s proves %s, and the plan of %s was checked", app.ErrInternal, e.Name(), own.Status, d.Proof.By)
		}
		*d.Proof.Checked = true
	}
	return nil
}
