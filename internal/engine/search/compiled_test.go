package search

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/bnn"
)

// byOperators lists the successors that operators give, by joint action and state: the best reward.
func byOperators(s *relation, g *generator, state []uint64) map[string]int64 {
	out := map[string]int64{}
	next := make([]uint64, len(state))
	g.each(state, next, func(o *operator) {
		k := fmt.Sprint(g.joint[int(o.action)*g.words:int(o.action+1)*g.words], next)
		if r, ok := out[k]; !ok || s.mostReward-o.cost > r {
			out[k] = s.mostReward - o.cost
		}
	})
	return out
}

// generators read the operators of a graph's step, without rules and by them.
func generators(ctx context.Context, t *testing.T, g *graph) (gens []*generator) {
	exclusive := (&run{q: engine.Query{Task: g.s.Task}, g: g}).exclusive(ctx)
	for _, rules := range []func() ([]bound.Rule, error){nil, exclusive} {
		ops, joint, _, err := bound.Operators(ctx, g.s.Task, bound.Reading{Most: bound.MostJoint, Rules: rules})
		if err != nil {
			t.Fatal(err)
		}
		if ops != nil {
			gens = append(gens, g.s.newGenerator(ops, joint))
		}
	}
	return gens
}

// compareOperators compares the successors of a state that operators give with those by propagation.
func compareOperators(s *relation, gen *generator, state []uint64, want *successors) error {
	best := byOperators(s, gen, state)
	sw, aw := s.StateWords(), s.ActionWords()
	same := 0
	for k, r := range want.rewards {
		next := want.states[k*sw : (k+1)*sw]
		have, ok := best[fmt.Sprint(want.actions[k*aw:(k+1)*aw], next)]
		if ok && have == r {
			same++
		} else if !slices.Equal(next, state) || r == s.mostReward { // resting at a cost is left out
			return fmt.Errorf("operators give %v, propagation %+v", best, want)
		}
	}
	if same != len(best) {
		return fmt.Errorf("operators give %v, propagation only %+v", best, want)
	}
	return nil
}

// TestLanes compares the compiled step with propagation: the same successors,
// rewards and order from every state that is reached.
func TestLanes(t *testing.T) {
	compiled, compared, operators, wide := 0, 0, 0, 0
	for seed := range uint64(1500) {
		p, net, horizon := randprob.New(7_000_000+seed, randprob.Options{ActionBits: 3 + 4*int(seed%2)})
		if net != nil {
			continue
		}
		s, err := newRelation(engine.Task{Problem: p})
		if err != nil {
			t.Fatal(err)
		}
		x, err := s.compile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if x == nil {
			continue
		}
		compiled++
		ctx := context.Background()
		g := newGraph(s)
		g.addInitial(ctx, func() bool { return false })
		gens := generators(ctx, t, g)
		operators += len(gens)
		w, v := s.newWorker(ctx, 0), s.newWorker(ctx, 0)
		for range horizon {
			g.expandLayer(ctx, []*worker{w}, func() bool { return false }, func() {})
		}
		v.compiled = x
		block := make([]successors, g.states.Len())
		expandBlock([]*worker{v}, x, block, func(i int) []uint64 { return g.states.key(uint32(i)) })
		if x.states > 1 && x.states*x.count > 64 {
			wide++
		}
		for i := range g.states.Len() {
			var want, got successors
			w.expand(g.states.key(uint32(i)), &want)
			v.expand(g.states.key(uint32(i)), &got)
			for _, got := range []successors{got, block[i]} {
				got.effort = 0
				if len(want.rewards) != len(got.rewards) || len(want.rewards) > 0 && !reflect.DeepEqual(want, got) {
					t.Fatalf("seed %d, state %d: compiled %+v, propagated %+v", seed, i, got, want)
				}
			}
			compared++
			for _, gen := range gens {
				if err := compareOperators(s, gen, g.states.key(uint32(i)), &want); err != nil {
					t.Fatalf("seed %d, state %d: %v", seed, i, err)
				}
			}
		}
	}
	if compiled < 20 || compared < 100 || operators < compiled || wide < 10 {
		t.Errorf("%d problems were compiled, %d of them to operators, %d with more than 64 pairs at once, %d states compared", compiled, operators, wide, compared)
	}
}

// TestStatesAtOnce expects that no state takes more runs of the code than alone, and fewer where its joint actions nearly fill one.
func TestStatesAtOnce(t *testing.T) {
	for joint := range 300 {
		if k := statesAtOnce(joint); k < 1 || bnn.Words(k*joint) > k*bnn.Words(joint) {
			t.Errorf("%d states with %d joint actions are expanded together", k, joint)
		}
	}
	if k := statesAtOnce(65); bnn.Words(65*k)*10 > 12*k {
		t.Errorf("%d states with 65 joint actions are expanded together, in %d runs", k, bnn.Words(65*k))
	}
}
