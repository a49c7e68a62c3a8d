package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Question is what can be asked of any problem in place of what it says itself, and is known before it is compiled.
type Question struct {
	Goal  string        `http:"yes" help:"Condition that must hold after the last step, in place of the problem's own goal; in PDDL a condition such as (and (at b room))." placeholder:"EXPR"`
	Range bind.Settings `http:"yes" help:"Range of a number, in place of the problem's own; repeatable. A real takes a step too. Of a number that was learned, it is a rule within the range that was learned." placeholder:"FLUENT=LO..HI[ by STEP]" sep:"none"`
}

// ask changes the question that a task with RDDL or PDDL is compiled for; ranges only if nothing that was learned depends on them.
func (q *Question) ask(t *task.Task, known bool) error {
	if q.Goal != "" {
		if err := t.SetGoal(q.Goal); err != nil {
			return err
		}
	}
	if !known || len(q.Range) == 0 {
		return nil
	}
	ranges := maps.Clone(t.Ranges)
	if ranges == nil {
		ranges = map[string]translate.Range{}
	}
	given := map[string]bool{}
	for _, text := range q.Range {
		name, r, err := task.ParseRange(text)
		switch {
		case err != nil:
			return fmt.Errorf("--range %s: %w", text, err)
		case given[name]:
			return fmt.Errorf("--range %s: %s has a range already", text, name)
		case t.Bins[name].Edges != nil:
			return fmt.Errorf("--range %s: %s is in bins, which are its range; expected a rule, such as --require '%s < …'", text, name, name)
		}
		given[name], ranges[name] = true, r
		maps.DeleteFunc(t.BitNames, func(of string, _ []string) bool {
			base, _, _ := strings.Cut(of, "(")
			return of == name || base == name
		})
	}
	t.Ranges = ranges
	return nil
}

// setGoal replaces the goal of a compiled problem; "" leaves it.
func (p *Problem) setGoal(text string) error {
	if text == "" {
		return nil
	}
	err := func() error {
		e, err := expr.Parse(p.World(), text, expr.Options{})
		if err != nil {
			return err
		}
		if c := e.Constants(); len(c) > 0 {
			return errors.New(c[0])
		}
		p.Problem, p.world = p.World(), nil
		p.Problem.Goal = nil
		return e.Goal(p.Problem, "goal")
	}()
	if err != nil {
		return fmt.Errorf("--goal %s: %w", text, err)
	}
	if p.Declared != nil {
		p.Declared.Goal = text
	}
	return p.addSteps()
}

// narrow makes ranges within those of a compiled problem rules.
func (p *Problem) narrow(ranges []string) error {
	if len(ranges) == 0 {
		return nil
	}
	var rules []string
	for _, text := range ranges {
		more, err := p.rulesWithin(text)
		if err != nil {
			return fmt.Errorf("--range %s: %w", text, err)
		}
		rules = append(rules, more...)
	}
	if len(rules) == 0 {
		return nil
	}
	p.Problem, p.world = p.World(), nil
	if err := p.requireAll("--range", rules); err != nil {
		return err
	}
	return p.addSteps()
}

// rulesWithin returns the rules that keep fluents within a range.
func (p *Problem) rulesWithin(text string) ([]string, error) {
	name, lo, hi, err := task.CutRange(text)
	if err != nil {
		return nil, err
	}
	if strings.Contains(hi, " by ") {
		return nil, fmt.Errorf("the steps of %s are known already; expected LO..HI alone", name)
	}
	from, err1 := strconv.ParseFloat(lo, 64)
	to, err2 := strconv.ParseFloat(hi, 64)
	if errors.Join(err1, err2) != nil || from > to {
		return nil, fmt.Errorf("%s..%s is no range; expected two numbers, the lower first", lo, hi)
	}
	var rules []string
	found := false
	for i := range p.World().Variables {
		v := &p.World().Variables[i]
		base, _, _ := strings.Cut(v.Name, "(")
		if v.Kind == factored.Auxiliary || v.Name != factored.Canonical(name) && base != name {
			continue
		}
		if v.Bool || v.Enumeration() {
			return nil, fmt.Errorf("%s is %s; expected a number", v.Name, v.RangeText())
		}
		found = true
		least, most, below := bounds(v)
		if from < least || to > most {
			return nil, fmt.Errorf("%s is in %s here, and no more was learned; expected a range within", v.Name, v.RangeText())
		}
		if from > least {
			rules = append(rules, v.Name+" >= "+lo)
		}
		if to < most {
			rules = append(rules, v.Name+below+hi)
		}
	}
	if !found {
		return nil, fmt.Errorf("there is no variable %s in %s%s", name, p.Problem.Name, p.World().Hint(name, factored.State))
	}
	return rules, nil
}

// bounds are the least and the greatest number of a variable, and how it is compared with one at most as great.
func bounds(v *factored.Variable) (least, most float64, below string) {
	if v.View != nil && len(v.View.Edges) > 0 {
		return v.View.Edges[0], v.View.Edges[len(v.View.Edges)-1], " < "
	}
	least, _ = strconv.ParseFloat(fmt.Sprint(v.Show(v.Lo)), 64)
	most, _ = strconv.ParseFloat(fmt.Sprint(v.Show(v.Hi)), 64)
	return least, most, " <= "
}

// ofTask are the changes that a task file with RDDL makes.
func ofTask(t *task.Task) Changes {
	return Changes{Edits: Edits{Reward: bind.Lines{Text: t.Reward}, SetInitial: t.Initial, Require: t.Rules}}
}

// Asked returns the problem of another question, with the changes that have been made; p itself for none.
func (p *Problem) Asked(ctx context.Context, q Question) (*Problem, error) {
	if q.Goal == "" && len(q.Range) == 0 {
		return p, nil
	}
	r := p.from
	if q.Goal != "" {
		r.Goal = q.Goal
	}
	of := func(text string) string { return text[:max(0, strings.LastIndexByte(text, '='))] }
	r.Range = slices.DeleteFunc(slices.Clone(r.Range), func(old string) bool {
		return slices.ContainsFunc(q.Range, func(text string) bool { return of(text) == of(old) })
	})
	r.Range = append(r.Range, q.Range...)
	out, err := Load(ctx, r)
	for _, c := range p.changes {
		if err == nil {
			err = out.Apply(c)
		}
	}
	return out, err
}
