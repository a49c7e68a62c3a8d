package explain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/engine/verify"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Property is the answer of `fdplan verify`.
type Property struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	// Determinized is the rule that gives each draw of a random problem one value; absent if
	// nothing is drawn.
	Determinized string   `json:"determinized,omitempty"`
	Property     string   `json:"property"`
	Status       string   `json:"status"`  // "holds" or "fails"
	Witness      *Witness `json:"witness"` // of a property that fails
	Checked      bool     `json:"checked"` // the checker confirmed the witness
	// Warnings tell of comparisons that the ranges of their variables decide, of a premise
	// that nothing satisfies, and of next values that the training rows of the network do not support.
	Warnings []string `json:"warnings,omitempty"`
	// Certificate is the folder with a proof of a property that holds, absent
	// without one.
	Certificate string `json:"certificate,omitempty"`
}

// Witness is a step that violates a property.
type Witness struct {
	State  app.Values `json:"state"`
	Action app.Values `json:"action"`
	Next   app.Values `json:"next"`
}

// Verify decides a property of one step.
func Verify(ctx context.Context, problem *load.Problem, property string) (*Property, error) {
	t := problem.Task
	e, err := expr.Parse(t.Problem, property, expr.Options{Next: true})
	if err != nil {
		return nil, fmt.Errorf("--property %s: %w", property, err)
	}
	res, err := verify.Property(ctx, t, e)
	if err != nil {
		return nil, err
	}
	out := &Property{Schema: app.Schema, Problem: t.Problem.Name, Determinized: problem.Determinized, Property: property, Status: "holds", Warnings: e.Constants()}
	if res.Holds {
		if err := out.vacuous(ctx, t); err != nil {
			return nil, err
		}
		return out, out.doubtHolding(ctx, problem)
	}
	p := t.Problem
	out.Status, out.Checked = "fails", true
	out.Witness = &Witness{
		State:  app.ValuesOf(p, factored.State, res.Now, true),
		Action: app.ValuesOf(p, factored.Action, res.Now, true),
		Next:   app.ValuesOf(p, factored.State, res.Next, true),
	}
	return out, out.doubt(problem, res.Now)
}

// vacuous warns of an implication that holds since no legal state and action satisfies its
// premise.
func (w *Property) vacuous(ctx context.Context, t engine.Task) error {
	premise, ok := premiseOf(w.Property)
	if !ok || len(w.Warnings) > 0 {
		return nil
	}
	e, err := expr.Parse(t.Problem, "~("+premise+")", expr.Options{Next: true})
	if err != nil {
		return fmt.Errorf("the premise of %s: %w", w.Property, err)
	}
	res, err := verify.Property(ctx, t, e)
	if err == nil && res.Holds {
		w.Warnings = append(w.Warnings, fmt.Sprintf("no legal state and action satisfies %s, so that the property says nothing", premise))
	}
	return err
}

// premiseOf returns the left side of an implication; false for any other expression.
func premiseOf(property string) (premise string, ok bool) {
	depth, at, quoted := 0, -1, false
	for i := range len(property) {
		rest := property[i:]
		switch c := property[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth > 0:
		case strings.HasPrefix(rest, "<=>"):
			return "", false
		case at < 0 && strings.HasPrefix(rest, "=>"):
			at = i
		}
	}
	if at < 0 {
		return "", false
	}
	return strings.TrimSpace(property[:at]), true
}

// doubtHolding warns of a property that holds in the model and could fail where the training
// rows do not support the next values.
func (w *Property) doubtHolding(ctx context.Context, p *load.Problem) error {
	if support.NewJudge(p) == nil {
		return nil
	}
	free, err := support.Free(p)
	if errors.Is(err, support.ErrNoRecord) || err == nil && free.Network != nil {
		return nil
	}
	if err != nil {
		return err
	}
	counter, err := verify.Refuting(free.Problem, w.Property)
	if err != nil {
		return err
	}
	e, err := registry.New(registry.Options{Engine: registry.PB})
	if err != nil {
		return err
	}
	res, err := engine.InTime(e).Solve(ctx, engine.Query{Task: engine.Task{Problem: counter}, MinHorizon: 1, MaxHorizon: 1}, app.Limits(engine.Limits{}), nil)
	switch {
	case err != nil:
		return fmt.Errorf("asking what the training rows support: %w", err)
	case res.Status == engine.Infeasible:
		return nil
	case res.Trace == nil:
		w.Warnings = append(w.Warnings, "it is not known whether the training rows support this everywhere: "+res.Reason)
		return nil
	}
	open, err := support.NewJudge(p).Open(res.Trace.Steps[0][:p.Problem.NumBits()])
	if err != nil {
		return err
	}
	w.Warnings = append(w.Warnings, fmt.Sprintf("the training rows do not support this everywhere: for some state and action they leave the next values of %s open, and with others the property fails",
		support.Listed(support.Variables(p.Problem, open))))
	return nil
}

// doubt warns of a witness whose next values the training rows do not support.
func (w *Property) doubt(p *load.Problem, now factored.Valuation) error {
	j := support.NewJudge(p)
	if j == nil {
		return nil
	}
	open, err := j.Open(now)
	if errors.Is(err, support.ErrUnknown) {
		return nil
	}
	if len(open) > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("the training rows do not support the next values of %s in this state with this action; there the network may be wrong",
			support.Listed(support.Variables(p.Problem, open))))
	}
	return err
}
