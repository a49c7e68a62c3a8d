package search

import (
	"context"
	"reflect"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
)

// TestLanes compares the compiled step with propagation: the same successors,
// rewards and order from every state that is reached.
func TestLanes(t *testing.T) {
	compiled, compared := 0, 0
	for seed := range uint64(1500) {
		p, net, horizon := randprob.New(7_000_000+seed, randprob.Options{})
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
		w, v := s.newWorker(ctx, 0), s.newWorker(ctx, 0)
		for range horizon {
			g.expandLayer(ctx, []*worker{w}, func() bool { return false }, func() {})
		}
		v.compiled = x
		for i := range g.states.count {
			var want, got successors
			w.expand(g.states.key(uint32(i)), &want)
			v.expand(g.states.key(uint32(i)), &got)
			if len(want.rewards) != len(got.rewards) || len(want.rewards) > 0 && !reflect.DeepEqual(want, got) {
				t.Fatalf("seed %d, state %d: compiled %+v, propagated %+v", seed, i, got, want)
			}
			compared++
		}
	}
	if compiled < 20 || compared < 100 {
		t.Errorf("%d problems were compiled, %d states compared", compiled, compared)
	}
}
