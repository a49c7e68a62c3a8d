package robust

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// form is c + the sum of a[v] times variable v. As a row it is the condition that this is at most 0.
type form struct {
	c *big.Rat
	a map[int]*big.Rat
}

// constant is a number; compiled into each place that calls it, it would make the program larger, as would less.
//
//go:noinline
func constant(x int64) form { return form{c: big.NewRat(x, 1)} }

// plus returns f + by*g.
func (f form) plus(by *big.Rat, g form) form {
	out := form{c: new(big.Rat).Mul(by, g.c), a: make(map[int]*big.Rat, len(f.a)+len(g.a))}
	out.c.Add(out.c, f.c)
	for v, x := range f.a {
		out.a[v] = x
	}
	for v, x := range g.a {
		y := new(big.Rat).Mul(by, x)
		if z := out.a[v]; z != nil {
			y.Add(y, z)
		}
		if out.a[v] = y; y.Sign() == 0 {
			delete(out.a, v)
		}
	}
	return out
}

var one, minus, half = big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 2)

//go:noinline
func (f form) less(g form) form { return f.plus(minus, g) }

// checker goes through the cases of a proof.
type checker struct {
	ctx    context.Context
	r      *Record
	line   int
	lo, hi []*big.Rat // of the variables
	rows   []form
	x      []form   // where the steps begin
	u      [][]form // the actions of each
	list   []int    // the courses at hand
	cases  int
	added  int // courses beside the first ones, at hand
	deep   int // and at most
}

// Shown is what a proof consists of.
type Shown struct {
	Cases   int  // that are refuted
	Courses int  // that are compared at most
	Follows bool // their errors aim at something
}

// Check reports what is wrong with a proof.
func (r *Record) Check(ctx context.Context) (*Shown, error) {
	c := &checker{ctx: ctx, r: r}
	for i := range r.First {
		c.list = append(c.list, i)
	}
	c.begin()
	at := make([][]form, len(c.list))
	for k := range at {
		at[k] = c.x
	}
	if err := c.step(0, 0, at); err != nil {
		return nil, err
	}
	if c.line != len(r.Proof) {
		return nil, fmt.Errorf("the proof goes on after its last case, at line %d", c.line+1)
	}
	follows := slices.ContainsFunc(r.Courses, func(c Course) bool { return c.Aims != nil })
	return &Shown{c.cases, r.First + c.deep, follows}, nil
}

// variable makes one that is between two numbers.
func (c *checker) variable(lo, hi *big.Rat) form {
	c.lo, c.hi = append(c.lo, lo), append(c.hi, hi)
	return form{c: new(big.Rat), a: map[int]*big.Rat{len(c.lo) - 1: one}}
}

func (c *checker) integer(lo, hi int64) form {
	return c.variable(constant(lo).c, constant(hi).c)
}

// begin makes the states where the steps begin, and the actions.
func (c *checker) begin() {
	t := &c.r.Task
	for i, q := range t.States {
		if c.r.Anywhere {
			c.x = append(c.x, c.integer(q.Lo, q.Hi))
		} else {
			c.x = append(c.x, constant(t.Start[i]))
		}
	}
	near := func(a, b form, d int64) {
		c.rows = append(c.rows, a.less(b).less(constant(d)), b.less(a).less(constant(d)))
	}
	for s := range c.r.Steps {
		var u []form
		for j, q := range t.Actions {
			v := c.integer(q.Lo, q.Hi)
			switch {
			case t.Change == nil:
			case s > 0:
				near(v, c.u[s-1][j], t.Change[j])
			case !c.r.Anywhere && t.Before != nil:
				near(v, constant(t.Before[j]), t.Change[j])
			}
			u = append(u, v)
		}
		c.u = append(c.u, u)
	}
}

// most is the greatest value of a form.
func (c *checker) most(f form) *big.Rat {
	sum := new(big.Rat).Set(f.c)
	for v, x := range f.a {
		end := c.hi[v]
		if x.Sign() < 0 {
			end = c.lo[v]
		}
		sum.Add(sum, new(big.Rat).Mul(x, end))
	}
	return sum
}

// next returns the line that is about what comes next.
func (c *checker) next() (*Line, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, context.Cause(c.ctx)
	}
	if c.line == len(c.r.Proof) {
		return nil, fmt.Errorf("the proof ends before its last case")
	}
	c.line++
	return &c.r.Proof[c.line-1], nil
}

// under goes on with more rows, unless the line refutes them.
func (c *checker) under(rows []form, then func() error) error {
	n := len(c.rows)
	c.rows = append(c.rows, rows...)
	defer func() { c.rows = c.rows[:n] }()
	if len(rows) == 0 {
		return then()
	}
	l, err := c.next()
	if err != nil || len(l.Rows) == 0 {
		if err == nil {
			err = then()
		}
		return err
	}
	sum := constant(0)
	for k, at := range l.Rows {
		if at < 0 || at >= len(c.rows) || k >= len(l.By) || !(l.By[k] > 0) || math.IsInf(l.By[k], 0) {
			return fmt.Errorf("line %d has no multiplier above 0 for each of its rows, or names one that is not there", c.line)
		}
		sum = sum.plus(new(big.Rat).SetFloat64(l.By[k]), c.rows[at])
	}
	if c.most(constant(0).less(sum)).Sign() >= 0 {
		return fmt.Errorf("line %d does not refute its case: the sum of its rows can be 0 or below", c.line)
	}
	c.cases++
	return nil
}

// over is the value of a form.
func (c *checker) over(l *Linear, x, u []form) form {
	out := constant(l.C)
	for i, a := range l.X {
		if a != 0 {
			out = out.plus(constant(a).c, x[i])
		}
	}
	for j, b := range l.U {
		if b != 0 {
			out = out.plus(constant(b).c, u[j])
		}
	}
	return constant(0).plus(big.NewRat(1, l.D), out)
}

// holds is the row of a condition: on integers, below 0 is at most -1.
func (c *checker) holds(a *Atom, x, u []form) form {
	out := c.over(&a.Linear, x, u)
	if a.Strict {
		out = out.plus(big.NewRat(1, a.D), constant(1))
	}
	return out
}

// opposite is the condition that one does not hold.
func opposite(a *Atom) *Atom {
	out := &Atom{Linear{slices.Clone(a.X), slices.Clone(a.U), -a.C, a.D}, !a.Strict, ""}
	for _, list := range [][]int64{out.X, out.U} {
		for i := range list {
			list[i] = -list[i]
		}
	}
	return out
}

// step goes on with the course at place k at step s, from the states at.
func (c *checker) step(s, k int, at [][]form) error {
	if k == len(c.list) {
		s, k = s+1, 0
	}
	t, last := &c.r.Task, s == c.r.Steps
	var rows []form
	for i := range t.Rules {
		if a := &t.Rules[i]; !last {
			rows = append(rows, c.holds(a, at[k], c.u[s]))
		} else if !a.acts() {
			rows = append(rows, c.holds(a, at[k], nil))
		}
	}
	for i := 0; last && !c.r.Rules && i < len(t.Goal); i++ {
		rows = append(rows, c.holds(&t.Goal[i], at[k], nil))
	}
	return c.under(rows, func() error {
		switch {
		case !last:
			return c.state(s, k, nil, at)
		case k+1 < len(c.list):
			return c.step(s, k+1, at)
		}
		return c.another()
	})
}

// another goes on with one more course, from the beginning, beside the rows at hand.
func (c *checker) another() error {
	l, err := c.next()
	if err != nil {
		return err
	}
	if l.Course < 1 || l.Course > len(c.r.Courses) {
		return fmt.Errorf("line %d refutes nothing: its case keeps the rules and reaches the goal in all courses that were looked at", c.line)
	}
	outer := c.list
	defer func() { c.list, c.added = outer, c.added-1 }()
	c.list, c.added = []int{l.Course - 1}, c.added+1
	c.deep = max(c.deep, c.added)
	return c.step(0, 0, [][]form{c.x})
}

// state goes on with the next state after step s in the course at place k; next has those before it.
func (c *checker) state(s, k int, next []form, at [][]form) error {
	i, t, course := len(next), &c.r.Task, &c.r.Courses[c.list[k]]
	if i == len(t.States) {
		after := slices.Clone(at)
		after[k] = next
		return c.step(s, k+1, after)
	}
	n := &t.Next[i]
	then := func(v form) error {
		return c.ended(v, &t.States[i], func(v form) error { return c.state(s, k, append(slices.Clone(next), v), at) })
	}
	wrong := constant(course.Errors[s][i])
	if n.Given != nil {
		v := constant(n.Given[min(s+1, len(n.Given))-1])
		if c.r.Anywhere {
			v = c.integer(slices.Min(n.Given), slices.Max(n.Given))
		}
		return then(v.plus(one, wrong))
	}
	return c.leaf(n.Function, at[k], c.u[s], func(l *Linear) error {
		v := c.over(l, at[k], c.u[s])
		if !l.whole() {
			v = v.plus(one, c.variable(new(big.Rat).Neg(half), half)) // what rounding does
		}
		if course.Aims != nil && course.Aims[i] != nil && s < course.Aims[i].Until {
			return c.toward(course.Aims[i], n, v, next, at[k], then)
		}
		return then(v.plus(one, wrong))
	})
}

// whole reports whether a form of integers is one.
func (l *Linear) whole() bool {
	is := l.C%l.D == 0
	for _, list := range [][]int64{l.X, l.U} {
		for _, a := range list {
			is = is && a%l.D == 0
		}
	}
	return is
}

// leaf goes on with each form of a function.
func (c *checker) leaf(f *Function, x, u []form, then func(*Linear) error) error {
	if f.If == nil {
		return then(&f.Leaf)
	}
	err := c.under([]form{c.holds(f.If, x, u)}, func() error { return c.leaf(f.Then, x, u, then) })
	if err != nil {
		return err
	}
	return c.under([]form{c.holds(opposite(f.If), x, u)}, func() error { return c.leaf(f.Else, x, u, then) })
}

// toward goes on with a value whose error aims at another one: it reaches it, or is at an end of the band.
func (c *checker) toward(a *Aim, n *Next, v form, next, x []form, then func(form) error) error {
	goal, whole := constant(0), true
	add := func(f int64, of form) {
		whole = whole && f%a.By == 0
		goal = goal.plus(constant(f).c, of)
	}
	for j := range a.Now {
		if a.Now[j] != 0 {
			add(a.Now[j], x[j])
		}
		if a.Next[j] != 0 {
			add(a.Next[j], next[j])
		}
	}
	goal = constant(a.Beyond).plus(big.NewRat(1, a.By), goal)
	if rest := a.Least % a.By; !whole {
		goal = goal.plus(big.NewRat(a.Least, a.By), constant(1)).plus(one, c.variable(minus, new(big.Rat)))
	} else if goal = goal.plus(one, constant(a.Least/a.By)); rest < 0 {
		goal = goal.plus(minus, constant(1))
	}
	low, high := v.plus(one, constant(n.Low)), v.plus(one, constant(n.High))
	err := c.under([]form{low.less(goal), goal.less(high)}, func() error { return then(goal) })
	if err == nil {
		err = c.under([]form{goal.less(low)}, func() error { return then(low) })
	}
	if err == nil {
		err = c.under([]form{high.less(goal)}, func() error { return then(high) })
	}
	return err
}

// slight is how far a value may be beyond an end of its range in cases that are not divided; it is cut off there by as much, which is
// allowed for.
var slight = big.NewRat(1, 100000)

// ended goes on with a value that is cut off at the ends of its range.
func (c *checker) ended(v form, q *Quantity, then func(form) error) error {
	l, err := c.next()
	if err != nil {
		return err
	}
	above, below := v.less(constant(q.Hi)), constant(q.Lo).less(v)
	zero := constant(0)
	var inside []form
	for _, end := range []struct {
		divided bool
		beyond  form
		at      int64
		sign    *big.Rat
	}{{l.Above, above, q.Hi, minus}, {l.Below, below, q.Lo, one}} {
		most := c.most(end.beyond)
		switch {
		case end.divided:
			if err := c.under([]form{zero.less(end.beyond)}, func() error { return then(constant(end.at)) }); err != nil {
				return err
			}
			inside = append(inside, end.beyond)
		case most.Cmp(slight) > 0:
			return fmt.Errorf("line %d does not divide a value of %s at an end of its range, which it can be beyond", c.line, q.Name)
		case most.Sign() > 0:
			v = v.plus(end.sign, c.variable(new(big.Rat), most))
		}
	}
	return c.under(inside, func() error { return then(v) })
}
