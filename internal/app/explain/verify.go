package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/engine/verify"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// The statuses of a property.
const (
	Holds   = "holds"
	Fails   = "fails"
	Refuted = "refuted by the log"
)

// Property is the answer of `fdplan verify`.
type Property struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	load.Altered
	Property string `json:"property"`
	Status   string `json:"status"`
	// Steps are those that the claim about the model is about: from all legal states and
	// actions, "any", or only those that lead to legal states, "legal".
	Steps   verify.Steps `json:"next_states"`
	Witness *Witness     `json:"witness"` // of a property that fails or is refuted
	Checked bool         `json:"checked"` // the checker confirmed the witness
	// Evidence is what the training rows tell about the witness of a property that fails; absent
	// if that is unknown.
	Evidence *support.Evidence `json:"evidence,omitempty"`
	LogLines
	// Warnings tell of comparisons that the ranges of their variables decide, of a premise
	// that nothing satisfies, of next values that the training rows of the network do not support,
	// and of rows that are not known.
	Warnings []string `json:"warnings,omitempty"`
	// Assumed says what may be of inputs; absent without.
	Assumed []load.Assumed `json:"assumed,omitempty"`
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

// VerifyRequest is a property of one step.
type VerifyRequest struct {
	Property string `required:"" http:"yes" help:"Condition over state and action variables and, with a prime, the next state." placeholder:"EXPR"`
	// Log has rows to hold it against; nil for those that the network's file records.
	Log *coverage.Record `name:"-"`
}

// Verify decides a property of one step: whether the rows of a log refute it, else whether it
// holds in the model.
func Verify(ctx context.Context, problem *load.Problem, r VerifyRequest) (*Property, error) {
	problem, assumed, err := problem.AnyInputs()
	if err != nil {
		return nil, err
	}
	t := problem.Task
	e, err := expr.Parse(t.Problem, r.Property, expr.Options{Next: true})
	if err != nil {
		return nil, fmt.Errorf("--property %s: %w", r.Property, err)
	}
	out := &Property{Schema: app.Schema, Problem: t.Problem.Name, Altered: problem.Altered, Property: r.Property, Assumed: assumed, Warnings: e.Constants()}
	if r.Log != nil {
		out.Data = strings.Join(r.Log.Files, ", ")
	}
	if err := out.compare(ctx, problem, r.Log, e); err != nil {
		return nil, err
	}
	res, err := out.ask(ctx, t, e)
	if out.Lines != nil {
		out.Status, out.Model = Refuted, modelStatus(res)
		if errors.Is(err, verify.ErrStopped) {
			err = nil // the rows are an answer by themselves
		}
		return out, err
	}
	if err != nil {
		return nil, err
	}
	out.Status = modelStatus(res)
	if res.Holds {
		if partly := r.Log == nil && problem.Record != nil && !problem.Record.Whole; partly && out.Steps == verify.LegalNext && !slices.Contains(out.Warnings, noRoom) {
			out.Warnings = append(out.Warnings, noRoom) // of rows to states that the rules forbid
		}
		if err := out.vacuous(ctx, t); err != nil {
			return nil, err
		}
		return out, out.doubtHolding(ctx, problem)
	}
	out.Checked = true
	out.Witness = witnessOf(t.Problem, res.Now, res.Next)
	return out, out.doubt(problem, res.Now)
}

// modelStatus is what is known of the model; empty for nothing.
func modelStatus(res *verify.Result) string {
	switch {
	case res == nil:
		return ""
	case res.Holds:
		return Holds
	}
	return Fails
}

func witnessOf(p *factored.Problem, now, next factored.Valuation) *Witness {
	return &Witness{
		State:  app.ValuesOf(p, factored.State, now, true),
		Action: app.ValuesOf(p, factored.Action, now, true),
		Next:   app.ValuesOf(p, factored.State, next, true),
	}
}

// ask decides the property in the model. Where it holds but for steps to states that C forbids,
// it is about the others.
func (w *Property) ask(ctx context.Context, t engine.Task, e *expr.Expr) (*verify.Result, error) {
	w.Steps = verify.AnyNext
	res, err := verify.Property(ctx, t, e, verify.AnyNext)
	if err != nil || res.Holds {
		return res, err
	}
	w.Steps = verify.LegalNext
	broken := validate.CheckPart(t.Problem, validate.State, res.Next)
	if broken == nil {
		return res, nil
	}
	legal, err := verify.Property(ctx, t, e, verify.LegalNext)
	if err == nil && legal.Holds {
		c := witnessOf(t.Problem, res.Now, res.Next)
		w.Warnings = append(w.Warnings, fmt.Sprintf("it fails where the model leads to a state that the rules forbid, which no plan does: from %v with %v to %v", c.State, c.Action, c.Next))
	}
	return legal, err
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
	res, err := verify.Property(ctx, t, e, w.Steps)
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
	counter, err := verify.Refuting(free.Problem, w.Property, w.Steps)
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

// doubt warns of a witness whose next values the training rows dispute or do not support.
func (w *Property) doubt(p *load.Problem, now factored.Valuation) error {
	j := support.NewJudge(p)
	if j == nil {
		return nil
	}
	e, err := j.Evidence(now)
	if err != nil {
		return support.Known(err)
	}
	w.Evidence = &e
	switch e.Kind {
	case support.Unseen:
		w.Warnings = append(w.Warnings, fmt.Sprintf("the training rows do not support the next values of %s in this state with this action; there the network may be wrong", support.Listed(e.Next)))
	case support.Disputed:
		w.Warnings = append(w.Warnings, fmt.Sprintf("the log disputes the next values of %s in this state with this action: %d of %s agree", support.Listed(e.Next), *e.Agree, counted.Of(*e.Rows, "row")))
	}
	return nil
}
