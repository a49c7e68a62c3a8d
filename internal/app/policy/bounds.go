package policy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/decision"
)

// Rule says what a policy does in states that are not in its table: what is best by tables that are made
// anew, equal ones for equal rules, or by plans with the most likely outcomes, or nothing, whichever did best with them.
type Rule struct {
	Seed   uint64 `json:"seed"`
	Leaves int    `json:"leaves"` // of the tables
	// Proven says that the tables are those of a bound that was proven: without what the checker does not know of the RDDL.
	Proven bool `json:"proven,omitempty"`
}

// mostOutcomes bounds dynamic programming without a limit of time.
const mostOutcomes = 100_000_000

// factored is the process as independent draws. For bounds on a reward, an RDDL's state must not be without a legal action.
func (m *model) factored(o policy.Objective, bounds bool) (decision.Split, error) {
	if p, ok := m.process.(*decision.Learned); ok {
		return p.Factored(o == policy.Reward)
	}
	return m.process.(*decision.Process).Factored(m.p.Truth.Goal, bounds && o == policy.Reward)
}

// exact bounds the time of dynamic programming, so that there is some left for bounds where they can be had.
func (r *Request) exact(ctx context.Context) (_ context.Context, cancel context.CancelFunc, outcomes int) {
	if r.alone || r.aside() { // as long as the run takes
		return ctx, func() {}, 0
	}
	if r.PlanTime > 0 {
		ctx, cancel = context.WithTimeout(ctx, exactSteps*r.PlanTime)
		return ctx, cancel, 0
	}
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}, mostOutcomes
	}
	ctx, cancel = context.WithTimeout(ctx, end.Sub(r.Now())/4)
	return ctx, cancel, 0
}

// bounded finds an interval for the value, where dynamic programming does not fit.
func (m *model) bounded(ctx context.Context, r Request, d *Document, f decision.Split) error {
	within, cancel := ctx, func() {}
	if end, ok := ctx.Deadline(); ok && r.Certify { // a part of the time is for the proof
		within, cancel = context.WithTimeout(ctx, end.Sub(r.Now())/2)
	}
	defer cancel()
	b, err := decision.Bound(within, f, decision.BoundOptions{
		Objective: r.Objective, Horizon: r.Horizon, Seed: r.Seed, Memory: r.Limits.Memory / 4, Confidence: confidence, Sums: r.Certify, Now: r.Now, Report: r.Interval,
	})
	if err != nil {
		return err
	}
	d.Engine, d.Status, d.Evaluated = "bounds", engine.Feasible, "sampled"
	d.Sampled, d.Rule = &Sample{b.Runs, confidence, b.Mean, b.Error, b.Search.By()}, &Rule{r.Seed, b.Leaves, r.Certify}
	if b.Stopped {
		d.Stopped = "the time is over"
	}
	if !math.IsInf(b.Upper, 0) {
		d.Bound = &b.Upper
	}
	if d.Value = &b.Lower; math.IsInf(b.Lower, 0) {
		d.Value, d.Status = nil, engine.Unknown
	}
	by := *m
	by.process = f
	if err := d.choices(&by, b); err != nil {
		return err
	}
	if r.Certify {
		switch err := d.proveSums(ctx, &by, b); {
		case errors.Is(err, certify.ErrNoProof):
			d.NoProof = err
		case err != nil && ctx.Err() != nil:
			d.NoProof = fmt.Errorf("%w: the time for it is over", certify.ErrNoProof)
		case err != nil:
			return err
		}
	}
	return d.sampleSupport(ctx, &by, b.Planner(f))
}

// choices writes what the search knows into the table.
func (d *Document) choices(m *model, b *decision.Bounds) error {
	list := b.Search.Choices()
	f := d.Table.fill(m, func(i int) []uint64 { return list[i].State })
	place := map[string]int{} // of a state, in list
	var rows []policy.Row
	for i, c := range list {
		key := fmt.Sprint(c.State)
		if _, ok := place[key]; !ok {
			place[key] = i
		}
		step := d.Horizon - c.Left + 1
		rows = append(rows, policy.Row{State: place[key], From: step, To: step, Action: c.Action})
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].State < rows[j].State })
	for _, row := range rows {
		if err := f.row(row); err != nil {
			return err
		}
	}
	d.Reached, d.Steps = len(d.Table.States), int64(len(rows))
	d.States, d.Pairs = b.Search.Visited()
	return nil
}

// sixDigits writes a bound with six digits, away from the value that it bounds.
func sixDigits(x float64, up bool) string {
	if x == 0 {
		return "0"
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-5)
	if up {
		x = math.Ceil(x/unit-1e-9) * unit
	} else {
		x = math.Floor(x/unit+1e-9) * unit
	}
	return fmt.Sprintf("%.6g", x)
}

// percent is sixDigits for a probability.
func percent(p float64, up bool) string {
	if up {
		return fmt.Sprintf("%.2f %%", math.Ceil(p*1e4-1e-9)/100)
	}
	return fmt.Sprintf("%.2f %%", math.Floor(p*1e4+1e-9)/100)
}

// between says what an interval says.
func (d *Document) between() string {
	write := sixDigits
	text := fmt.Sprintf("expected reward over %d steps ", d.Horizon)
	if d.Objective == policy.Success {
		write, text = percent, fmt.Sprintf("the best policy reaches the goal within %s with probability ", counted.Of(d.Horizon, "step"))
	}
	if d.Value != nil {
		text += fmt.Sprintf("at least %s (%g %% confidence, %s)", write(*d.Value, false), 100*d.Sampled.Confidence, thousands(d.Sampled.Runs))
	} else {
		text += "not bounded from below"
	}
	if d.Bound == nil {
		return text + ", not bounded from above"
	}
	text += fmt.Sprintf(", at most %s (proven)", write(*d.Bound, true))
	if d.Objective == policy.Success && (d.Value == nil || *d.Value <= 0) && *d.Bound >= 1 {
		text += "; that says nothing: fewer steps or coarser ranges (init --bins) leave fewer states, and run --robust acts where quantities are learned as functions"
	}
	return text
}

// thousands writes a number of runs.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text + " runs"
}
