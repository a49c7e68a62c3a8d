package sim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/source"
)

// Range is the inclusive range of a number.
type Range struct {
	Lo, Hi float64
	// Values are what is drawn for a real, in ascending order; nil for all in the range.
	Values []float64
}

// Ranges contains ranges by a fluent's base name (age) or full name (age(c1)); the full name
// has precedence.
type Ranges map[string]Range

// Of returns the range of fluent f: its own, or 0..1 for a Boolean and 0..n-1 for an
// enumeration. It returns false for a number without a range.
func (r Ranges) Of(f *ground.Fluent) (Range, bool) {
	switch f.Type {
	case ground.Bool:
		return Range{Lo: 0, Hi: 1}, true
	case ground.Enum:
		return Range{Lo: 0, Hi: float64(len(f.Values) - 1)}, true
	}
	if x, ok := r[f.Name]; ok {
		return x, true
	}
	x, ok := r[f.Base]
	return x, ok
}

// Stepped lists the multiples of step in a range, if they are not too many to draw actions from.
func (r Range) Stepped(step float64) Range {
	const most = 1 << 16
	if (r.Hi-r.Lo)/step > most {
		return r
	}
	for k := math.Round(r.Lo / step); ; k++ {
		x := operator.Multiple(k, step)
		if x > r.Hi {
			return r
		}
		r.Values = append(r.Values, x)
	}
}

// usable reports whether r is a valid range of type t with exact values only.
func (r Range) usable(t ground.Type) bool {
	whole := r.Lo == math.Trunc(r.Lo) && r.Hi == math.Trunc(r.Hi)
	return r.Lo <= r.Hi && math.Abs(r.Lo) <= 1<<52 && math.Abs(r.Hi) <= 1<<52 && (whole || t == ground.Real)
}

// Option changes what New builds.
type Option func(*Simulator)

// WithRanges makes it an error if a number leaves its range, and sets the ranges that
// policies and restarts draw from.
func WithRanges(r Ranges) Option { return func(s *Simulator) { s.ranges = r } }

// Simulator is a compiled problem. It is immutable: share it between
// goroutines and give each a Runner.
type Simulator struct {
	p       *ground.Problem
	ranges  Ranges
	states  []int // fluents by kind, in the problem's order
	actions []int

	assigns       []assign // the cpfs in the problem's order
	reward        num
	preconditions []condition
	invariants    []condition
	terminations  []condition
	beforeActions []assign // intermediate fluents that the preconditions read
	beforeStates  []assign // likewise for invariants and terminations

	stochastic   bool
	drawer       drawer // joint actions
	initialState []float64
	noop         []float64
}

// assign computes one fluent.
type assign struct {
	fluent int
	next   bool // a state fluent
	value  num
	check  check
	lo, hi float64 // of check
}

// check is the requirement on a fluent's new value besides being finite.
type check uint8

const (
	checkNone  check = iota // a Boolean expression for a Boolean fluent
	checkTruth              // 0 or 1
	checkIndex              // an index of an enumeration
	checkInt                // an integer, up to 2^53
	checkReal               // finite
)

// condition is a compiled ground.Condition.
type condition struct {
	src     *ground.Condition
	holds   pred
	fluents []int // the fluents that it reads, with intermediate fluents replaced by what they read
}

// New compiles p. Errors are *source.Error and describe what the simulator does not support,
// or what is inconsistent in p.
func New(p *ground.Problem, opts ...Option) (*Simulator, error) {
	s := &Simulator{p: p}
	for _, o := range opts {
		o(s)
	}
	if err := s.collect(); err != nil {
		return nil, err
	}
	c := newCompiler(p)
	s.compileAssigns(c)
	s.reward = c.num(p.Reward)
	s.stochastic = c.stochastic
	c.stochastic = false
	s.preconditions = c.conditions(p.Preconditions)
	s.invariants = c.conditions(p.Invariants)
	s.terminations = c.conditions(p.Termination)
	if c.err != nil {
		return nil, c.err
	}
	if err := checkConditions(p); err != nil {
		return nil, err
	}
	var err error
	if s.beforeActions, err = s.needed(p.Preconditions); err != nil {
		return nil, err
	}
	if s.beforeStates, err = s.needed(p.Invariants, p.Termination); err != nil {
		return nil, err
	}
	for _, cond := range append(s.invariants[:len(s.invariants):len(s.invariants)], s.terminations...) {
		for _, f := range cond.fluents {
			if p.Fluents[f].Kind == ground.Action {
				return nil, at(cond.src.Pos, "%s reads the action %s, expected a condition on states alone", cond.src.Text, p.Fluents[f].Name)
			}
		}
	}
	s.drawer = newDrawer(s, s.actions, s.preconditions, s.beforeActions, p.MaxActions)
	return s, nil
}

// collect lists the states and actions, and checks the ranges.
func (s *Simulator) collect() error {
	for i := range s.p.Fluents {
		f := &s.p.Fluents[i]
		switch f.Kind {
		case ground.State:
			s.states = append(s.states, i)
			s.initialState = append(s.initialState, f.Initial)
		case ground.Action:
			s.actions = append(s.actions, i)
			s.noop = append(s.noop, f.Default)
		}
		if r, ok := s.ranges.Of(f); ok && !r.usable(f.Type) {
			return at(f.Pos, "%s has the range %s..%s, expected a lower and an upper bound", f.Name, number(r.Lo), number(r.Hi))
		} else if ok && f.Kind == ground.Action && (f.Default < r.Lo || f.Default > r.Hi) {
			return at(f.Pos, "the default %s of the action %s is outside its range %s..%s", number(f.Default), f.Name, number(r.Lo), number(r.Hi))
		}
	}
	return nil
}

// checkConditions checks that a state and an action decide every condition.
func checkConditions(p *ground.Problem) error {
	for _, group := range [][]ground.Condition{p.Preconditions, p.Invariants, p.Termination} {
		for i := range group {
			if _, next := refs(p, group[i].Expr); len(next) > 0 {
				return at(group[i].Pos, "the condition %s reads %s', expected fluents of the present state", group[i].Text, p.Fluents[next[0]].Name)
			}
			if draws(group[i].Expr) {
				return at(group[i].Pos, "the condition %s is random, expected one that a state and an action decide", group[i].Text)
			}
		}
	}
	return nil
}

func (s *Simulator) compileAssigns(c *compiler) {
	for _, i := range s.p.Order {
		f := &s.p.Fluents[i]
		a := assign{fluent: i, next: f.Kind == ground.State, value: c.num(f.CPF)}
		a.lo, a.hi = math.Inf(-1), math.Inf(1)
		if r, ok := s.ranges.Of(f); ok {
			a.lo, a.hi = r.Lo, r.Hi
		}
		switch {
		case f.Type == ground.Bool && f.CPF.Type == ground.Bool:
			a.check = checkNone
		case f.Type == ground.Bool:
			a.check = checkTruth
		case f.Type == ground.Enum:
			a.check = checkIndex
		case f.Type == ground.Int:
			a.check = checkInt
		default:
			a.check = checkReal
		}
		s.assigns = append(s.assigns, a)
	}
}

// needed lists, in order, the intermediate fluents that the conditions read, directly or
// through others. Their values must be determined without drawing.
func (s *Simulator) needed(groups ...[]ground.Condition) ([]assign, error) {
	want := make([]bool, len(s.p.Fluents))
	for _, group := range groups {
		for i := range group {
			_, computed := closure(s.p, group[i].Expr)
			for _, f := range computed {
				want[f] = true
				if draws(s.p.Fluents[f].CPF) {
					return nil, at(group[i].Pos, "%s reads %s, whose value is drawn in the step; expected fluents that are known before it",
						group[i].Text, s.p.Fluents[f].Name)
				}
			}
		}
	}
	var out []assign
	for _, a := range s.assigns {
		if want[a.fluent] {
			out = append(out, a)
		}
	}
	return out, nil
}

func (c *compiler) conditions(src []ground.Condition) []condition {
	out := make([]condition, len(src))
	for i := range src {
		given, _ := closure(c.p, src[i].Expr)
		out[i] = condition{src: &src[i], holds: c.pred(src[i].Expr), fluents: given}
	}
	return out
}

// Problem returns the problem that the simulator was made from.
func (s *Simulator) Problem() *ground.Problem { return s.p }

// States lists the state fluents; the values of a state have this order. The caller must not
// change the list.
func (s *Simulator) States() []int { return s.states }

// Actions lists the action fluents; the values of a joint action have this order. The caller
// must not change the list.
func (s *Simulator) Actions() []int { return s.actions }

// Ranges returns the ranges given by WithRanges.
func (s *Simulator) Ranges() Ranges { return s.ranges }

// Stochastic reports whether steps may draw random numbers.
func (s *Simulator) Stochastic() bool { return s.stochastic }

// Noop returns the joint action of all defaults in dst, which it grows as needed.
func (s *Simulator) Noop(dst []float64) []float64 { return append(dst[:0], s.noop...) }

// NewRunner returns a runner in the initial state. It draws from rng alone; nil means a
// generator with a fixed seed, which suffices if nothing is random. A Runner belongs to one
// goroutine.
func (s *Simulator) NewRunner(rng *rand.Rand) *Runner {
	if rng == nil {
		rng = rand.New(rand.NewPCG(0, 0))
	}
	r := &Runner{s: s}
	r.m.vals = make([]float64, len(s.p.Fluents))
	r.m.next = make([]float64, len(s.p.Fluents))
	r.m.rng = rng
	r.work = workspace{lo: make([]float64, len(s.p.Fluents)), hi: make([]float64, len(s.p.Fluents))}
	r.load(s.initialState)
	return r
}

func at(pos ground.Pos, format string, args ...any) *source.Error {
	return source.Errorf(pos.File, pos.Line, pos.Col, "%s", fmt.Sprintf(format, args...))
}
