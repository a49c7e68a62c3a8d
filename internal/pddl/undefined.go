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
	q.Domain, d.Actions, d.Predicates = &d, nil, maps.Clone(p.Predicates)
	x := definer{}
	for _, name := range slices.Sorted(maps.Keys(p.Functions)) {
		p.define(&q, p.Functions[name], x)
	}
	ok := true
	for _, a := range p.Actions {
		b := *a
		b.Pre, b.Effect = conjunction(a.Pre), conjunction(a.Effect)
		ok = ok && x.walk(a.Pre, b.Pre, nil) && x.walk(a.Effect, b.Pre, b.Effect)
		d.Actions = append(d.Actions, &b)
	}
	for _, r := range p.Derived {
		ok = ok && !x.reads(r.Body)
	}
	q.Goal = conjunction(p.Goal)
	return &q, ok && x.walk(p.Goal, q.Goal, nil)
}

func conjunction(of ...*Expr) *Expr { return &Expr{Op: "and", Args: of} }

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
		q.Init, q.Values = append(slices.Clip(q.Init), have...), append(slices.Clip(q.Values), missing...)
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
	if x[e.Name] != "" && e.Op == "fn" {
		atom := *e
		atom.Op, atom.Name = "atom", x[e.Name]
		to.Args = append(to.Args, &atom)
	}
	for _, a := range e.Args {
		x.need(a, to)
	}
}

// walk adds what the conjuncts of a condition need, or what an effect needs to read, and the atoms of what it assigns.
func (x definer) walk(e, needs, given *Expr) bool {
	switch e.Op {
	case "and":
		for _, a := range e.Args {
			if !x.walk(a, needs, given) {
				return false
			}
		}
		return true
	case "forall", "when":
		if given != nil {
			last := len(e.Args) - 1
			read, inner, more := conjunction(), conjunction(), *e
			more.Args = append(slices.Clip(e.Args[:last]), inner)
			given.Args = append(given.Args, &more)
			return x.walk(e.Args[last], read, inner) && len(read.Args) == 0 && (last == 0 || !x.reads(e.Args[0]))
		}
	case "assign":
		x.need(e.Args[0], given)
		e = e.Args[1]
		fallthrough
	case "=", "<", "<=", ">", ">=", "increase", "decrease", "scale-up", "scale-down":
		x.need(e, needs)
		return true
	case "not":
		if len(e.Args[0].Args) == 2 && e.Args[0].Op[0] < 'A' { // a comparison
			return x.walk(e.Args[0], needs, given)
		}
	}
	return !x.reads(e)
}
