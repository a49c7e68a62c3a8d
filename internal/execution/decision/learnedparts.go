package decision

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/bracket"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// LearnedParts is the process of a learned model as independent draws. It belongs to one goroutine.
type LearnedParts struct {
	*Learned
	parts   // draws are those of the groups, and then of each other state
	rules   []*factored.Constraint
	ends    bool                // some states are not open
	rewards []*factored.Problem // with a part of the reward each
}

// Factored splits the steps of the process. The error wraps bracket.ErrNotFactored where that cannot be done; if a
// lack of legal actions is to be ruled out, also where it is not.
func (l *Learned) Factored(legal bool) (*LearnedParts, error) {
	f := &LearnedParts{Learned: l, ends: len(l.p.Goal) > 0 || l.t.HasEnds()}
	if err := f.restrict(legal); err != nil {
		return nil, err
	}
	for i := range l.t.Groups() {
		if err := f.draw(l.t.GroupSources(i), l.t.Outputs(i)); err != nil {
			return nil, err
		}
	}
	for _, v := range l.t.Sure() {
		if err := f.draw(l.t.Sources(v), []int{v}); err != nil {
			return nil, err
		}
	}
	if err := f.pay(); err != nil {
		return nil, err
	}
	for i := range l.p.Goal {
		reads, next := f.reads(&l.p.Goal[i])
		if next {
			return nil, fmt.Errorf("%w: the goal is about a step", bracket.ErrNotFactored)
		}
		scope := bracket.Scope{}
		for _, v := range reads {
			k, ok := f.place[v]
			if !ok {
				return nil, fmt.Errorf("%w: the goal depends on %s, which is no state", bracket.ErrNotFactored, l.p.Variables[v].Name)
			}
			scope.Reads = append(scope.Reads, k)
		}
		f.goals = append(f.goals, scope)
	}
	return f, nil
}

// restrict takes the rules about states and actions. A rule about states alone ends runs, which costs no reward, and one about
// what follows is none of an action alone.
func (f *LearnedParts) restrict(legal bool) error {
	for _, cs := range [][]factored.Constraint{f.p.Global, f.p.Transition} {
		for i := range cs {
			c := &cs[i]
			if c.Defines || f.t.Gives(c) {
				continue
			}
			reads, next := f.reads(c)
			if !next && len(reads) == 1 && f.ranges(c, &f.p.Variables[reads[0]]) {
				continue
			}
			acts := slices.ContainsFunc(reads, func(v int) bool { return f.p.Variables[v].Kind == factored.Action })
			switch {
			case next:
				return fmt.Errorf("%w: the rule %s is about the next state", bracket.ErrNotFactored, f.p.Format(c))
			case acts:
				f.rules = append(f.rules, c)
			case legal:
				return fmt.Errorf("%w: runs that break the rule %s have no reward", bracket.ErrNotFactored, f.p.Format(c))
			default:
				f.ends = true
			}
		}
	}
	if legal && len(f.rules) > 0 && !slices.ContainsFunc(f.actions, f.always) {
		return fmt.Errorf("%w: there may be no legal action in some state", bracket.ErrNotFactored)
	}
	return nil
}

// ranges reports whether a constraint excludes no value of a variable.
func (f *LearnedParts) ranges(c *factored.Constraint, v *factored.Variable) bool {
	clear(f.now)
	for x := v.Lo; x <= v.Hi; x++ {
		if v.Set(f.now, x) != nil || !holds(c, f.now, nil) {
			return false
		}
	}
	return true
}

// always reports whether an action keeps the rules in all states: those about actions alone, and others as far as their sums tell.
func (f *LearnedParts) always(action factored.Valuation) bool {
	for _, c := range f.rules {
		reads, _ := f.reads(c)
		if !slices.ContainsFunc(reads, func(v int) bool { return f.p.Variables[v].Kind != factored.Action }) {
			if !holds(c, action, nil) {
				return false
			}
			continue
		}
		lo, hi := int64(0), int64(0)
		for _, t := range c.Terms {
			switch kind := f.p.Kind(t.Lit.Bit); {
			case kind != factored.Action:
				lo, hi = lo+min(0, t.Coef), hi+max(0, t.Coef)
			case action[t.Lit.Bit] != t.Lit.Neg:
				lo, hi = lo+t.Coef, hi+t.Coef
			}
		}
		if c.Op != factored.GE && hi > c.K || c.Op != factored.LE && lo < c.K {
			return false
		}
	}
	return true
}

// reads lists the states and actions that a constraint depends on, and reports whether it depends on next ones.
func (f *LearnedParts) reads(c *factored.Constraint) (all []int, next bool) {
	add := func(v *factored.Variable, then bool) {
		next = next || then
		all = append(all, f.p.Index(v))
	}
	if c.Written != nil {
		c.Written.Reads(add)
	} else {
		for _, t := range c.Terms {
			v, _ := f.p.Owner(t.Lit.Bit)
			add(v, t.Lit.Next)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), next
}

// split divides variables into fields and actions.
func (f *LearnedParts) split(reads []int) (fields, actions []int, err error) {
	for _, v := range reads {
		switch k, ok := f.place[v]; {
		case ok:
			fields = append(fields, k)
		case f.p.Variables[v].Kind == factored.Action:
			actions = append(actions, v)
		default:
			return nil, nil, fmt.Errorf("%w: a step depends on %s", bracket.ErrNotFactored, f.p.Variables[v].Name)
		}
	}
	return fields, actions, nil
}

// partOf prepares to remember what depends on some states and actions.
func partOf[T any](f *LearnedParts, reads []int) (memo[T], error) {
	fields, actions, err := f.split(reads)
	if err != nil {
		return memo[T]{}, err
	}
	return newMemo[T](f.Fields(), fields, len(f.actions), func(a int) string {
		var of []int64
		for _, v := range actions {
			of = append(of, f.p.Variables[v].Value(f.actions[a]))
		}
		return fmt.Sprint(of)
	}), nil
}

// draw adds the draw of some states.
func (f *LearnedParts) draw(reads, states []int) error {
	c, err := partOf[*bracket.Draw](f, reads)
	for _, v := range states {
		c.scope.Writes = append(c.scope.Writes, f.place[v])
	}
	f.draws = append(f.draws, c)
	return err
}

// set has the valuation now in a state with a joint action. Fields that do not count may have values that they do
// not have.
func (f *LearnedParts) set(state []uint64, action uint32) error {
	clear(f.now)
	if err := f.Unpack(f.now, state); err != nil {
		return err
	}
	return f.Action(f.now, action)
}

// Plain implements bracket.Model.
func (f *LearnedParts) Plain() bool { return !f.ends }

// Actions implements bracket.Model.
func (f *LearnedParts) Actions() int { return len(f.actions) }

// Legal implements bracket.Model.
func (f *LearnedParts) Legal(state []uint64, list []uint32) ([]uint32, error) {
	list = list[:0]
	if err := f.set(state, 0); err != nil {
		return nil, err
	}
	for a := range f.actions {
		if len(f.rules) > 0 {
			if err := f.Action(f.now, uint32(a)); err != nil {
				return nil, err
			}
		}
		if !slices.ContainsFunc(f.rules, func(c *factored.Constraint) bool { return !holds(c, f.now, nil) }) {
			list = append(list, uint32(a))
		}
	}
	return list, nil
}

// Condition implements bracket.Model.
func (f *LearnedParts) Condition(i int, state []uint64) (bool, error) {
	err := f.set(state, 0)
	return holds(&f.p.Goal[i], f.now, nil), err
}

// Draw implements bracket.Model.
func (f *LearnedParts) Draw(factor int, state []uint64, action uint32) (*bracket.Draw, error) {
	return f.draws[factor].get(state, action, func() (*bracket.Draw, error) {
		if err := f.set(state, action); err != nil {
			return nil, err
		}
		if groups := f.t.Groups(); factor >= groups {
			v := f.t.Sure()[factor-groups]
			return f.rows([]int{v}, [][]int64{{f.t.Predict(f.now)[v]}}, []float64{1})
		}
		d := f.t.Draw(factor, f.now)
		p := make([]float64, len(d.Values))
		for i := range p {
			p[i], _ = d.Probability[i].Float64()
		}
		return f.rows(d.Variables, d.Values, p)
	})
}

// rows packs next values of some states.
func (f *LearnedParts) rows(states []int, values [][]int64, p []float64) (*bracket.Draw, error) {
	d := &bracket.Draw{P: p, Bits: make([]uint64, len(values)*f.words)}
	for i, row := range values {
		for j, v := range states {
			x := &f.fields[f.place[v]]
			if !x.put(d.Bits[i*f.words:], row[j]) {
				return nil, fmt.Errorf("%w: a next value of %s can be outside its range", bracket.ErrNotFactored, f.p.Variables[v].Name)
			}
		}
	}
	return d, nil
}

// Rule implements bracket.Model: there are none.
func (f *LearnedParts) Rule(int, []uint64, uint32) (bool, error) { return true, nil }

// Needs implements bracket.Model.
func (f *LearnedParts) Needs(factor int, _ uint32) []int { return f.draws[factor].scope.Reads }

// Term implements bracket.Model.
func (f *LearnedParts) Term(term int, state []uint64, action uint32) (float64, error) {
	return f.sums[term].get(state, action, func() (float64, error) {
		if err := f.set(state, action); err != nil {
			return 0, err
		}
		p := f.rewards[term]
		sum, ok := validate.StepReward(p, f.now, f.next)
		if !ok {
			return 0, fmt.Errorf("%w: state and action do not determine the reward", bracket.ErrNotFactored)
		}
		return float64(sum) / float64(p.Reward.Scale), nil
	})
}

// TermRange implements bracket.Model.
func (f *LearnedParts) TermRange(term int) (lo, hi float64) {
	r := &f.rewards[term].Reward
	least, most := r.Constant, r.Constant
	for _, t := range r.Terms {
		least, most = least+min(0, t.Weight), most+max(0, t.Weight)
	}
	return float64(least) / float64(r.Scale), float64(most) / float64(r.Scale)
}

// pay splits the reward into sums that depend on the same states and actions.
func (f *LearnedParts) pay() error {
	for _, x := range payments(f.p) {
		if len(x.next) > 0 {
			return fmt.Errorf("%w: the reward depends on the next state", bracket.ErrNotFactored)
		}
		c, err := partOf[float64](f, x.now)
		if err != nil {
			return err
		}
		f.sums, f.rewards = append(f.sums, c), append(f.rewards, x.p)
	}
	return nil
}
