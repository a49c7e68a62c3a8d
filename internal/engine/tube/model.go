package tube

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// Quantity is a state or an action: an integer in Lo..Hi.
type Quantity struct {
	Name string `json:"name"`
	Lo   int64  `json:"lo"`
	Hi   int64  `json:"hi"`
}

// Linear is the form (X x + U u + C) / D over states x and actions u; D is positive.
type Linear struct {
	X []int64 `json:"x"`
	U []int64 `json:"u"`
	C int64   `json:"c"`
	D int64   `json:"d"`
}

// value returns the numerator of l; u is nil where l reads no action.
func (l *Linear) value(x, u []int64) int64 {
	sum := l.C
	for i, a := range l.X {
		sum += a * x[i]
	}
	for i, a := range u {
		sum += l.U[i] * a
	}
	return sum
}

// Atom is the condition that a form is at most 0, or below 0 if it is strict.
type Atom struct {
	Linear
	Strict bool   `json:"strict,omitempty"`
	Text   string `json:"text,omitempty"` // for messages
}

// Holds reports whether a holds. For a state alone u may be nil if the atom reads no action.
func (a *Atom) Holds(x, u []int64) bool {
	v := a.value(x, u)
	return v < 0 || v == 0 && !a.Strict
}

// Acts reports whether a reads an action.
func (a *Atom) Acts() bool {
	return slices.ContainsFunc(a.U, func(c int64) bool { return c != 0 })
}

// Not returns the condition that a does not hold.
func (a *Atom) Not() Atom {
	n := Atom{Linear{make([]int64, len(a.X)), make([]int64, len(a.U)), -a.C, a.D}, !a.Strict, ""}
	for i, c := range a.X {
		n.X[i] = -c
	}
	for i, c := range a.U {
		n.U[i] = -c
	}
	return n
}

// Function is a tree: a leaf gives a linear form, another node a test and two functions.
type Function struct {
	If   *Atom     `json:"if,omitempty"` // nil for a leaf
	Then *Function `json:"then,omitempty"`
	Else *Function `json:"else,omitempty"`
	Leaf Linear    `json:"leaf"`
}

// cut returns a form with an end of its range as a test, if its values may be below or above it once they are rounded.
func (l *Linear) cut(lo, hi int64, below, above bool) *Function {
	out := &Function{Leaf: *l}
	end := func(x int64) *Function {
		return &Function{Leaf: Linear{X: make([]int64, len(l.X)), U: make([]int64, len(l.U)), C: x, D: 1}}
	}
	if above {
		test := l.clone()
		test.C -= hi * l.D
		out = &Function{If: &Atom{Linear: test}, Then: out, Else: end(hi)}
	}
	if below {
		test := l.clone()
		test.negate()
		test.C += lo * l.D
		out = &Function{If: &Atom{Linear: test}, Then: out, Else: end(lo)}
	}
	return out
}

// at returns the leaf for a state and an action.
func (f *Function) at(x, u []int64) *Linear {
	for f.If != nil {
		if f.If.Holds(x, u) {
			f = f.Then
		} else {
			f = f.Else
		}
	}
	return &f.Leaf
}

// Next is how one state goes on: the function, rounded to the nearest integer, halves to even, plus an error in
// Low..High, cut off at the range of the state.
type Next struct {
	Function *Function `json:"function,omitempty"`
	Low      int64     `json:"low"`
	High     int64     `json:"high"`
	// Given, where it is not nil, are the values after each step, in place of the function; the last one is held.
	Given []int64 `json:"given,omitempty"`
}

// Model is a system. Check it before use.
type Model struct {
	States  []Quantity `json:"states"`
	Actions []Quantity `json:"actions"`
	Next    []Next     `json:"next"` // of each state
}

// Check reports what makes a model meaningless, and sums that could leave 64 bits.
func (m *Model) Check() error {
	if len(m.Next) != len(m.States) {
		return fmt.Errorf("%d functions for %d states", len(m.Next), len(m.States))
	}
	for i := range m.Next {
		n := &m.Next[i]
		if n.Low > n.High {
			return fmt.Errorf("%s has an empty band %d..%d", m.States[i].Name, n.Low, n.High)
		}
		if n.Given == nil {
			if err := m.checkFunction(n.Function); err != nil {
				return fmt.Errorf("the function of %s: %w", m.States[i].Name, err)
			}
		}
	}
	return nil
}

func (m *Model) checkFunction(f *Function) error {
	switch {
	case f == nil:
		return errors.New("there is none")
	case f.If == nil:
		return m.CheckForm(&f.Leaf)
	}
	if err := m.CheckForm(&f.If.Linear); err != nil {
		return err
	}
	if err := m.checkFunction(f.Then); err != nil {
		return err
	}
	return m.checkFunction(f.Else)
}

// mostValue bounds the magnitude of what a form may have.
const mostValue = 1 << 52

// CheckForm reports a form that does not fit the model or could leave 53 bits, in which floats are exact.
func (m *Model) CheckForm(l *Linear) error {
	if len(l.X) != len(m.States) || len(l.U) != len(m.Actions) || l.D <= 0 {
		return fmt.Errorf("a form of %d states and %d actions over %d; expected %d and %d, and a positive denominator", len(l.X), len(l.U), l.D, len(m.States), len(m.Actions))
	}
	sum := new(big.Int).Abs(big.NewInt(l.C))
	add := func(a int64, q *Quantity) {
		most := new(big.Int).Abs(big.NewInt(max(q.Hi, -q.Lo, 1)))
		sum.Add(sum, most.Mul(most, new(big.Int).Abs(big.NewInt(a))))
	}
	for i, a := range l.X {
		add(a, &m.States[i])
	}
	for i, a := range l.U {
		add(a, &m.Actions[i])
	}
	if sum.Cmp(big.NewInt(mostValue)) > 0 || l.D > mostValue {
		return errors.New("its coefficients are too large for the ranges; expected values below 2^52")
	}
	return nil
}

// Step sets next to the state after a step with given errors, which are not cut off at their bands; t is the number of
// the step, from 1.
func (m *Model) Step(next, x, u, errs []int64, t int) {
	for i := range m.Next {
		n := &m.Next[i]
		var v int64
		if n.Given != nil {
			v = n.given(t)
		} else {
			l := n.Function.at(x, u)
			v = roundEven(l.value(x, u), l.D)
		}
		next[i] = min(m.States[i].Hi, max(m.States[i].Lo, v+errs[i]))
	}
}

// given returns the value after step t.
func (n *Next) given(t int) int64 { return n.Given[min(t, len(n.Given))-1] }

// roundEven returns the integer nearest to a/b, b > 0, of two the even one.
func roundEven(a, b int64) int64 {
	q, r := a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	if r > b-r || r == b-r && q%2 != 0 {
		q++
	}
	return q
}

// Task is what a plan has to do from a state: keep the rules in every step, and reach the goal with the last one.
type Task struct {
	*Model
	Start []int64 `json:"start"`
	// Rules with an action hold in each step, the others in each state, the first and the last one too.
	Rules []Atom `json:"rules"`
	Goal  []Atom `json:"goal"`
	// Change bounds by how much each action may differ from one step to the next; nil for no bounds. Before is the
	// action before the first step, nil if that is not known. Such a bound is a rule too.
	Change []int64 `json:"change,omitempty"`
	Before []int64 `json:"before,omitempty"`
}

// Check reports what makes a task meaningless.
func (t *Task) Check() error {
	if err := t.Model.Check(); err != nil {
		return err
	}
	for _, list := range [][]Atom{t.Rules, t.Goal} {
		for i := range list {
			if err := t.CheckForm(&list[i].Linear); err != nil {
				return fmt.Errorf("%s: %w", list[i].Text, err)
			}
		}
	}
	for i := range t.Goal {
		if t.Goal[i].Acts() {
			return fmt.Errorf("the goal %s reads an action", t.Goal[i].Text)
		}
	}
	if len(t.Start) != len(t.States) {
		return fmt.Errorf("%d values of a state, expected %d", len(t.Start), len(t.States))
	}
	return nil
}

// Follow follows a plan with given errors, nil for none, and returns the states. It reports the first step (from 1, H+1 for
// the end) at which something is broken and what, 0 for nothing.
func (t *Task) Follow(plan, errs [][]int64) (states [][]int64, step int, broken string) {
	x := t.Start
	zero := make([]int64, len(t.States))
	before := t.Before
	for k, u := range plan {
		states = append(states, x)
		if b := t.breaks(x, u, before); b != "" {
			return states, k + 1, b
		}
		w := zero
		if errs != nil {
			w = errs[k]
		}
		next := make([]int64, len(x))
		t.Step(next, x, u, w, k+1)
		x, before = next, u
	}
	if b := t.Broken(x, nil, true); b != "" {
		return append(states, x), len(plan) + 1, b
	}
	return append(states, x), 0, ""
}

// Broken returns the rule that a state and an action break or, at the end, where there is no action, the part of the goal
// that does not hold; "" for none.
func (t *Task) Broken(x, u []int64, end bool) string {
	if b := t.breaks(x, u, nil); b != "" || !end {
		return b
	}
	for i := range t.Goal {
		if !t.Goal[i].Holds(x, nil) {
			return t.Goal[i].Text
		}
	}
	return ""
}

// breaks returns the rule that a step breaks, "" for none; u is nil for a state alone.
func (t *Task) breaks(x, u, before []int64) string {
	for i := range t.Rules {
		if r := &t.Rules[i]; (u != nil || !r.Acts()) && !r.Holds(x, u) {
			return r.Text
		}
	}
	for j := range u {
		q := &t.Actions[j]
		if u[j] < q.Lo || u[j] > q.Hi {
			return fmt.Sprintf("the range of %s", q.Name)
		}
		if t.Change != nil && before != nil && abs(u[j]-before[j]) > t.Change[j] {
			return fmt.Sprintf("the change of %s", q.Name)
		}
	}
	return ""
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// After returns the model as it is after so many steps: given values move on.
func (m *Model) After(steps int) *Model {
	if steps == 0 {
		return m
	}
	out := *m
	for i := range m.Next {
		if g := m.Next[i].Given; g != nil {
			if &out.Next[0] == &m.Next[0] {
				out.Next = append([]Next(nil), m.Next...)
			}
			out.Next[i].Given = g[min(steps, len(g)-1):]
		}
	}
	return &out
}
