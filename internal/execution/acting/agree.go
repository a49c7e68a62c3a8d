package acting

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Agree counts the clauses that a network has the next values of, proven for every legal step of a problem.
func (m *Model) Agree(ctx context.Context, p *factored.Problem, net *bnn.Network, l engine.Limits) (proven int, err error) {
	for i := range m.Clauses {
		q := p.Clone()
		q.Initial, q.Goal, q.Reward = nil, nil, factored.Reward{Scale: 1}
		for _, lit := range m.Literals(&m.Clauses[i]) {
			q.Transition = append(q.Transition, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: lit}}, Op: factored.LE, K: 0, Origin: "learned"})
		}
		r, err := conflict.PB{}.Solve(ctx, engine.Query{Task: engine.Task{Problem: q, Network: net}, MinHorizon: 1, MaxHorizon: 1}, l, nil)
		if err != nil {
			return proven, err
		}
		if r.Status == engine.Infeasible {
			proven++
		}
	}
	return proven, ctx.Err()
}
