package pddl

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
)

// Observed is a state as a trajectory has it: the atoms that hold, and the values of functions, by name and objects with blanks between them.
type Observed struct {
	Atoms  map[string]bool
	Values map[string]float64
}

// Transition is an action that was taken in a state, and the state after it.
type Transition struct {
	Step
	Before, After *Observed // After is nil for an action that failed
}

// Idle reports whether all is after the action as it was before.
func (t *Transition) Idle() bool {
	return t.After != nil && (&State{nil, t.Before.Atoms, t.Before.Values}).Same(&State{nil, t.After.Atoms, t.After.Values})
}

// Trajectory is what was observed in one run.
type Trajectory struct {
	Objects     []Object // with the types that the domain lets them have, the most special ones
	Transitions []Transition
	types       map[string]typing
}

// typing is the types of an object and the place that showed them.
type typing struct {
	types []string
	pos   pos
}

// ReadDomain reads a domain. Its actions may be without conditions and effects.
func ReadDomain(file string, text []byte) (*Domain, error) { return readDomain(file, text) }

// ReadTrajectory reads a run in the format of SAM, ((:init …) (operator: (…)) (:state …) …), or of AMLGym, (:trajectory (:state …) (:action (…)) …).
// What a state does not list is false. An action that was tried in vain is (:failed (…)); the state after it may stand there again.
func (d *Domain) ReadTrajectory(file string, text []byte) (*Trajectory, error) {
	trees, err := parseTrees(file, text)
	if err != nil {
		return nil, err
	}
	list := trees
	if len(trees) == 1 && (trees[0].head() == "" || slices.Contains([]string{":trajectory", ":observation", "trajectory"}, trees[0].head())) {
		list = trees[0].list
	}
	t := d.newTrajectory()
	if err := t.read(d, list); err != nil {
		return nil, err
	}
	if len(t.Transitions) == 0 {
		return nil, pos{file, 1, 1}.errorf("there is no step; expected states and actions: ((:init …) (operator: (ACTION OBJECT …)) (:state …) …)")
	}
	return t.finish(), nil
}

func (d *Domain) newTrajectory() *Trajectory {
	t := &Trajectory{types: map[string]typing{}}
	for _, c := range d.Constants {
		t.types[c.Name] = typing{types: c.Types}
	}
	return t
}

// finish lists the objects.
func (t *Trajectory) finish() *Trajectory {
	for name, is := range t.types {
		t.Objects = append(t.Objects, Object{name, is.types})
	}
	slices.SortStableFunc(t.Objects, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	return t
}

// read reads states and actions in turn.
func (t *Trajectory) read(d *Domain, list []*tree) error {
	var state *Observed
	var taken *Transition
	for _, x := range list {
		switch x.head() {
		case ":init", ":state":
			next, err := t.state(d, x)
			if err != nil {
				return err
			}
			if taken != nil {
				taken.After = next
				t.Transitions, taken = append(t.Transitions, *taken), nil
			}
			state = next
		case "operator:", ":action", ":operator", "action:", ":failed", "failed:":
			if state == nil || taken != nil {
				return x.errorf("an action stands here; expected a state, (:state …), before each action")
			}
			s, err := t.step(d, x)
			if err != nil {
				return err
			}
			if strings.Contains(x.head(), "failed") {
				t.Transitions = append(t.Transitions, Transition{Step: s, Before: state})
				continue
			}
			taken = &Transition{Step: s, Before: state}
		case ":objects", "trajectory", ":trajectory", ":observation":
		default:
			if !x.open {
				continue // the name in front
			}
			what := x
			if len(x.list) > 0 {
				what = x.list[0]
			}
			return x.errorf("%s is not expected in a trajectory; expected (:init …), (:state …), (operator: (…)), (:action (…)) or (:failed (…))", what)
		}
	}
	if taken != nil {
		return taken.pos.errorf("no state follows %s; expected (:state …)", taken.Step)
	}
	return nil
}

// step reads the action of (operator: (ACTION OBJECT …)).
func (t *Trajectory) step(d *Domain, x *tree) (Step, error) {
	call := x.list[1:]
	if len(call) == 1 && call[0].open {
		call = call[0].list
	}
	if len(call) == 0 || call[0].open {
		return Step{}, x.errorf("there is no action in %s; expected (ACTION OBJECT …)", x)
	}
	s := Step{Name: call[0].word, pos: call[0].pos}
	a, err := d.action(s.Name, s.pos)
	if err != nil {
		return s, err
	}
	return s, t.arguments(d, call, a.Params, &s.Args)
}

// action is that of a name.
func (d *Domain) action(name string, at pos) (*Action, error) {
	var names []string
	for _, a := range d.Actions {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return nil, at.errorf("there is no action %s in domain %s%s", name, d.Name, nearest.Hint(name, names))
}

// arguments reads the objects of an action, a predicate or a function.
func (t *Trajectory) arguments(d *Domain, call []*tree, params []Param, into *[]string) error {
	if len(call)-1 != len(params) {
		return call[0].errorf("%s has %d objects; expected %d", call[0], len(call)-1, len(params))
	}
	for i, a := range call[1:] {
		if a.open {
			return a.errorf("%s is no object", a)
		}
		if err := t.object(d, a.word, params[i].Types, a.pos); err != nil {
			return err
		}
		*into = append(*into, a.word)
	}
	return nil
}

// object notes that an object has one of some types.
func (t *Trajectory) object(d *Domain, name string, types []string, at pos) error {
	was, ok := t.types[name]
	switch {
	case !ok || d.is(types, was.types):
		t.types[name] = typing{types, at}
	case !d.mayBe(was.types, types):
		return at.errorf("%s is a %s here, and a %s in line %d; the domain has no type that is both", name, strings.Join(types, " or "), strings.Join(was.types, " or "), was.pos.line)
	}
	return nil
}

// state reads (:state (PREDICATE OBJECT …) (= (FUNCTION OBJECT …) NUMBER) …); (and …) may stand around the atoms.
func (t *Trajectory) state(d *Domain, x *tree) (*Observed, error) {
	o := &Observed{map[string]bool{}, map[string]float64{}}
	items := x.list[1:]
	if len(items) == 1 && items[0].head() == "and" {
		items = items[0].list[1:]
	}
	for _, item := range items {
		if item.head() == "not" {
			continue
		}
		symbols, what, call := d.Predicates, "predicate", item
		number := item.head() == "=" && len(item.list) == 3 && item.list[1].open
		if number {
			symbols, what, call = d.Functions, "function", item.list[1]
		}
		s := symbols[call.head()]
		if call.head() == "" {
			return nil, call.errorf("%s is no atom; expected (PREDICATE OBJECT …) or (= (FUNCTION OBJECT …) NUMBER)", call)
		}
		if s == nil {
			return nil, call.errorf("there is no %s %s in domain %s%s", what, call.head(), d.Name, d.like(call.head(), symbols))
		}
		var args []string
		if err := t.arguments(d, call.list, s.Params, &args); err != nil {
			return nil, err
		}
		if !number {
			o.Atoms[written(s.Name, args)] = true
			continue
		}
		v, err := strconv.ParseFloat(item.list[2].word, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, item.list[2].errorf("%s is no number", item.list[2])
		}
		o.Values[written(s.Name, args)] = v
	}
	return o, nil
}

// Place is the file's line that an action stands in.
func (s Step) Place() string { return strconv.Itoa(s.pos.line) + " of " + s.pos.file }

// PredicateList lists the predicates in the order of their declarations.
func (d *Domain) PredicateList() []*Symbol { return symbolsOf(d.Predicates) }

// FunctionList lists the functions in the order of their declarations.
func (d *Domain) FunctionList() []*Symbol { return symbolsOf(d.Functions) }

// Is reports whether an object of one of the types given is of one of the types wanted.
func (d *Domain) Is(given, wanted []string) bool { return d.is(given, wanted) }

// MayBe reports whether an object of one type given may be of a type wanted.
func (d *Domain) MayBe(given, wanted []string) bool { return d.mayBe(given, wanted) }

// At is a state of a run in the domain.
func (d *Domain) At(run *Trajectory, o *Observed) *State {
	p := &Problem{Domain: d, Objects: run.Objects, objects: map[string]int{}}
	p.index()
	return (&State{p, o.Atoms, o.Values}).Copy()
}

// Replay takes an action of the domain in the state before it. The error says why it is not possible, or in what the state after it is another.
func (d *Domain) Replay(run *Trajectory, t *Transition) error {
	w := d.At(run, t.Before)
	if err := w.Execute(t.Step); err != nil {
		return err
	}
	for _, sides := range [][2]map[string]bool{{w.atoms, t.After.Atoms}, {t.After.Atoms, w.atoms}} {
		for _, x := range slices.Sorted(maps.Keys(sides[0])) {
			if !sides[1][x] {
				return fmt.Errorf("%w: (%s) is %v in the trajectory", ErrAfter, x, t.After.Atoms[x])
			}
		}
	}
	for _, x := range slices.Sorted(maps.Keys(t.After.Values)) {
		v := t.After.Values[x]
		if is, ok := w.values[x]; !ok || !near(is, v) {
			return fmt.Errorf("%w: (%s) is %v in the trajectory, %v here", ErrAfter, x, v, is)
		}
	}
	return nil
}

// near allows for numbers that are written in few digits.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// Same reports whether two states have the same atoms, and the same numbers but for a millionth.
func (w *State) Same(v *State) bool {
	return maps.Equal(w.atoms, v.atoms) && maps.EqualFunc(w.values, v.values, near)
}

// ErrAfter is wrapped where an action leads to another state than in a trajectory.
var ErrAfter = errors.New("the state after the action is another")

// Facts is the state as a trajectory has it.
func (w *State) Facts() string {
	var out []string
	for x := range w.atoms {
		out = append(out, "("+x+")")
	}
	for x, v := range w.values {
		if w.Functions[strings.Fields(x)[0]] != nil {
			out = append(out, "(= ("+x+") "+strconv.FormatFloat(v, 'f', -1, 64)+")")
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// With is the same state in a problem with another domain.
func (w *State) With(p *Problem) *State {
	s := w.Copy()
	s.Problem = p
	return s
}

// Value is that of a function in the state; not a number if it has none.
func (w *State) Value(name string, args ...string) float64 {
	if v, ok := w.values[written(name, args)]; ok {
		return v
	}
	return math.NaN()
}
