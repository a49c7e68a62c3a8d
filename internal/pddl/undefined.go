package pddl

import (
	"maps"
	"slices"
)

// undefinedError is about a number that is read and has no value at first.
type undefinedError struct{ error }

func (e undefinedError) Unwrap() error { return e.error }

// defined says in atoms which numbers have a value, for functions that some objects have no value of at first: an action needs the values that it
// reads, and assign gives one. The names of the atoms' predicates are new. It is false where conditions ask for such a function elsewhere than in
// their conjuncts, or effects for some objects or states need it.
func (p *Problem) defined() (*Problem, bool) {
	d := *p.Domain
	q := *p
	q.Domain, d.Predicates = &d, map[string]*Symbol{}
	for name, s := range p.Predicates {
		d.Predicates[name] = s
	}
	x := &definer{Problem: p, names: map[string]string{}}
	for name, f := range p.Functions {
		if have := x.values(name); len(have) < p.choices(f.Params) && name != totalCost {
			atom := name + "-defined"
			for d.Predicates[atom] != nil {
				atom += "-"
			}
			x.names[name], d.Predicates[atom] = atom, &Symbol{atom, f.Params, f.pos}
		}
	}
	q.Init, q.Values, d.Actions = slices.Clone(p.Init), slices.Clone(p.Values), nil
	for _, f := range p.Values {
		if atom, ok := x.names[f.Name]; ok {
			q.Init = append(q.Init, Fact{Name: atom, Args: f.Args, pos: f.pos})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.names)) {
		q.Values = append(q.Values, x.missing(name)...)
	}
	for _, a := range p.Actions {
		b := *a
		needs, effects := &Expr{Op: "and", Args: []*Expr{a.Pre}, pos: a.pos}, &Expr{Op: "and", Args: []*Expr{a.Effect}, pos: a.pos}
		if !x.condition(a.Pre, needs) || !x.effect(a.Effect, needs, effects) {
			return nil, false
		}
		b.Pre, b.Effect = needs, effects
		d.Actions = append(d.Actions, &b)
	}
	goal := &Expr{Op: "and", Args: []*Expr{p.Goal}, pos: p.Goal.pos}
	if !x.condition(p.Goal, goal) || slices.ContainsFunc(p.Derived, func(r *Derived) bool { return x.reads(r.Body) }) {
		return nil, false
	}
	q.Goal = goal
	return &q, len(x.names) > 0
}

// totalCost is 0 where it has no value at first.
const totalCost = "total-cost"

type definer struct {
	*Problem
	names map[string]string // of the predicates, by function
}

// values are the objects for which a function has a value at first.
func (x *definer) values(name string) map[string]bool {
	have := map[string]bool{}
	for _, f := range x.Values {
		if f.Name == name {
			have[written(name, f.Args)] = true
		}
	}
	return have
}

// choices counts the objects that variables can have together.
func (p *Problem) choices(vars []Param) int {
	n := 1
	for _, v := range vars {
		of := 0
		for _, o := range p.Objects {
			if p.is(o.Types, v.Types) {
				of++
			}
		}
		n *= of
	}
	return n
}

// missing are values for the other objects, which nothing reads.
func (x *definer) missing(name string) (out []Fact) {
	have := x.values(name)
	w := &State{Problem: x.Problem}
	f := x.Functions[name]
	w.every(f.Params, nil, func(by map[string]string) error {
		var args []string
		for _, v := range f.Params {
			args = append(args, by[v.Name])
		}
		if !have[written(name, args)] {
			out = append(out, Fact{Name: name, Args: args, pos: f.pos})
		}
		return nil
	})
	return out
}

// reads reports whether an expression asks for one of the functions.
func (x *definer) reads(e *Expr) bool {
	return e.Op == "fn" && x.names[e.Name] != "" || slices.ContainsFunc(e.Args, x.reads)
}

// need adds the atoms of what a number is of.
func (x *definer) need(e, to *Expr) {
	if atom := x.names[e.Name]; e.Op == "fn" && atom != "" {
		to.Args = append(to.Args, &Expr{Op: "atom", Name: atom, Terms: e.Terms, pos: e.pos})
	}
	for _, a := range e.Args {
		x.need(a, to)
	}
}

// condition adds what the conjuncts of a condition need.
func (x *definer) condition(e, to *Expr) bool {
	switch e.Op {
	case "and":
		return !slices.ContainsFunc(e.Args, func(a *Expr) bool { return !x.condition(a, to) })
	case "=", "<", "<=", ">", ">=":
		x.need(e, to)
		return true
	case "not":
		if slices.Contains([]string{"=", "<", "<=", ">", ">="}, e.Args[0].Op) {
			return x.condition(e.Args[0], to)
		}
	}
	return !x.reads(e)
}

// effect adds what an effect needs to read, and the atoms of what it assigns.
func (x *definer) effect(e, needs, effects *Expr) bool {
	switch e.Op {
	case "and":
		return !slices.ContainsFunc(e.Args, func(a *Expr) bool { return !x.effect(a, needs, effects) })
	case "increase", "decrease", "scale-up", "scale-down":
		x.need(e, needs)
		return true
	case "assign":
		x.need(e.Args[1], needs)
		x.need(e.Args[0], effects)
		return true
	case "forall", "when":
		last := len(e.Args) - 1
		read, given := &Expr{}, &Expr{Op: "and", pos: e.pos}
		if !x.effect(e.Args[last], read, given) || len(read.Args) > 0 || last > 0 && x.reads(e.Args[0]) {
			return false
		}
		if len(given.Args) > 0 {
			more := *e
			more.Args = append(slices.Clone(e.Args[:last]), given)
			effects.Args = append(effects.Args, &more)
		}
		return true
	}
	return !x.reads(e)
}
