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
	q, d := *p, *p.Domain
	q.Domain, q.Init, q.Values, d.Actions = &d, slices.Clone(p.Init), slices.Clone(p.Values), nil
	d.Predicates = maps.Clone(p.Predicates)
	x := definer{}
	for _, name := range slices.Sorted(maps.Keys(p.Functions)) {
		p.define(&q, p.Functions[name], x)
	}
	ok := true
	for _, a := range p.Actions {
		b := *a
		b.Pre, b.Effect = &Expr{Op: "and", Args: []*Expr{a.Pre}}, &Expr{Op: "and", Args: []*Expr{a.Effect}}
		ok = ok && x.condition(a.Pre, b.Pre) && x.effect(a.Effect, b.Pre, b.Effect)
		d.Actions = append(d.Actions, &b)
	}
	for _, r := range p.Derived {
		ok = ok && !x.reads(r.Body)
	}
	q.Goal = &Expr{Op: "and", Args: []*Expr{p.Goal}}
	return &q, ok && x.condition(p.Goal, q.Goal)
}

// define gives a function the value 0, which nothing reads, for the objects that it has no value for, and the others an atom.
func (p *Problem) define(q *Problem, f *Symbol, x definer) {
	w, atom := p.Start(), f.Name+"-defined" // total-cost is 0 there
	for q.Predicates[atom] != nil {
		atom += "-"
	}
	var have, missing []Fact
	w.every(f.Params, nil, func(by map[string]string) error {
		fact := Fact{Name: f.Name, pos: f.pos}
		for _, v := range f.Params {
			fact.Args = append(fact.Args, by[v.Name])
		}
		if _, ok := w.values[written(f.Name, fact.Args)]; !ok {
			missing = append(missing, fact)
		} else {
			fact.Name = atom
			have = append(have, fact)
		}
		return nil
	})
	if missing != nil {
		x[f.Name], q.Predicates[atom] = atom, &Symbol{atom, f.Params, f.pos}
		q.Init, q.Values = append(q.Init, have...), append(q.Values, missing...)
	}
}

// definer has the predicates by function.
type definer map[string]string

// reads reports whether an expression asks for one of the functions.
func (x definer) reads(e *Expr) bool {
	return e.Op == "fn" && x[e.Name] != "" || slices.ContainsFunc(e.Args, x.reads)
}

// need adds the atoms of what a number is of.
func (x definer) need(e, to *Expr) {
	if x.reads(&Expr{Op: e.Op, Name: e.Name}) {
		to.Args = append(to.Args, &Expr{Op: "atom", Name: x[e.Name], Terms: e.Terms, pos: e.pos})
	}
	for _, a := range e.Args {
		x.need(a, to)
	}
}

// condition adds what the conjuncts of a condition need.
func (x definer) condition(e, to *Expr) bool {
	switch e.Op {
	case "and":
		return x.all(e, func(a *Expr) bool { return x.condition(a, to) })
	case "not":
		if len(e.Args[0].Args) == 2 && e.Args[0].Op[0] < 'A' { // a comparison
			x.need(e, to)
			return true
		}
	case "=", "<", "<=", ">", ">=":
		x.need(e, to)
		return true
	}
	return !x.reads(e)
}

func (x definer) all(e *Expr, f func(*Expr) bool) bool {
	for _, a := range e.Args {
		if !f(a) {
			return false
		}
	}
	return true
}

// effect adds what an effect needs to read, and the atoms of what it assigns.
func (x definer) effect(e, needs, effects *Expr) bool {
	switch e.Op {
	case "and":
		return x.all(e, func(a *Expr) bool { return x.effect(a, needs, effects) })
	case "increase", "decrease", "scale-up", "scale-down":
		x.need(e, needs)
	case "assign":
		x.need(e.Args[1], needs)
		x.need(e.Args[0], effects)
	case "forall", "when":
		last := len(e.Args) - 1
		read, given, more := &Expr{}, &Expr{Op: "and"}, *e
		more.Args = append(slices.Clone(e.Args[:last]), given)
		effects.Args = append(effects.Args, &more)
		return x.effect(e.Args[last], read, given) && read.Args == nil && (last == 0 || !x.reads(e.Args[0]))
	default:
		return !x.reads(e)
	}
	return true
}
