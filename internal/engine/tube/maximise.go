package tube

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// Optimum is what is known of the plans of a number of steps from which nothing deviates.
type Optimum struct {
	Plan   [][]int64 // the best one that was found; nil for none
	Reward int64     // its sum of numerators
	// Bound is not below the sum of numerators of any plan; math.MaxInt64 where nothing is known, and math.MinInt64 where
	// there is no plan.
	Bound int64
	Nodes int64
}

// Proven reports whether the plan has the greatest reward, or there is none.
func (o *Optimum) Proven() bool {
	return o.Bound == math.MinInt64 || o.Plan != nil && o.Reward == o.Bound
}

// Maximise looks for a plan of the greatest sum of a reward whose states have no errors: branch and bound over the regions
// of the functions and the values of the actions, by linear programs whose bounds are rounded outward. With each step of
// the search report gets what is known and how much was done; what is known when the context ends is returned.
func (t *Task) Maximise(ctx context.Context, horizon int, reward *Linear, report func(o *Optimum, work int64)) *Optimum {
	m := &maximiser{relaxation: t.relax(horizon, reward), ctx: ctx, reward: reward, report: report, found: Optimum{Bound: math.MaxInt64}}
	m.unit, m.shift = m.grid(horizon)
	m.begin()
	if root := m.root(); root != nil {
		m.open = append(m.open, root)
	}
	for ctx.Err() == nil && m.step() {
	}
	return &m.found
}

// maximiser is one call of Maximise.
type maximiser struct {
	*relaxation
	ctx         context.Context
	reward      *Linear
	planner     *Planner
	report      func(*Optimum, int64)
	open        nodes
	found       Optimum
	made        int
	unit, shift int64 // costs are shift and a multiple of unit
	spent       int64 // on plans
}

// node is some of the plans.
type node struct {
	made  int
	cost  int64 // of its plans, at least
	vars  []box
	parts []*decided // of the links
	point []float64
}

// nodes is a heap: the least cost first.
type nodes []*node

func (n nodes) Len() int { return len(n) }
func (n nodes) Less(i, j int) bool {
	return n[i].cost < n[j].cost || n[i].cost == n[j].cost && n[i].made > n[j].made
}
func (n nodes) Swap(i, j int) { n[i], n[j] = n[j], n[i] }
func (n *nodes) Push(x any)   { *n = append(*n, x.(*node)) }
func (n *nodes) Pop() any {
	last := len(*n) - 1
	out := (*n)[last]
	*n = (*n)[:last]
	return out
}

// grid returns the numbers that costs are congruent to.
func (m *maximiser) grid(horizon int) (unit, shift int64) {
	for _, list := range [][]int64{m.reward.X, m.reward.U} {
		for _, a := range list {
			for b := abs(a); b != 0; {
				unit, b = b, unit%b
			}
		}
	}
	return max(1, unit), -m.reward.C * int64(horizon)
}

// most is the cost from which on plans are of no use.
func (m *maximiser) most() int64 {
	if m.found.Plan == nil {
		return math.MaxInt64
	}
	return -m.found.Reward
}

// tell reports what is known.
func (m *maximiser) tell() {
	if m.report != nil {
		m.report(&m.found, (m.work+m.spent)/256)
	}
}

// root is the node of all plans; nil if there is none of use.
func (m *maximiser) root() *node {
	n := &node{cost: math.MinInt64, vars: slices.Clone(m.vars)}
	for i := range m.links {
		n.parts = append(n.parts, &decided{f: m.links[i].whole})
	}
	for i := range m.links {
		if m.ctx.Err() != nil {
			return nil
		}
		if n.parts[i] = m.tighten(&m.links[i], n.parts[i], n.vars, m.context(n, i)); n.parts[i] == nil {
			return m.none()
		}
		m.tell()
	}
	if !m.settle(n) {
		return m.none()
	}
	m.raise(-n.cost)
	return n
}

// none notes that nothing is left; it returns nil.
func (m *maximiser) none() *node {
	m.raise(math.MinInt64)
	return nil
}

// raise notes that no plan that is still to be found has more than a bound.
func (m *maximiser) raise(bound int64) {
	if m.found.Plan != nil {
		bound = max(bound, m.found.Reward)
	}
	m.found.Bound = min(m.found.Bound, bound)
	m.tell()
}

// context has the rows of a node but those of link i, -1 for all, and that a plan is to be better than the one found.
func (m *maximiser) context(n *node, i int) []row {
	out := slices.Clone(m.rows[:m.fixed])
	for k, p := range n.parts {
		if k != i {
			out = append(out, p.rows...)
		}
	}
	if c := m.most(); c != math.MaxInt64 {
		out = append(out, m.cost.plus(float64(m.unit-c)))
	}
	return out
}

// settle computes the bound of a node. It returns false if it has no plan of use.
func (m *maximiser) settle(n *node) bool {
	m.made++
	m.found.Nodes++
	n.made = m.made
	bound, point := m.lp(n.vars, m.context(n, -1)).least(&m.cost)
	if math.IsInf(bound, 1) {
		return false
	}
	k := int64(math.Ceil(bound)) - m.shift
	n.cost, n.point = max(n.cost, m.shift+k+integer.Mod(-k, m.unit)), point
	if n.cost >= m.most() {
		return false
	}
	m.round(n)
	return n.cost < m.most()
}

// step looks at one node; it returns false where there is none left.
func (m *maximiser) step() bool {
	for len(m.open) > 0 && m.open[0].cost >= m.most() {
		heap.Pop(&m.open)
	}
	if len(m.open) == 0 {
		m.raise(math.MinInt64)
		return false
	}
	n := heap.Pop(&m.open).(*node)
	m.raise(-n.cost)
	for _, child := range m.split(n) {
		if m.settle(child) {
			heap.Push(&m.open, child)
		}
	}
	return true
}

// split divides the plans of a node.
func (m *maximiser) split(n *node) (out []*node) {
	m.point = n.point
	if i := m.farthest(n); i >= 0 {
		l, d := &m.links[i], n.parts[i]
		no := d.f.If.Not()
		for _, side := range []struct {
			a *Atom
			f *Function
		}{{d.f.If, d.f.Then}, {&no, d.f.Else}} {
			child := &node{cost: n.cost, vars: slices.Clone(n.vars), parts: slices.Clone(n.parts)}
			test := m.holds(side.a, m.at[l.step], m.u[l.step])
			next := &decided{f: side.f, tests: append(d.tests[:len(d.tests):len(d.tests)], test)}
			if child.parts[i] = m.tighten(l, next, child.vars, m.context(n, i)); child.parts[i] != nil {
				out = append(out, child)
			}
		}
		return out
	}
	j, at := m.loosest(n)
	if j < 0 {
		return nil // its only plan was tried
	}
	for _, b := range []box{{n.vars[j].lo, at}, {at + 1, n.vars[j].hi}} {
		child := &node{cost: n.cost, vars: slices.Clone(n.vars), parts: n.parts}
		child.vars[j] = b
		out = append(out, child)
	}
	return out
}

// farthest returns the link of several forms whose value is farthest from that of the function at the node's point, -1
// where none is farther than rounding explains.
func (m *maximiser) farthest(n *node) int {
	at, most := -1, .5+1e-6
	for i := range m.links {
		l := &m.links[i]
		if n.parts[i].exact {
			continue
		}
		x, u := m.values(m.at[l.step]), m.values(m.u[l.step])
		if d := math.Abs(l.whole.realAt(x, u).real(x, u) - n.point[l.variable]); d > most {
			at, most = i, d
		}
	}
	return at
}

// loosest returns an action that is open, by its place, and where to divide its values: one that is no integer at the
// node's point, or else the one with most values; -1 where all are decided.
func (m *maximiser) loosest(n *node) (j int, at float64) {
	j, far, most := -1, 1e-6, 0.0
	for _, u := range m.u {
		for i := range u {
			k := len(u[i].a) - 1
			if k < 0 || n.vars[k].lo == n.vars[k].hi {
				continue
			}
			v := min(n.vars[k].hi, max(n.vars[k].lo, n.point[k]))
			if d := math.Abs(v - math.Round(v)); d > far {
				j, at, far = k, math.Floor(v), d
			} else if w := n.vars[k].hi - n.vars[k].lo; far <= 1e-6 && w > most {
				j, at, most = k, min(math.Round(v), n.vars[k].hi-1), w
			}
		}
	}
	return j, at
}
