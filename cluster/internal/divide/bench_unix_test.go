//go:build unix

package divide_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// cpu is the CPU time of this process so far, in seconds.
func cpu(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	seconds := func(v syscall.Timeval) float64 { return float64(v.Sec) + float64(v.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
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
		what, h := generated(b, r.args)
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
				before := cpu(b)
				for b.Loop() {
					text.Reset()
					res := solveDivided(b, what, h, m, threads, &text)
					if res.Status != engine.Optimal || res.Reward != r.reward {
						b.Fatalf("%s %d, expected %d", res.Status, res.Reward, r.reward)
					}
					conflicts = res.Stats["work"] + res.Stats["conflicts"]
				}
				b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
				b.ReportMetric(float64(conflicts), "conflicts")
				b.ReportMetric(float64(text.Len()), "proof-bytes")
			})
			b.Run(name+"/check", func(b *testing.B) {
				before := cpu(b)
				for b.Loop() {
					if _, err := veripb.Check(bytes.NewReader(opb.Bytes()), bytes.NewReader(text.Bytes())); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
			})
		}
	}
}

// solveDivided solves an instance with a proof; on 0 threads by pb alone.
func solveDivided(b *testing.B, what engine.Task, h int, m *model.Model, threads int, text *bytes.Buffer) *engine.Result {
	b.Helper()
	if threads == 0 {
		return checked(b, conflict.PB{Proof: &conflict.Proof{W: text, Format: proof.VeriPB20, File: m}}, what, h)
	}
	res := checked(b, divide.Engine{Options: divide.Options{Executor: divide.Threads{N: threads}, Proof: true, Literal: true}}, what, h)
	if _, err := res.Evidence.Write(context.Background(), text, proof.VeriPB20); err != nil {
		b.Fatal(err)
	}
	return res
}
