package tube

import (
	"math"
	"slices"
)

// begin looks for a plan by local search.
func (m *maximiser) begin() {
	m.planner = NewPlanner(m.t, Aim{Horizon: m.k, Margin: m.noMargin(), Reward: m.reward})
	m.mend(nil)
}

// mend tries a plan near another one, nil for none.
func (m *maximiser) mend(near [][]int64) {
	plan, _ := m.planner.Plan(near)
	m.spent += int64(m.k*m.k) * 10_000
	m.try(plan)
	m.tell()
}

// noMargin is that no condition has to hold by more than it says.
func (m *maximiser) noMargin() [][]float64 {
	out := make([][]float64, m.k+1)
	for k := range out {
		out[k] = make([]float64, len(m.t.Rules)+len(m.t.Goal))
	}
	return out
}

// round tries the plan next to the point of a node.
func (m *maximiser) round(n *node) {
	plan := make([][]int64, m.k)
	for s, u := range m.u {
		plan[s] = make([]int64, len(u))
		for j := range u {
			v := u[j].c
			for k, a := range u[j].a {
				v += a * n.point[k]
			}
			q := &m.t.Actions[j]
			plan[s][j] = min(q.Hi, max(q.Lo, int64(math.RoundToEven(v))))
		}
	}
	if m.try(plan); m.found.Nodes%mendEach == 1 {
		m.mend(plan)
	}
}

// mendEach is of how many nodes the plan next to one is mended.
const mendEach = 64

// try improves a plan as long as single actions and pairs of them allow it, and keeps it if it is better than the one that
// was found.
func (m *maximiser) try(plan [][]int64) {
	cost, ok := m.judge(plan)
	if !ok || cost >= m.most() {
		return
	}
	m.keep(plan, cost)
	for again := true; again && m.ctx.Err() == nil; {
		again = false
		m.moves(plan, func() bool {
			c, ok := m.judge(plan)
			if ok && c < cost {
				cost, again = c, true
				return true
			}
			return false
		})
	}
	m.keep(plan, cost)
}

// keep notes a plan.
func (m *maximiser) keep(plan [][]int64, cost int64) {
	m.found.Plan, m.found.Reward = nil, -cost
	for _, u := range plan {
		m.found.Plan = append(m.found.Plan, slices.Clone(u))
	}
	m.tell()
}

// judge returns what a plan costs, and whether it holds.
func (m *maximiser) judge(plan [][]int64) (cost int64, ok bool) {
	m.spent += int64(m.k * len(m.t.States) * 64)
	states, broken, _ := m.t.Follow(plan, nil)
	if broken != 0 {
		return 0, false
	}
	for s, u := range plan {
		cost -= m.reward.value(states[s], u)
	}
	return cost, true
}

// moves changes one action of a plan, or two, and keeps what better accepts.
func (m *maximiser) moves(plan [][]int64, better func() bool) {
	type place struct{ s, j int }
	var all []place
	for s := range plan {
		for j := range plan[s] {
			all = append(all, place{s, j})
		}
	}
	change := func(p place, d int64, then func() bool) bool {
		q, old := &m.t.Actions[p.j], plan[p.s][p.j]
		if old+d < q.Lo || old+d > q.Hi {
			return false
		}
		plan[p.s][p.j] += d
		if then() {
			return true
		}
		plan[p.s][p.j] = old
		return false
	}
	for i, p := range all {
		q := &m.t.Actions[p.j]
		for d := int64(1); d <= min(q.Hi-q.Lo, mostMove); d *= 2 {
			for _, e := range []int64{-d, d} {
				change(p, e, better)
				for _, o := range all[i+1:] {
					for f := int64(1); f <= mostPair; f++ {
						change(p, e, func() bool { return change(o, -f, better) || change(o, f, better) })
					}
				}
			}
		}
	}
}

// The greatest changes of one action, and of the second of two.
const mostMove, mostPair = 64, 2
