package pddl

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// atom is a ground atom, by its number.
type atom int32

// instance is an action, or a rule that derives an atom, with an object for each parameter.
type instance struct {
	rule *rule
	args []int
}

// rule is what a set of atoms may lead to: an action, or a derived predicate.
type rule struct {
	action  *Action  // nil for a derived predicate
	derived *Derived // nil for an action
	params  []Param  // of the action or the predicate; then those that conditions quantify
	own     int      // how many are of the action or the predicate itself
	needs   []*Expr  // atoms that must hold
	cond    *Expr
}

// mostInstances bounds the ground actions.
const mostInstances = 1 << 20

// reached is what can be reached if nothing is ever deleted (relaxed reachability; Hoffmann and Nebel, JAIR 14, 2001): every atom that can
// become true is in it, and every action that can be executed.
type reached struct {
	*Problem
	ctx       context.Context
	changes   map[string]bool // predicates that effects or rules change
	ids       map[string]atom
	names     []string // predicates of atoms
	args      [][]int
	initial   map[atom]bool
	instances []instance
	known     map[string]bool // instances, by rule and arguments
	of        map[string][]atom
	by        map[place][]atom
	open      []atom
	rules     []*rule
	err       error
}

// place is an object as an argument of a predicate.
type place struct {
	predicate string
	arg, obj  int
}

func newReached(ctx context.Context, p *Problem) *reached {
	return &reached{
		Problem: p, ctx: ctx, changes: map[string]bool{}, ids: map[string]atom{}, initial: map[atom]bool{}, known: map[string]bool{},
		of: map[string][]atom{}, by: map[place][]atom{},
	}
}

// reach computes what can be reached.
func (p *Problem) reach(ctx context.Context) (*reached, error) {
	r := newReached(ctx, p)
	for _, a := range p.Actions {
		r.changed(a.Effect)
		r.add(&rule{action: a, params: a.Params, own: len(a.Params), cond: a.Pre})
	}
	for _, d := range p.Derived {
		r.changes[d.Name] = true
		r.add(&rule{derived: d, params: d.Params, own: len(d.Params), cond: d.Body})
	}
	for _, f := range p.Init {
		r.initial[r.atom(f.Name, r.numbersOf(f.Args))] = true
	}
	for _, x := range r.rules {
		if len(x.needs) == 0 {
			r.join(x, make([]int, len(x.params)), nil, map[int]bool{})
		}
	}
	for len(r.open) > 0 && r.err == nil {
		f := r.open[0]
		r.open = r.open[1:]
		r.index(f)
		r.follow(f)
	}
	return r, r.err
}

// index enters an atom that joins may find from now on.
func (r *reached) index(f atom) {
	r.of[r.names[f]] = append(r.of[r.names[f]], f)
	for i, obj := range r.args[f] {
		at := place{r.names[f], i, obj}
		r.by[at] = append(r.by[at], f)
	}
}

// applicable lists the actions whose conditions hold in a state, as far as its atoms decide that: joins of these, without the rest of all actions with all
// objects.
func (w *State) applicable(ctx context.Context) ([]instance, error) {
	r := newReached(ctx, w.Problem)
	for _, d := range w.Derived {
		r.changes[d.Name] = true // not in the atoms
	}
	for _, x := range slices.Sorted(maps.Keys(w.atoms)) {
		words := strings.Fields(x)
		f := r.atom(words[0], r.numbersOf(words[1:]))
		r.initial[f] = true
		r.index(f)
	}
	for _, a := range w.Actions {
		b := *a
		b.Effect = &Expr{Op: "and"} // nothing is reached
		r.add(&rule{action: &b, params: a.Params, own: len(a.Params), cond: a.Pre})
	}
	for _, x := range r.rules {
		needs := slices.DeleteFunc(slices.Clone(x.needs), func(e *Expr) bool { return r.changes[e.Name] })
		r.join(x, make([]int, len(x.params)), needs, map[int]bool{})
	}
	return r.instances, r.err
}

// add enters a rule: one for each alternative of its condition.
func (r *reached) add(x *rule) {
	for _, y := range alternatives(*x, []*Expr{x.cond}) {
		r.rules = append(r.rules, &y)
	}
}

// alternatives lists the atoms that a condition needs, once for each alternative that it has at its top.
func alternatives(x rule, open []*Expr) []rule {
	for i, e := range open {
		rest := slices.Delete(slices.Clone(open), i, i+1)
		switch e.Op {
		case "and":
			return alternatives(x, slices.Concat(rest, e.Args))
		case "exists":
			if slices.ContainsFunc(e.Vars, func(v Param) bool {
				return slices.ContainsFunc(x.params, func(w Param) bool { return v.Name == w.Name })
			}) {
				continue // hides a variable
			}
			x.params = slices.Concat(x.params, e.Vars)
			return alternatives(x, slices.Concat(rest, e.Args))
		case "or":
			if x.derived == nil {
				continue
			}
			var out []rule
			for _, y := range e.Args {
				out = append(out, alternatives(x, append(slices.Clone(rest), y))...)
			}
			return out
		}
	}
	x.needs = nil
	for _, e := range open {
		if e.Op == "atom" {
			x.needs = append(x.needs, e)
		}
	}
	return []rule{x}
}

// changed notes the predicates that an effect changes.
func (r *reached) changed(e *Expr) {
	switch e.Op {
	case "atom":
		r.changes[e.Name] = true
	case "when":
		r.changed(e.Args[1])
	default:
		for _, x := range e.Args {
			r.changed(x)
		}
	}
}

func (r *reached) numbersOf(names []string) []int {
	out := make([]int, len(names))
	for i, n := range names {
		out[i] = r.objects[n]
	}
	return out
}

func key(name string, args []int) string {
	k := []byte(name)
	for _, a := range args {
		k = binary.AppendUvarint(append(k, 0), uint64(a))
	}
	return string(k)
}

// atom is the number of an atom, which is reached from now on.
func (r *reached) atom(name string, args []int) atom {
	k := key(name, args)
	id, ok := r.ids[k]
	if !ok {
		id = atom(len(r.names))
		r.ids[k] = id
		r.names, r.args, r.open = append(r.names, name), append(r.args, slices.Clone(args)), append(r.open, id)
	}
	return id
}

// follow finds the instances that an atom makes possible, together with earlier ones.
func (r *reached) follow(f atom) {
	for _, x := range r.rules {
		for i, e := range x.needs {
			if e.Name != r.names[f] {
				continue
			}
			args, bound := make([]int, len(x.params)), map[int]bool{}
			if r.unify(x, e, f, args, bound) {
				r.join(x, args, slices.Delete(slices.Clone(x.needs), i, i+1), bound)
			}
		}
	}
}

// unify gives the variables of an atom of a rule the objects of a ground one.
func (r *reached) unify(x *rule, e *Expr, f atom, args []int, bound map[int]bool) bool {
	for i, t := range e.Terms {
		obj := r.args[f][i]
		if !t.Var {
			if r.objects[t.Name] != obj {
				return false
			}
			continue
		}
		v := slices.IndexFunc(x.params, func(p Param) bool { return p.Name == t.Name })
		if bound[v] && args[v] != obj || !bound[v] && !r.is(r.Objects[obj].Types, x.params[v].Types) {
			return false
		}
		args[v], bound[v] = obj, true
	}
	return true
}

// join finds objects for the other variables of a rule such that the atoms hold that it still needs.
func (r *reached) join(x *rule, args []int, needs []*Expr, bound map[int]bool) {
	if r.err != nil {
		return
	}
	if len(needs) == 0 {
		r.complete(x, args, bound, 0)
		return
	}
	best, list := -1, []atom(nil)
	for i, e := range needs {
		if some := r.candidates(x, e, args, bound); best < 0 || len(some) < len(list) {
			best, list = i, some
		}
	}
	rest := slices.Delete(slices.Clone(needs), best, best+1)
	for _, f := range list {
		a, b := slices.Clone(args), map[int]bool{}
		for v := range bound {
			b[v] = true
		}
		if r.unify(x, needs[best], f, a, b) {
			r.join(x, a, rest, b)
		}
	}
}

// candidates are the atoms reached so far that an atom of a rule may be.
func (r *reached) candidates(x *rule, e *Expr, args []int, bound map[int]bool) []atom {
	best := r.of[e.Name]
	for i, t := range e.Terms {
		obj := -1
		if !t.Var {
			obj = r.objects[t.Name]
		} else if v := slices.IndexFunc(x.params, func(p Param) bool { return p.Name == t.Name }); bound[v] {
			obj = args[v]
		}
		if obj >= 0 {
			if some := r.by[place{e.Name, i, obj}]; len(some) < len(best) {
				best = some
			}
		}
	}
	return best
}

// complete gives the variables from one on all objects of their types.
func (r *reached) complete(x *rule, args []int, bound map[int]bool, from int) {
	for from < len(x.params) && bound[from] {
		from++
	}
	if from >= x.own {
		r.instance(x, args)
		return
	}
	for obj := range r.Objects {
		if r.err == nil && r.is(r.Objects[obj].Types, x.params[from].Types) {
			args[from] = obj
			r.complete(x, args, bound, from+1)
		}
	}
}

// instance notes an instance, and the atoms that it adds.
func (r *reached) instance(x *rule, args []int) {
	if x.derived != nil {
		r.atom(x.derived.Name, args[:x.own])
		return
	}
	k := key(x.action.Name, args[:x.own])
	if r.known[k] {
		return
	}
	by := bind(nil, x.params[:x.own], args)
	if !r.may(x.cond, by, true) {
		return
	}
	r.known[k] = true
	r.instances = append(r.instances, instance{x, slices.Clone(args[:x.own])})
	if err := r.ctx.Err(); err != nil {
		r.err = err
	}
	if len(r.instances) > mostInstances {
		r.err = x.action.pos.errorf("there are more than %d ground actions", mostInstances)
	}
	r.parts(x.action.Effect, by, func(e *Expr, s scope) {
		if e.Op == "atom" {
			r.atom(e.Name, r.ground(e.Terms, s))
		}
	})
}

// scope gives variables objects.
type scope map[string]int

// bind adds variables to a scope.
func bind(s scope, params []Param, args []int) scope {
	out := scope{}
	for k, v := range s {
		out[k] = v
	}
	for i, p := range params {
		out[p.Name] = args[i]
	}
	return out
}

func (r *reached) ground(terms []Term, s scope) []int {
	out := make([]int, len(terms))
	for i, t := range terms {
		if t.Var {
			out[i] = s[t.Name]
		} else {
			out[i] = r.objects[t.Name]
		}
	}
	return out
}

// each calls f for all objects that variables can have, until it returns false, and reports whether it never did.
func (r *reached) each(vars []Param, s scope, f func(scope) bool) bool {
	if len(vars) == 0 {
		return f(s)
	}
	for obj := range r.Objects {
		if r.is(r.Objects[obj].Types, vars[0].Types) && !r.each(vars[1:], bind(s, vars[:1], []int{obj}), f) {
			return false
		}
	}
	return true
}

// parts calls f with each part of an effect that may happen: an atom, not of one, or a change of a number.
func (r *reached) parts(e *Expr, s scope, f func(e *Expr, s scope)) {
	switch e.Op {
	case "and":
		for _, x := range e.Args {
			r.parts(x, s, f)
		}
	case "forall":
		r.each(e.Vars, s, func(s scope) bool { r.parts(e.Args[0], s, f); return true })
	case "when":
		if r.may(e.Args[0], s, true) {
			r.parts(e.Args[1], s, f)
		}
	default:
		f(e, s)
	}
}

// may reports whether a condition can have a truth value, as far as what never changes decides that.
func (r *reached) may(e *Expr, s scope, want bool) bool {
	all := func(want bool) bool {
		return !slices.ContainsFunc(e.Args, func(x *Expr) bool { return !r.may(x, s, want) })
	}
	some := func(want bool) bool {
		return slices.ContainsFunc(e.Args, func(x *Expr) bool { return r.may(x, s, want) })
	}
	switch e.Op {
	case "atom":
		if r.changes[e.Name] {
			return true
		}
		id, ok := r.ids[key(e.Name, r.ground(e.Terms, s))]
		return (ok && r.initial[id]) == want
	case "eq":
		x := r.ground(e.Terms, s)
		return (x[0] == x[1]) == want
	case "not":
		return r.may(e.Args[0], s, !want)
	case "and":
		return want && all(true) || !want && some(false)
	case "or":
		return want && some(true) || !want && all(false)
	case "imply":
		a, b := e.Args[0], e.Args[1]
		return want && (r.may(a, s, false) || r.may(b, s, true)) || !want && r.may(a, s, true) && r.may(b, s, false)
	case "forall", "exists":
		if (e.Op == "forall") == want {
			return r.each(e.Vars, s, func(s scope) bool { return r.may(e.Args[0], s, want) })
		}
		return !r.each(e.Vars, s, func(s scope) bool { return !r.may(e.Args[0], s, want) })
	}
	return true // of numbers
}
