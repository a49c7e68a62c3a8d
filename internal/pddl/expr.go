package pddl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
)

// reader reads expressions in which some variables and objects are known.
type reader struct {
	*Domain
	scope   []Param
	objects []Object // besides the constants
	metric  bool     // total-time is a number
}

// within reads with more variables.
func (r *reader) within(vars []Param) *reader {
	in := *r
	in.scope = append(slices.Clone(r.scope), vars...)
	return &in
}

// condition reads a condition.
func (r *reader) condition(t *tree) (*Expr, error) {
	if t.open && len(t.list) == 0 {
		return &Expr{Op: "and", pos: t.pos}, nil
	}
	e := &Expr{Op: t.head(), pos: t.pos}
	args := t.list[min(1, len(t.list)):]
	switch e.Op {
	case "":
		return nil, t.errorf("%s is no condition; expected one in brackets", t)
	case "and", "or", "not", "imply":
		if want := map[string]int{"not": 1, "imply": 2}[e.Op]; want > 0 && len(args) != want {
			return nil, t.errorf("%s has %d arguments; expected %d", e.Op, len(args), want)
		}
		return e, r.each(e, args, r.condition)
	case "forall", "exists":
		return r.quantified(e, args, (*reader).condition)
	case "<", "<=", ">", ">=", "=":
		if len(args) != 2 {
			return nil, t.errorf("%s has %d arguments; expected 2", e.Op, len(args))
		}
		if e.Op == "=" && !r.isNumber(args[0]) && !r.isNumber(args[1]) {
			e.Op = "eq"
			return e, r.terms(e, args)
		}
		return e, r.each(e, args, r.number)
	case "preference", "always", "sometime", "within", "at-most-once", "sometime-after", "sometime-before", "always-within", "hold-during", "hold-after":
		return nil, t.errorf("%s is not supported; expected a condition on one state", e.Op)
	}
	return r.atom(t)
}

func (r *reader) each(e *Expr, args []*tree, read func(*tree) (*Expr, error)) error {
	for _, a := range args {
		x, err := read(a)
		if err != nil {
			return err
		}
		e.Args = append(e.Args, x)
	}
	return nil
}

// quantified reads what follows forall or exists.
func (r *reader) quantified(e *Expr, args []*tree, read func(*reader, *tree) (*Expr, error)) (*Expr, error) {
	if len(args) != 2 || !args[0].open {
		return nil, e.pos.errorf("expected (%s (?variable - type …) …)", e.Op)
	}
	var err error
	if e.Vars, err = r.params(args[0].list, args[0].pos); err != nil {
		return nil, err
	}
	body, err := read(r.within(e.Vars), args[1])
	e.Args = []*Expr{body}
	return e, err
}

// atom reads a predicate with its arguments.
func (r *reader) atom(t *tree) (*Expr, error) {
	s := r.Predicates[t.head()]
	if s == nil {
		return nil, t.errorf("there is no predicate %s%s", t.head(), r.like(t.head(), r.Predicates))
	}
	e := &Expr{Op: "atom", Name: s.Name, pos: t.pos}
	return e, r.applied(e, t, s)
}

// applied reads the arguments of a predicate or a function.
func (r *reader) applied(e *Expr, t *tree, s *Symbol) error {
	if len(t.list)-1 != len(s.Params) {
		return t.errorf("%s has %d arguments; expected %d", s.Name, len(t.list)-1, len(s.Params))
	}
	if err := r.terms(e, t.list[1:]); err != nil {
		return err
	}
	for i, term := range e.Terms {
		if types := r.typesOf(term); !r.mayBe(types, s.Params[i].Types) {
			return t.list[i+1].errorf("%s is a %s; expected a %s", t.list[i+1], strings.Join(types, " or "), strings.Join(s.Params[i].Types, " or "))
		}
	}
	return nil
}

// mayBe reports whether what has one of the given types may have a wanted one.
func (d *Domain) mayBe(given, wanted []string) bool {
	return d.is(given, wanted) || d.is(wanted, given)
}

func (r *reader) typesOf(t Term) []string {
	if t.Var {
		for i := len(r.scope) - 1; i >= 0; i-- {
			if r.scope[i].Name == t.Name {
				return r.scope[i].Types
			}
		}
	}
	for _, list := range [][]Object{r.objects, r.Constants} {
		if i := slices.IndexFunc(list, func(o Object) bool { return o.Name == t.Name }); i >= 0 {
			return list[i].Types
		}
	}
	return nil
}

func (r *reader) terms(e *Expr, args []*tree) error {
	for _, a := range args {
		name, isVar := strings.CutPrefix(a.word, "?")
		term := Term{name, isVar}
		if a.open || r.typesOf(term) == nil {
			var known []string
			for _, v := range r.scope {
				known = append(known, "?"+v.Name)
			}
			for _, o := range slices.Concat(r.objects, r.Constants) {
				known = append(known, o.Name)
			}
			return a.errorf("there is no %s here%s", a, nearest.Hint(a.word, known))
		}
		e.Terms = append(e.Terms, term)
	}
	return nil
}

// isNumber reports whether a tree is a number and no term.
func (r *reader) isNumber(t *tree) bool {
	if t.open {
		return true
	}
	_, err := strconv.ParseFloat(t.word, 64)
	return (err == nil || r.Functions[t.word] != nil) && r.typesOf(Term{t.word, false}) == nil
}

// number reads a numeric expression.
func (r *reader) number(t *tree) (*Expr, error) {
	e := &Expr{Op: t.head(), pos: t.pos}
	if !t.open {
		if v, err := strconv.ParseFloat(t.word, 64); err == nil {
			return &Expr{Op: "num", Num: v, pos: t.pos}, nil
		}
		if s := r.Functions[t.word]; s != nil && len(s.Params) == 0 {
			return &Expr{Op: "fn", Name: s.Name, pos: t.pos}, nil
		}
		if r.metric && t.word == "total-time" {
			return &Expr{Op: "fn", Name: t.word, pos: t.pos}, nil
		}
		return nil, t.errorf("%s is no number", t)
	}
	switch e.Op {
	case "+", "*", "-", "/":
		if n := len(t.list) - 1; n < 1 || e.Op == "/" && n != 2 || e.Op == "-" && n > 2 {
			return nil, t.errorf("%s has %d arguments; expected 2", e.Op, n)
		}
		return e, r.each(e, t.list[1:], r.number)
	case "total-time":
		if r.metric {
			return &Expr{Op: "fn", Name: e.Op, pos: t.pos}, nil
		}
	}
	s := r.Functions[t.head()]
	if s == nil {
		return nil, t.errorf("there is no function %s%s", t.head(), r.like(t.head(), r.Functions))
	}
	e.Op, e.Name = "fn", s.Name
	return e, r.applied(e, t, s)
}

// effect reads an effect.
func (r *reader) effect(t *tree) (*Expr, error) {
	if t.open && len(t.list) == 0 {
		return &Expr{Op: "and", pos: t.pos}, nil
	}
	e := &Expr{Op: t.head(), pos: t.pos}
	args := t.list[min(1, len(t.list)):]
	switch e.Op {
	case "":
		return nil, t.errorf("%s is no effect; expected one in brackets", t)
	case "and":
		return e, r.each(e, args, r.effect)
	case "not":
		if len(args) != 1 || args[0].head() == "" {
			return nil, t.errorf("not has no predicate here; expected (not (PREDICATE …))")
		}
		x, err := r.changed(args[0])
		e.Args = []*Expr{x}
		return e, err
	case "forall":
		return r.quantified(e, args, (*reader).effect)
	case "when":
		if len(args) != 2 {
			return nil, t.errorf("when has %d arguments; expected a condition and an effect", len(args))
		}
		c, err := r.condition(args[0])
		if err != nil {
			return nil, err
		}
		x, err := r.effect(args[1])
		e.Args = []*Expr{c, x}
		return e, err
	case "increase", "decrease", "assign", "scale-up", "scale-down":
		if len(args) != 2 {
			return nil, t.errorf("%s has %d arguments; expected a function and a number", e.Op, len(args))
		}
		if err := r.each(e, args, r.number); err != nil {
			return nil, err
		}
		if e.Args[0].Op != "fn" {
			return nil, t.errorf("%s is no function to %s", args[0], e.Op)
		}
		return e, nil
	}
	return r.changed(t)
}

// changed reads an atom that an effect may change.
func (r *reader) changed(t *tree) (*Expr, error) {
	e, err := r.atom(t)
	if err == nil && slices.ContainsFunc(r.Derived, func(d *Derived) bool { return d.Name == e.Name }) {
		return nil, t.errorf("%s is derived; no effect can change it", e.Name)
	}
	return e, err
}
