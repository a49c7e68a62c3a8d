package policy

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/support"
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
	Whole  bool    `json:"whole"`  // a row shows a state with an action, and not the values alone that something depends on in the model
}

// mostGuarded bounds the states with an action for which is asked what rows show.
const mostGuarded = 1 << 20

// cautious takes another policy than the best one of the model, s, where that rests on actions in states where no row shows them, and the other one has less to lose.
func (d *Document) cautious(ctx context.Context, p *load.Problem, r Request, m *model, s *policy.Solution) (*Document, error) {
	x := d.Supported
	if r.Certify || x == nil || s.Pairs > mostGuarded || d.Objective == policy.Success && (x.Value >= nothing**d.Value || x.Unleft == 0 && len(x.Beyond) == 0) {
		return d, nil
	}
	best, all := s, []support.Showing{support.Enough, support.All}
	if d.Objective == policy.Success {
		all = all[1:]
	}
	for _, kind := range all {
		again, g, err := d.guarded(ctx, p, r, m, best, s, kind)
		if errors.Is(err, policy.ErrTooLarge) || ctx.Err() != nil {
			return d, nil
		}
		if err != nil {
			return nil, err
		}
		if again != nil {
			d, best = again, g
		}
	}
	return d, nil
}

// guarded returns the answer that expects nothing of actions in states where no row shows them, and its policy, in the place of the other one, which is that of d; s
// is the best policy of the model. They are nil if the other one expects nothing of these, too, or has less to lose.
func (d *Document) guarded(ctx context.Context, p *load.Problem, r Request, m *model, other, s *policy.Solution, kind support.Showing) (*Document, *policy.Solution, error) {
	process := newGuarded(p, m, d.Objective, kind)
	if process == nil {
		return nil, nil, nil
	}
	by := *m
	by.process = process
	c, err := by.solve(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	worth, err := other.Worth(ctx, c)
	if err != nil || c.Value-worth <= little*(math.Abs(c.Value)+math.Abs(worth)) {
		return nil, nil, err
	}
	g, err := s.Guard(ctx, c, &process.by)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := g.Worth(ctx, c)
	less := other.Value - g.Value
	if kind == support.All {
		less *= sure
	}
	if err != nil || d.Objective == policy.Reward && chosen-worth <= less {
		return nil, nil, err
	}
	again, err := d.instead(m, g)
	if err != nil || d.Objective == policy.Success && !again.supportsMore(d) {
		return nil, nil, err
	}
	if d.Avoids != nil {
		again.Avoids.Value, again.Avoids.Supported = d.Avoids.Value, d.Avoids.Supported
	}
	best, err := s.Worth(ctx, c)
	again.Avoids.Guarded = Guarded{best, chosen, kind == support.All}
	return again, g, err
}

// little is a relative difference of values that no policy is chosen for.
const little = .01

// sure is how much more likely it is that a model is right than that it is wrong where rows show all that it says something depends on, but not the state and the
// action: it may leave out what matters.
const sure = 20

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
	says := "It expects nothing of actions where no row has the values that their rewards depend on, or which were not taken in a state though others often were"
	worth := func(v float64) string { return fmt.Sprintf("%.6g", v) }
	if d.Avoids.Guarded.Whole {
		says = "It expects nothing of actions in states where no row shows them"
	}
	if d.Objective == policy.Success {
		worth = plan.Percent
	}
	return fmt.Sprintf("%s. The best policy of the learned model is said to be worth %s, "+
		"and is worth %s if nothing happens there; this one is worth %s then",
		says, worth(d.Avoids.Value), worth(d.Avoids.Guarded.Best), worth(d.Avoids.Guarded.Chosen))
}
