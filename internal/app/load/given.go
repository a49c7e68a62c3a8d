package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/rawlog"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// How the values of an input are assumed.
const (
	Held     = "held"     // at its value when the plan begins
	Fixed    = "fixed"    // at a given value
	Forecast = "forecast" // at given values by step, then at the last one
	Against  = "range"    // anything in a range, at each step
)

// Assumed is what an answer assumes of an input.
type Assumed struct {
	Input string `json:"input"`
	How   string `json:"how"`  // held, fixed, forecast or range
	Says  string `json:"says"` // in words

	values []int64 // by step, of Fixed and Forecast
	lo, hi int64   // of Against
}

// mostRows bounds the rows of a forecast that count: each is a bit of the state, as the number of the step.
const mostRows = 500

// Assumed lists what is assumed of inputs, in the order of the problem; empty for a problem without.
func (p *Problem) Assumed() []Assumed {
	var out []Assumed
	for _, v := range p.Problem.Given() {
		out = append(out, p.assumed(v))
	}
	return out
}

// Assumptions says in a sentence what is assumed of inputs; "" for nothing.
func Assumptions(of []Assumed) string {
	if len(of) == 0 {
		return ""
	}
	var parts []string
	for _, a := range of {
		parts = append(parts, a.Says)
	}
	return "assumed of inputs: " + strings.Join(parts, "; ")
}

// assumed is what is assumed of an input.
func (p *Problem) assumed(v *factored.Variable) Assumed {
	if a, ok := p.given[v.Name]; ok {
		return a
	}
	a := Assumed{Input: v.Name, How: Held, Says: v.Name + " is held at its first value"}
	val, given := p.World().InitialBits()
	if !slices.Contains(given[v.First:int(v.First)+v.Width], false) {
		a.Says = fmt.Sprintf("%s is held at %v", v.Name, v.Show(v.Value(val)))
	}
	return a
}

// give reads what is given of inputs: settings, and files with a row for each step.
func (p *Problem) give(entries []string) error {
	if len(entries) == 0 {
		return nil
	}
	p.given = map[string]Assumed{}
	for _, text := range entries {
		var err error
		if name, values, ok := strings.Cut(text, "="); ok {
			err = p.giveValues(strings.TrimSpace(name), values)
		} else {
			err = p.giveFile(text)
		}
		if err != nil {
			return err
		}
	}
	for _, a := range p.given {
		if v, _ := p.Problem.Lookup(a.Input); a.values != nil {
			replaceInitial(p.Problem, v, v.Equals(a.values[0], "given value of "+v.Name))
		}
	}
	return nil
}

// inputs are the names of the inputs.
func (p *Problem) inputs() (names []string) {
	for _, v := range p.Problem.Given() {
		names = append(names, v.Name)
	}
	return names
}

// input finds an input that something is given of.
func (p *Problem) input(name string) (*factored.Variable, error) {
	v, ok := p.Problem.Find(name)
	if !ok || !v.Given {
		known := p.inputs()
		if len(known) == 0 {
			return nil, fmt.Errorf("%s has no inputs; expected [[input]] in its task", p.Problem.Name)
		}
		return nil, fmt.Errorf("%s is no input of %s; expected one of %s", name, p.Problem.Name, strings.Join(known, ", "))
	}
	if _, twice := p.given[v.Name]; twice {
		return nil, fmt.Errorf("%s is given twice", v.Name)
	}
	return v, nil
}

// giveValues reads NAME=VALUE, NAME=VALUE,VALUE,… or NAME=LO..HI, without the name.
func (p *Problem) giveValues(name, text string) error {
	if _, ok := p.Problem.Find(name); !ok { // it may be that of all entities
		for _, v := range p.Problem.Given() {
			if p.single[v.Name] == name {
				if err := p.giveValues(v.Name, text); err != nil {
					return err
				}
				ok = true
			}
		}
		if ok {
			return nil
		}
	}
	fail := func(err error) error { return fmt.Errorf("--given %s=%s: %w", name, text, err) }
	v, err := p.input(name)
	if err != nil {
		return fail(err)
	}
	if lo, hi, ok := strings.Cut(text, ".."); ok {
		a := Assumed{Input: v.Name, How: Against}
		if a.lo, err = valueOf(v, lo); err == nil {
			a.hi, err = valueOf(v, hi)
		}
		if err == nil && a.lo > a.hi {
			err = fmt.Errorf("expected NAME=LO..HI with LO <= HI")
		}
		if err != nil {
			return fail(err)
		}
		a.Says = fmt.Sprintf("%s may be anything from %v to %v at each step", v.Name, v.Show(a.lo), v.Show(a.hi))
		p.given[v.Name] = a
		return nil
	}
	a := Assumed{Input: v.Name, How: Forecast}
	for _, one := range strings.Split(text, ",") {
		x, err := valueOf(v, one)
		if err != nil {
			return fail(err)
		}
		a.values = append(a.values, x)
	}
	p.given[v.Name] = a.said(v, "as given")
	return nil
}

// said describes values.
func (a Assumed) said(v *factored.Variable, from string) Assumed {
	last := v.Show(a.values[len(a.values)-1])
	if len(a.values) == 1 {
		a.How, a.Says = Fixed, fmt.Sprintf("%s is %v at all steps", v.Name, last)
		return a
	}
	a.Says = fmt.Sprintf("%s is %s at steps 1 to %d, and then %v", v.Name, from, len(a.values), last)
	return a
}

// valueOf reads a value of an input as logs have it.
func valueOf(v *factored.Variable, text string) (int64, error) {
	text = strings.TrimSpace(text)
	if b, ok := rawlog.Truth(text); ok && v.Bool {
		text = fmt.Sprint(b)
	}
	x, err := v.Parse(text)
	if err == nil && (x < v.Lo || x > v.Hi) {
		err = fmt.Errorf("%s cannot be %s; its range is %s", v.Name, text, v.RangeText())
	}
	return x, err
}

// giveFile reads a log with a row for each step, and columns by the names of inputs or of their columns in the task's logs.
func (p *Problem) giveFile(file string) error {
	t, err := rawlog.Open(context.Background(), file, rawlog.Options{})
	if err != nil {
		return err
	}
	if p.Declared != nil {
		_ = t.Derive(p.Declared.Log.Derive) // a forecast without stamps says nothing of them
	}
	found := false
	for _, v := range p.Problem.Given() {
		name := v.Name
		if single := p.single[name]; t.Column(name) < 0 && single != "" {
			name = single
		}
		if c := p.Declared.Log.Columns[name]; t.Column(c) >= 0 {
			name = c
		}
		i := t.Column(name)
		if i < 0 {
			continue
		}
		if _, err := p.input(v.Name); err != nil {
			return source.Errorf(file, 1, 0, "%v", err)
		}
		a := Assumed{Input: v.Name, How: Forecast}
		for row := range min(t.Rows(), mostRows) {
			text := t.Columns[i].Text(row)
			if text == "" {
				return source.Errorf(file, t.Line(row), 0, "column %s has no value; expected one for each step", name)
			}
			x, err := valueOf(v, text)
			if err != nil {
				return source.Errorf(file, t.Line(row), 0, "column %s: %v", name, err)
			}
			a.values = append(a.values, x)
		}
		p.given[v.Name], found = a.said(v, "that of "+file), true
	}
	if !found {
		return source.Errorf(file, 1, 0, "there is no column of an input; expected %s and a row for each step", strings.Join(p.inputs(), ", "))
	}
	return nil
}

// follow adds to q, a clone of World, what is assumed of inputs from a step on, for so many steps; 0 is for all that are given.
func (p *Problem) follow(q *factored.Problem, step, horizon int) error {
	for i := range q.Variables {
		v := &q.Variables[i]
		if !v.Given {
			continue
		}
		switch a := p.assumed(v); {
		case a.How == Held:
			q.Hold(v)
		case a.values != nil:
			values := a.values[min(step, len(a.values))-1:]
			if horizon > 0 {
				values = values[:min(len(values), horizon+1)]
			}
			if err := q.Follow(v, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkGiven refuses what plans of a horizon cannot assume of inputs.
func (p *Problem) checkGiven(horizon int) error {
	for _, a := range p.Assumed() {
		switch {
		case a.How == Against:
			return fmt.Errorf("--given %s=LO..HI: %s, and plans hold for one course; expected --robust, verify, or one value", a.Input, a.Says)
		case len(a.values) == mostRows && horizon > mostRows:
			return fmt.Errorf("--given: %d rows of the forecast of %s count; expected a horizon of at most as many steps", mostRows, a.Input)
		}
	}
	return nil
}

// Course is what an input is assumed to be.
type Course struct {
	Variable int
	Values   []int64 // by step, and then the last one; nil for an input that keeps its value, or may be anything in Lo..Hi
	Against  bool    // it may be anything in Lo..Hi, at each step
	Lo, Hi   int64
}

// Courses lists what is assumed of each input.
func (p *Problem) Courses() (out []Course) {
	for i := range p.Problem.Variables {
		if v := &p.Problem.Variables[i]; v.Given {
			a := p.assumed(v)
			out = append(out, Course{i, a.values, a.How == Against, a.lo, a.hi})
		}
	}
	return out
}

// within adds to a problem that the inputs are in their ranges, or have their fixed values, in each state.
func (p *Problem) within(q *factored.Problem) error {
	for _, a := range p.given {
		v, _ := q.Lookup(a.Input)
		lo, hi := a.lo, a.hi
		switch a.How {
		case Fixed:
			lo, hi = a.values[0], a.values[0]
		case Forecast:
			return fmt.Errorf("--given: a property is about any step, and %s has values by step; expected one value, or LO..HI", a.Input)
		}
		q.Global = append(q.Global, v.Within(lo, hi, a.Says)...)
	}
	return nil
}

// From returns the problem of a step of a run, in the state of World that was observed there: for a plan of the horizon, with
// what is assumed of inputs from there on.
func (p *Problem) From(state factored.Valuation, step, horizon int) (*factored.Problem, error) {
	if err := p.checkGiven(horizon); err != nil {
		return nil, err
	}
	q := p.World().Clone()
	q.Initial = state.Fix(q.Bits(factored.State), "observed")
	return q, p.follow(q, step, horizon)
}

// Stepwise returns the problem without conditions on single steps and assumptions about inputs, which depend on the step: see From.
func (p *Problem) Stepwise() *Problem {
	q := *p
	q.Problem = p.World()
	return &q
}

// AnyInputs returns the problem for questions about any one step, and what it assumes of inputs: before and after the step they
// are what --given allows, and others may be anything.
func (p *Problem) AnyInputs() (*Problem, []Assumed, error) {
	var assumed []Assumed
	for _, a := range p.Assumed() {
		if a.How == Held {
			v, _ := p.Problem.Lookup(a.Input)
			a.How, a.Says = Against, fmt.Sprintf("%s may be anything: %s", a.Input, v.RangeText())
		}
		assumed = append(assumed, a)
	}
	if len(assumed) == 0 {
		return p, nil, nil
	}
	q := p.Stepwise()
	q.Problem = q.Problem.Clone()
	return q, assumed, p.within(q.Problem)
}
