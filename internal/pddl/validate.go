package pddl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
)

// The validator executes a plan on the atoms of the problem as it was read. It shares no code with the grounding, but for Applicable.

// State is a state: the atoms that hold, and the values of functions.
type State struct {
	*Problem
	atoms  map[string]bool
	values map[string]float64
}

// Start is the initial state.
func (p *Problem) Start() *State {
	w := &State{p, map[string]bool{}, map[string]float64{}}
	for _, f := range p.Init {
		w.atoms[written(f.Name, f.Args)] = true
	}
	for _, f := range p.Values {
		w.values[written(f.Name, f.Args)] = f.Value
	}
	if _, ok := w.values["total-cost"]; !ok {
		w.values["total-cost"] = 0
	}
	return w
}

// Validate executes a plan. It returns the value of the metric, or the number of steps where there is none; the error is about the first step
// that cannot be executed, or about the goal.
func (p *Problem) Validate(plan []Step) (metric float64, err error) {
	w := p.Start()
	for i, s := range plan {
		if err := w.Execute(s); err != nil {
			return 0, fmt.Errorf("step %d, %s: %w", i+1, s, err)
		}
	}
	ok, err := w.Goal()
	switch {
	case err != nil:
		return 0, fmt.Errorf("the goal: %w", err)
	case !ok:
		return 0, fmt.Errorf("the goal does not hold after %s", counted.Of(len(plan), "step"))
	}
	return w.Metric(len(plan))
}

// ValidateNamed executes a plan whose steps are named as actions of the ground problem.
func (p *Problem) ValidateNamed(names []string) (metric float64, err error) {
	var plan []Step
	for _, n := range names {
		plan = append(plan, StepOf(n))
	}
	return p.Validate(plan)
}

// ValidateText executes a plan in the format of the competitions. is reports whether the text is one; failure is why the plan does not reach the goal.
func (p *Problem) ValidateText(name string, text []byte) (steps int, metric float64, failure error, is bool, err error) {
	if !IsPlan(text) {
		return 0, 0, nil, false, nil
	}
	plan, err := ReadPlan(name, text)
	if err != nil {
		return 0, 0, nil, true, err
	}
	metric, failure = p.Validate(plan)
	return len(plan), metric, failure, true, nil
}

// Goal reports whether the goal holds.
func (w *State) Goal() (bool, error) { return w.holds(w.Problem.Goal, nil) }

// Metric is the value of the metric after so many steps; their number where there is no metric. It is rounded to nine decimals,
// since a sum of decimals is not one in floating point.
func (w *State) Metric(steps int) (float64, error) {
	if w.Problem.Metric == nil {
		return float64(steps), nil
	}
	w.values["total-time"] = float64(steps)
	v, err := w.value(w.Problem.Metric, nil)
	const decimals = 1e9
	if r := math.Round(v*decimals) / decimals; math.Abs(v) < 1<<53/decimals {
		v = r
	}
	return v, err
}

func written(name string, args []string) string {
	return strings.Join(append([]string{name}, args...), " ")
}

// object is what a term stands for.
func object(t Term, by map[string]string) string {
	if t.Var {
		return by[t.Name]
	}
	return t.Name
}

func (w *State) name(e *Expr, by map[string]string) string {
	args := make([]string, len(e.Terms))
	for i, t := range e.Terms {
		args[i] = object(t, by)
	}
	return written(e.Name, args)
}

// with gives a variable an object.
func with(by map[string]string, name, obj string) map[string]string {
	out := map[string]string{name: obj}
	for k, v := range by {
		if k != name {
			out[k] = v
		}
	}
	return out
}

// Execute takes a step. The error says why it is not possible; the state is then as before.
func (w *State) Execute(s Step) error {
	var a *Action
	for _, x := range w.Actions {
		if x.Name == s.Name {
			a = x
		}
	}
	if a == nil {
		return errors.New("there is no such action")
	}
	if len(s.Args) != len(a.Params) {
		return fmt.Errorf("it has %d objects; expected %d", len(s.Args), len(a.Params))
	}
	by := map[string]string{}
	for i, p := range a.Params {
		k, ok := w.objects[s.Args[i]]
		if !ok || !w.is(w.Objects[k].Types, p.Types) {
			return fmt.Errorf("%s is no %s", s.Args[i], strings.Join(p.Types, " or "))
		}
		by[p.Name] = s.Args[i]
	}
	if err := w.require(a.Pre, by); err != nil {
		return err
	}
	off, on, set := []string{}, []string{}, map[string]float64{}
	if err := w.effect(a.Effect, by, &off, &on, set); err != nil {
		return err
	}
	for _, x := range off {
		delete(w.atoms, x)
	}
	for _, x := range on { // what is added and deleted is true
		w.atoms[x] = true
	}
	for x, v := range set {
		w.values[x] = v
	}
	return nil
}

// require returns an error about the first part of a condition that does not hold.
func (w *State) require(e *Expr, by map[string]string) error {
	if e.Op == "and" {
		for _, x := range e.Args {
			if err := w.require(x, by); err != nil {
				return err
			}
		}
		return nil
	}
	ok, err := w.holds(e, by)
	switch {
	case err != nil || ok:
		return err
	case e.Op == "atom":
		return fmt.Errorf("(%s) does not hold", w.name(e, by))
	case e.Op == "not" && e.Args[0].Op == "atom":
		return fmt.Errorf("(%s) holds", w.name(e.Args[0], by))
	}
	return fmt.Errorf("(%s …) does not hold", e.Op)
}

// objectsOf lists the objects that a variable can have.
func (w *State) objectsOf(v Param) (out []string) {
	for _, o := range w.Objects {
		if w.is(o.Types, v.Types) {
			out = append(out, o.Name)
		}
	}
	return out
}

// effect collects what an effect changes.
func (w *State) effect(e *Expr, by map[string]string, off, on *[]string, set map[string]float64) error {
	switch e.Op {
	case "atom":
		*on = append(*on, w.name(e, by))
	case "not":
		*off = append(*off, w.name(e.Args[0], by))
	case "and":
		for _, x := range e.Args {
			if err := w.effect(x, by, off, on, set); err != nil {
				return err
			}
		}
	case "forall":
		return w.every(e.Vars, by, func(by map[string]string) error { return w.effect(e.Args[0], by, off, on, set) })
	case "when":
		if ok, err := w.holds(e.Args[0], by); err != nil || !ok {
			return err
		}
		return w.effect(e.Args[1], by, off, on, set)
	default:
		return w.change(e, by, set)
	}
	return nil
}

// every calls f for all objects that variables can have.
func (w *State) every(vars []Param, by map[string]string, f func(map[string]string) error) error {
	if len(vars) == 0 {
		return f(by)
	}
	for _, o := range w.objectsOf(vars[0]) {
		if err := w.every(vars[1:], with(by, vars[0].Name, o), f); err != nil {
			return err
		}
	}
	return nil
}

// change computes the new value of a function. All right sides are of the state before the step.
func (w *State) change(e *Expr, by map[string]string, set map[string]float64) error {
	name := w.name(e.Args[0], by)
	x, err := w.value(e.Args[1], by)
	if err != nil {
		return err
	}
	was, ok := set[name]
	if !ok {
		if was, ok = w.values[name]; !ok && name != "total-cost" && e.Op != "assign" {
			return fmt.Errorf("(%s) has no value", name)
		}
	}
	set[name] = Changed(e.Op, was, x)
	return nil
}

// Changed is the value of a function after an effect, such as increase by x.
func Changed(op string, was, x float64) float64 {
	switch op {
	case "increase":
		return was + x
	case "decrease":
		return was - x
	case "scale-up":
		return was * x
	case "scale-down":
		return was / x
	}
	return x
}

// errStop ends a loop over objects early.
var errStop = errors.New("stop")

// holds reports whether a condition is true.
func (w *State) holds(e *Expr, by map[string]string) (bool, error) {
	switch e.Op {
	case "atom":
		for _, d := range w.Derived {
			if d.Name == e.Name {
				return w.derived(e, by)
			}
		}
		return w.atoms[w.name(e, by)], nil
	case "eq":
		return object(e.Terms[0], by) == object(e.Terms[1], by), nil
	case "not":
		ok, err := w.holds(e.Args[0], by)
		return !ok, err
	case "and", "or":
		for _, x := range e.Args {
			if ok, err := w.holds(x, by); err != nil || ok == (e.Op == "or") {
				return ok, err
			}
		}
		return e.Op == "and", nil
	case "imply":
		if ok, err := w.holds(e.Args[0], by); err != nil || !ok {
			return true, err
		}
		return w.holds(e.Args[1], by)
	case "forall", "exists":
		err := w.every(e.Vars, by, func(by map[string]string) error {
			ok, err := w.holds(e.Args[0], by)
			if err == nil && ok == (e.Op == "exists") {
				err = errStop
			}
			return err
		})
		if errors.Is(err, errStop) {
			return e.Op == "exists", nil
		}
		return e.Op == "forall", err
	}
	a, err := w.value(e.Args[0], by)
	if err != nil {
		return false, err
	}
	b, err := w.value(e.Args[1], by)
	if (a != math.Trunc(a) || b != math.Trunc(b)) && math.Abs(a-b) <= rounding*max(1, math.Abs(a), math.Abs(b)) {
		b = a
	}
	return map[string]bool{"=": a == b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[e.Op], err
}

// rounding is by what part fractions that are compared may differ and be equal: sums of them are not exact.
const rounding = 1e-9

// derived reports whether some rule derives an atom.
func (w *State) derived(e *Expr, by map[string]string) (bool, error) {
	for _, d := range w.Derived {
		if d.Name != e.Name {
			continue
		}
		in, fits := map[string]string{}, true
		for i, p := range d.Params {
			in[p.Name] = object(e.Terms[i], by)
			fits = fits && w.is(w.Objects[w.objects[in[p.Name]]].Types, p.Types)
		}
		if !fits {
			continue
		}
		if ok, err := w.holds(d.Body, in); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// value is that of a numeric expression.
func (w *State) value(e *Expr, by map[string]string) (float64, error) {
	switch e.Op {
	case "num":
		return e.Num, nil
	case "fn":
		x, ok := w.values[w.name(e, by)]
		if !ok {
			return 0, fmt.Errorf("(%s) has no value", w.name(e, by))
		}
		return x, nil
	}
	var x float64
	for i, a := range e.Args {
		y, err := w.value(a, by)
		if err != nil {
			return 0, err
		}
		switch {
		case i == 0 && e.Op == "-" && len(e.Args) == 1:
			x = -y
		case i == 0:
			x = y
		case e.Op == "+":
			x += y
		case e.Op == "-":
			x -= y
		case e.Op == "*":
			x *= y
		default:
			x /= y
		}
	}
	return x, nil
}

// Text lists the atoms that hold.
func (w *State) Text() string {
	return strings.Join(slices.Sorted(maps.Keys(w.atoms)), ",")
}

// Copy returns a copy.
func (w *State) Copy() *State {
	return &State{w.Problem, maps.Clone(w.atoms), maps.Clone(w.values)}
}

// Applicable lists the actions that can be executed in the state, each once. The candidates are those of the grounding; each is executed.
func (w *State) Applicable(ctx context.Context) (out []Step, err error) {
	list, err := w.applicable(ctx)
	for _, x := range list {
		s := Step{Name: x.rule.action.Name}
		for _, obj := range x.args {
			s.Args = append(s.Args, w.Objects[obj].Name)
		}
		if w.Copy().Execute(s) == nil {
			out = append(out, s)
		}
	}
	return out, err
}

// Count is the number of all actions with all objects, possible or not.
func (w *State) Count() (n int) {
	for _, a := range w.Actions {
		some := 1
		for _, v := range a.Params {
			some *= len(w.objectsOf(v))
		}
		n += some
	}
	return n
}

// Steps lists all actions with all objects, possible or not.
func (w *State) Steps() (out []Step) {
	for _, a := range w.Actions {
		w.every(a.Params, nil, func(by map[string]string) error {
			s := Step{Name: a.Name}
			for _, p := range a.Params {
				s.Args = append(s.Args, by[p.Name])
			}
			out = append(out, s)
			return nil
		})
	}
	return out
}
