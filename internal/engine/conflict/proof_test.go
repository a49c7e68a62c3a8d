package conflict_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// prove solves a task with a proof and returns the OPB file that it is about, the proof, and
// the answer.
func prove(t testing.TB, task engine.Task, horizon int, f proof.Format) (opb, text []byte, res *engine.Result) {
	t.Helper()
	return proveOf(t, task, horizon, f, model.Options{Propagate: true})
}

// proveOf is prove about the file of a model with these options.
func proveOf(t testing.TB, task engine.Task, horizon int, f proof.Format, o model.Options) (opb, text []byte, res *engine.Result) {
	t.Helper()
	m, err := model.New(task.Problem, task.Network, horizon, o)
	if err != nil {
		t.Fatal(err)
	}
	var file, out bytes.Buffer
	if _, err := format.Write(context.Background(), &file, m, format.Options{Kind: format.OPB}); err != nil {
		t.Fatal(err)
	}
	e := conflict.PB{Proof: &conflict.Proof{W: &out, Format: f, File: m}}
	res, err = e.Solve(context.Background(), engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), out.Bytes(), res
}

// accepted has the checker read a proof and compares its verdict with the
// answer.
func accepted(t *testing.T, what any, task engine.Task, horizon int, f proof.Format) {
	t.Helper()
	opb, text, res := prove(t, task, horizon, f)
	v, err := veripb.Check(bytes.NewReader(opb), bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %v", what, err)
	}
	if res.Status == engine.Infeasible {
		if v.Kind != veripb.Unsat {
			t.Fatalf("%v: infeasible, the proof shows %v", what, v.Kind)
		}
		return
	}
	m, err := model.New(task.Problem, task.Network, horizon, model.Options{Propagate: true})
	if err != nil {
		t.Fatal(err)
	}
	o := format.ObjectiveOf(m, format.OPB)
	if v.Kind != veripb.Optimal || o.Reward(v.Lower.Int64()) != res.Reward {
		t.Fatalf("%v: %v %d, the proof shows %v %v (constant %d)", what, res.Status, res.Reward, v.Kind, v.Lower, o.Constant)
	}
}

// literal has the checker read a proof about the paper's own rows.
func literal(t *testing.T, what any, task engine.Task, horizon int, f proof.Format) {
	t.Helper()
	opb, text, res := proveOf(t, task, horizon, f, model.Options{})
	v, err := veripb.Check(bytes.NewReader(opb), bytes.NewReader(text))
	switch {
	case err != nil:
		t.Fatalf("%v: %v", what, err)
	case res.Status == engine.Infeasible && v.Kind != veripb.Unsat, res.Status == engine.Optimal && v.Kind != veripb.Optimal:
		t.Fatalf("%v: %s, the proof shows %v", what, res.Status, v)
	}
}

var formats = []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}

// TestProofsOfRandomProblems has proofs of random problems checked.
func TestProofsOfRandomProblems(t *testing.T) {
	for i := range *conflict.Instances {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{})
		if i%3 == 0 {
			for j := range p.Reward.Terms {
				p.Reward.Terms[j].Weight = p.Reward.Terms[j].Weight*1_003 + int64(j)*79
			}
		}
		accepted(t, seed, engine.Task{Problem: p, Network: net}, horizon, formats[i%2])
		literal(t, seed, engine.Task{Problem: p, Network: net}, horizon, formats[i%2])
	}
}

// TestProofsOfPublished has the proofs of the published problems checked; those of more than 8 steps with -long.
func TestProofsOfPublished(t *testing.T) {
	for i, in := range firsts() {
		if !*long && in.horizon > 8 {
			continue
		}
		accepted(t, in, in.load(t), in.horizon, formats[i%2])
	}
	accepted(t, "no plan", instance{"navigation", "3x3", 3, 1, false}.load(t), 3, proof.VeriPB20)
}

// TestFlippedProof changes numbers of a proof: each change is refused, or what
// the proof then says is still true.
func TestFlippedProof(t *testing.T) {
	opb, text, res := prove(t, instance{"navigation", "3x3", 4, -4, false}.load(t), 4, proof.VeriPB20)
	lines := bytes.Split(text, []byte("\n"))
	refused := 0
	for i, line := range lines {
		fields := bytes.Fields(line)
		if len(fields) < 3 || i%2 != 0 && !bytes.HasPrefix(line, []byte("conclusion")) {
			continue
		}
		at := len(fields) - 2 // before the semicolon, or a coefficient
		for ; at > 0 && (fields[at][0] < '1' || fields[at][0] > '8'); at-- {
		}
		if at == 0 {
			continue
		}
		flipped := bytes.Clone(line)
		flipped[bytes.Index(line, fields[at])]++
		changed := bytes.Join(append(append(append([][]byte(nil), lines[:i]...), flipped), lines[i+1:]...), []byte("\n"))
		v, err := veripb.Check(bytes.NewReader(opb), bytes.NewReader(changed))
		if err != nil {
			refused++
			continue
		}
		if v.Kind == veripb.Optimal && v.Lower.Int64() != -res.Reward || v.Kind == veripb.Unsat {
			t.Errorf("%s\nfor\n%s\nproves %v %v", flipped, line, v.Kind, v.Lower)
		}
	}
	if refused < 5 {
		t.Errorf("only %d flipped numbers were refused", refused)
	}
	wrong := bytes.Replace(text, []byte("conclusion BOUNDS 4 4"), []byte("conclusion BOUNDS 3 4"), 1)
	wrong = bytes.Replace(wrong, []byte("conclusion BOUNDS 4"), []byte("conclusion BOUNDS 5"), 1)
	if _, err := veripb.Check(bytes.NewReader(opb), bytes.NewReader(wrong)); err == nil || bytes.Equal(wrong, text) {
		t.Errorf("a wrong conclusion is accepted: %s", text[len(text)-200:])
	}
}

// BenchmarkProof is BenchmarkPublished with a proof of each answer.
func BenchmarkProof(b *testing.B) {
	for b.Loop() {
		size := 0
		for _, in := range paperInstances {
			_, text, _ := prove(b, in.load(b), in.horizon, proof.VeriPB20)
			size += len(text)
		}
		b.ReportMetric(float64(size), "bytes/op")
	}
}

// TestProofsOfBounds stops runs early: the proof then shows the plan and the bound
// of the answer.
func TestProofsOfBounds(t *testing.T) {
	cut, better := 0, 0
	for i := range 15 * *conflict.Instances {
		p, net, horizon := randprob.New(uint64(i), randprob.Options{Horizon: 6, StateBits: 8, ActionBits: 4})
		if i%3 == 0 {
			for j := range p.Reward.Terms {
				p.Reward.Terms[j].Weight = p.Reward.Terms[j].Weight*7 + int64(j)
			}
		}
		m, err := model.New(p, net, horizon, model.Options{Propagate: i%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		var file, out bytes.Buffer
		if _, err := format.Write(context.Background(), &file, m, format.Options{Kind: format.OPB}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		left := 1 + i%4
		res, err := conflict.PB{Proof: &conflict.Proof{W: &out, Format: formats[i/2%2], File: m}}.Solve(ctx, engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{}, func(engine.Progress) {
			if left--; left <= 0 {
				cancel()
			}
		})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		v, err := veripb.Check(bytes.NewReader(file.Bytes()), bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatalf("problem %d, %s: %v", i, res.Status, err)
		}
		if res.Status != engine.Feasible {
			continue
		}
		cut++
		o := format.ObjectiveOf(m, format.OPB)
		if v.Upper == nil || o.Reward(v.Upper.Int64()) != res.Reward || v.Lower == nil || o.Reward(v.Lower.Int64()) > *res.Bound {
			t.Fatalf("problem %d: reward %d, bound %d, the proof shows %v (constant %d)", i, res.Reward, *res.Bound, v, o.Constant)
		}
		if o.Constant+v.Lower.Int64() > m.ObjectiveConstant() {
			better++
		}
	}
	if cut < *conflict.Instances || better == 0 {
		t.Errorf("%d runs were cut short, %d with a bound of their own", cut, better)
	}
	t.Logf("%d runs were cut short, %d with a bound of their own", cut, better)
}
