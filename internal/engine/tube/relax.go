package tube

import (
	"math"
	"slices"
)

// relaxation is what a plan of a number of steps without errors costs at least: a linear program over the actions and over
// the next values that are rounded or have more than one form. A next value of which several forms are still possible lies,
// around each of them, within the least and the most by which another one differs from it where that one holds.
type relaxation struct {
	refuter
	at    [][]row // the states of each step, the start first
	links []link  // by steps
	cost  row     // of all steps
	fixed int     // rows that hold for every plan
}

// link is the next value of a state.
type link struct {
	step, state int
	variable    int // its place
	whole       *Function
}

// decided is what is known of a link, and what follows.
type decided struct {
	f     *Function // what is still possible
	tests []row     // that were decided
	rows  []row     // of the value, these tests first
	exact bool      // one form is left
}

// piece is a form of a function that is possible.
type piece struct {
	leaf  *Linear
	value row
	tests []row
}

// relax lays out the plans of a number of steps.
func (t *Task) relax(horizon int, reward *Linear) *relaxation {
	r := &relaxation{refuter: refuter{t: t, k: horizon}}
	x, u := r.begin()
	r.u, r.at, r.cost = u, [][]row{x}, constant(0)
	for s := range horizon {
		var next []row
		for i := range t.States {
			next = append(next, r.follow(s, i))
		}
		r.at = append(r.at, next)
		step := r.over(reward, r.at[s], u[s])
		r.cost = r.sum(0, 1, r.cost, -float64(reward.D), step)
	}
	for s := range r.at {
		for i := range t.Rules {
			if a := &t.Rules[i]; s < horizon {
				r.rows = append(r.rows, r.holds(a, r.at[s], u[s]))
			} else if !a.Acts() {
				r.rows = append(r.rows, r.holds(a, r.at[s], nil))
			}
		}
	}
	for i := range t.Goal {
		r.rows = append(r.rows, r.holds(&t.Goal[i], r.at[horizon], nil))
	}
	r.fixed = len(r.rows)
	return r
}

// follow returns state i after step s, from 0.
func (r *relaxation) follow(s, i int) row {
	n, q := &r.t.Next[i], &r.t.States[i]
	if n.Given != nil {
		return constant(min(q.Hi, max(q.Lo, n.given(s+1)+n.Low)))
	}
	if f := n.Function; f.If == nil && f.Leaf.exact() && n.Low == 0 {
		v := r.over(&f.Leaf, r.at[s], r.u[s])
		if least, most := v.bounds(r.vars); least > float64(q.Lo)-.5 && most < float64(q.Hi)+.5 {
			return v
		}
	}
	v := r.variable(float64(q.Lo), float64(q.Hi))
	r.links = append(r.links, link{s, i, len(r.vars) - 1, r.ended(n.Function, s, i)})
	return v
}

// ended returns the function of state i in step s with the ends of its range as tests, where it may be beyond.
func (r *relaxation) ended(f *Function, s, i int) *Function {
	if f.If != nil {
		return &Function{If: f.If, Then: r.ended(f.Then, s, i), Else: r.ended(f.Else, s, i)}
	}
	n, q := &r.t.Next[i], &r.t.States[i]
	a := f.Leaf.clone()
	a.C += n.Low * a.D
	v := r.over(&a, r.at[s], r.u[s])
	least, most := v.bounds(r.vars)
	return a.cut(q.Lo, q.Hi, least <= float64(q.Lo)-.5, most >= float64(q.Hi)+.5)
}

// lp is the program of rows within a box.
func (r *relaxation) lp(vars []box, lists ...[]row) *program {
	return newProgram(vars, r.size, &r.work, lists...)
}

// possible returns the function without the forms that rows exclude, and the forms that are left; nil where none is.
func (r *relaxation) possible(l *link, f *Function, vars []box, rows, tests []row) (*Function, []piece) {
	if f.If == nil {
		return f, []piece{{&f.Leaf, r.over(&f.Leaf, r.at[l.step], r.u[l.step]), tests}}
	}
	no := f.If.Not()
	side := func(a *Atom, f *Function) (*Function, []piece) {
		test := r.holds(a, r.at[l.step], r.u[l.step])
		least, most := test.bounds(vars)
		if least > 0 {
			return nil, nil
		}
		with := tests
		if most > 0 {
			with = append(tests[:len(tests):len(tests)], test)
			if r.lp(vars, rows, with).empty() {
				return nil, nil
			}
		}
		return r.possible(l, f, vars, rows, with)
	}
	yes, a := side(f.If, f.Then)
	other, b := side(&no, f.Else)
	switch {
	case yes == nil:
		return other, b
	case other == nil:
		return yes, a
	}
	return &Function{If: f.If, Then: yes, Else: other}, append(a, b...)
}

// mostPieces bounds the forms that a value is bounded around.
const mostPieces = 4

// tighten computes what is known of a link from rows on other values and the tests decided, and narrows the range of its
// value in vars. It returns nil if nothing is possible.
func (r *relaxation) tighten(l *link, d *decided, vars []box, rows []row) *decided {
	f, pieces := r.possible(l, d.f, vars, append(rows[:len(rows):len(rows)], d.tests...), nil)
	if f == nil {
		return nil
	}
	out := &decided{f: f, tests: d.tests, rows: slices.Clone(d.tests), exact: len(pieces) == 1}
	y := row{a: make([]float64, l.variable+1)}
	y.a[l.variable] = 1
	half := 0.0
	for i := range pieces {
		if !pieces[i].leaf.exact() {
			half = .5
		}
	}
	for i := range pieces {
		if i == mostPieces {
			break
		}
		p := &pieces[i]
		var lo, hi float64
		for j := range pieces {
			if j == i {
				continue
			}
			lp := r.lp(vars, rows, d.tests, pieces[j].tests)
			over, under := r.sum(0, 1, pieces[j].value, -1, p.value), r.sum(0, -1, pieces[j].value, 1, p.value)
			least, _ := lp.least(&over)
			most, _ := lp.least(&under)
			if !math.IsInf(least, 1) {
				lo = min(lo, least)
			}
			if !math.IsInf(most, 1) {
				hi = max(hi, -most)
			}
		}
		above, below := r.sum(-hi-half, 1, y, -1, p.value), r.sum(lo-half, -1, y, 1, p.value)
		out.rows = append(out.rows, above.plus(0), below.plus(0))
	}
	lp, v := r.lp(vars, rows, out.rows), &vars[l.variable]
	minus := y.negated()
	least, _ := lp.least(&y)
	most, _ := lp.least(&minus)
	if math.IsInf(least, 1) || math.IsInf(most, 1) {
		return nil
	}
	v.lo, v.hi = max(v.lo, math.Ceil(least)), min(v.hi, math.Floor(-most))
	if v.lo > v.hi {
		return nil
	}
	return out
}
