package explain

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
)

// BoundLines is the answer of `fdplan explain --bound`.
type BoundLines struct {
	Schema  int      `json:"schema"`
	Problem string   `json:"problem"`
	Horizon int      `json:"horizon"`
	Bound   *float64 `json:"bound"`          // null where no plan exists
	Without *float64 `json:"without_prices"` // the bound of the tables alone
	// Groups are the tables, Rules what couples them and has a price.
	Groups  []BoundGroup `json:"groups"`
	Rules   []BoundRule  `json:"rules"`
	Stopped string       `json:"stopped,omitempty"`
}

// BoundGroup is a table.
type BoundGroup struct {
	Variables []string `json:"variables"`
	Values    int      `json:"values"`
	Moves     int      `json:"moves"`
	Cost      float64  `json:"cost"` // least priced cost over the horizon
}

// BoundRule is a rule, or an agreement on a bit between groups, with its price at
// each step. Of an inequality the price is the most that one more unit saves.
type BoundRule struct {
	Rule      string    `json:"rule"`
	Words     string    `json:"words,omitempty"` // the rule in plain English
	Agreement bool      `json:"agreement"`
	Sum       bool      `json:"sum,omitempty"` // a sum over groups that another one counts as a whole
	Relation  string    `json:"relation"`      // <=, >= or ==
	Prices    []float64 `json:"prices"`
}

// Bound tells which tables, prices and rules make the bound on the reward.
func Bound(ctx context.Context, problem *load.Problem, horizon int, l engine.Limits) (*BoundLines, error) {
	p := problem.Task.Problem
	if horizon == 0 {
		if horizon = p.Horizon; horizon == 0 {
			return nil, fmt.Errorf("%s: %w", p.Name, app.ErrNoHorizon)
		}
	}
	d := &BoundLines{Schema: app.Schema, Problem: p.Name, Horizon: horizon, Groups: []BoundGroup{}, Rules: []BoundRule{}}
	s, err := bound.Start(ctx, problem.Task, horizon, app.Limits(l), nil)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, bound.ErrNoGroups):
		return nil, fmt.Errorf("%s over %d steps: %w; there are no tables to show", p.Name, horizon, err)
	case err != nil:
		return nil, err
	}
	x := bound.Summarize(ctx, s)
	d.Stopped = app.Stopped(ctx)
	if x.Infeasible {
		return d, nil
	}
	unit := *app.RewardOf(p, 1)
	d.Bound, d.Without = app.RewardOf(p, x.Bound), app.RewardOf(p, x.Without)
	for _, g := range x.Groups {
		d.Groups = append(d.Groups, BoundGroup{g.Variables, g.Values, g.Moves, g.Cost * unit})
	}
	for _, r := range x.Rules {
		line := BoundRule{Rule: r.Text, Words: r.Words, Agreement: r.Agreement, Sum: r.Sum, Relation: r.Op.String()}
		for _, price := range r.Prices {
			line.Prices = append(line.Prices, price*unit)
		}
		d.Rules = append(d.Rules, line)
	}
	return d, nil
}
