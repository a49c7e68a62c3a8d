package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
)

// Avoided is the best policy of a learned model where another one was chosen, which expects nothing of actions in states where no row shows them: what a model
// says of these is a guess, and the policy that is best in the model may be so by that guess alone.
//
// Nothing is that the state stays as it is, and the reward is the least one of a row. Of two policies the one is chosen that loses less against the other: where the
// model is right, or where nothing is to be expected (minimax regret, Savage, The theory of statistical decision, 1951). For the probability of success it is the one
// of which rows support more, if they support next to nothing of the best one.
type Avoided struct {
	Value     float64 `json:"value"`     // under the learned model
	Supported float64 `json:"supported"` // by the rows
	Guarded   Guarded `json:"guarded"`
}

// Guarded has the values of two policies where nothing is to be expected of actions in states where no row shows them.
type Guarded struct {
	Best   float64 `json:"best"`   // of the learned model
	Chosen float64 `json:"chosen"` // instead
}

// cautious takes another policy than the best one of the model, s, where that rests on actions in states where no row shows them, and the other one has less to lose.
func (d *Document) cautious(ctx context.Context, p *load.Problem, r Request, m *model, s *policy.Solution) (*Document, error) {
	x := d.Supported
	if r.Certify || x == nil || d.Objective == policy.Success && (x.Value >= nothing**d.Value || x.Unleft == 0 && len(x.Beyond) == 0) {
		return d, nil
	}
	again, err := d.guarded(ctx, p, r, m, s)
	if errors.Is(err, policy.ErrTooLarge) || ctx.Err() != nil || again == nil && err == nil {
		return d, nil
	}
	return again, err
}

// guarded is the answer that expects nothing of actions in states where no row shows them; nil if the best policy of the model does not, or has less to lose.
func (d *Document) guarded(ctx context.Context, p *load.Problem, r Request, m *model, s *policy.Solution) (*Document, error) {
	known := newShown(p, m, d.Objective)
	if known == nil {
		return nil, nil
	}
	by := *m
	by.process = &guarded{m.process, policy.Guarded{Process: m.process, Known: known.shows, Least: known.least}}
	c, err := by.solve(ctx, r)
	if err != nil {
		return nil, err
	}
	best, err := s.Worth(ctx, c)
	if err != nil || near(best, c.Value) {
		return nil, err
	}
	g, err := s.Guard(ctx, c, known.shows)
	if err != nil {
		return nil, err
	}
	chosen, err := g.Worth(ctx, c)
	if err != nil || d.Objective == policy.Reward && chosen-best <= s.Value-g.Value {
		return nil, err
	}
	again, err := d.instead(m, g)
	if err != nil || d.Objective == policy.Success && !again.supportsMore(d) {
		return nil, err
	}
	again.Avoids.Guarded = Guarded{best, chosen}
	return again, nil
}

const (
	// halfWorth is the share of a probability by the learned model that caution may cost.
	halfWorth = .5
	// wellSupported is the share of a probability from which rows support it well, whatever the learned model says of another one.
	wellSupported = .2
)

// supportsMore reports whether rows support more of the probability of success, of which they support next to nothing in another answer.
func (d *Document) supportsMore(than *Document) bool {
	return d.Supported != nil && d.Supported.Value > than.Supported.Value && (*d.Value >= halfWorth**than.Value || d.Supported.Value >= wellSupported**d.Value)
}

// instead is the document for another policy than the best one.
func (d *Document) instead(m *model, s *policy.Solution) (*Document, error) {
	again := d.afresh()
	again.States, again.Pairs, again.Updates = s.States, s.Pairs, d.Updates+s.Updates
	if err := again.tell(m, s); err != nil {
		return nil, err
	}
	again.Avoids = &Avoided{Value: *d.Value, Supported: d.Supported.Value}
	if again.Bound = d.Bound; *again.Value < *again.Bound && !near(*again.Value, *again.Bound) {
		again.Status = engine.Feasible
	}
	return &again, nil
}

// afresh is a document for another policy.
func (d *Document) afresh() Document {
	again := *d
	again.Table, again.Unseen, again.Disputed, again.Agree, again.Exact = Table{}, nil, 0, nil, ""
	return again
}

// Caution says what other policy was not chosen; empty for none.
func (d *Document) Caution() string {
	if d.Avoids == nil {
		return ""
	}
	says, worth := "It expects nothing of actions in states where no row shows them", func(v float64) string { return fmt.Sprintf("%.6g", v) }
	if d.Objective == policy.Success {
		worth = plan.Percent
	}
	return fmt.Sprintf("%s. The best policy of the learned model is said to be worth %s, and is worth %s if nothing happens there; this one is worth %s then", says, worth(d.Avoids.Value), worth(d.Avoids.Guarded.Best), worth(d.Avoids.Guarded.Chosen))
}
