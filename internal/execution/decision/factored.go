package decision

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/bracket"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/problem/factored"
)

// Factored is the process of an RDDL problem as independent draws, each of which depends on few variables.
// It belongs to one goroutine.
type Factored struct {
	*Process
	all        [][]float64 // joint actions
	factors    []*sim.Factor
	terms      []*sim.Term
	conditions []func() (bool, error)
	tests      []func() (bool, error) // of the rules
	plain      bool
	free       bool                // all joint actions are legal in all states
	needs      map[[2]uint32][]int // by factor and class of joint actions
	legal      memo[[]uint32]
	held       int // of these

	parts
}

// mostJoint bounds the joint actions of a factored process, mostParts those of which a part is looked at, and mostLegal the legal ones that are remembered.
const (
	mostJoint = 1 << 12
	mostParts = 1 << 18
	mostLegal = 1 << 23
)

// Factored splits the steps of the process. The error wraps bracket.ErrNotFactored where that cannot be
// done; if a lack of legal actions is to be ruled out, also where it is not.
func (p *Process) Factored(goal *ground.Node, legal bool) (*Factored, error) {
	if p.changes.Reward != nil || len(p.changes.Rules) > 0 {
		return nil, fmt.Errorf("%w: bounds are for the RDDL's own rules and reward; expected neither --require nor --reward", ErrNotFactored)
	}
	s := p.outcomes.Runner().Simulator()
	g := s.Problem()
	f := &Factored{Process: p, plain: p.goal == nil && len(g.Termination) == 0, free: len(g.Preconditions) == 0, needs: map[[2]uint32][]int{}}
	if len(g.Invariants) > 0 {
		return nil, fmt.Errorf("%w: there are invariants", bracket.ErrNotFactored)
	}
	if legal && !p.outcomes.Idle() {
		return nil, fmt.Errorf("%w: there may be no legal action in some state", bracket.ErrNotFactored)
	}
	if err := f.joint(s); err != nil {
		return nil, err
	}
	var err error
	if f.factors, f.terms, err = p.outcomes.Factors(); err != nil {
		return nil, err
	}
	if len(f.terms) == 0 {
		return nil, fmt.Errorf("%w: the reward depends on what is drawn", bracket.ErrNotFactored)
	}
	for _, x := range f.factors {
		c := newPart[*bracket.Draw](f, x.Reads)
		for _, i := range x.Fluents {
			c.scope.Writes = append(c.scope.Writes, f.place[i])
		}
		f.draws = append(f.draws, c)
	}
	for _, x := range f.terms {
		f.sums = append(f.sums, newPart[float64](f, x.Reads))
	}
	f.legal = newPart[[]uint32](f, p.outcomes.LegalReads())
	for i := range g.Preconditions { // conjuncts already
		n := g.Preconditions[i].Expr
		test, err := p.outcomes.Test(n)
		if err != nil {
			return nil, err
		}
		f.tests, f.rules = append(f.tests, test), append(f.rules, newPart[bool](f, p.outcomes.Reads(n)))
	}
	return f, f.conjuncts(goal)
}

// Rule implements bracket.Model.
func (f *Factored) Rule(i int, state []uint64, action uint32) (bool, error) {
	return f.rules[i].get(state, action, func() (bool, error) {
		f.set(state, action)
		keeps, err := f.tests[i]()
		if err != nil {
			return false, undefined{err}
		}
		return keeps, nil
	})
}

// conjuncts splits the goal.
func (f *Factored) conjuncts(goal *ground.Node) error {
	if goal == nil {
		return nil
	}
	if goal.Op == ground.And {
		for _, n := range goal.Args {
			if err := f.conjuncts(n); err != nil {
				return err
			}
		}
		return nil
	}
	test, err := f.outcomes.Test(goal)
	if err != nil {
		return err
	}
	c := bracket.Scope{}
	for _, i := range f.outcomes.Reads(goal) {
		c.Reads = append(c.Reads, f.place[i])
	}
	f.conditions, f.goals = append(f.conditions, test), append(f.goals, c)
	return nil
}

// joint lists the joint actions with as many that are not at their defaults as are allowed, but for those that are illegal in every state.
func (f *Factored) joint(s *sim.Simulator) error {
	noop := s.Noop(nil)
	most := s.Problem().MaxActions
	if most < 0 {
		most = len(noop)
	}
	tooMany := fmt.Errorf("%w: there are more than %d joint actions", bracket.ErrNotFactored, mostJoint)
	tried := 0
	var list func(k, left int, now []float64) error
	list = func(k, left int, now []float64) error {
		if tried++; tried > mostParts {
			return tooMany
		}
		if left == 0 { // the rest is at its defaults
			k = len(noop)
		}
		if !f.free && f.outcomes.Forbids(now[:k]) {
			return nil
		}
		if k == len(noop) {
			if f.all = append(f.all, slices.Clone(now)); len(f.all) > mostJoint {
				return tooMany
			}
			return nil
		}
		if err := list(k+1, left, now); err != nil {
			return err
		}
		v := f.compiled.Variable(s.Actions()[k])
		if v.Hi-v.Lo > mostJoint {
			return tooMany
		}
		for z := v.Lo; z <= v.Hi; z++ {
			if x := f.compiled.Decode(s.Actions()[k], z); x != noop[k] {
				now[k] = x
				if err := list(k+1, left-1, now); err != nil {
					return err
				}
			}
		}
		now[k] = noop[k]
		return nil
	}
	err := list(0, most, slices.Clone(noop))
	if err == nil && len(f.all) == 0 {
		err = fmt.Errorf("%w: no joint action is legal in any state", bracket.ErrNotFactored)
	}
	return err
}

// newPart prepares to remember a part of a step that reads some fluents.
func newPart[T any](f *Factored, reads []int) memo[T] {
	var fields, actions []int // places among those of states and of joint actions
	for _, i := range reads {
		if k, ok := f.place[i]; ok {
			fields = append(fields, k)
		} else {
			actions = append(actions, slices.Index(f.outcomes.Runner().Simulator().Actions(), i))
		}
	}
	return newMemo[T](f.Fields(), fields, len(f.all), func(a int) string {
		var of []float64
		for _, k := range actions {
			of = append(of, f.all[a][k])
		}
		return fmt.Sprint(of)
	})
}

// set has the simulator in a state with a joint action.
func (f *Factored) set(state []uint64, action uint32) {
	f.decode(state)
	f.outcomes.Set(f.values, f.all[action])
}

// Plain implements bracket.Model.
func (f *Factored) Plain() bool { return f.plain }

// Actions implements bracket.Model.
func (f *Factored) Actions() int { return len(f.all) }

// Legal implements bracket.Model.
func (f *Factored) Legal(state []uint64, list []uint32) ([]uint32, error) {
	list = list[:0]
	if f.free {
		for a := range f.all {
			list = append(list, uint32(a))
		}
		return list, nil
	}
	if f.held > mostLegal {
		f.held, f.legal = 0, newPart[[]uint32](f, f.outcomes.LegalReads())
	}
	all, err := f.legal.get(state, 0, func() ([]uint32, error) {
		all, err := f.listLegal(state)
		f.held += len(all)
		return all, err
	})
	return append(list, all...), err
}

// listLegal lists the legal actions in a state.
func (f *Factored) listLegal(state []uint64) (list []uint32, err error) {
	if err := f.load(state); err != nil {
		return nil, err
	}
	for a := range f.all {
		legal, err := f.outcomes.Runner().Legal(f.all[a])
		if broken := (*sim.Violation)(nil); err != nil && !errors.As(err, &broken) {
			return nil, err
		}
		if legal && err == nil {
			list = append(list, uint32(a))
		}
	}
	return list, nil
}

// Action sets the actions in a valuation to those of a joint action, by its place among all.
func (f *Factored) Action(val factored.Valuation, id uint32) error {
	return setActions(val, f.compiled, f.outcomes.Runner().Simulator().Actions(), f.all[id])
}

// Condition implements bracket.Model.
func (f *Factored) Condition(i int, state []uint64) (bool, error) {
	f.set(state, 0)
	return f.conditions[i]()
}

// Draw implements bracket.Model.
func (f *Factored) Draw(factor int, state []uint64, action uint32) (*bracket.Draw, error) {
	c := &f.draws[factor]
	return c.get(state, action, func() (*bracket.Draw, error) {
		f.set(state, action)
		rows, err := f.outcomes.Rows(f.factors[factor])
		if err != nil {
			return nil, undefined{err}
		}
		d := &bracket.Draw{Bits: make([]uint64, len(rows)*f.words)}
		for i, r := range rows {
			for j, v := range r.Values {
				x := &f.fields[f.place[f.factors[factor].Fluents[j]]]
				if z, ok := f.compiled.Encode(x.number, v); r.Outside || !ok || !x.put(d.Bits[i*f.words:], z) {
					return nil, fmt.Errorf("%w: a next value can be outside its range", bracket.ErrNotFactored)
				}
			}
			d.P = append(d.P, r.P)
		}
		return d, nil
	})
}

// Needs implements bracket.Model.
func (f *Factored) Needs(factor int, action uint32) []int {
	class := [2]uint32{uint32(factor), f.draws[factor].scope.Classes[action]}
	list, ok := f.needs[class]
	if !ok {
		for _, i := range f.outcomes.Needs(f.factors[factor], f.all[action]) {
			list = append(list, f.place[i])
		}
		f.needs[class] = list
	}
	return list
}

// Term implements bracket.Model.
func (f *Factored) Term(term int, state []uint64, action uint32) (float64, error) {
	return f.sums[term].get(state, action, func() (float64, error) {
		f.set(state, action)
		v, err := f.outcomes.Term(f.terms[term])
		if err != nil {
			return 0, undefined{err}
		}
		return v, nil
	})
}

// undefined is an error of an expression in a state.
type undefined struct{ error }

func (undefined) Is(target error) bool { return target == bracket.ErrUndefined }

func (u undefined) Unwrap() error { return u.error }

// TermRange implements bracket.Model.
func (f *Factored) TermRange(term int) (lo, hi float64) { return f.outcomes.TermRange(f.terms[term]) }
