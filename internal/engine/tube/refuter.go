package tube

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/certify/robust"
)

// refuter goes through the combinations of regions of all courses together.
type refuter struct {
	t        *Task
	ctx      context.Context
	k        int
	anywhere bool // steps begin in any state; else in the start
	goal     bool // the goal holds after them
	courses  []Course
	trends   []trend // where steps begin
	u        [][]row
	size     float64 // that no variable exceeds
	vars     []box
	rows     []row
	cases    int
	most     int       // courses that may be added
	choice   []Course  // to add
	used     []bool    // of these, that were
	added    int       // courses beside the first ones, at most
	depth    int       // of these, at hand
	x        []row     // where steps begin
	point    []float64 // values of the variables
	work     int64
	record   *Record // to keep the proof in; nil not to
}

// variable adds one.
func (r *refuter) variable(lo, hi float64) row {
	r.vars = append(r.vars, box{lo, hi})
	v := row{a: make([]float64, len(r.vars))}
	v.a[len(r.vars)-1] = 1
	return v
}

func (r *refuter) integer(lo, hi int64) row {
	if lo == hi {
		return constant(lo)
	}
	return r.variable(float64(lo), float64(hi))
}

// greatest is the magnitude that no variable exceeds.
func (m *Model) greatest() float64 {
	size := int64(1)
	for _, list := range [][]Quantity{m.States, m.Actions} {
		for _, q := range list {
			size = max(size, q.Hi, -q.Lo)
		}
	}
	for i := range m.Next {
		for _, g := range m.Next[i].Given {
			size = max(size, g, -g)
		}
	}
	return float64(size)
}

// run reports whether all combinations are refuted.
func (r *refuter) run() bool {
	x, u := r.begin()
	if r.anywhere {
		for _, b := range r.trends {
			r.between(x[b.i], x[b.j], b.low, b.high)
		}
	}
	at := make([][]row, len(r.courses))
	for c := range at {
		at[c] = x
	}
	r.x, r.u = x, u
	return r.step(0, 0, at, u)
}

// mostAdded bounds the courses that are added to refute a combination of regions, and mostTried those to choose from.
const mostAdded, mostTried = 2, 81

// another refutes the rows at hand with one more course of errors: the one that breaks most at the point where they hold.
func (r *refuter) another() bool {
	if r.depth >= r.most || r.ctx == nil {
		return false
	}
	r.point = newProgram(r.vars, r.size, &r.work, r.rows).deepest()
	if r.point == nil {
		return false
	}
	x, u := r.values(r.x), make([][]float64, r.k)
	for s := range u {
		u[s] = r.values(r.u[s])
	}
	if r.choice == nil {
		r.choice = r.others()
		r.used = make([]bool, len(r.choice))
	}
	for _, follows := range []bool{false, true} { // which divides the case into fewer is not known before
		worst, most := -1, 1e-6
		for i := range r.choice {
			if c := &r.choice[i]; c.Follows() == follows {
				if v := r.t.violation(x, u, c, r.goal); v > most {
					worst, most = i, v
				}
			}
		}
		if worst >= 0 && r.with(worst) {
			return true
		}
	}
	return false
}

// with refutes the rows at hand with one more course of those to choose from.
func (r *refuter) with(course int) bool {
	outer := r.courses
	defer func() { r.courses, r.depth = outer, r.depth-1 }()
	r.courses, r.depth = []Course{r.choice[course]}, r.depth+1
	r.added, r.used[course] = max(r.added, r.depth), true
	from := r.record.length()
	r.note(robust.Line{Course: course + 1})
	if r.step(0, 0, [][]row{r.x}, r.u) {
		return true
	}
	r.record.cut(from)
	return false
}

// others are the courses to choose from: those with aims, and samples of others, all of them where they are few.
func (r *refuter) others() []Course {
	out := r.t.aimed(r.k)
	rng := rand.New(rand.NewPCG(2, 0))
	open := 0 // errors of a course
	for i := range r.t.Next {
		if b := &r.t.Next[i]; b.Low < b.High {
			open += r.k
		}
	}
	for n := range mostTried {
		c := make([][]int64, r.k)
		for s := range c {
			c[s] = make([]int64, len(r.t.States))
			for i := range c[s] {
				b := &r.t.Next[i]
				if b.Low == b.High {
					c[s][i] = b.Low
					continue
				}
				which := n % 3
				if n /= 3; open > 4 {
					which = rng.IntN(3)
				}
				c[s][i] = []int64{b.Low, b.High, (b.Low + b.High) / 2}[which]
			}
		}
		out = append(out, Course{errs: c})
	}
	return out
}

// values returns the values of rows at the point at hand.
func (r *refuter) values(rows []row) []float64 {
	out := make([]float64, len(rows))
	for i := range rows {
		out[i] = rows[i].c
		for j, a := range rows[i].a {
			out[i] += a * r.point[j]
		}
	}
	return out
}

// begin returns the states in which the steps begin, and the actions of each.
func (r *refuter) begin() (x []row, u [][]row) {
	r.size = r.t.greatest()
	x = make([]row, len(r.t.States))
	for i := range x {
		if q := &r.t.States[i]; r.anywhere {
			x[i] = r.integer(q.Lo, q.Hi)
		} else {
			x[i] = constant(r.t.Start[i])
		}
	}
	u = make([][]row, r.k)
	for s := range u {
		u[s] = make([]row, len(r.t.Actions))
		for j := range u[s] {
			q := &r.t.Actions[j]
			u[s][j] = r.integer(q.Lo, q.Hi)
			switch {
			case r.t.Change == nil:
			case s > 0:
				r.near(u[s][j], u[s-1][j], r.t.Change[j])
			case !r.anywhere && r.t.Before != nil:
				r.near(u[s][j], constant(r.t.Before[j]), r.t.Change[j])
			}
		}
	}
	if r.anywhere && r.record == nil {
		all := r.t.remembered()
		for i := range all {
			r.rows = append(r.rows, r.holds(&all[i], x, nil))
		}
	}
	return x, u
}

// near adds the rows that a and b differ by d at most.
func (r *refuter) near(a, b row, d int64) { r.between(a, b, -d, d) }

// between adds the rows that a - b is in low..high.
func (r *refuter) between(a, b row, low, high int64) {
	up, down := r.sum(float64(-high), 1, a, -1, b), r.sum(float64(low), -1, a, 1, b)
	r.rows = append(r.rows, up, down)
}

// sum returns k + f*a + g*b.
func (r *refuter) sum(k, f float64, a row, g float64, b row) row { return sum(k, f, a, g, b, r.size) }

// over returns the values of a form.
func (r *refuter) over(l *Linear, x, u []row) row { return l.over(x, u, r.size) }

// holds returns the row of an atom over integers: strict, its numerator is at most -1.
func (r *refuter) holds(a *Atom, x, u []row) row {
	out := r.over(&a.Linear, x, u)
	if a.Strict {
		out = out.plus(1 / float64(a.D))
	}
	return out
}

// under goes on with more rows, unless they refute the case.
func (r *refuter) under(rows []row, then func() bool) bool {
	n := len(r.rows)
	r.rows = append(r.rows, rows...)
	defer func() { r.rows = r.rows[:n] }()
	if len(rows) > 0 {
		if r.cases > mostCases || r.ctx != nil && r.ctx.Err() != nil {
			return false
		}
		p := newProgram(r.vars, r.size, &r.work, r.rows)
		empty := p.empty()
		if r.note(p.line()); empty {
			r.cases++
			return true
		}
	}
	return then()
}

// step goes on with course c at step s, from the states at.
func (r *refuter) step(s, c int, at [][]row, u [][]row) bool {
	if c == len(r.courses) {
		s, c = s+1, 0
	}
	last := s == r.k
	var rows []row
	for i := range r.t.Rules {
		if a := &r.t.Rules[i]; !last {
			rows = append(rows, r.holds(a, at[c], u[s]))
		} else if !a.Acts() {
			rows = append(rows, r.holds(a, at[c], nil))
		}
	}
	if last && r.goal {
		for i := range r.t.Goal {
			rows = append(rows, r.holds(&r.t.Goal[i], at[c], nil))
		}
	}
	return r.under(rows, func() bool {
		if last {
			if c+1 < len(r.courses) {
				return r.end(c+1, at)
			}
			return r.another()
		}
		return r.state(s, c, 0, nil, at, u)
	})
}

// end adds what holds at the end for the courses from c on.
func (r *refuter) end(c int, at [][]row) bool { return r.step(r.k, c, at, nil) }

// state goes on with state i of the step; next has those before it.
func (r *refuter) state(s, c, i int, next []row, at, u [][]row) bool {
	if i == len(r.t.States) {
		after := slices.Clone(at)
		after[c] = next
		return r.step(s, c+1, after, u)
	}
	n := &r.t.Next[i]
	then := func(v row) bool {
		return r.clamped(v, &r.t.States[i], func(v row) bool {
			return r.state(s, c, i+1, append(next[:i:i], v), at, u)
		})
	}
	vars := len(r.vars)
	defer func() { r.vars = r.vars[:vars] }()
	if n.Given != nil {
		v := constant(n.given(s + 1))
		if r.anywhere {
			v = r.integer(slices.Min(n.Given), slices.Max(n.Given))
		}
		return then(v.plus(float64(r.courses[c].errs[s][i])))
	}
	return r.leaf(n.Function, at[c], u[s], func(l *Linear) bool {
		vars := len(r.vars)
		defer func() { r.vars = r.vars[:vars] }()
		v := r.over(l, at[c], u[s])
		if !l.exact() {
			v = r.sum(0, 1, v, 1, r.variable(-.5, .5))
		}
		if a := r.courses[c].aim(i, s); a != nil {
			return r.toward(a, v, next, at[c], then)
		}
		return then(v.plus(float64(r.courses[c].errs[s][i])))
	})
}

// leaf goes on with every leaf of f that is possible.
func (r *refuter) leaf(f *Function, x, u []row, then func(*Linear) bool) bool {
	if f.If == nil {
		return then(&f.Leaf)
	}
	no := f.If.Not()
	yes, other := r.holds(f.If, x, u), r.holds(&no, x, u)
	side := func(test row, f *Function) bool {
		if !r.possible(&test) {
			r.note(robust.Line{Rows: []int{len(r.rows)}, By: []float64{1}})
			return true
		}
		return r.under([]row{test}, func() bool { return r.leaf(f, x, u, then) })
	}
	return side(yes, f.Then) && side(other, f.Else)
}

// clamped goes on with a value cut off at the ends of its range.
func (r *refuter) clamped(v row, q *Quantity, then func(row) bool) bool {
	above, over := r.sum(float64(-q.Hi), 1, v, 0, row{}), r.sum(float64(q.Hi), -1, v, 0, row{})
	below, under := r.sum(float64(q.Lo), -1, v, 0, row{}), r.sum(float64(-q.Lo), 1, v, 0, row{})
	const slight = 1e-6 // what is beyond an end by less is rounding, or counts as such
	v.e += 2 * slight
	var inside []row
	_, high := above.bounds(r.vars)
	_, low := below.bounds(r.vars)
	r.note(robust.Line{Above: high > slight, Below: low > slight})
	if high > slight {
		if !r.under([]row{over}, func() bool { return then(constant(q.Hi)) }) {
			return false
		}
		inside = append(inside, above)
	}
	if low > slight {
		if !r.under([]row{under}, func() bool { return then(constant(q.Lo)) }) {
			return false
		}
		inside = append(inside, below)
	}
	return r.under(inside, func() bool { return then(v) })
}

// possible reports whether a row may hold somewhere in the box.
func (r *refuter) possible(v *row) bool {
	least, _ := v.bounds(r.vars)
	return least <= 0
}
