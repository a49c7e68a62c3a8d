package decision

import (
	"errors"
	"fmt"
	"math"
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
	plain      bool
	free       bool // all joint actions are legal in all states

	draws []memo[*bracket.Draw]
	sums  []memo[float64]
	goals []bracket.Scope
	field map[int]int // of a fluent
}

// memo remembers a part of a step by what it depends on.
type memo[T any] struct {
	scope   bracket.Scope
	strides []uint64 // of its reads; the last is that of classes
	dense   []T
	known   []bool
	sparse  map[uint64]T
}

// mostJoint bounds the joint actions of a factored process.
const mostJoint = 1 << 12

// Factored splits the steps of the process. The error wraps bracket.ErrNotFactored where that cannot be
// done; if a lack of legal actions is to be ruled out, also where it is not.
func (p *Process) Factored(goal *ground.Node, legal bool) (*Factored, error) {
	if p.changes.Reward != nil || len(p.changes.Rules) > 0 {
		return nil, fmt.Errorf("%w: bounds are for the RDDL's own rules and reward; expected neither --require nor --reward", ErrNotFactored)
	}
	s := p.outcomes.Runner().Simulator()
	g := s.Problem()
	f := &Factored{Process: p, field: map[int]int{}, plain: p.goal == nil && len(g.Termination) == 0, free: len(g.Preconditions) == 0}
	if len(g.Invariants) > 0 {
		return nil, fmt.Errorf("%w: there are invariants", bracket.ErrNotFactored)
	}
	if legal && !p.outcomes.Idle() {
		return nil, fmt.Errorf("%w: there may be no legal action in some state", bracket.ErrNotFactored)
	}
	for i := range p.fields {
		f.field[p.fields[i].fluent] = i
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
		c, err := newPart[*bracket.Draw](f, x.Reads)
		if err != nil {
			return nil, err
		}
		for _, i := range x.Fluents {
			c.scope.Writes = append(c.scope.Writes, f.field[i])
		}
		f.draws = append(f.draws, c)
	}
	for _, x := range f.terms {
		c, err := newPart[float64](f, x.Reads)
		if err != nil {
			return nil, err
		}
		f.sums = append(f.sums, c)
	}
	return f, f.conjuncts(goal)
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
		c.Reads = append(c.Reads, f.field[i])
	}
	f.conditions, f.goals = append(f.conditions, test), append(f.goals, c)
	return nil
}

// joint lists the joint actions with as many that are not at their defaults as are allowed.
func (f *Factored) joint(s *sim.Simulator) error {
	noop := s.Noop(nil)
	most := s.Problem().MaxActions
	if most < 0 {
		most = len(noop)
	}
	var list func(k, left int, now []float64) error
	list = func(k, left int, now []float64) error {
		if k == len(noop) {
			if f.all = append(f.all, slices.Clone(now)); len(f.all) > mostJoint {
				return fmt.Errorf("%w: there are more than %d joint actions", bracket.ErrNotFactored, mostJoint)
			}
			return nil
		}
		if err := list(k+1, left, now); err != nil || left == 0 {
			return err
		}
		v := f.compiled.Variable(s.Actions()[k])
		if v.Hi-v.Lo > mostJoint {
			return fmt.Errorf("%w: there are more than %d joint actions", bracket.ErrNotFactored, mostJoint)
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
	return list(0, most, slices.Clone(noop))
}

// mostDense bounds the remembered combinations that have a place each.
const mostDense = 1 << 16

// newPart prepares to remember a part of a step that reads some fluents.
func newPart[T any](f *Factored, reads []int) (memo[T], error) {
	c := memo[T]{}
	var actions []int // places among those of joint actions
	size := uint64(1)
	for _, i := range reads {
		if k, ok := f.field[i]; ok {
			n := f.fields[k].most + 1
			if n == 0 || size > math.MaxUint64>>16/n {
				return c, fmt.Errorf("%w: the next value of a variable depends on too many others", bracket.ErrNotFactored)
			}
			c.scope.Reads, c.strides = append(c.scope.Reads, k), append(c.strides, size)
			size *= n
		} else {
			actions = append(actions, slices.Index(f.outcomes.Runner().Simulator().Actions(), i))
		}
	}
	seen := map[string]uint32{}
	for _, a := range f.all {
		var of []float64
		for _, k := range actions {
			of = append(of, a[k])
		}
		key := fmt.Sprint(of)
		if _, ok := seen[key]; !ok {
			seen[key] = uint32(len(seen))
		}
		c.scope.Classes = append(c.scope.Classes, seen[key])
	}
	c.scope.Count = len(seen)
	if c.strides = append(c.strides, size); size*uint64(len(seen)) <= mostDense {
		c.dense, c.known = make([]T, size*uint64(len(seen))), make([]bool, size*uint64(len(seen)))
	} else {
		c.sparse = map[uint64]T{}
	}
	return c, nil
}

// mostSparse bounds the remembered combinations that have no place each.
const mostSparse = 1 << 18

// get returns what is remembered, or computes it.
func (c *memo[T]) get(f *Factored, state []uint64, action uint32, compute func() (T, error)) (T, error) {
	at := uint64(c.scope.Classes[action]) * c.strides[len(c.strides)-1]
	for i, k := range c.scope.Reads {
		x := &f.fields[k]
		at += state[x.word] >> x.shift & x.mask * c.strides[i]
	}
	if c.dense != nil {
		if c.known[at] {
			return c.dense[at], nil
		}
	} else if v, ok := c.sparse[at]; ok {
		return v, nil
	}
	for i, x := range f.fields {
		f.values[i] = f.compiled.Decode(x.fluent, x.lo+int64(min(x.most, state[x.word]>>x.shift&x.mask)))
	}
	f.outcomes.Set(f.values, f.all[action])
	v, err := compute()
	if err != nil {
		return v, err
	}
	if c.dense != nil {
		c.dense[at], c.known[at] = v, true
		return v, nil
	}
	if len(c.sparse) >= mostSparse {
		clear(c.sparse)
	}
	c.sparse[at] = v
	return v, nil
}

// Plain implements bracket.Model.
func (f *Factored) Plain() bool { return f.plain }

// Fields implements bracket.Model.
func (f *Factored) Fields() (list []bracket.Field) {
	for _, x := range f.fields {
		list = append(list, bracket.Field{Word: x.word, Shift: x.shift, Most: x.most})
	}
	return list
}

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
	if err := f.load(state); err != nil {
		return nil, err
	}
	for a := range f.all {
		err := f.outcomes.Runner().CheckAction(f.all[a])
		var broken *sim.Violation
		if err == nil {
			list = append(list, uint32(a))
		} else if !errors.As(err, &broken) {
			return nil, err
		}
	}
	return list, nil
}

// Action sets the actions in a valuation to those of a joint action, by its place among all.
func (f *Factored) Action(val factored.Valuation, id uint32) error {
	return setActions(val, f.compiled, f.outcomes.Runner().Simulator().Actions(), f.all[id])
}

// Factors implements bracket.Model.
func (f *Factored) Factors() []bracket.Scope { return scopes(f.draws) }

// Terms implements bracket.Model.
func (f *Factored) Terms() []bracket.Scope { return scopes(f.sums) }

func scopes[T any](parts []memo[T]) (list []bracket.Scope) {
	for i := range parts {
		list = append(list, parts[i].scope)
	}
	return list
}

// Conditions implements bracket.Model.
func (f *Factored) Conditions() []bracket.Scope { return f.goals }

// Condition implements bracket.Model.
func (f *Factored) Condition(i int, state []uint64) (bool, error) {
	for k, x := range f.fields {
		f.values[k] = f.compiled.Decode(x.fluent, x.lo+int64(min(x.most, state[x.word]>>x.shift&x.mask)))
	}
	f.outcomes.Set(f.values, f.all[0])
	return f.conditions[i]()
}

// Draw implements bracket.Model.
func (f *Factored) Draw(factor int, state []uint64, action uint32) (*bracket.Draw, error) {
	c := &f.draws[factor]
	return c.get(f, state, action, func() (*bracket.Draw, error) {
		rows, err := f.outcomes.Rows(f.factors[factor])
		if err != nil {
			return nil, err
		}
		d := &bracket.Draw{Bits: make([]uint64, len(rows)*f.words)}
		for i, r := range rows {
			for j, v := range r.Values {
				x := &f.fields[f.field[f.factors[factor].Fluents[j]]]
				z, ok := f.compiled.Encode(x.fluent, v)
				if r.Outside || !ok || uint64(z-x.lo) > x.most {
					return nil, fmt.Errorf("%w: a next value can be outside its range", bracket.ErrNotFactored)
				}
				d.Bits[i*f.words+x.word] |= uint64(z-x.lo) << x.shift
			}
			d.P = append(d.P, r.P)
		}
		return d, nil
	})
}

// Term implements bracket.Model.
func (f *Factored) Term(term int, state []uint64, action uint32) (float64, error) {
	return f.sums[term].get(f, state, action, func() (float64, error) { return f.outcomes.Term(f.terms[term]) })
}

// TermRange implements bracket.Model.
func (f *Factored) TermRange(term int) (lo, hi float64) { return f.outcomes.TermRange(f.terms[term]) }

// RewardRange bounds the reward of any step; the bounds may be infinite.
func (f *Factored) RewardRange() (lo, hi float64) {
	for _, t := range f.terms {
		a, b := f.outcomes.TermRange(t)
		lo, hi = lo+a, hi+b
	}
	return lo, hi
}
