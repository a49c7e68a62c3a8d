package blp

import (
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// flow adds a variable for each step of the layers: one unit flows from the
// initial states to the last, and the bits of states and actions are sums of
// what flows.
func (b *builder) flow() {
	m, layers := b.m, b.layers
	b.flows = make([][]int32, m.Horizon)
	for t, edges := range layers.Edges {
		b.flows[t] = make([]int32, len(edges))
		for i := range edges {
			b.flows[t][i] = b.add()
		}
	}
	var all []model.Term
	for _, v := range b.flows[0] {
		all = append(all, model.Term{Coef: 1, Lit: model.Lit(v)})
	}
	b.row(all, factored.EQ, 1)
	for t := 1; t < m.Horizon; t++ { // what comes into a state leaves it
		balance := make([][]model.Term, len(layers.States[t]))
		for i, e := range layers.Edges[t-1] {
			balance[e.To] = append(balance[e.To], model.Term{Coef: 1, Lit: model.Lit(b.flows[t-1][i])})
		}
		for i, e := range layers.Edges[t] {
			balance[e.From] = append(balance[e.From], model.Term{Coef: -1, Lit: model.Lit(b.flows[t][i])})
		}
		for _, terms := range balance {
			b.row(terms, factored.EQ, 0)
		}
	}
	link := func(t int, bit factored.Bit, flows []int32, value func(edge int) bool) {
		terms := []model.Term{{Coef: -1, Lit: m.Var(t, bit)}}
		for i, v := range flows {
			if value(i) {
				terms = append(terms, model.Term{Coef: 1, Lit: model.Lit(v)})
			}
		}
		b.row(terms, factored.EQ, 0)
	}
	for t, edges := range layers.Edges {
		for _, kind := range []factored.Kind{factored.State, factored.Action} {
			for _, bit := range m.Problem.Bits(kind) {
				link(t+1, bit, b.flows[t], func(i int) bool { return edges[i].Action[bit] })
			}
		}
	}
	last := m.Horizon
	for _, bit := range m.Problem.Bits(factored.State) {
		link(last+1, bit, b.flows[last-1], func(i int) bool { return layers.States[last][layers.Edges[last-1][i].To][bit] })
	}
}

// path marks the flow variables of a plan.
func (b *builder) path(trace *factored.Trace, values map[int32]int64) {
	for t, flows := range b.flows {
		for i, v := range flows {
			e := &b.layers.Edges[t][i]
			if b.agree(trace.Steps[t], e.Action, factored.State, factored.Action) &&
				b.agree(trace.Steps[t+1], b.layers.States[t+1][e.To], factored.State) {
				values[v] = 1
			}
		}
	}
}

// agree compares the bits of some kinds.
func (b *builder) agree(x, y factored.Valuation, kinds ...factored.Kind) bool {
	for _, k := range kinds {
		for _, bit := range b.m.Problem.Bits(k) {
			if x[bit] != y[bit] {
				return false
			}
		}
	}
	return true
}
