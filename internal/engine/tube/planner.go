package tube

import (
	"math"
	"slices"
)

// Aim is what the actions of one course of errors are to do.
type Aim struct {
	Horizon int
	// Margin is how far below 0 the form of each rule, and beyond the rules of each condition of the goal, is to be at each
	// state from 1; nil for Task.Pointwise at every step.
	Margin [][]float64
	// Reward, where it is not nil, is to be large in each step, after rules and goal.
	Reward *Linear
}

// Pointwise returns for each rule, and beyond them for each condition of the goal, how much the errors of one step within
// their bands may add to its form.
func (t *Task) Pointwise() []float64 {
	var out []float64
	for _, a := range slices.Concat(t.Rules, t.Goal) {
		sum := 0.0
		for i, c := range a.X {
			n := &t.Next[i]
			sum += float64(max(c*n.Low, c*n.High)) / float64(a.D)
		}
		out = append(out, max(0, sum))
	}
	return out
}

// Planner finds actions for the course without errors: a local search, which proves nothing. A least-squares problem is
// solved by Gauss and Newton's method along the regions that a plan goes through, coordinate by coordinate within the
// ranges of the actions, and the integers next to its solution are improved one by one. It belongs to one goroutine.
type Planner struct {
	t     *Task
	aim   Aim
	hinge []hinge     // of each state from 1: rules, and at the end the goal
	x     [][]float64 // states of the plan at hand
	ints  [][]int64   // the same, for integers
	errs  []int64
	// The rows of the least-squares problem: what each condition is at, and by how much each action changes it.
	at    []float64
	by    [][]float64
	sens  [][]float64 // of a state, by actions and then states
	spare [][]float64
	steps int64 // of the model
}

// Steps is the number of steps of the model that were computed, which what a search takes is in proportion to.
func (p *Planner) Steps() int64 { return p.steps }

// hinge is a condition whose form is to be at most -margin; what is above counts, squared, by weight.
type hinge struct {
	a      *Atom
	step   int // of the state, from 0
	margin float64
	weight float64
}

// NewPlanner prepares a search. The start of the task may change before each call of Plan.
func NewPlanner(t *Task, aim Aim) *Planner {
	p := &Planner{t: t, aim: aim, errs: make([]int64, len(t.States))}
	point := t.Pointwise()
	margin := func(k, i int) float64 {
		if aim.Margin != nil {
			return aim.Margin[k][i]
		}
		return point[i]
	}
	for k := range aim.Horizon + 1 {
		for i := range t.Rules {
			a := &t.Rules[i]
			if k == 0 && !a.Acts() || k == aim.Horizon && a.Acts() {
				continue
			}
			m := margin(k, i)
			p.hinge = append(p.hinge, hinge{a, k, m + .5/float64(a.D), 10 / scaleOf(m, a)})
		}
	}
	for i := range t.Goal {
		a := &t.Goal[i]
		need := margin(aim.Horizon, len(t.Rules)+i)
		m := 2 * need // inside by twice the band, if nothing is on the other side
		if j, width := t.opposite(i); j >= 0 {
			m = need + (width-need-margin(aim.Horizon, len(t.Rules)+j))/2 // the centre of what is left
		}
		p.hinge = append(p.hinge, hinge{a, aim.Horizon, m, 1 / max(1/float64(a.D), math.Abs(m))})
	}
	p.allocate()
	return p
}

// scaleOf is the unit in which a rule is measured.
func scaleOf(m float64, a *Atom) float64 { return max(m, 1/float64(a.D)) }

// opposite returns the condition of the goal that bounds the same form from the other side, and the sum of both forms,
// negated: how far they are apart; -1 if there is none.
func (t *Task) opposite(i int) (j int, width float64) {
	a := &t.Goal[i]
	for j := range t.Goal {
		b := &t.Goal[j]
		is := j != i
		for k := range a.X {
			is = is && float64(a.X[k])/float64(a.D) == -float64(b.X[k])/float64(b.D)
		}
		if is {
			return j, -float64(a.C)/float64(a.D) - float64(b.C)/float64(b.D)
		}
	}
	return -1, 0
}

func (p *Planner) allocate() {
	n, h, m := len(p.t.States), p.aim.Horizon, len(p.t.Actions)
	matrix := func(a, b int) [][]float64 {
		out := make([][]float64, a)
		flat := make([]float64, a*b)
		for i := range out {
			out[i] = flat[i*b : (i+1)*b]
		}
		return out
	}
	p.x = matrix(h+1, n)
	for range h + 1 {
		p.ints = append(p.ints, make([]int64, n))
	}
	p.at, p.by = make([]float64, len(p.hinge)), matrix(len(p.hinge), h*m)
	p.sens, p.spare = matrix(n, h*m), matrix(n, h*m)
}

// change is the weight of changes of actions, relative to their range, beside the goal's.
const change = 1e-3

// cost is what a plan of integers costs from step k on; the states up to k must be right. Less than 1 for each condition
// of the goal says nothing about it.
func (p *Planner) cost(plan [][]int64, k int) float64 {
	t := p.t
	copy(p.ints[0], t.Start)
	p.steps += int64(p.aim.Horizon - k)
	for s := k; s < p.aim.Horizon; s++ {
		t.Step(p.ints[s+1], p.ints[s], plan[s], p.errs, s+1)
	}
	sum := 0.0
	for i := range p.hinge {
		h := &p.hinge[i]
		var u []int64
		if h.step < p.aim.Horizon {
			u = plan[h.step]
		}
		if !h.a.Acts() {
			u = nil
		}
		if over := (float64(h.a.value(p.ints[h.step], u))/float64(h.a.D) + h.margin) * h.weight; over > 0 {
			sum += over * over
		}
	}
	before := t.Before
	for s, u := range plan {
		for j := range u {
			q := &t.Actions[j]
			if before == nil || q.Hi == q.Lo {
				continue
			}
			d := float64(u[j]-before[j]) / float64(q.Hi-q.Lo)
			sum += change * d * d
			if t.Change != nil && abs(u[j]-before[j]) > t.Change[j] {
				sum += 1e6 * float64(abs(u[j]-before[j])-t.Change[j])
			}
		}
		before = u
		if r := p.aim.Reward; r != nil {
			sum -= 1e-4 * float64(r.value(p.ints[s], u)) / float64(r.D)
		}
	}
	return sum
}

// Plan returns actions from the start of the task and what they cost; near, where it is not nil, is a plan to begin with.
func (p *Planner) Plan(near [][]int64) (plan [][]int64, cost float64) {
	for _, start := range p.starts(near) {
		try := p.descend(start)
		c := p.polish(try)
		if plan == nil || c < cost {
			plan, cost = try, c
		}
	}
	return plan, cost
}

// levels is the number of constant actions that are tried.
const levels = 9

// starts returns the plan to begin with, and the best of those that do the same in every step.
func (p *Planner) starts(near [][]int64) (out [][][]int64) {
	if near != nil {
		out = append(out, p.legal(near))
	}
	var best [][]int64
	least := math.Inf(1)
	for l := range levels {
		u := make([]int64, len(p.t.Actions))
		for j := range u {
			q := &p.t.Actions[j]
			u[j] = q.Lo + (q.Hi-q.Lo)*int64(l)/(levels-1)
		}
		plan := make([][]int64, p.aim.Horizon)
		for s := range plan {
			plan[s] = u
		}
		plan = p.legal(plan)
		if c := p.cost(plan, 0); c < least {
			best, least = plan, c
		}
	}
	if near == nil || least < p.cost(out[0], 0) {
		out = append(out, best)
	}
	return out
}

// legal returns the plan with every action in its range and near enough to the one before.
func (p *Planner) legal(plan [][]int64) [][]int64 {
	out := make([][]int64, p.aim.Horizon)
	before := p.t.Before
	for s := range out {
		u := slices.Clone(plan[min(s, len(plan)-1)])
		for j := range u {
			q := &p.t.Actions[j]
			u[j] = min(q.Hi, max(q.Lo, u[j]))
			if p.t.Change != nil && before != nil {
				u[j] = min(before[j]+p.t.Change[j], max(before[j]-p.t.Change[j], u[j]))
			}
		}
		out[s], before = u, u
	}
	return out
}

const (
	newtons = 8  // linearisations
	sweeps  = 12 // over all actions for each
)

// descend improves a plan in the reals and rounds it.
func (p *Planner) descend(plan [][]int64) [][]int64 {
	m := len(p.t.Actions)
	u := make([]float64, p.aim.Horizon*m)
	for s := range plan {
		for j, v := range plan[s] {
			u[s*m+j] = float64(v)
		}
	}
	best, least := p.legal(plan), p.cost(plan, 0)
	for range newtons {
		p.linearise(u)
		moved := p.solve(u)
		next := make([][]int64, p.aim.Horizon)
		for s := range next {
			next[s] = make([]int64, m)
			for j := range next[s] {
				next[s][j] = int64(math.RoundToEven(u[s*m+j]))
			}
		}
		next = p.legal(next)
		c := p.cost(next, 0)
		if c < least {
			best, least = next, c
		}
		if moved < .5 || c > least+1e-9 {
			break
		}
	}
	return best
}

// linearise follows a plan in the reals, without rounding, and fills the rows of the least-squares problem.
func (p *Planner) linearise(u []float64) {
	t, m := p.t, len(p.t.Actions)
	for i, v := range t.Start {
		p.x[0][i] = float64(v)
		clear(p.sens[i])
	}
	k := 0
	for s := range p.aim.Horizon + 1 {
		var now []float64
		if s < p.aim.Horizon {
			now = u[s*m : (s+1)*m]
		}
		for ; k < len(p.hinge) && p.hinge[k].step == s; k++ {
			h := &p.hinge[k]
			p.at[k] = (h.a.real(p.x[s], now) + h.margin) * h.weight
			row := p.by[k]
			clear(row)
			p.gradient(row, &h.a.Linear, s, h.weight)
		}
		if now == nil {
			return
		}
		for i := range t.Next {
			clear(p.spare[i])
			n := &t.Next[i]
			if n.Given != nil {
				p.x[s+1][i] = float64(n.given(s + 1))
				continue
			}
			l := n.Function.realAt(p.x[s], now)
			v := l.real(p.x[s], now)
			q := &t.States[i]
			if p.x[s+1][i] = min(float64(q.Hi), max(float64(q.Lo), v)); p.x[s+1][i] == v {
				p.gradient(p.spare[i], l, s, 1)
			}
		}
		p.sens, p.spare = p.spare, p.sens
	}
}

// gradient adds by how much actions change a form at step s, from 0.
func (p *Planner) gradient(row []float64, l *Linear, s int, weight float64) {
	m := len(p.t.Actions)
	for i, a := range l.X {
		if a == 0 {
			continue
		}
		f := weight * float64(a) / float64(l.D)
		for j, g := range p.sens[i][:s*m] {
			row[j] += f * g
		}
	}
	if s < p.aim.Horizon {
		for j, b := range l.U {
			row[s*m+j] += weight * float64(b) / float64(l.D)
		}
	}
}

// solve minimises the least squares by coordinates and returns the greatest change of an action.
func (p *Planner) solve(u []float64) (moved float64) {
	m := len(p.t.Actions)
	old := slices.Clone(u)
	for range sweeps {
		most := 0.0
		for c := len(u) - 1; c >= 0; c-- {
			q := &p.t.Actions[c%m]
			if q.Hi == q.Lo {
				continue
			}
			slope, curve := p.smooth(u, c)
			for k, at := range p.at {
				if b := p.by[k][c]; at > 0 && b != 0 {
					slope += at * b
					curve += b * b
				}
			}
			if curve == 0 {
				continue
			}
			next := min(float64(q.Hi), max(float64(q.Lo), u[c]-slope/curve))
			if t := p.t; t.Change != nil {
				d := float64(t.Change[c%m])
				if c >= m {
					next = min(u[c-m]+d, max(u[c-m]-d, next))
				} else if t.Before != nil {
					next = min(float64(t.Before[c])+d, max(float64(t.Before[c])-d, next))
				}
				if c+m < len(u) {
					next = min(u[c+m]+d, max(u[c+m]-d, next))
				}
			}
			d := next - u[c]
			if d == 0 {
				continue
			}
			u[c] = next
			for k := range p.at {
				p.at[k] += d * p.by[k][c]
			}
			most = max(most, math.Abs(d))
		}
		if most < .1 {
			break
		}
	}
	for c := range u {
		moved = max(moved, math.Abs(u[c]-old[c]))
	}
	return moved
}

// smooth returns slope and curvature of what changes of action c cost.
func (p *Planner) smooth(u []float64, c int) (slope, curve float64) {
	m := len(p.t.Actions)
	q := &p.t.Actions[c%m]
	w := change / float64(q.Hi-q.Lo) / float64(q.Hi-q.Lo)
	to := func(v float64) {
		slope += w * (u[c] - v)
		curve += w
	}
	if c >= m {
		to(u[c-m])
	} else if p.t.Before != nil {
		to(float64(p.t.Before[c]))
	}
	if c+m < len(u) {
		to(u[c+m])
	}
	return slope, curve
}

// polish improves single integers of a plan and returns its cost.
func (p *Planner) polish(plan [][]int64) float64 {
	best := p.cost(plan, 0)
	for range 3 {
		before := best
		for s := len(plan) - 1; s >= 0; s-- {
			for j := range plan[s] {
				best = p.improve(plan, s, j, best)
			}
		}
		if best > before-1e-6 {
			break
		}
	}
	return best
}

// improve tries other values of one action.
func (p *Planner) improve(plan [][]int64, s, j int, best float64) float64 {
	q, old := &p.t.Actions[j], plan[s][j]
	at := old
	try := func(v int64) {
		if v == at || v < q.Lo || v > q.Hi {
			return
		}
		plan[s][j] = v
		if c := p.cost(plan, s); c < best-1e-12 {
			best, at = c, v
		}
		plan[s][j] = at
	}
	if q.Hi-q.Lo < 8 {
		for v := q.Lo; v <= q.Hi; v++ {
			try(v)
		}
		return best
	}
	try(old - 1)
	try(old + 1)
	return best
}

// real is the value of a form in the reals.
func (l *Linear) real(x, u []float64) float64 {
	sum := float64(l.C)
	for i, a := range l.X {
		sum += float64(a) * x[i]
	}
	for j, b := range u {
		sum += float64(l.U[j]) * b
	}
	return sum / float64(l.D)
}

// realAt returns the leaf in the reals.
func (f *Function) realAt(x, u []float64) *Linear {
	for f.If != nil {
		if v := f.If.real(x, u); v < 0 || v == 0 && !f.If.Strict {
			f = f.Then
		} else {
			f = f.Else
		}
	}
	return &f.Leaf
}
