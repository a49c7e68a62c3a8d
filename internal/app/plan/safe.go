package plan

import (
	"context"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/validate"
)

// Bracket is what the training rows support about the best reward: a plan that uses supported
// steps only, and a bound for the case that all others turn out as one would wish.
type Bracket struct {
	Reward *float64 `json:"reward"` // of the plan; null for none
	// BoundUnseen is a reward that no plan exceeds, whatever the unsupported next values are
	// within rules and ranges; null if unknown, and if there is no plan even then.
	BoundUnseen *float64 `json:"bound_unseen"`
	// Impossible reports that no plan exists, whatever the unsupported next values are.
	Impossible bool `json:"impossible,omitempty"`
	// Assuming is what both rest on, to follow an "if".
	Assuming string `json:"assuming,omitempty"`
	// Doubt is the most that the odds are that errors in the log make both wrong; absent if the log is
	// taken to be free of error.
	Doubt float64 `json:"doubt,omitempty"`
	// Unproven reports that the answer's certificate has no proof of the bound.
	Unproven bool `json:"unproven,omitempty"`
	// Held is a plan with other steps that was seen to reach the bound; absent if the plan of the
	// answer does, or if none was seen to.
	Held *Held `json:"held,omitempty"`

	sides   bool     // it is of the two sides of a learned PDDL domain
	nowhere []string // variables whose next values are never supported
}

// learnedRight is what the sides of a learned PDDL domain rest on.
const learnedRight = "the preconditions are of the class that the domain was learned for, the effects the shortest that no row contradicts, and no other actions are taken"

// Enclose completes the answer about the safe side of a learned PDDL domain by what the optimistic side allows.
func (d *Document) Enclose(ctx context.Context, optimistic *load.Problem, r Request) error {
	best, err := Plan(ctx, optimistic, r)
	if err != nil {
		return fmt.Errorf("bounding what no plan can exceed: %w", err)
	}
	d.Safe = &Bracket{Reward: d.Reward, BoundUnseen: best.Bound, Impossible: best.Status == engine.Infeasible, Assuming: learnedRight, Unproven: true, sides: true}
	d.SumSafe()
	d.Seconds.Solve += best.Seconds.Solve
	d.Seconds.Total = r.Now().Sub(r.Started).Seconds()
	return nil
}

// Bracket completes the answer about a problem of support.Safe: it bounds what any plan of the
// problem p itself could reach. If prove is not nil, it is given the problem in which next
// values that are not supported are free, and what was found in it.
func (d *Document) Bracket(ctx context.Context, p *load.Problem, r Request, prove func(engine.Task, *engine.Result) error) error {
	r.SetDefaults()
	d.Safe = NewBracket(p, d.Reward)
	if r.Horizon.Max == 0 {
		r.Horizon = bind.Steps(p.Problem.Horizon)
	}
	began := r.Now()
	if err := d.boundUnseen(ctx, p, &r, prove); err != nil {
		return fmt.Errorf("bounding what no plan can exceed: %w", err)
	}
	d.SumSafe()
	d.Seconds.Solve += r.Now().Sub(began).Seconds()
	d.Seconds.Total = r.Now().Sub(r.Started).Seconds()
	return nil
}

// NewBracket is the bracket of a plan with supported steps, nil for none, before there is a bound.
func NewBracket(p *load.Problem, reward *float64) *Bracket {
	return &Bracket{Reward: reward, Assuming: support.Assumption(p), Doubt: support.Doubt(p), nowhere: support.Nowhere(p)}
}

// SumSafe completes the verdict of an answer with a bracket.
func (d *Document) SumSafe() {
	if d.Safe == nil {
		return
	}
	if d.Status == engine.Infeasible && d.StartBreaks == nil {
		d.Verdict = "proven: no plan with supported steps only exists in the learned model"
	}
	if d.Safe.Held != nil {
		d.Verdict += "; " + d.Safe.String()
	}
}

// boundUnseen solves the problem in which unsupported next values are free.
func (d *Document) boundUnseen(ctx context.Context, p *load.Problem, r *Request, prove func(engine.Task, *engine.Result) error) error {
	t, err := support.Free(p)
	if err != nil || ctx.Err() != nil {
		return err
	}
	e, err := registry.New(registry.Options{Engine: registry.PB})
	if err != nil {
		return err
	}
	res, err := engine.InTime(e).Solve(ctx, engine.Query{Task: t, MinHorizon: r.Horizon.Min, MaxHorizon: r.Horizon.Max}, r.Limits, r.Report)
	if err != nil {
		return err
	}
	if res.Trace != nil {
		if report, err := validate.Check(t.Problem, t.Network, validate.FromTrace(res.Trace)); err != nil || !report.Valid {
			return fmt.Errorf("%w: the checker refuses the plan with free next values: %v", app.ErrInternal, report)
		}
	}
	if prove != nil {
		if err := prove(t, res); err != nil {
			return err
		}
	}
	d.Safe.Impossible = res.Status == engine.Infeasible
	if res.Bound != nil {
		d.Safe.BoundUnseen = app.RewardOf(p.Problem, *res.Bound)
	}
	return d.hold(ctx, p, r, res)
}

// String is the bracket in words.
func (b *Bracket) String() string {
	const every = "every step of the plan is supported by the training rows"
	assuming, certain := ", if "+b.Assuming, "certain"
	if b.Doubt > 0 {
		certain = fmt.Sprintf("%v %% certain", 100*(1-b.Doubt))
		assuming += fmt.Sprintf(" (the odds that they mislead are below 1 in %.0f)", 1/b.Doubt)
	}
	switch {
	case b.sides:
		return b.ofSides(assuming)
	case b.Held != nil && b.BoundUnseen != nil:
		return b.Held.text(*b.BoundUnseen, assuming)
	case b.Impossible:
		return "No plan exists" + assuming
	case b.Reward == nil && b.BoundUnseen == nil:
		return "No plan with supported steps only was found" + b.never()
	case b.Reward == nil:
		return fmt.Sprintf("No plan with supported steps only was found%s, and nothing can beat %v%s", b.never(), *b.BoundUnseen, assuming)
	case b.BoundUnseen == nil:
		return fmt.Sprintf("%v is %s from the data%s: %s. What else could be reached is not known", *b.Reward, certain, assuming, every)
	case *b.BoundUnseen == *b.Reward:
		return fmt.Sprintf("%v is %s from the data, and nothing can beat it%s: %s, and no other next values would help", *b.Reward, certain, assuming, every)
	}
	return fmt.Sprintf("%v is %s from the data, and nothing can beat %v%s: %s; the bound takes all other next values for free", *b.Reward, certain, *b.BoundUnseen, assuming, every)
}

// never says which next values are never supported, after what was not found.
func (b *Bracket) never() string {
	if len(b.nowhere) == 0 {
		return ""
	}
	names := strings.Join(b.nowhere[:min(len(b.nowhere), mostNames)], ", ")
	if more := len(b.nowhere) - mostNames; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return ", since no step supports the next values of " + names
}

// mostNames is how many variables are named.
const mostNames = 3

// ofSides is the bracket of the two sides of a learned domain in words.
func (b *Bracket) ofSides(assuming string) string {
	const none, can = "No plan uses only steps that every precondition allows which no row contradicts", "can be reached by steps that every precondition allows which no row contradicts"
	switch {
	case b.Impossible:
		return "No plan exists" + assuming
	case b.Reward == nil && b.BoundUnseen == nil:
		return none
	case b.Reward == nil:
		return fmt.Sprintf("%s, and nothing can beat %v%s", none, *b.BoundUnseen, assuming)
	case b.BoundUnseen == nil:
		return fmt.Sprintf("%v %s%s. What else could be reached is not known", *b.Reward, can, assuming)
	case *b.BoundUnseen == *b.Reward:
		return fmt.Sprintf("%v %s, and nothing can beat it%s", *b.Reward, can, assuming)
	}
	return fmt.Sprintf("%v %s, and nothing can beat %v%s", *b.Reward, can, *b.BoundUnseen, assuming)
}
