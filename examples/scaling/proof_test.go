package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// proven are rows whose answers tables and prices show, alone or with the states that these
// leave, with the most bytes that their proofs may have.
var proven = map[string]int64{
	"sysadmin -n 10 -k 3 -graph ring -H 6":             40_000,
	"sysadmin -n 10 -k 3 -graph ring -H 12":            100_000,
	"sysadmin -n 10 -k 3 -graph ring -H 40":            400_000,
	"sysadmin -n 13 -k 4 -graph ring -H 15":            300_000,
	"sysadmin -n 16 -k 6 -graph ring -H 40":            700_000,
	"sysadmin -n 20 -k 6 -graph tree -H 6":             40_000,
	"sysadmin -n 20 -k 6 -graph tree -H 12":            150_000,
	"sysadmin -n 20 -k 6 -graph tree -H 40":            500_000,
	"sysadmin -n 24 -k 8 -graph path -H 20":            500_000,
	"sysadmin -n 50 -k 15 -graph tree -H 40":           1_200_000,
	"failing -n 20 -k 20 -graph random -cost 10 -H 12": 150_000,
	"sudoku -fills 11":                                 30_000,
	"inventory -n 10 -H 20":                            4_000_000,
	"jobs -n 4 -k 2 -H 12":                             500_000,
	"jobs -n 10 -k 2 -H 16":                            3_000_000,
	"repair -n 4 -k 2 -size 3 -H 12":                   1_000_000,
	"repair -n 10 -k 3 -H 16":                          12_000_000,
	"charge -n 3 -H 12":                                500_000,
	"irrigate -n 2 -H 12":                              4_000_000,
	"irrigate -n 4 -H 18":                              4_000_000,
	"lifts -n 3 -k 1 -size 4 -H 12":                    100_000,
	"lifts -n 7 -k 2 -H 20":                            3_000_000,
	"warehouse -n 1 -k 2 -size 6 -H 12":                100_000,
	"warehouse -n 2 -k 4 -size 12 -H 20":               3_000_000,
	"staff -n 6 -H 24":                                 14_000_000,
	"lots -n 3 -H 12":                                  700_000,
	"rivers -n 6 -H 24":                                10_000_000,
	"heating -n 6 -H 24":                               8_000_000,
	"wards -n 6 -H 24":                                 4_000_000,
	"fleet -n 3 -H 12":                                 300_000,
	"depot -n 6 -H 24":                                 2_000_000,
	"robots -n 2 -H 30":                                8_000_000,
	"robots -n 3 -H 30":                                22_000_000,
	"robots -n 4 -H 30":                                4_000_000,
}

var withVeriPB = flag.Bool("veripb", false, "have veripb read the proofs, those of all instances")

// TestProofs certifies answers that are beyond what a list of states can prove: some of
// them, and all with -veripb, which has veripb read the proofs too.
func TestProofs(t *testing.T) {
	if *withVeriPB {
		extsolver.RequireChecker(t, "veripb")
	}
	some := []string{
		"sysadmin -n 10 -k 3 -graph ring -H 6", "sysadmin -n 13 -k 4 -graph ring -H 15", "sysadmin -n 20 -k 6 -graph tree -H 12",
		"sysadmin -n 50 -k 15 -graph tree -H 40", "failing -n 20 -k 20 -graph random -cost 10 -H 12", "sudoku -fills 11",
		"inventory -n 10 -H 20", "jobs -n 10 -k 2 -H 16", "repair -n 4 -k 2 -size 3 -H 12", "charge -n 3 -H 12", "lifts -n 7 -k 2 -H 20",
		"heating -n 6 -H 24", "wards -n 6 -H 24", "fleet -n 3 -H 12", "depot -n 6 -H 24",
	}
	for _, r := range rows {
		most, ok := proven[r.args]
		if !ok || !*withVeriPB && !slices.Contains(some, r.args) || testing.Short() && r.reward < -300 {
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
		if *withVeriPB {
			user := extsolver.RequireContradiction(t, strings.TrimSuffix(found[0], ".pbp")+".opb", found[0], time.Hour)
			t.Logf("%s: %d bytes, veripb %.2f s", r.args, info.Size(), user.Seconds())
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
				if _, err := certify.Prove(context.Background(), what, answer, certify.Options{W: &text, Format: proof.VeriPB20}); err != nil {
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

// TestUnfinished certifies what is known of a run that was cut short: the bound, as far
// as tables and prices show it.
func TestUnfinished(t *testing.T) {
	for _, c := range []struct {
		args       string
		most, want int64 // the bound of the run, and one that must be shown
	}{
		{"inventory -n 10 -H 20", -599, -550},
		{"robots -n 3 -H 30", -29, -20},
		{"sysadmin -n 20 -k 6 -graph tree -H 40", -140, -140},
	} {
		what, h := load(t, c.args)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		res, err := search.Engine{}.Solve(ctx, engine.Query{Task: what, MinHorizon: h, MaxHorizon: h}, engine.Limits{Threads: 1}, nil)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		answers := []certify.Answer{{Horizon: h, Status: engine.Unknown, Bound: &c.most}}
		if res.Trace != nil {
			answers[0].Status, answers[0].Trace, answers[0].Reward = engine.Feasible, res.Trace, res.Reward
		}
		if err := certify.Write(t.Context(), what, answers, t.TempDir(), certify.Options{Format: proof.VeriPB20}); err != nil {
			t.Fatalf("%s: %v", c.args, err)
		}
		if b := answers[0].Bound; b == nil || *b < c.most || *b > c.want {
			t.Errorf("%s: the bound %v is proven, expected %d to %d", c.args, b, c.most, c.want)
		}
	}
}
