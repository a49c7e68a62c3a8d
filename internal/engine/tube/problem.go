package tube

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Band is the range of the error of a state, in steps.
type Band struct{ Low, High int64 }

// Layout says which variables of a problem the states and actions of a task are.
type Layout struct {
	p               *factored.Problem
	States, Actions []int
	place           map[int]int // of a state or action among these
	next            map[int]int // of a Question: of the value of a state after the step among the states; nil for others
}

// ref is a variable, or its next value.
type ref struct {
	variable int
	next     bool
}

// FromProblem returns the task of a problem whose rules, goal and functions are linear over its integers; bands are those of
// its states, by their indices, and no band is no error. Inputs go on as given; one without Given keeps its value. States that
// neither rules and goal nor functions of such states read are left out; with paid, those that the reward reads are not.
func FromProblem(p *factored.Problem, bands map[int]Band, inputs map[int]Next, paid bool) (*Task, *Layout, error) {
	l := &Layout{p: p, place: map[int]int{}}
	functions := functionsOf(p)
	var rules, goal []factored.Constraint
	for _, c := range p.Global {
		if !c.Defines && !c.Function {
			rules = append(rules, c)
		}
	}
	goal = append(goal, p.Goal...)
	all := append(slices.Clone(rules), goal...)
	if paid {
		all = append(all, paidBy(&p.Reward))
	}
	l.cone(all, functions)
	first, known := p.InitialBits()
	var start []int64
	for _, i := range l.States {
		v := &p.Variables[i]
		if _, given := inputs[i]; functions[i] == nil && !given {
			return nil, nil, fmt.Errorf("the next value of %s is not given by a function", v.Name)
		}
		if slices.Contains(known[v.First:int(v.First)+v.Width], false) {
			return nil, nil, fmt.Errorf("the initial state leaves %s open; expected a value", v.Name)
		}
		start = append(start, v.Value(first))
	}
	t, err := l.task(rules, goal, func(at, i int) Next {
		next, given := inputs[i]
		switch {
		case !given:
			next = Next{Function: l.clamped(functions[i]), Low: bands[i].Low, High: bands[i].High}
		case next.Given == nil:
			same := l.linear()
			same.X[at] = 1
			next.Function = &Function{Leaf: same}
		}
		return next
	})
	t.Start = start
	if err == nil {
		err = t.Check()
	}
	return t, l, err
}

// task returns the task of rules and a goal whose states go on by next, which gets a state's place and its variable.
func (l *Layout) task(rules, goal []factored.Constraint, next func(at, i int) Next) (*Task, error) {
	t := &Task{Model: &Model{}}
	quantity := func(i int) Quantity {
		v := &l.p.Variables[i]
		return Quantity{v.Name, v.Lo, v.Hi}
	}
	for at, i := range l.States {
		t.States, t.Next = append(t.States, quantity(i)), append(t.Next, next(at, i))
	}
	for _, i := range l.Actions {
		t.Actions = append(t.Actions, quantity(i))
	}
	var err, failed error
	t.Rules, err = l.atoms(rules)
	t.Goal, failed = l.atoms(goal)
	return t, errors.Join(err, failed)
}

// functionsOf are the functions of a problem by their variables.
func functionsOf(p *factored.Problem) map[int]*factored.Function {
	out := map[int]*factored.Function{}
	for i := range p.Functions {
		out[p.Functions[i].Variable] = &p.Functions[i]
	}
	return out
}

// cone finds the states that matter.
func (l *Layout) cone(all []factored.Constraint, functions map[int]*factored.Function) {
	p := l.p
	var todo []int
	seen := map[int]bool{}
	see := func(i int) {
		if !seen[i] && p.Variables[i].Kind == factored.State {
			seen[i] = true
			todo = append(todo, i)
		}
	}
	for i := range all {
		if l.always(&all[i]) {
			continue
		}
		for _, t := range all[i].Terms {
			v, _ := p.Owner(t.Lit.Bit)
			see(l.index(v))
		}
	}
	for len(todo) > 0 {
		f := functions[todo[0]]
		todo = todo[1:]
		if f != nil {
			for _, i := range f.Reads() {
				see(i)
			}
		}
	}
	for i := range p.Variables {
		switch v := &p.Variables[i]; {
		case v.Kind == factored.State && seen[i]:
			l.place[i] = len(l.States)
			l.States = append(l.States, i)
		case v.Kind == factored.Action:
			l.place[i] = len(l.Actions)
			l.Actions = append(l.Actions, i)
		}
	}
}

func (l *Layout) linear() Linear {
	return Linear{X: make([]int64, len(l.States)), U: make([]int64, len(l.Actions)), D: 1}
}

// at returns where the coefficient of a variable is.
func (l *Layout) at(f *Linear, variable int) *int64 { return l.of(f, ref{variable: variable}) }

func (l *Layout) of(f *Linear, r ref) *int64 {
	switch {
	case r.next:
		return &f.X[l.next[r.variable]]
	case l.next != nil || l.p.Variables[r.variable].Kind == factored.Action:
		return &f.U[l.place[r.variable]]
	}
	return &f.X[l.place[r.variable]]
}

// clamped returns a function with its ends as tests.
func (l *Layout) clamped(f *factored.Function) *Function {
	v := &l.p.Variables[f.Variable]
	lo, hi := f.Lo, f.Hi
	return l.tree(f.Root, func(a Linear) *Function {
		if lo == v.Lo && hi == v.Hi && a.copied() >= 0 {
			return &Function{Leaf: a}
		}
		below := a.clone()
		below.negate()
		return a.cut(lo, hi, l.most(&below) >= -2*lo*a.D+a.D, l.most(&a) >= 2*hi*a.D+a.D)
	})
}

// most is twice the greatest numerator of a form.
func (l *Layout) most(f *Linear) int64 {
	sum := f.C
	for i, a := range f.X {
		v := &l.p.Variables[l.States[i]]
		sum += max(a*v.Lo, a*v.Hi)
	}
	for j, b := range f.U {
		v := &l.p.Variables[l.Actions[j]]
		sum += max(b*v.Lo, b*v.Hi)
	}
	return 2 * sum
}

func (f *Linear) clone() Linear {
	return Linear{slices.Clone(f.X), slices.Clone(f.U), f.C, f.D}
}

func (f *Linear) negate() {
	for i := range f.X {
		f.X[i] = -f.X[i]
	}
	for j := range f.U {
		f.U[j] = -f.U[j]
	}
	f.C = -f.C
}

// tree translates a tree; leaf is called for the forms of its leaves.
func (l *Layout) tree(n *factored.FunctionNode, leaf func(Linear) *Function) *Function {
	return l.sum(&n.Sum, func(a Linear) *Function {
		if n.Low == nil {
			return leaf(a)
		}
		return &Function{If: &Atom{Linear: a}, Then: l.tree(n.Low, leaf), Else: l.tree(n.High, leaf)}
	})
}

// sum translates a sum; of each summand that asks whether an integer has a value there is a test for either side of it.
func (l *Layout) sum(a *factored.Affine, then func(Linear) *Function) *Function {
	f := l.linear()
	f.C, f.D = a.K, a.Den
	var asks []factored.Summand
	for _, s := range a.Terms {
		v := &l.p.Variables[s.Variable]
		switch {
		case !s.Is:
			*l.at(&f, s.Variable) += s.Coef
		case v.Hi-v.Lo == 1 && s.Value == v.Hi: // x - lo
			*l.at(&f, s.Variable) += s.Coef
			f.C -= s.Coef * v.Lo
		case v.Hi-v.Lo == 1 && s.Value == v.Lo: // hi - x
			*l.at(&f, s.Variable) -= s.Coef
			f.C += s.Coef * v.Hi
		case s.Value < v.Lo || s.Value > v.Hi:
		default:
			asks = append(asks, s)
		}
	}
	return l.ask(f, asks, then)
}

func (l *Layout) ask(f Linear, asks []factored.Summand, then func(Linear) *Function) *Function {
	if len(asks) == 0 {
		return then(f)
	}
	s := asks[0]
	with := f.clone()
	with.C += s.Coef
	upTo := func(x int64) *Atom {
		a := l.linear()
		*l.at(&a, s.Variable) = 1
		a.C = -x
		return &Atom{Linear: a}
	}
	no := func() *Function { return l.ask(f, asks[1:], then) }
	return &Function{If: upTo(s.Value - 1), Then: no(), Else: &Function{If: upTo(s.Value), Then: l.ask(with, asks[1:], then), Else: no()}}
}

// always reports whether a constraint only keeps a variable in its range.
func (l *Layout) always(c *factored.Constraint) bool {
	a, err := l.form(c, true)
	if err != nil || a == nil {
		return false
	}
	least, most := a.k, a.k
	for r, f := range a.by {
		v := &l.p.Variables[r.variable]
		least += min(f*v.Lo, f*v.Hi)
		most += max(f*v.Lo, f*v.Hi)
	}
	switch c.Op {
	case factored.LE:
		return most <= c.K
	case factored.GE:
		return least >= c.K
	}
	return least == c.K && most == c.K
}

// weighted is a sum of integers.
type weighted struct {
	k  int64
	by map[ref]int64
}

// form returns a constraint's sum over the integers; with loose, nil where it is none.
func (l *Layout) form(c *factored.Constraint, loose bool) (*weighted, error) {
	out := &weighted{by: map[ref]int64{}}
	bits := map[factored.Lit]int64{}
	for _, t := range c.Terms {
		if t.Lit.Neg {
			out.k += t.Coef
			t.Coef, t.Lit.Neg = -t.Coef, false
		}
		bits[t.Lit] += t.Coef
	}
	for i := range l.p.Variables {
		v := &l.p.Variables[i]
		for _, next := range []bool{false, true} {
			f, ok := factor(v, next, bits)
			switch {
			case ok:
				if f != 0 {
					out.by[ref{i, next}] = f
				}
			case loose:
				return nil, nil
			default:
				return nil, fmt.Errorf("%s is no sum of quantities; --robust takes rules and goals that are", l.p.Words(c))
			}
		}
	}
	return out, nil
}

// factor returns the coefficient of an integer, or of its next value, from those of its bits; false if it has none.
func factor(v *factored.Variable, next bool, bits map[factored.Lit]int64) (f int64, ok bool) {
	bit := func(b int) int64 { return bits[factored.Lit{Bit: v.First + factored.Bit(b), Next: next}] }
	if v.Width == 0 {
		return 0, true
	}
	f = bit(v.Width-1) / v.Weight(v.Width-1)
	for b := range v.Width {
		if bit(b) != f*v.Weight(b) || f != 0 && v.Kind == factored.Auxiliary {
			return 0, false
		}
	}
	return f, true
}

// atoms translates constraints to conditions; those that ranges imply are left out.
func (l *Layout) atoms(all []factored.Constraint) (out []Atom, err error) {
	for i := range all {
		c := &all[i]
		if l.always(c) {
			continue
		}
		if more := l.interval(c); more != nil {
			out = append(out, more...)
			continue
		}
		w, err := l.form(c, false)
		if err != nil {
			return nil, err
		}
		text := l.p.Words(c)
		f := l.linear()
		for r, k := range w.by {
			*l.of(&f, r) = k
		}
		f.C = w.k - c.K
		if c.Op != factored.GE {
			out = append(out, Atom{Linear: f.clone(), Text: text})
		}
		if c.Op != factored.LE {
			f.negate()
			out = append(out, Atom{Linear: f, Text: text})
		}
	}
	return out, nil
}

// mostListed bounds the values of a variable that are tried one by one.
const mostListed = 1 << 20

// interval translates a constraint on one integer, that is no sum, to the bounds that it stands for; nil if it stands
// for none.
func (l *Layout) interval(c *factored.Constraint) (out []Atom) {
	r, lo, hi := l.ends(c)
	if lo > hi {
		return nil
	}
	v, text := &l.p.Variables[r.variable], l.p.Words(c)
	if lo > v.Lo {
		f := l.linear()
		*l.of(&f, r), f.C = -1, lo
		out = append(out, Atom{Linear: f, Text: text})
	}
	if hi < v.Hi {
		f := l.linear()
		*l.of(&f, r), f.C = 1, -hi
		out = append(out, Atom{Linear: f, Text: text})
	}
	return out
}

// ends returns the integer that a constraint is about, and the bounds that it stands for; none if lo is above hi.
func (l *Layout) ends(c *factored.Constraint) (r ref, lo, hi int64) {
	if len(c.Terms) == 0 {
		return r, 1, 0
	}
	v, _ := l.p.Owner(c.Terms[0].Lit.Bit)
	r = ref{l.index(v), c.Terms[0].Lit.Next}
	for _, t := range c.Terms {
		if w, _ := l.p.Owner(t.Lit.Bit); w != v || t.Lit.Next != r.next {
			return r, 1, 0
		}
	}
	if v.Kind == factored.Auxiliary || v.Hi-v.Lo >= mostListed {
		return r, 1, 0
	}
	val := make(factored.Valuation, l.p.NumBits())
	lo, hi = v.Hi+1, v.Lo-1
	for x := v.Lo; x <= v.Hi; x++ {
		if v.Set(val, x) == nil && c.Holds(val, val) {
			if hi >= v.Lo && hi != x-1 {
				return r, 1, 0
			}
			lo, hi = min(lo, x), x
		}
	}
	return r, lo, hi
}

// index returns the place of a variable.
func (l *Layout) index(v *factored.Variable) int {
	return slices.IndexFunc(l.p.Variables, func(w factored.Variable) bool { return w.Name == v.Name })
}

// Reward returns the reward of a step as a form over the state before it and the action; nil where it is none.
func (l *Layout) Reward() *Linear {
	r := &l.p.Reward
	if slices.ContainsFunc(r.Terms, func(t factored.RewardTerm) bool { return t.Lit.Next }) {
		return nil
	}
	c := paidBy(r)
	w, err := l.form(&c, true)
	if err != nil || w == nil {
		return nil
	}
	f := l.linear()
	for r, k := range w.by {
		if _, in := l.place[r.variable]; !in {
			return nil
		}
		*l.of(&f, r) = k
	}
	f.C, f.D = w.k+r.Constant, max(1, r.Scale)
	return &f
}

// paidBy is a condition on what a reward reads, which may hold or not.
func paidBy(r *factored.Reward) factored.Constraint {
	c := factored.Constraint{Op: factored.EQ}
	for _, t := range r.Terms {
		c.Terms = append(c.Terms, factored.Term{Coef: t.Weight, Lit: t.Lit})
	}
	return c
}

// Action writes an action into a valuation.
func (l *Layout) Action(val factored.Valuation, u []int64) error {
	for j, i := range l.Actions {
		if err := l.p.Variables[i].Set(val, u[j]); err != nil {
			return err
		}
	}
	return nil
}

// State reads the states of the task from a valuation.
func (l *Layout) State(val factored.Valuation) []int64 { return l.read(l.States, val) }

// Joint reads the actions from a valuation.
func (l *Layout) Joint(val factored.Valuation) []int64 { return l.read(l.Actions, val) }

func (l *Layout) read(of []int, val factored.Valuation) (out []int64) {
	for _, i := range of {
		out = append(out, l.p.Variables[i].Value(val))
	}
	return out
}

// Before returns the action before the start, as lags of actions in it tell; nil if they do not.
func (l *Layout) Before(start []int64) []int64 {
	out := make([]int64, len(l.Actions))
	for j, i := range l.Actions {
		name := l.p.Variables[i].Name
		k := slices.IndexFunc(l.States, func(s int) bool { return l.p.Variables[s].Lag == factored.Lag{Of: name, By: 1} })
		if k < 0 {
			return nil
		}
		out[j] = start[k]
	}
	return out
}

// Unit is what one step of state or action i of the task stands for.
func (l *Layout) Unit(i int) *big.Rat { return l.p.Variables[l.States[i]].Step() }
