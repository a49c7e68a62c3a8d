package learn

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestChanceIsNoError: where most rows of a queue are not as any function says, these are no errors of the recording, however few rows there are.
func TestChanceIsNoError(t *testing.T) {
	for _, seed := range []uint64{1, 14, 31, 37, 45, 49} {
		p, schema := learnable(t, "queue", factored.Variable{Name: "queue", Hi: 12}, factored.Variable{Name: "open", Kind: factored.Action, Lo: 1, Hi: 3})
		r := rand.New(rand.NewPCG(seed, 3))
		d := &dataset.Data{Schema: schema, Begins: []int32{0}}
		queue := 0
		for range 250 {
			open := 1 + r.IntN(3)
			next := min(12, max(0, queue-2*open)+[]int{0, 0, 2, 2, 2, 4, 4, 4, 6, 6}[r.IntN(10)])
			d.Add([]float64{float64(queue), float64(open), float64(next)})
			queue = next
		}
		q := &load.Problem{Task: engine.Task{Problem: p}}
		trained, err := trainFrom(context.Background(), q, &sourced{data: []train.Source{{Data: d}}}, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if trained.Chance == nil || len(trained.Chance.Groups) == 0 || trained.Chance.Noise > .05 {
			t.Errorf("seed %d: %v", seed, trained.Chance)
		}
	}
}
