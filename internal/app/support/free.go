package support

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/factored"
)

// Free returns a problem in which every next value that the training rows do not support is
// free within the rules and ranges. No plan of a system that agrees with what is supported
// has a better reward than the best of its plans. There is no network in it: supported values are
// constraints, and actions of its own choose what is not supported. Where every legal step
// is supported it is the task itself.
func Free(p *load.Problem) (engine.Task, error) {
	s, err := record(p)
	if err != nil || s == nil {
		return p.Task, err
	}
	f := p.Problem.Clone()
	f.Inputs, f.Outputs = nil, nil
	b := &freer{builder: builder{f, p.Problem.Inputs, p.Problem.Outputs}, s: s}
	b.addRanges()
	if err := b.addUnseen(); err != nil {
		return engine.Task{}, err
	}
	if err := b.addExceptions(); err != nil {
		return engine.Task{}, err
	}
	for o := range s.Tables {
		for _, value := range []bool{false, true} {
			if err := b.addSide(o, value); err != nil {
				return engine.Task{}, err
			}
		}
	}
	return engine.Task{Problem: f}, f.Check()
}

type freer struct {
	builder
	s      *coverage.Support
	unseen []factored.Lit   // a combination of values that no row had occurs; empty if there are none
	except [][]factored.Lit // by output, a cube of an exception occurs
}

// addRanges keeps the next values of learned variables in their ranges, which a property of
// one step does not do by itself.
func (b *freer) addRanges() {
	var last *factored.Variable
	for _, o := range b.outputs {
		v, _ := b.Owner(o)
		if v == last || v.Hi-v.Lo == 1<<v.Width-1 {
			continue
		}
		last = v
		low := factored.Constraint{Op: factored.GE, K: v.Lo, Origin: "range of " + v.Name}
		for i := range v.Width {
			low.Terms = append(low.Terms, factored.Term{Coef: v.Weight(i), Lit: factored.Lit{Bit: v.First + factored.Bit(i), Next: true}})
		}
		high := low
		high.Op, high.K = factored.LE, v.Hi
		b.Transition = append(b.Transition, low, high)
	}
}

// choice adds an action that is chosen freely.
func (b *freer) choice(format string, args ...any) (factored.Lit, error) {
	i, err := b.AddVariable(factored.Variable{Name: fmt.Sprintf(format, args...), Kind: factored.Action, Bool: true})
	if err != nil {
		return factored.Lit{}, err
	}
	return factored.Lit{Bit: b.Variables[i].First}, nil
}

// addUnseen adds an action that can only be chosen where some unseen combination of values
// occurs.
func (b *freer) addUnseen() error {
	if len(b.s.Unseen) == 0 {
		return nil
	}
	some, err := b.choice("(unseen)")
	if err != nil {
		return err
	}
	b.unseen = []factored.Lit{some}
	var all [][]coverage.Literal
	for _, c := range b.s.Unseen {
		all = append(all, slices.Compact(slices.Clone(c[:])))
	}
	return b.oneOf(some, "(unseen", all)
}

// addExceptions adds, for each exception, an action that can only be chosen where one of its
// cubes occurs.
func (b *freer) addExceptions() error {
	b.except = make([][]factored.Lit, len(b.s.Tables))
	for i := range b.s.Except {
		e := &b.s.Except[i]
		some, err := b.choice("(exception %d)", i)
		if err != nil {
			return err
		}
		for _, o := range e.Outputs {
			b.except[o] = append(b.except[o], some)
		}
		if err := b.oneOf(some, fmt.Sprintf("(exception %d", i), e.Cubes); err != nil {
			return err
		}
	}
	return nil
}

// oneOf lets an action be chosen only where one of some combinations of literals holds. Those
// that begin alike get an action of their own.
func (b *freer) oneOf(chosen factored.Lit, name string, all [][]coverage.Literal) error {
	some := []factored.Lit{chosen.Not()}
	for at := 0; at < len(all); {
		first, from := all[at][0], at
		var rest [][]coverage.Literal
		for ; at < len(all) && all[at][0] == first; at++ {
			if len(all[at]) > 1 {
				rest = append(rest, all[at][1:])
			}
		}
		if len(rest) < at-from { // the literal alone
			some = append(some, b.fails(first).Not())
			continue
		}
		own := fmt.Sprintf("%s %d", name, first)
		here, err := b.choice("%s)", own)
		if err != nil {
			return err
		}
		some = append(some, here)
		b.clause(here.Not(), b.fails(first).Not())
		if err := b.oneOf(here, own, rest); err != nil {
			return err
		}
	}
	b.clause(some...)
	return nil
}

// addSide forces an output to a value where all of its tables settle on it.
func (b *freer) addSide(output int, value bool) error {
	tables := b.s.Tables[output]
	if len(tables) == 0 {
		return nil
	}
	open := slices.Concat([]factored.Lit{b.next(output, value)}, b.unseen, b.except[output])
	for j := range tables[1:] {
		t := &tables[1+j]
		// An action that can only be chosen where this table does not settle on the value.
		other, err := b.choice("(open %d %d %v)", output, 1+j, value)
		if err != nil {
			return err
		}
		open = append(open, other)
		for _, c := range b.s.Side(t, value, true) {
			b.clause(append(b.outside(t, c), other.Not())...)
		}
	}
	for _, c := range b.s.Side(&tables[0], value, true) {
		b.clause(append(b.outside(&tables[0], c), open...)...)
	}
	return nil
}
