package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
)

// explainBound prints which tables, prices and rules make the bound.
func (c *explainCmd) explainBound(ctx context.Context, a *environment, problem *load.Problem) error {
	if c.Plan.File != "" {
		return fmt.Errorf("--bound is about all plans; expected no plan beside it")
	}
	d, err := explain.Bound(ctx, problem, int(c.Horizon), a.limits(c.Effort))
	if err != nil {
		return limited(ctx, err)
	}
	if err := a.answer(c.JSON, c.Out, d, func(w io.Writer) { writeBound(w, d, c.Constraints) }); err != nil {
		return err
	}
	if d.Bound == nil {
		return exitStatus(exitNo)
	}
	return nil
}

// writeBound is the answer for people. Groups that are alike share a line.
func writeBound(b io.Writer, d *explain.BoundLines, constraints bool) {
	if d.Bound == nil {
		fmt.Fprintf(b, "%s: no plan of %d steps exists: one part of the problem alone has none, whatever the rest does\n", d.Problem, d.Horizon)
		return
	}
	fmt.Fprintf(b, "%s: no plan of %d steps has a reward above %v; without prices the bound is %v\n", d.Problem, d.Horizon, *d.Bound, *d.Without)
	fmt.Fprintf(b, "Tables, each with the least that its part costs, prices included:\n")
	for i := 0; i < len(d.Groups); {
		g, n := &d.Groups[i], 1
		for i+n < len(d.Groups) && alikeGroups(g, &d.Groups[i+n]) {
			n++
		}
		fmt.Fprintf(b, "  %s", shortList(g.Variables))
		if n > 1 {
			fmt.Fprintf(b, " and %d more like it", n-1)
		}
		fmt.Fprintf(b, ": %d values, %d moves, at least %.4g\n", g.Values, g.Moves, g.Cost)
		i += n
	}
	fmt.Fprintf(b, "Prices of what couples them:\n")
	if len(d.Rules) == 0 {
		fmt.Fprintf(b, "  (nothing has a price)\n")
	}
	for i := range d.Rules {
		writePrices(b, &d.Rules[i], constraints)
	}
	app.WriteStopped(b, d.Stopped)
}

func alikeGroups(a, b *explain.BoundGroup) bool {
	return a.Values == b.Values && a.Moves == b.Moves && fmt.Sprintf("%.4g", a.Cost) == fmt.Sprintf("%.4g", b.Cost)
}

// shortList is the first few of some names.
func shortList(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// writePrices writes what a rule costs, step by step.
func writePrices(b io.Writer, r *explain.BoundRule, constraints bool) {
	fmt.Fprintf(b, "  %s\n", brief(cmp.Or(r.Words, r.Rule)))
	if constraints && r.Words != "" {
		fmt.Fprintf(b, "    %s\n", r.Rule)
	}
	for t, price := range r.Prices {
		switch {
		case price == 0:
		case r.Relation == "<=":
			fmt.Fprintf(b, "    step %d: one more would save at most %.3g\n", t+1, price)
		case r.Relation == ">=":
			fmt.Fprintf(b, "    step %d: one less would save at most %.3g\n", t+1, price)
		case r.Sum && price > 0:
			fmt.Fprintf(b, "    step %d: one that is not counted would save at most %.3g\n", t+1, price)
		case r.Sum:
			fmt.Fprintf(b, "    step %d: one more that is counted would save at most %.3g\n", t+1, -price)
		default:
			fmt.Fprintf(b, "    step %d: price %.3g\n", t+1, price)
		}
	}
}
