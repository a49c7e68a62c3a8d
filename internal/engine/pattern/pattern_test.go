package pattern_test

import (
	"context"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/pattern"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// pack returns the state bits of a valuation as New wants them.
func pack(p *factored.Problem, v factored.Valuation) []uint64 {
	bits := p.Bits(factored.State)
	out := make([]uint64, (len(bits)+63)/64)
	for i, b := range bits {
		if v[b] {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// costs are the least costs from the states of each step to a state in which a
// plan may end, waiting included.
func costs(p *factored.Problem, layers *search.Layers) [][]int64 {
	out := make([][]int64, len(layers.States))
	last := len(layers.States) - 1
	out[last] = make([]int64, len(layers.States[last]))
	for t := last - 1; t >= 0; t-- {
		out[t] = make([]int64, len(layers.States[t]))
		for i := range out[t] {
			out[t][i] = pattern.Never
		}
		for _, e := range layers.Edges[t] {
			c := out[t+1][e.To] - p.Reward.StepReward(e.Action, layers.States[t+1][e.To])
			out[t][e.From] = min(out[t][e.From], c)
		}
	}
	return out
}

// TestAdmissible compares the bound of each state of small problems with the cost
// of its cheapest plan, and looks at each step: it lowers the bound by its own
// cost at most.
func TestAdmissible(t *testing.T) {
	const horizon = 8
	ctx := context.Background()
	exact, known := 0, 0
	for seed := range uint64(40) {
		tokens := 1 + int(seed%3)
		p := randprob.Tokens(seed, tokens, 5, 1+int(seed%2), seed%5 > 0)
		task := engine.Task{Problem: p}
		layers, ok, err := search.Explore(ctx, task, horizon, 1<<20)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if len(layers.States[0]) == 0 {
			continue // out of reach
		}
		for _, entries := range []int{1, 1 << 6, 1 << 10} {
			l, err := tables(ctx, task, pack(p, layers.States[0][0]), entries)
			if err != nil {
				t.Fatal(err)
			}
			if l == nil {
				if seed%5 > 0 {
					t.Errorf("seed %d: no tables", seed)
				}
				continue
			}
			want := costs(p, layers)
			for k, states := range layers.States {
				for i, v := range states {
					least := l.Of(pack(p, v))
					if least > want[k][i] {
						t.Fatalf("seed %d, %d entries: bound %d of a state from which a plan costs %d", seed, entries, least, want[k][i])
					}
					known++
					if least == want[k][i] {
						exact++
					}
				}
			}
			for k, edges := range layers.Edges {
				for _, e := range edges {
					cost := -p.Reward.StepReward(e.Action, layers.States[k+1][e.To])
					before, after := l.Of(pack(p, layers.States[k][e.From])), l.Of(pack(p, layers.States[k+1][e.To]))
					if before > after+cost {
						t.Fatalf("seed %d, %d entries: a step of cost %d lowers the bound from %d to %d", seed, entries, cost, before, after)
					}
				}
			}
		}
	}
	if exact*3 < known {
		t.Errorf("the bound is the cost in only %d of %d cases", exact, known)
	}
}

// TestGrow wants larger tables to say more.
func TestGrow(t *testing.T) {
	ctx := context.Background()
	better := 0
	for seed := range uint64(10) {
		p := randprob.Tokens(100+seed, 3, 5, 1, true)
		layers, ok, err := search.Explore(ctx, engine.Task{Problem: p}, 12, 1<<20)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if len(layers.States[0]) == 0 {
			continue
		}
		start := pack(p, layers.States[0][0])
		l, err := tables(ctx, engine.Task{Problem: p}, start, 1)
		if err != nil || l == nil {
			t.Fatal(l, err)
		}
		before := l.Of(start)
		if tables, variables := l.Tables(); tables != variables {
			t.Errorf("seed %d: %d tables of %d variables, though a table may have one entry", seed, tables, variables)
		}
		if !l.Grow(ctx, 1<<12, [][]uint64{start}, 3) {
			continue // the goal is about one token
		}
		switch after := l.Of(start); {
		case after < before:
			t.Errorf("seed %d: the bound falls from %d to %d", seed, before, after)
		case after > before:
			better++
		}
	}
	if better == 0 {
		t.Error("larger tables never say more")
	}
}

// tables builds tables for a task with one initial state.
func tables(ctx context.Context, t engine.Task, start []uint64, entries int) (*pattern.Least, error) {
	rules, err := pattern.NewRules(ctx, t, 1, [][]uint64{start})
	if err != nil || rules == nil {
		return nil, err
	}
	return pattern.New(ctx, rules, [][]uint64{start}, entries, 2)
}
