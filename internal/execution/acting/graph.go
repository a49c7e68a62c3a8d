package acting

import (
	"maps"
	"slices"

	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// graph has the states that were observed and the steps that were taken between them.
type graph struct {
	p       *factored.Problem
	states  []factored.Bit
	actions []factored.Bit
	nodes   map[string]*node
	arcs    []*arc // in the order in which they were taken first
}

type node struct {
	key   string
	state factored.Valuation
	legal bool // no rule on states is broken
	goal  bool
	arcs  []*arc
	taken map[string]*arc // by action
	// foreseen are steps of which all next values are known, some of which were taken since.
	foreseen []*arc
	ends     bool // the system said that a run ends here
	lasts    bool // it said that none does, or took a step
}

// arc is a step that was taken; to is nil if the system refused it.
type arc struct {
	action factored.Valuation
	to     *node
	reward int64 // scaled
	// repeated reports that it was taken again to see whether it leads there again.
	repeated bool
}

// state is where the step leads; nil if it was refused.
func (a *arc) state() factored.Valuation {
	if a.to == nil {
		return nil
	}
	return a.to.state
}

func newGraph(p *factored.Problem) *graph {
	return &graph{p: p, states: p.Bits(factored.State), actions: p.Bits(factored.Action), nodes: map[string]*node{}}
}

// at returns the node of a state.
func (g *graph) at(state factored.Valuation) *node {
	key := state.Key(g.states)
	n, ok := g.nodes[key]
	if !ok {
		val := make(factored.Valuation, g.p.NumBits())
		for _, b := range g.states {
			val[b] = state[b]
		}
		n = &node{key: key, state: val, taken: map[string]*arc{}}
		n.legal = validate.CheckPart(g.p, validate.State, val) == nil
		n.goal = n.legal && validate.CheckPart(g.p, validate.Goal, val) == nil
		g.nodes[key] = n
	}
	return n
}

// actionsOf identifies the actions of a plan.
func (g *graph) actionsOf(tr *factored.Trace) (key string) {
	for _, val := range tr.Steps[:tr.Horizon()] {
		key += val.Key(g.actions)
	}
	return key
}

// arc returns the step of an action in a state; nil if it was never taken.
func (g *graph) arc(now factored.Valuation) *arc {
	if n, ok := g.nodes[now.Key(g.states)]; ok {
		return n.taken[now.Key(g.actions)]
	}
	return nil
}

// join is a state with an action.
func (g *graph) join(state, action factored.Valuation) factored.Valuation {
	val := make(factored.Valuation, g.p.NumBits())
	for _, b := range g.states {
		val[b] = state[b]
	}
	for _, b := range g.actions {
		val[b] = action[b]
	}
	return val
}

// add takes a step with its reward; next is nil if it was refused. It returns the step if it was known.
func (g *graph) add(now, next factored.Valuation, reward int64) (known *arc) {
	n := g.at(now)
	key := now.Key(g.actions)
	if a := n.taken[key]; a != nil {
		return a
	}
	a := &arc{action: g.join(now, now), reward: reward}
	if next != nil {
		a.to = g.at(next)
	}
	n.taken[key] = a
	n.lasts = n.lasts || next != nil
	n.arcs = append(n.arcs, a)
	g.arcs = append(g.arcs, a)
	return nil
}

// all lists the steps.
func (g *graph) all() (out []simulator.Transition) {
	for _, a := range g.arcs {
		reward := g.p.Reward.Float(a.reward)
		out = append(out, simulator.Transition{Now: a.action, Next: a.state(), Reward: &reward})
	}
	return out
}

// ended lists the states in which a run ends.
func (g *graph) ended() (out []factored.Valuation) {
	for _, key := range slices.Sorted(maps.Keys(g.nodes)) {
		if n := g.nodes[key]; n.ends {
			out = append(out, n.state)
		}
	}
	return out
}

// place is a state that observed steps reach.
type place struct {
	reward int64 // most, of the steps that lead there
	from   *place
	by     *arc
	at     *node
}

// layers lists, for each step from 0 to horizon, the states that observed steps within the rules reach from a state.
func (g *graph) layers(start *node, horizon int) []map[*node]*place {
	all := []map[*node]*place{{start: {at: start}}}
	for t := range horizon {
		next := map[*node]*place{}
		for n, p := range all[t] {
			for _, a := range n.arcs {
				if a.to == nil || !a.to.legal {
					continue
				}
				reward := p.reward + a.reward
				if old := next[a.to]; old == nil || reward > old.reward || reward == old.reward && less(n, old.from.at) {
					next[a.to] = &place{reward, p, a, a.to}
				}
			}
		}
		all = append(all, next)
	}
	return all
}

func less(a, b *node) bool { return a.key < b.key }

// best is the best plan over observed steps; nil if there is none.
func (g *graph) best(layers []map[*node]*place) *place {
	var best *place
	for n, p := range layers[len(layers)-1] {
		if n.goal && (best == nil || p.reward > best.reward || p.reward == best.reward && less(n, best.at)) {
			best = p
		}
	}
	return best
}

// trace is the plan that leads to a place.
func (p *place) trace() *factored.Trace {
	tr := &factored.Trace{Steps: []factored.Valuation{p.at.state}}
	for ; p.from != nil; p = p.from {
		tr.Steps = append([]factored.Valuation{p.by.action}, tr.Steps...)
	}
	return tr
}

// is states that the state is that of a node.
func (g *graph) is(n *node) []factored.Constraint { return n.state.Fix(g.states, "observed") }
