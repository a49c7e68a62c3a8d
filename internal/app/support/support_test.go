package support_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// drawn is a problem of a few bits with a random network of one layer, and a random record
// that agrees with it.
func drawn(seed uint64) *load.Problem {
	r := rand.New(rand.NewPCG(seed, 1))
	f := factored.NewProblem("drawn")
	states, actions := 2+r.IntN(3), 1+r.IntN(2)
	for i := range states + actions {
		kind := factored.State
		if i >= states {
			kind = factored.Action
		} else {
			f.Outputs = append(f.Outputs, factored.Bit(i))
		}
		if _, err := f.AddVariable(factored.Variable{Name: string(rune('a' + i)), Kind: kind, Bool: true}); err != nil {
			panic(err)
		}
		f.Inputs = append(f.Inputs, factored.Bit(i))
		f.Reward.Terms = append(f.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: factored.Bit(i)}, Weight: int64(r.IntN(9) - 4)})
	}
	for i := range states {
		f.Initial = append(f.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: factored.Bit(i)}}}, Op: factored.EQ, K: int64(r.IntN(2))})
	}
	n := states + actions
	l := bnn.Layer{Inputs: n}
	for range states {
		edges := 0
		for range n {
			w := int8(r.IntN(3) - 1)
			l.Weights = append(l.Weights, w)
			if w != 0 {
				edges++
			}
		}
		l.Thresholds = append(l.Thresholds, int32(r.IntN(edges+2)))
	}
	p := &load.Problem{Task: engine.Task{Problem: f, Network: &bnn.Network{Layers: []bnn.Layer{l}}}}
	p.Support = record(r, p, n, states)
	return p
}

// record draws what rows could have settled: for each output a table over all inputs that
// the network agrees with, and another that it agrees with here and there.
func record(r *rand.Rand, p *load.Problem, inputs, outputs int) *coverage.Support {
	s := &coverage.Support{Inputs: inputs, Outputs: outputs}
	if r.IntN(2) == 0 {
		s.Unseen = append(s.Unseen, [3]int{r.IntN(2), 2 + r.IntN(2), 4 + r.IntN(2)})
	}
	if r.IntN(2) == 0 {
		a := 2 + r.IntN(2*inputs-2)
		s.Unseen = append(s.Unseen, [3]int{2, a, a})
	}
	var all []int
	for i := range inputs {
		all = append(all, i)
	}
	eval := bnn.NewEvaluator(p.Network)
	scratch, out := eval.NewScratch(), make([]uint64, 1)
	for o := range outputs {
		main, other := coverage.Table{Inputs: all}, coverage.Table{Inputs: all[:2]}
		for c := range uint64(1) << inputs {
			eval.Forward(out, []uint64{c}, scratch)
			switch value := out[0]>>o&1 == 1; {
			case r.IntN(4) == 0:
			case value:
				main.On = append(main.On, c)
			default:
				main.Off = append(main.Off, c)
			}
		}
		for c := range uint64(4) {
			switch r.IntN(3) {
			case 0:
				other.On = append(other.On, c)
			case 1:
				other.Off = append(other.Off, c)
			}
		}
		tables := []coverage.Table{main}
		if r.IntN(3) == 0 {
			tables = append(tables, other)
		}
		s.Tables = append(s.Tables, tables)
	}
	return s
}

// brute is the best reward over a horizon where a step with open outputs is left out or,
// with free, leads to all states that differ in these; nil if it has no plan.
func brute(p *load.Problem, horizon int, free bool) *int64 {
	j := support.NewJudge(p)
	f := p.Problem
	states, n := len(f.Outputs), f.NumBits()
	val := func(x uint64) factored.Valuation {
		v := make(factored.Valuation, n)
		for i := range v {
			v[i] = x>>i&1 == 1
		}
		return v
	}
	eval := bnn.NewEvaluator(p.Network)
	scratch, out := eval.NewScratch(), make([]uint64, 1)
	var start uint64
	for i, c := range f.Initial {
		start |= uint64(c.K) << i
	}
	at := map[uint64]int64{start: 0}
	for range horizon {
		then := map[uint64]int64{}
		for s, sum := range at {
			for a := range uint64(1) << (n - states) {
				now := s | a<<states
				open, err := j.Open(val(now))
				if err != nil {
					panic(err)
				}
				if len(open) > 0 && !free {
					continue
				}
				eval.Forward(out, []uint64{now}, scratch)
				for choice := range uint64(1) << len(open) {
					next := out[0] & (1<<states - 1)
					for k, o := range open {
						next = next&^(1<<o) | choice>>k&1<<o
					}
					reward := sum + f.Reward.StepReward(val(now), val(next))
					if old, ok := then[next]; !ok || reward > old {
						then[next] = reward
					}
				}
			}
		}
		at = then
	}
	var best *int64
	for _, r := range at {
		if best == nil || r > *best {
			best = &r
		}
	}
	return best
}

// available lists the engines that need nothing that is missing, but for those that run
// others.
func available(t *testing.T) []string {
	return registry.Names(func(e *registry.Entry) bool {
		if e.Needs != nil {
			if _, err := e.Needs(); err != nil {
				t.Logf("without engine %s: %v", e.Name, err)
				return false
			}
		}
		return e.Name != registry.Auto
	})
}

// TestSafeAndFree compares every engine on problems with supported steps only, and engine pb
// and search on those with free next values, with brute force.
func TestSafeAndFree(t *testing.T) {
	all := available(t)
	for seed := range uint64(60) {
		p := drawn(seed)
		horizon := 1 + int(seed%3)
		safe, err := support.Safe(p)
		if err != nil {
			t.Fatal(err)
		}
		free, err := support.Free(p)
		if err != nil {
			t.Fatal(err)
		}
		if free.Network != nil {
			t.Fatalf("problem %d: there is a network where next values are free", seed)
		}
		for _, c := range []struct {
			task    engine.Task
			want    *int64
			engines []string
		}{
			{safe.Task, brute(p, horizon, false), all},
			{free, brute(p, horizon, true), []string{registry.PB, registry.Search}},
		} {
			for _, name := range c.engines {
				e, err := registry.New(registry.Options{Engine: name})
				if err != nil {
					t.Fatal(err)
				}
				res, err := e.Solve(context.Background(), engine.Query{Task: c.task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if (c.want == nil) != (res.Status == engine.Infeasible) || c.want != nil && (res.Status != engine.Optimal || res.Reward != *c.want) {
					t.Errorf("problem %d, engine %s: %s %d, brute force %v", seed, name, res.Status, res.Reward, c.want)
				}
			}
		}
	}
}
