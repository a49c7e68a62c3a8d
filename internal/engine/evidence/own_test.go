package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/evidence"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// TestOwn has the proof that an engine kept taken as it is, and another one found where it
// kept none, one about another file, or one that is not complete.
func TestOwn(t *testing.T) {
	ctx := t.Context()
	for seed := range uint64(20) {
		p, net, h := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		m, err := model.New(p, net, h, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		pb := conflict.PB{Proof: &conflict.Proof{W: &written, Format: proof.VeriPB20, File: m}}
		res, err := pb.Solve(ctx, engine.Query{Task: task, MinHorizon: h, MaxHorizon: h}, engine.Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		marked := strings.Replace(written.String(), "\n", "\n* kept\n", 1) // unlike what is found anew
		own := &engine.Evidence{Literal: true, Write: func(_ context.Context, w io.Writer, _ proof.Format) (*int64, error) {
			_, err := io.WriteString(w, marked)
			return res.Bound, err
		}}
		broken := &engine.Evidence{Literal: true, Write: func(_ context.Context, w io.Writer, _ proof.Format) (*int64, error) {
			_, err := io.WriteString(w, "half a line")
			return nil, errors.Join(err, errors.New("a part is missing"))
		}}
		other := *own
		other.Literal = false
		for name, kept := range map[string]*engine.Evidence{"own": own, "none": nil, "broken": broken, "another file": &other} {
			a := evidence.Answer{Horizon: h, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound, Evidence: kept}
			var text bytes.Buffer
			known, err := evidence.Prove(ctx, task, a, evidence.Options{W: &text, Format: proof.VeriPB20, Literal: true})
			if err != nil {
				t.Fatalf("%d, %s: %v", seed, name, err)
			}
			if (name == "own") != (text.String() == marked) {
				t.Errorf("%d, %s: whether the proof is the one that was kept is wrong", seed, name)
			}
			if res.Status == engine.Optimal && *known.Bound != res.Reward {
				t.Errorf("%d, %s: the bound %d, expected %d", seed, name, *known.Bound, res.Reward)
			}
			var opb bytes.Buffer
			if _, err := format.Write(ctx, &opb, m, format.Options{Kind: format.OPB}); err != nil {
				t.Fatal(err)
			}
			v, err := veripb.Check(&opb, &text)
			if err != nil || (v.Kind == veripb.Optimal) != (res.Status == engine.Optimal) {
				t.Errorf("%d, %s: %v, %v", seed, name, v, err)
			}
		}
	}
}
