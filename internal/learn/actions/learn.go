package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/pddl"
)

// Options says which preconditions are thought possible.
type Options struct {
	Clauses int // the most literals of a clause in a precondition
	Terms   int // the most functions in an inequality; 0 where preconditions read no numbers
	// Relevant has, by action, the functions that its precondition may read, as (load ?truck); without an action all.
	Relevant map[string][]string
}

// Model is a learned action model.
type Model struct {
	Safe, Optimistic *pddl.Domain
	Actions          []*Action
}

// Action is what was learned about an action.
type Action struct {
	Name         string `json:"name"`
	Rows         int    `json:"rows"`
	Failed       int    `json:"failed,omitempty"` // rows in which it failed
	Literals     int    `json:"literals"`         // of the safe side
	Clauses      int    `json:"clauses,omitempty"`
	Equations    int    `json:"equations,omitempty"`
	Inequalities int    `json:"inequalities,omitempty"`
	Effects      int    `json:"effects"`
	Conditional  int    `json:"conditional,omitempty"` // effects with a condition
	// Rivals counts the conditions of effects that are as short as the ones chosen, and agree with all rows, too.
	Rivals int `json:"rivals,omitempty"`
	// Idle counts the rows that change nothing and are taken as failures, since no effect explains them beside the others.
	Idle int `json:"idle,omitempty"`
	// Plain says that the factors in equations and inequalities are 1 and -1, since the numbers in others are too large.
	Plain bool `json:"plain,omitempty"`
	// LeftOut counts the rows that name an object twice and that the others do not explain.
	LeftOut int `json:"left_out,omitempty"`
	// Products counts the products of two functions that effects are about, and inequalities read too.
	Products int `json:"products,omitempty"`
	// Open counts the literals of the safe side that no failure shows to be needed.
	Open int `json:"open"`
	// Unused counts the failures that say nothing, since some inequality may explain each.
	Unused int `json:"unused,omitempty"`
	// Unknown is why the action is not in the safe domain; empty if it is.
	Unknown string `json:"unknown,omitempty"`
}

// ErrRelevant is wrapped where relevant functions are of no action, or not of its parameters.
var ErrRelevant = errors.New("not relevant")

// maxAtoms bounds the atoms that the objects of one action can be in.
const maxAtoms = 4000

// Learn learns the actions of a domain, whose own conditions and effects are not read.
func Learn(ctx context.Context, d *pddl.Domain, runs []*pddl.Trajectory, o Options) (*Model, error) {
	safe, optimistic := *d, *d
	safe.Actions, optimistic.Actions = nil, nil
	m := &Model{Safe: &safe, Optimistic: &optimistic}
	digits := precision(runs)
	for name := range o.Relevant {
		if !slices.ContainsFunc(d.Actions, func(a *pddl.Action) bool { return a.Name == name }) {
			return nil, fmt.Errorf("%w: %s is no action of %s", ErrRelevant, name, d.Name)
		}
	}
	for _, a := range d.Actions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := &learner{Options: o, d: d, a: a, digits: digits, out: &Action{Name: a.Name}}
		if err := l.declare(); err != nil {
			return nil, err
		}
		if len(l.atoms) > maxAtoms {
			return nil, fmt.Errorf("the objects that %s names can be in %d atoms; expected at most %d", a.Name, len(l.atoms), maxAtoms)
		}
		l.collect(runs)
		s, opt, err := l.learn(ctx)
		if err != nil {
			return nil, err
		}
		if s != nil {
			safe.Actions = append(safe.Actions, s)
		}
		if opt != nil {
			optimistic.Actions = append(optimistic.Actions, opt)
		}
		m.Actions = append(m.Actions, l.out)
	}
	return m, nil
}

// learner learns one action.
type learner struct {
	Options
	d         *pddl.Domain
	a         *pddl.Action
	out       *Action
	terms     []pddl.Param // parameters, then constants
	atoms     []symbol
	functions []symbol
	read      []symbol // functions that the precondition may read
	rows      []*row
	failed    []*row
	digits    int // of numbers after the point
	numbers   numbers
	products  [][2]int // of functions, that sums may have
}

// symbol is a predicate or a function of terms.
type symbol struct {
	name string
	args []int
}

// row is a transition by the action.
type row struct {
	*pddl.Transition
	run           *pddl.Trajectory
	objects       []string // by term
	aliased       bool     // two terms are one object
	before, after []bool   // by atom
	values, next  []int64  // by function, in units of the last digit
	images        []string // of the atoms
}

// declare lists what can be said about the objects that the action names.
func (l *learner) declare() error {
	l.terms = slices.Clone(l.a.Params)
	for _, c := range l.d.Constants {
		l.terms = append(l.terms, pddl.Param(c))
	}
	l.atoms = vocabulary(l.d, l.d.PredicateList(), l.terms, -1)
	for _, s := range vocabulary(l.d, l.d.FunctionList(), l.terms, -1) {
		if s.name != "total-cost" { // nothing reads what the actions have cost
			l.functions = append(l.functions, s)
		}
	}
	named, has := l.Relevant[l.a.Name]
	switch {
	case l.Terms == 0:
		return nil
	case !has:
		l.read = l.functions
		return nil
	}
	for _, x := range named {
		i := slices.IndexFunc(l.functions, func(s symbol) bool { return l.expr("fn", &s, nil).String() == strings.ToLower(x) })
		if i < 0 {
			return fmt.Errorf("%w: %s has no function %s; expected one of its parameters, such as (load ?truck)", ErrRelevant, l.a.Name, x)
		}
		l.read = append(l.read, l.functions[i])
	}
	return nil
}

// vocabulary lists symbols of terms whose types fit. With a term given, those that it is in.
func vocabulary(d *pddl.Domain, symbols []*pddl.Symbol, terms []pddl.Param, with int) (out []symbol) {
	for _, s := range symbols {
		args := make([]int, len(s.Params))
		var fill func(i int)
		fill = func(i int) {
			if len(out) > maxAtoms {
				return
			}
			if i == len(args) {
				if with < 0 || slices.Contains(args, with) {
					out = append(out, symbol{s.Name, slices.Clone(args)})
				}
				return
			}
			for t := range terms {
				if d.Is(terms[t].Types, s.Params[i].Types) {
					args[i] = t
					fill(i + 1)
				}
			}
		}
		fill(0)
	}
	return out
}

// image is a symbol with the objects of a row.
func (s *symbol) image(objects []string) string {
	parts := []string{s.name}
	for _, a := range s.args {
		parts = append(parts, objects[a])
	}
	return strings.Join(parts, " ")
}

// collect gathers the rows of the action.
func (l *learner) collect(runs []*pddl.Trajectory) {
	for _, run := range runs {
		for i := range run.Transitions {
			t := &run.Transitions[i]
			if t.Name != l.a.Name {
				continue
			}
			r := &row{Transition: t, run: run, objects: slices.Clone(t.Args)}
			for _, c := range l.d.Constants {
				r.objects = append(r.objects, c.Name)
			}
			seen := map[string]bool{}
			for _, o := range r.objects {
				r.aliased = r.aliased || seen[o]
				seen[o] = true
			}
			for k := range l.atoms {
				r.images = append(r.images, l.atoms[k].image(r.objects))
			}
			r.before = r.truth(t.Before)
			if t.After == nil {
				l.failed = append(l.failed, r)
				continue
			}
			r.after = r.truth(t.After)
			l.rows = append(l.rows, r)
		}
	}
	l.out.Rows, l.out.Failed = len(l.rows), len(l.failed)
}

func (r *row) truth(s *pddl.Observed) []bool {
	out := make([]bool, len(r.images))
	for i, x := range r.images {
		out[i] = s.Atoms[x]
	}
	return out
}

// learn returns the action as both sides have it. Rows that name an object twice may leave open which of the two an effect is about; they are then
// left out, and the action needs different objects.
func (l *learner) learn(ctx context.Context) (safe, optimistic *pddl.Action, err error) {
	if len(l.rows) == 0 {
		l.out.Unknown = "no row shows it"
		return nil, nil, nil
	}
	e, why := l.changes(ctx)
	if why != "" && slices.ContainsFunc(l.rows, func(r *row) bool { return r.aliased }) {
		n := len(l.rows)
		l.rows = slices.DeleteFunc(l.rows, func(r *row) bool { return r.aliased })
		l.out.LeftOut = n - len(l.rows)
		if len(l.rows) == 0 {
			l.out.Unknown = "all its rows name an object twice"
			return nil, nil, nil
		}
		e, why = l.changes(ctx)
	}
	if why != "" && l.dropIdle() {
		e, why = l.changes(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if why != "" {
		l.out.Unknown = why
		return nil, nil, nil
	}
	effect := and(append(e.parts(l), l.numbers.effects...)...)
	l.out.Effects = len(effect.Args)
	pre, needed := l.preconditions(e)
	possible, why := l.possible(needed)
	if l.out.Unknown = why; why != "" {
		return nil, nil, nil
	}
	return l.action(pre, effect), l.action(possible, effect), nil
}

// dropIdle takes the rows that change nothing as failures, if there are any and others: a system that refuses an action often stays as it is.
func (l *learner) dropIdle() bool {
	var rows, idle []*row
	for _, r := range l.rows {
		if r.Idle() {
			idle = append(idle, r)
		} else {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 || len(idle) == 0 {
		return false
	}
	l.rows, l.failed = rows, append(l.failed, idle...)
	l.out.Rows, l.out.Failed, l.out.Idle = len(rows), len(l.failed), len(idle)
	return true
}

// changes finds the effects on atoms, and learns the numbers.
func (l *learner) changes(ctx context.Context) (effects, string) {
	e, why := l.effects(ctx)
	if why == "" {
		why = l.learnNumbers()
	}
	return e, why
}

func (l *learner) action(pre, effect *pddl.Expr) *pddl.Action {
	a := *l.a
	a.Pre, a.Effect = pre, effect
	return &a
}

// expr is a symbol as an expression over the terms, with further variables.
func (l *learner) expr(op string, s *symbol, free []pddl.Param) *pddl.Expr {
	e := &pddl.Expr{Op: op, Name: s.name}
	for _, a := range s.args {
		e.Terms = append(e.Terms, l.term(a, free))
	}
	return e
}

// term is a parameter, a constant or a further variable.
func (l *learner) term(i int, free []pddl.Param) pddl.Term {
	if i < len(l.terms) {
		return pddl.Term{Name: l.terms[i].Name, Var: i < len(l.a.Params)}
	}
	return pddl.Term{Name: free[i-len(l.terms)].Name, Var: true}
}

func and(args ...*pddl.Expr) *pddl.Expr { return &pddl.Expr{Op: "and", Args: args} }
func or(args ...*pddl.Expr) *pddl.Expr  { return &pddl.Expr{Op: "or", Args: args} }
func not(e *pddl.Expr) *pddl.Expr       { return &pddl.Expr{Op: "not", Args: []*pddl.Expr{e}} }
