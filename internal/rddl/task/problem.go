package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Options control how a task becomes a problem.
type Options struct {
	Name           string   // of the problem; empty for DOMAIN/INSTANCE of the RDDL
	Read           ReadFile // nil for source.ReadFile
	Known          bool     // nothing is learned: everything follows the RDDL
	IgnoreDiscount bool
	FreeSuccessors bool // see translate.Options
	Chance         bool // likewise; only with nothing learned
	// Determinize replaces what is drawn at random; "" leaves it.
	Determinize ground.Determinization
	// Quantiles is the number of values of a draw of a real, with Chance.
	Quantiles int
	// Decimals is the number of digits after the point that reals without a step are rounded to;
	// nil leaves them.
	Decimals *int
}

// Ground reads, checks and grounds the RDDL of the task.
func (t *Task) Ground(ctx context.Context, read ReadFile) (*ground.Problem, error) {
	if t.pddl != nil {
		return t.groundPDDL(ctx)
	}
	if read == nil {
		read = source.ReadFile
	}
	f, err := rddl.ReadFiles(read, t.Domain, t.Instance)
	if err != nil {
		return nil, err
	}
	t.complete(f)
	return ground.File(ctx, f, "")
}

// Rounded is Ground with the steps of reals: those of their ranges, else 10 to the power of -Decimals.
func (t *Task) Rounded(ctx context.Context, o Options) (*ground.Problem, error) {
	const most = 9
	if d := o.Decimals; d != nil && (*d < 0 || *d > most) {
		return nil, fmt.Errorf("--decimals %d; expected 0 to %d", *d, most)
	}
	g, err := t.Ground(ctx, o.Read)
	if err != nil {
		return nil, err
	}
	return g.Rounded(func(f *ground.Fluent) operator.Rat {
		r, ok := t.Ranges[f.Name]
		if !ok {
			r = t.Ranges[f.Base]
		}
		s := r.Step()
		if !s.Valid() && o.Decimals != nil {
			s = operator.Whole(1)
			for range *o.Decimals {
				s = s.Div(operator.Whole(10))
			}
		}
		return s
	})
}

// GoalOf grounds the goal over g; it returns nil if there is none.
func (t *Task) GoalOf(g *ground.Problem) (*ground.Node, error) {
	if t.pddl != nil {
		return t.pddl.grounded.Goal, nil
	}
	if t.Goal == "" {
		return nil, nil
	}
	// Blanks before the text make its positions those in the task file.
	name, text := "goal", t.Goal
	if p := t.at("goal"); p.line > 0 {
		name, text = t.File, strings.Repeat("\n", p.line-1)+strings.Repeat(" ", p.col)+text
	}
	e, err := rddl.ParseExpr(name, []byte(text))
	if err != nil {
		return nil, err
	}
	prog := g.Program()
	if prog == nil {
		return nil, errors.New("the problem was not read from RDDL")
	}
	typed, err := prog.CheckExpr(e, rddl.InGoal, rddl.Type{Kind: rddl.BoolType})
	if err != nil {
		return nil, err
	}
	n, err := g.Expr(typed)
	if err != nil || len(t.Bins) == 0 || t.Levels {
		return n, err
	}
	return t.inLevels(g, n)
}

// Problem compiles the task.
func (t *Task) Problem(ctx context.Context, o Options) (*translate.Compiled, error) {
	g, err := t.Rounded(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := t.check(g); err != nil {
		return nil, err
	}
	if err := t.checkUnknown(g, o.Known); err != nil {
		return nil, err
	}
	if o.Chance && o.Quantiles > 0 && o.Determinize == "" {
		if g, err = g.Quantiles(o.Quantiles); err != nil {
			return nil, err
		}
	}
	if o.Determinize != "" {
		if g, err = g.Determinize(o.Determinize); err != nil {
			return nil, err
		}
	}
	goal, err := t.GoalOf(g)
	if err != nil {
		return nil, err
	}
	topt := translate.Options{Name: o.Name, Ranges: t.Ranges, Goal: goal, IgnoreDiscount: o.IgnoreDiscount, FreeSuccessors: o.FreeSuccessors, Chance: o.Chance && o.Known}
	if !o.Known {
		topt.Learned, topt.Inputs = t.Learned, t.Inputs
	}
	c, err := translate.Problem(ctx, g, topt)
	if err != nil {
		return nil, err
	}
	if t.Horizon > 0 {
		c.Problem.Horizon = t.Horizon
	}
	t.addViews(c)
	return c, t.checkBitNames(c.Problem)
}

// check refuses names that do not occur in the RDDL.
func (t *Task) check(g *ground.Problem) error {
	find := func(name string, ok func(f *ground.Fluent) bool) bool {
		return slices.ContainsFunc(g.Fluents, func(f ground.Fluent) bool {
			return (f.Base == name || f.Name == factored.Canonical(name)) && ok(&f)
		})
	}
	if err := t.checkBins(g, find); err != nil {
		return err
	}
	for _, name := range sorted(t.Ranges) {
		fixed := t.Ranges[name].View != nil
		if !find(name, func(f *ground.Fluent) bool {
			return f.Type == ground.Int && !fixed || f.Type == ground.Real && f.Step.Valid()
		}) {
			if fixed {
				return t.errorAt([]string{"ranges", name}, "there is no real fluent %s to have a range with a step%s", name, fluentHint(g, name))
			}
			return t.errorAt([]string{"ranges", name}, "there is no integer fluent %s to have a range%s", name, fluentHint(g, name))
		}
	}
	for _, name := range t.Learned {
		if !find(name, func(f *ground.Fluent) bool { return f.Kind == ground.State && f.Base == name }) {
			return t.errorAt([]string{"learned"}, "there is no state fluent %s to be learned; expected base names such as robot-at%s", name, fluentHint(g, name))
		}
	}
	for _, name := range t.Inputs {
		if !find(name, func(f *ground.Fluent) bool { return f.Kind == ground.State || f.Kind == ground.Action }) {
			return t.errorAt([]string{"inputs"}, "there is no state or action fluent %s for the network to read%s", name, fluentHint(g, name))
		}
	}
	return nil
}

// fluentHint returns "; did you mean X?" for a name that no fluent has, or "".
func fluentHint(g *ground.Problem, name string) string {
	var known []string
	for i := range g.Fluents {
		if f := &g.Fluents[i]; f.Kind == ground.State || f.Kind == ground.Action {
			known = append(known, f.Base, f.Name)
		}
	}
	return nearest.Hint(factored.Canonical(name), known)
}

// checkBins refuses names that are not integers, and levels whose range another entry
// changes.
func (t *Task) checkBins(g *ground.Problem, find func(string, func(*ground.Fluent) bool) bool) error {
	for _, name := range sorted(t.Bins) {
		if !find(name, func(f *ground.Fluent) bool {
			return f.Type == ground.Int && (f.Kind == ground.State || f.Kind == ground.Action)
		}) {
			return t.binsError(name, "there is no integer state or action fluent %s to be discretised%s", name, fluentHint(g, name))
		}
	}
	for i := range g.Fluents {
		f := &g.Fluents[i]
		name := f.Name
		b, ok := t.Bins[name]
		if !ok {
			name = f.Base
			b, ok = t.Bins[name]
		}
		if !ok {
			continue
		}
		r, own := t.Ranges[f.Name]
		if !own {
			r = t.Ranges[f.Base]
		}
		if r.Lo != 0 || r.Hi != int64(b.Levels()-1) {
			return t.binsError(name, "%s has the range %d..%d, and its bins make levels 0..%d; expected the one or the other", f.Name, r.Lo, r.Hi, b.Levels()-1)
		}
	}
	return nil
}

// checkBitNames compares the bit map with the variables.
func (t *Task) checkBitNames(p *factored.Problem) error {
	for _, name := range sorted(t.BitNames) {
		v, ok := p.Find(name)
		if !ok || v.Kind == factored.Auxiliary {
			return t.errorAt([]string{"files", name}, "there is no state or action variable %s", name)
		}
		if n := len(t.BitNames[name]); n != v.Width {
			return t.errorAt([]string{"files", name}, "%s has %d bits, and %d names are given", v.Name, v.Width, n)
		}
	}
	return nil
}

// BitName returns the name of bit b of p in the published files: the name in the task, or
// else the variable's own.
func (t *Task) BitName(p *factored.Problem, b factored.Bit) string {
	v, i := p.Owner(b)
	if names, ok := t.BitNames[v.Name]; ok && i < len(names) {
		return names[i]
	}
	return p.BitName(b)
}

// SetGoal replaces the goal of a task with RDDL, or in PDDL.
func (t *Task) SetGoal(text string) error {
	if t.pddl != nil {
		return t.pddl.problem.SetGoal("--goal", []byte(text))
	}
	t.Goal = expr.Spelling(text)
	delete(t.where, "goal")
	return nil
}
