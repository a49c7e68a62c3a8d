package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrTooMany is wrapped if the legal rows of a problem are too many to list.
var ErrTooMany = errors.New("too many states and actions to list")

// Legal returns every legal row of a deterministic problem: one for each state within the
// ranges of its fluents that satisfies the invariants, and each joint action that is legal
// there. States in which an episode ends have no rows. Steps into states that violate an
// invariant are included; steps out of a range are not. s simulates the RDDL that c was compiled from.
// limit bounds the attempted steps and the partial assignments; if it is exceeded, or if it is
// known from the start that it would be, the error wraps ErrTooMany and has a number.
func Legal(ctx context.Context, c *translate.Compiled, s *sim.Simulator, limit int) (*Examples, error) {
	b := NewBuilder(len(c.Problem.Inputs), len(c.Problem.Outputs))
	l, err := newLister(ctx, c, s, limit)
	if err != nil {
		return nil, err
	}
	err = l.list(func(r *Row) { b.Add(r.In, r.Out) })
	if err != nil {
		return nil, err
	}
	e := b.Examples()
	return e, e.Check()
}

// Bound says how many legal rows there may be.
type Bound struct {
	States  float64 // an estimate
	Actions float64 // joint actions, whether they are legal or not
}

// EachLegal calls row for each row of Legal, in the order of states and actions; the next row overwrites it. begin is
// called before the first.
func EachLegal(ctx context.Context, c *translate.Compiled, s *sim.Simulator, limit int, begin func(Bound), row func(*Row)) error {
	l, err := newLister(ctx, c, s, limit)
	if err != nil {
		return err
	}
	if begin != nil {
		b := Bound{States: l.estimate, Actions: 1}
		for _, v := range l.actions {
			b.Actions *= float64(v.Hi-v.Lo) + 1
		}
		begin(b)
	}
	return l.list(row)
}

// list calls row for each legal row.
func (l *lister) list(row func(*Row)) error {
	r := &Row{Count: 1, In: l.in, Out: l.out, Before: l.before}
	l.row = func() error {
		l.read()
		row(r)
		r.Index++
		return nil
	}
	return l.each(l.states, l.state, 0, l.inState)
}

// newLister prepares to list rows; the caller sets what to do with each.
func newLister(ctx context.Context, c *translate.Compiled, s *sim.Simulator, limit int) (*lister, error) {
	m, err := newMapping(c.Problem)
	if err != nil {
		return nil, err
	}
	if s.Stochastic() {
		return nil, fmt.Errorf("%s is stochastic, expected a deterministic problem to list the rows of", m.p.Name)
	}
	l := &lister{mapping: m, ctx: ctx, r: s.NewRunner(nil), left: limit, limit: limit}
	for _, f := range slices.Concat(s.States(), s.Actions()) {
		if fl := &c.Ground.Fluents[f]; fl.Type == ground.Real {
			return nil, fmt.Errorf("%s is real, expected Booleans, integers and enumerations to list the rows of", fl.Name)
		}
	}
	for _, f := range s.States() {
		l.states = append(l.states, c.Variable(f))
	}
	for _, f := range s.Actions() {
		l.actions = append(l.actions, c.Variable(f))
	}
	l.state, l.action = make([]float64, len(l.states)), make([]float64, len(l.actions))
	l.known = make([]bool, m.p.NumBits())
	l.prune()
	if n := l.freeStates(); n > float64(limit) {
		return nil, fmt.Errorf("%w: at least %.4g states, each with its actions", ErrTooMany, n)
	}
	n, err := l.probableStates()
	l.estimate = n
	if err != nil {
		return nil, err
	}
	if n > float64(limit) {
		return nil, fmt.Errorf("%w: some %.4g states, each with its actions", ErrTooMany, n)
	}
	return l, nil
}

// probableStates estimates how many states the constraints allow: the median over random
// choices of a value for one variable after the other, each among those that are possible then, of
// the product of their numbers (Knuth, Estimating the Efficiency of Backtrack Programs, 1975). The mean
// of all choices is the number of states; the median is at most twice that.
func (l *lister) probableStates() (float64, error) {
	const probes = 65
	rng := rand.New(rand.NewPCG(1, 0x9b0be))
	var found []float64
	for range probes {
		n, err := l.probe(rng)
		if err != nil {
			return 0, err
		}
		found = append(found, n)
	}
	slices.Sort(found)
	return found[probes/2], nil
}

// probe is the product for one choice; 0 if it comes to a variable without a possible value.
func (l *lister) probe(rng *rand.Rand) (float64, error) {
	defer clear(l.known)
	n := 1.0
	var values []int64
	for _, v := range l.states {
		for k := range v.Width {
			l.known[int(v.First)+k] = true
		}
		values = values[:0]
		for x := v.Lo; x <= v.Hi; x++ {
			if err := v.Set(l.val, x); err != nil {
				return 0, err
			}
			if l.possible(v) {
				values = append(values, int64(x))
			}
		}
		if len(values) == 0 {
			return 0, nil
		}
		n *= float64(len(values))
		if err := v.Set(l.val, values[rng.IntN(len(values))]); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// freeStates counts the values of the state variables that no constraint mentions: there
// are so many states for each choice of the others.
func (l *lister) freeStates() float64 {
	n := 1.0
	for _, v := range l.states {
		free := true
		for k := range v.Width {
			free = free && len(l.touched[int(v.First)+k]) == 0
		}
		if free {
			n *= float64(v.Hi-v.Lo) + 1
		}
	}
	return n
}

// lister enumerates states and, in each, joint actions. The compiled problem's constraints
// prune branches; the simulator decides.
type lister struct {
	*mapping
	ctx             context.Context
	r               *sim.Runner
	left, limit     int
	row             func() error // called for each legal row, which is in val and after
	states, actions []*factored.Variable
	state, action   []float64
	known           []bool // bits that have a value so far
	touched         [][]*factored.Constraint
	after64         []float64
	estimate        float64 // of the number of states
}

// prune lists, for each bit, the constraints that mention it and can be evaluated here: over
// states alone or over actions alone.
func (l *lister) prune() {
	l.touched = make([][]*factored.Constraint, l.p.NumBits())
	for i := range l.p.Global {
		con := &l.p.Global[i]
		kinds := map[factored.Kind]bool{}
		for _, t := range con.Terms {
			kinds[l.p.Kind(t.Lit.Bit)] = true
		}
		if len(kinds) != 1 || kinds[factored.Auxiliary] {
			continue
		}
		for _, t := range con.Terms {
			l.touched[t.Lit.Bit] = append(l.touched[t.Lit.Bit], con)
		}
	}
}

// each assigns every value in turn to the variables from i on.
func (l *lister) each(vars []*factored.Variable, values []float64, i int, found func() error) error {
	if l.left--; l.left < 0 {
		return fmt.Errorf("%w: more than %d steps would be tried", ErrTooMany, l.limit)
	}
	if l.left%(1<<12) == 0 && l.ctx.Err() != nil {
		return l.ctx.Err()
	}
	if i == len(vars) {
		return found()
	}
	v := vars[i]
	for k := range v.Width {
		l.known[int(v.First)+k] = true
	}
	for x := v.Lo; x <= v.Hi; x++ {
		if err := v.Set(l.val, x); err != nil {
			return err
		}
		values[i] = float64(x)
		if l.possible(v) {
			if err := l.each(vars, values, i+1, found); err != nil {
				return err
			}
		}
	}
	for k := range v.Width {
		l.known[int(v.First)+k] = false
	}
	return nil
}

// possible reports whether the constraints on v can still hold.
func (l *lister) possible(v *factored.Variable) bool {
	for k := range v.Width {
		for _, con := range l.touched[int(v.First)+k] {
			lo, hi := int64(0), int64(0)
			for _, t := range con.Terms {
				switch {
				case !l.known[t.Lit.Bit]:
					lo, hi = lo+min(t.Coef, 0), hi+max(t.Coef, 0)
				case l.val[t.Lit.Bit] != t.Lit.Neg:
					lo, hi = lo+t.Coef, hi+t.Coef
				}
			}
			if con.Op != factored.GE && lo > con.K || con.Op != factored.LE && hi < con.K {
				return false
			}
		}
	}
	return true
}

func (l *lister) inState() error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if ok, err := canAct(l.r, l.state); err != nil || !ok {
		return err
	}
	return l.each(l.actions, l.action, 0, l.step)
}

func (l *lister) step() error {
	if ok, err := canTake(l.r, l.state, l.action); err != nil || !ok {
		return err
	}
	l.after64 = l.r.State(l.after64)
	for i, x := range l.after64 {
		if err := set(l.states[i], l.after, x); err != nil {
			return err
		}
	}
	return l.row()
}

// canAct reports whether there can be legal rows from a state: it is within its ranges,
// satisfies the invariants, and no episode ends in it.
func canAct(r *sim.Runner, state []float64) (bool, error) {
	if err := r.SetState(state); err != nil {
		var v *sim.Violation
		if errors.As(err, &v) {
			return false, nil
		}
		return false, err
	}
	done, err := r.Terminal()
	return err == nil && !done, err
}

// canTake reports whether an action is legal in a state that passes canAct, and takes it.
func canTake(r *sim.Runner, state, action []float64) (bool, error) {
	// The state after the step is now in place, even if it violates an invariant.
	var v *sim.Violation
	if err := r.SetState(state); err != nil && !errors.As(err, &v) {
		return false, err
	}
	if err := r.CheckAction(action); err != nil {
		if errors.As(err, &v) {
			return false, nil
		}
		return false, err
	}
	if _, err := r.Advance(action); err != nil {
		if !errors.As(err, &v) {
			return false, err
		}
		return v.Kind == sim.Invariant, nil
	}
	return true, nil
}
