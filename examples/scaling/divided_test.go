package main

import (
	"testing"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/divide"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// TestDivided divides instances among four workers: the reward is that of one engine, and the
// certificate, with the proofs of all parts joined, is accepted.
func TestDivided(t *testing.T) {
	for _, args := range []string{"sysadmin -n 6 -k 2 -graph ring -H 6", "failing -n 5 -k 2 -graph ring -H 5", "inventory -n 2 -H 5", "robots -n 2 -size 3 -loops 1 -H 6"} {
		what, h := load(t, args)
		want := solve(t, search.Engine{}, what, h)
		got := solve(t, divide.Engine{Options: divide.Options{Executor: divide.Threads{N: 4}, Work: 500, Proof: true, Literal: true}}, what, h)
		if got.Status != want.Status || got.Reward != want.Reward || got.Stats["cubes"] < 2 {
			t.Fatalf("%s: %s %d in %d cubes, by search %s %d", args, got.Status, got.Reward, got.Stats["cubes"], want.Status, want.Reward)
		}
		answers, err := certify.Answers(t.Context(), what, got, h, engine.Limits{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		// Write has the joint proof checked, against the problem too.
		if err := certify.Write(t.Context(), what, answers, t.TempDir(), certify.Options{Format: proof.VeriPB20}); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}
