package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/divide"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
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

// divided are instances for BenchmarkDivided, with their best rewards.
var divided = []struct {
	args   string
	reward int64
}{
	{"sysadmin -n 8 -k 3 -graph ring -H 6", -10},
	{"failing -n 6 -k 2 -graph ring -H 6", -24},
}

// BenchmarkDivided solves instances with proofs by pb alone and by cubes on one and two threads, and measures the
// conflicts, the proof, and its check.
func BenchmarkDivided(b *testing.B) {
	for _, r := range divided {
		what, h := load(b, r.args)
		m, err := model.New(what.Problem, what.Network, h, model.Options{})
		if err != nil {
			b.Fatal(err)
		}
		var opb bytes.Buffer
		if _, err := format.Write(context.Background(), &opb, m, format.Options{Kind: format.OPB}); err != nil {
			b.Fatal(err)
		}
		for threads := range 3 {
			name := fmt.Sprintf("%s/threads=%d", strings.ReplaceAll(r.args, " ", "_"), threads)
			if threads == 0 {
				name = strings.ReplaceAll(r.args, " ", "_") + "/alone"
			}
			var text bytes.Buffer
			b.Run(name, func(b *testing.B) {
				var conflicts int64
				for b.Loop() {
					text.Reset()
					res := solveDivided(b, what, h, m, threads, &text)
					if res.Status != engine.Optimal || res.Reward != r.reward {
						b.Fatalf("%s %d, expected %d", res.Status, res.Reward, r.reward)
					}
					conflicts = res.Stats["work"] + res.Stats["conflicts"]
				}
				b.ReportMetric(float64(conflicts), "conflicts")
				b.ReportMetric(float64(text.Len()), "proof-bytes")
			})
			b.Run(name+"/check", func(b *testing.B) {
				for b.Loop() {
					if _, err := veripb.Check(bytes.NewReader(opb.Bytes()), bytes.NewReader(text.Bytes())); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// solveDivided solves an instance with a proof; on 0 threads by pb alone.
func solveDivided(b *testing.B, what engine.Task, h int, m *model.Model, threads int, text *bytes.Buffer) *engine.Result {
	b.Helper()
	if threads == 0 {
		return solve(b, conflict.PB{Proof: &conflict.Proof{W: text, Format: proof.VeriPB20, File: m}}, what, h)
	}
	res := solve(b, divide.Engine{Options: divide.Options{Executor: divide.Threads{N: threads}, Proof: true, Literal: true}}, what, h)
	if _, err := res.Evidence.Write(context.Background(), text, proof.VeriPB20); err != nil {
		b.Fatal(err)
	}
	return res
}
