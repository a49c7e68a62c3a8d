package lift

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
)

// World is an instance as lifted functions see it: its objects, its non-fluents, and the
// bits that a network reads and writes.
type World struct {
	Problem *factored.Problem
	ground  *ground.Problem

	decls map[string]*declaration
	order []*declaration
	// inputs and outputs number the bits of the network.
	inputs, outputs map[factored.Bit]int
}

// declaration is a variable of the domain.
type declaration struct {
	ground.Declaration
	params  []*objects
	read    bool // a fluent of which the network reads all bits
	learned bool // of which it writes all bits
	width   int  // of a fluent with bits
	lo, hi  int64
	boolean bool
	action  bool
	holding [][]int // of a Boolean non-fluent that is a relation
	listed  bool
}

// objects are the values of a type.
type objects struct {
	typ    string
	names  []string
	object bool // of an object type
	place  map[string]int
}

// ErrNoRelations is wrapped where a problem has no RDDL, which names objects and relations.
var ErrNoRelations = errors.New("there is no RDDL to name objects and relations")

// NewWorld returns the view of a problem that was compiled from g.
func NewWorld(p *factored.Problem, g *ground.Problem) (*World, error) {
	w := &World{Problem: p, ground: g, decls: map[string]*declaration{}, inputs: map[factored.Bit]int{}, outputs: map[factored.Bit]int{}}
	for i, b := range p.Inputs {
		w.inputs[b] = i
	}
	for i, b := range p.Outputs {
		w.outputs[b] = i
	}
	types := map[string]*objects{}
	for _, d := range g.Declarations() {
		decl := &declaration{Declaration: d}
		for _, t := range d.Params {
			if types[t] == nil {
				types[t] = newObjects(g, t)
			}
			decl.params = append(decl.params, types[t])
		}
		if err := w.fill(decl); err != nil {
			return nil, err
		}
		w.decls[d.Name] = decl
		w.order = append(w.order, decl)
	}
	if len(w.order) == 0 {
		return nil, ErrNoRelations
	}
	return w, nil
}

func newObjects(g *ground.Problem, typ string) *objects {
	o := &objects{typ: typ, place: map[string]int{}}
	o.names, o.object = g.Objects(typ)
	for i, n := range o.names {
		o.place[n] = i
	}
	return o
}

// fill finds the bits of a fluent; those of different objects must be alike.
func (w *World) fill(d *declaration) error {
	if d.Static {
		if d.Type == ground.Bool && len(d.Params) > 0 {
			d.holding, d.listed = d.Holding()
		}
		return nil
	}
	first := true
	for i := range w.ground.Fluents {
		f := &w.ground.Fluents[i]
		if f.Base != d.Name {
			continue
		}
		v, ok := w.Problem.Lookup(f.Name)
		if !ok {
			return nil // computed within the step
		}
		if first {
			d.width, d.lo, d.hi, d.boolean, d.action, d.read, d.learned = v.Width, v.Lo, v.Hi, v.Bool, v.Kind == factored.Action, true, true
			first = false
		}
		if v.Lo != d.lo || v.Hi != d.hi {
			return fmt.Errorf("%s has the range %d..%d and %s another one; a lifted function needs one range for all objects", v.Name, v.Lo, v.Hi, d.Name)
		}
		for j := range v.Width {
			_, reads := w.inputs[v.First+factored.Bit(j)]
			_, writes := w.outputs[v.First+factored.Bit(j)]
			d.read, d.learned = d.read && reads, d.learned && writes
		}
	}
	return nil
}

// forms lists the literals of an atom of fluent d that features are made of: its bits and,
// with values, its values where they are few.
func (d *declaration) forms(a Atom, values bool) [][]Literal {
	if d.boolean {
		return [][]Literal{{{Atom: a, Bit: -1}}}
	}
	var out [][]Literal
	for b := d.width - 1; b >= 0; b-- {
		out = append(out, []Literal{{Atom: a, Bit: b}})
	}
	const widest = 3
	if values && d.width > 1 && d.width <= widest {
		for v := range 1 << d.width {
			var all []Literal
			for b := d.width - 1; b >= 0; b-- {
				all = append(all, Literal{Atom: a, Bit: b, Neg: v>>b&1 == 0})
			}
			out = append(out, all)
		}
	}
	return out
}

// name is the grounded name of an atom for some objects.
func (w *World) name(a Atom, at []int) (string, error) {
	d := w.decls[a.Name]
	if d == nil || len(d.params) != len(a.Args) {
		return "", fmt.Errorf("there is no %s with %d arguments", a.Name, len(a.Args))
	}
	names := make([]string, len(a.Args))
	for k, arg := range a.Args {
		names[k] = arg
		if o := object(arg); o >= 0 {
			if o >= len(at) {
				return "", fmt.Errorf("%s has an argument without an object", a)
			}
			names[k] = d.params[k].names[at[o]]
		}
	}
	return Atom{a.Name, names}.String(), nil
}

// fluent returns the variable that an atom names for objects at.
func (w *World) fluent(a Atom, at []int) (*factored.Variable, error) {
	name, err := w.name(a, at)
	if err != nil {
		return nil, err
	}
	v, ok := w.Problem.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("there is no fluent %s", name)
	}
	return v, nil
}

// input returns the number of a literal's bit among the network's inputs.
func (w *World) input(l *Literal, at []int) (int, error) {
	v, err := w.fluent(l.Atom, at)
	if err != nil {
		return 0, err
	}
	place := v.Width - 1
	if l.Bit >= 0 {
		place -= l.Bit
	}
	if place < 0 || (l.Bit < 0) != v.Bool {
		return 0, fmt.Errorf("%s has no bit %s", v.Name, l)
	}
	i, ok := w.inputs[v.First+factored.Bit(place)]
	if !ok {
		return 0, fmt.Errorf("the network does not read %s", v.Name)
	}
	return i, nil
}

// places gives the arguments of a non-fluent as places among the values of their types.
func (d *declaration) places(a Atom, at []int) ([]int, error) {
	if len(a.Args) != len(d.params) {
		return nil, fmt.Errorf("%s has %d arguments, expected %d", a.Name, len(a.Args), len(d.params))
	}
	out := make([]int, len(a.Args))
	for k, arg := range a.Args {
		if o := object(arg); o >= 0 {
			if o >= len(at) {
				return nil, fmt.Errorf("%s has an argument without an object", a)
			}
			out[k] = at[o]
			continue
		}
		i, ok := d.params[k].place[arg]
		if !ok {
			return nil, fmt.Errorf("%s is not a value of %s", arg, d.params[k].typ)
		}
		out[k] = i
	}
	return out, nil
}

// choices calls f with each choice of objects of some types; f must not keep it.
func choices(types []*objects, f func(at []int)) {
	at := make([]int, len(types))
	var fill func(k int)
	fill = func(k int) {
		if k == len(types) {
			f(at)
			return
		}
		for i := range types[k].names {
			at[k] = i
			fill(k + 1)
		}
	}
	fill(0)
}

// typed returns the values of a type.
func (w *World) typed(typ string) (*objects, error) {
	for _, d := range w.order {
		if k := slices.Index(d.Params, typ); k >= 0 {
			return d.params[k], nil
		}
	}
	return nil, fmt.Errorf("there is no type %s", typ)
}
