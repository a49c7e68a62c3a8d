package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// proven are rows whose answers tables and prices show alone, with the most bytes
// that their proofs may have.
var proven = map[string]int64{
	"sysadmin -n 10 -k 3 -graph ring -H 6":             40_000,
	"sysadmin -n 13 -k 4 -graph ring -H 15":            300_000,
	"sysadmin -n 20 -k 6 -graph tree -H 12":            150_000,
	"sysadmin -n 50 -k 15 -graph tree -H 40":           1_200_000,
	"failing -n 20 -k 20 -graph random -cost 10 -H 12": 150_000,
	"sudoku -fills 11":                                 30_000,
}

// TestProofs certifies answers that are beyond what a list of states can prove.
func TestProofs(t *testing.T) {
	for _, r := range rows {
		most, ok := proven[r.args]
		if !ok || testing.Short() && r.reward < -300 {
			continue
		}
		what, h := load(t, r.args)
		res := solve(t, search.Engine{}, what, h)
		if res.Status != engine.Optimal || res.Reward != r.reward {
			t.Fatalf("%s: %s %d, expected %d", r.args, res.Status, res.Reward, r.reward)
		}
		answers, err := certify.Answers(t.Context(), what, res, h, engine.Limits{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		// Write has the proof checked, against the problem too.
		dir := t.TempDir()
		if err := certify.Write(t.Context(), what, answers, dir, certify.Options{Format: proof.VeriPB12}); err != nil {
			t.Fatalf("%s: %v", r.args, err)
		}
		found, err := filepath.Glob(filepath.Join(dir, "*.pbp"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: the proofs are %q, %v", r.args, found, err)
		}
		info, err := os.Stat(found[0])
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			t.Errorf("%s: the proof has %d bytes, expected at most %d", r.args, info.Size(), most)
		}
	}
}

// BenchmarkProofs measures the making of these proofs, their sizes, and the check.
func BenchmarkProofs(b *testing.B) {
	for _, r := range rows {
		if _, ok := proven[r.args]; !ok {
			continue
		}
		what, h := load(b, r.args)
		res := solve(b, search.Engine{}, what, h)
		answer := certify.Answer{Horizon: h, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound}
		name := strings.ReplaceAll(r.args, " ", "_")
		var text bytes.Buffer
		b.Run(name+"/write", func(b *testing.B) {
			for b.Loop() {
				text.Reset()
				if err := certify.Prove(context.Background(), what, answer, certify.Options{W: &text, Format: proof.VeriPB20}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(text.Len()), "proof-bytes")
		})
		opb := compile(b, what, h)
		b.Run(name+"/check", func(b *testing.B) {
			for b.Loop() {
				if _, err := veripb.Check(bytes.NewReader(opb), bytes.NewReader(text.Bytes())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// compile is the problem's OPB file.
func compile(t testing.TB, what engine.Task, h int) []byte {
	t.Helper()
	m, err := model.New(what.Problem, what.Network, h, model.Options{Propagate: true})
	if err != nil {
		t.Fatal(err)
	}
	var opb bytes.Buffer
	if _, err := format.Write(context.Background(), &opb, m, format.Options{Kind: format.OPB}); err != nil {
		t.Fatal(err)
	}
	return opb.Bytes()
}
