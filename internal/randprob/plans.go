package randprob

import (
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Plan is an initial state with a joint action for each step, and the best reward of its
// runs; the states that follow are not part of it.
type Plan struct {
	Start   string   // state bits in order, 0 and 1
	Actions []string // action bits in order
	Reward  int64    // scaled
}

// Begins reports whether the plan begins like another: in the same state, with the same joint
// actions at steps 1..depth.
func (p *Plan) Begins(start string, actions []string, depth int) bool {
	return p.Start == start && slices.Equal(p.Actions[:depth], actions[:depth])
}

// Spell converts the start and the actions of valuations of steps 1..H+1 to the form of Plan.
func Spell(p *factored.Problem, steps []factored.Valuation) (start string, actions []string) {
	text := func(bits []factored.Bit, val []bool) string {
		var b strings.Builder
		for _, x := range bits {
			b.WriteByte("01"[btoi(val[x])])
		}
		return b.String()
	}
	for _, val := range steps[:len(steps)-1] {
		actions = append(actions, text(p.Bits(factored.Action), val))
	}
	return text(p.Bits(factored.State), steps[0]), actions
}

func btoi(x bool) int {
	if x {
		return 1
	}
	return 0
}

// Plans lists all legal plans of the horizon, found by trying everything. It is for very few
// bits: time grows with 2^(state+horizon*action bits).
func Plans(p *factored.Problem, net *bnn.Network, horizon int) []Plan {
	b := newBrute(p, net)
	l := &lister{b: b, final: b.last(), horizon: horizon}
	for l.start = range 1 << len(b.states) {
		l.extend(nil, map[int]int64{l.start: 0})
	}
	return l.plans
}

type lister struct {
	b       *brute
	final   []value
	horizon int
	start   int
	plans   []Plan
}

// extend continues with all joint actions from the given states, each with the best reward so
// far.
func (l *lister) extend(actions []int, at map[int]int64) {
	b := l.b
	if len(actions) == l.horizon {
		best, found := int64(0), false
		for s, r := range at {
			if l.final[s].feasible && (!found || r > best) {
				best, found = r, true
			}
		}
		if found {
			text := func(x, width int) string {
				out := make([]byte, width)
				for i := range out {
					out[i] = "01"[x>>i&1]
				}
				return string(out)
			}
			plan := Plan{Start: text(l.start, len(b.states)), Reward: best}
			for _, a := range actions {
				plan.Actions = append(plan.Actions, text(a, len(b.actions)))
			}
			l.plans = append(l.plans, plan)
		}
		return
	}
	for a := range 1 << len(b.actions) {
		next := map[int]int64{}
		for s, r := range at {
			for _, e := range b.successors(s, a, len(actions) == 0) {
				if old, ok := next[e.to]; !ok || r+e.reward > old {
					next[e.to] = r + e.reward
				}
			}
		}
		if len(next) > 0 {
			l.extend(append(actions[:len(actions):len(actions)], a), next)
		}
	}
}
