package execute

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
)

// TellNoPlan says of a learned model without a plan that nothing follows for the system, and
// what to do.
func (d *Document) TellNoPlan(p *load.Problem) {
	if d.Status != engine.Infeasible || !d.Learned || d.StartBreaks != nil {
		return
	}
	failed := 0
	for i := range d.Loop.Iterations {
		if d.Loop.Iterations[i].Failure != nil {
			failed++
		}
	}
	switch {
	case failed > 0:
		d.Verdict = fmt.Sprintf("no plan is left in the learned model, which is proven, without those that failed in the simulator, %d by now; the system may have another plan", failed)
	case d.Landmarks > 0:
		d.Verdict = "no plan is left in the learned model without those that failed before, which is proven; nothing was tried in the simulator in this run; the system may have a plan"
	default:
		d.Verdict = "no plan exists in the learned model, which is proven; nothing was tried in the simulator; the system may have a plan"
	}
	d.Next = advice(p, d.Loop.Recorded)
}

// advice says what to do where a learned model has no plan.
func advice(p *load.Problem, recorded int) []string {
	var next []string
	all := p.Seen != nil && p.Seen.AllLegal() && p.Errors == 0 && p.Record == nil // the network is right on all legal rows
	if !all {
		next = append(next, "learn from more rows: more of the log, or those of fdplan collect")
	}
	if recorded > 0 {
		next = append(next, fmt.Sprintf("train --also learns from what this run recorded, transitions: %d", recorded))
	}
	if !all && p.Alone == nil && support.NewJudge(p) != nil {
		next = append(next, "plan --safe tells what any plan could reach, whatever comes of the steps that the training rows do not support")
	}
	return append(next, "allow more steps with -H")
}

// tellNoPlan says that the model has no plan, and what to do if it is learned.
func (x *run) tellNoPlan() {
	model := "the model"
	if x.p.Learned() {
		model = "the learned model"
		x.d.Next = advice(x.p, x.real.Recorded())
	}
	x.d.Says = fmt.Sprintf("no plan of horizon %d exists in %s from the state observed at step %d", x.d.Plans[len(x.d.Plans)-1].Horizon, model, x.taken+1)
	switch {
	case !x.p.Learned():
	case x.taken == 0:
		x.d.Says += "; no step was taken in the simulator, and the system may have a plan"
	default:
		x.d.Says += "; the system may have a plan"
	}
}
