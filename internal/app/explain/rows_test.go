package explain

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/verify"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// step is a row of a random log.
type step struct{ now, next factored.Valuation }

// drawnLog draws steps of a problem: the learned bits of most as the network has them.
func drawnLog(r *rand.Rand, p *factored.Problem, net *bnn.Network) (rows []step, record *coverage.Record) {
	var moreIn, moreOut []factored.Bit
	for _, kind := range []factored.Kind{factored.State, factored.Action} {
		for _, b := range p.Bits(kind) {
			if !slices.Contains(p.Inputs, b) {
				moreIn = append(moreIn, b)
			}
			if kind == factored.State && !slices.Contains(p.Outputs, b) {
				moreOut = append(moreOut, b)
			}
		}
	}
	b := coverage.NewRecorder(len(p.Inputs), len(p.Outputs), load.BitNames(p, moreIn), load.BitNames(p, moreOut))
	file := b.File("log.csv")
	eval := bnn.NewEvaluator(net)
	in, out := make([]uint64, 1), make([]uint64, 1)
	bits := func(val factored.Valuation, of []factored.Bit) (x []bool) {
		for _, bit := range of {
			x = append(x, val[bit])
		}
		return x
	}
	for i := range 1 + r.IntN(30) {
		s := step{make(factored.Valuation, p.NumBits()), make(factored.Valuation, p.NumBits())}
		for _, bit := range p.Bits(factored.Action) {
			s.now[bit] = r.IntN(2) == 0
		}
		for _, bit := range p.Bits(factored.State) {
			s.now[bit], s.next[bit] = r.IntN(2) == 0, r.IntN(2) == 0
		}
		in[0] = 0
		for i, bit := range p.Inputs {
			if s.now[bit] {
				in[0] |= 1 << i
			}
		}
		eval.Forward(out, in, eval.NewScratch())
		if r.IntN(4) > 0 {
			for i, bit := range p.Outputs {
				s.next[bit] = out[0]>>i&1 == 1
			}
		}
		rows = append(rows, s)
		b.Add(bits(s.now, p.Inputs), bits(s.now, moreIn), bits(s.next, p.Outputs), bits(s.next, moreOut), file, i+2)
	}
	return rows, b.Record()
}

// property draws a condition on two variables before and after a step.
func property(r *rand.Rand, p *factored.Problem) string {
	var names []string
	for i := range p.Variables {
		switch v := &p.Variables[i]; {
		case v.View != nil: // its values have no order
		case v.Kind == factored.State:
			names = append(names, v.Name, v.Name+"'")
		case v.Kind == factored.Action:
			names = append(names, v.Name)
		}
	}
	side := func() string {
		return fmt.Sprintf("%s %s %d", names[r.IntN(len(names))], []string{"<=", ">="}[r.IntN(2)], r.IntN(2))
	}
	return side() + []string{" | ", " => "}[r.IntN(2)] + side()
}

// TestVerifyAgainstRows: a property is refuted by a log exactly if a row with a legal state and
// action breaks it, and the answer has all lines of these.
func TestVerifyAgainstRows(t *testing.T) {
	statuses := map[string]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		p, net, _ := randprob.New(seed, randprob.Options{StateBits: 4, ActionBits: 2, Auxiliaries: 1})
		if net == nil || len(p.Inputs) == 0 {
			continue
		}
		rows, record := drawnLog(r, p, net)
		text := property(r, p)
		e, err := expr.Parse(p, text, expr.Options{Next: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var want []int32
		for i, s := range rows {
			if !e.Eval(s.now, s.next) && validate.CheckPart(p, validate.Action, s.now) == nil {
				want = append(want, int32(i+2))
			}
		}
		problem := &load.Problem{Task: engine.Task{Problem: p, Network: net}, Trained: load.Trained{Record: record, Seen: record.Seen()}}
		for _, given := range []*coverage.Record{nil, record} {
			if given != nil {
				problem.Trained = load.Trained{}
			}
			d, err := Verify(context.Background(), problem, VerifyRequest{Property: text, Log: given})
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			statuses[d.Status]++
			if (d.Status == Refuted) != (len(want) > 0) || !slices.Equal(d.Lines, want) || d.RefutingRows != len(want) || d.Rows != len(rows) {
				t.Errorf("seed %d: %s: %s by %d rows, lines %v of %d; want %v of %d", seed, text, d.Status, d.RefutingRows, d.Lines, d.Rows, want, len(rows))
			}
			if d.Status == Refuted && (d.Witness == nil || d.Model == "") {
				t.Errorf("seed %d: %s: %+v", seed, text, d)
			}
		}
		// What a network disputes is enough where it reads and writes all bits.
		problem.Record = record.Disputed(func(out, in []uint64) {
			eval := bnn.NewEvaluator(net)
			eval.Forward(out, in, eval.NewScratch())
		})
		d, err := Verify(context.Background(), problem, VerifyRequest{Property: text})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "--data LOG") })
		if all := len(record.MoreInputs)+len(record.MoreOutputs) == 0 && (d.Status != Holds || d.Steps == verify.AnyNext); all == told {
			t.Errorf("seed %d: rows are known in full: %v; warnings %v", seed, all, d.Warnings)
		} else if all && d.Status == Holds && len(want) > 0 {
			t.Errorf("seed %d: %s holds, and lines %v refute it", seed, text, want)
		}
	}
	for _, s := range []string{Holds, Fails, Refuted} {
		if statuses[s] < 8 {
			t.Errorf("the status is %s %d times: too few", s, statuses[s])
		}
	}
}

// TestRowsOfOthers: rows that do not have what the property is about are not compared, and the
// answer says so.
func TestRowsOfOthers(t *testing.T) {
	p := factored.NewProblem("small")
	for _, name := range []string{"a", "b"} {
		if _, err := p.AddVariable(factored.Variable{Name: name, Kind: factored.State, Bool: true}); err != nil {
			t.Fatal(err)
		}
	}
	p.Inputs, p.Outputs = []factored.Bit{0}, []factored.Bit{0}
	for _, c := range []struct {
		moreIn, moreOut []string
		want            string
	}{
		{nil, nil, "its rows are without b"},
		{[]string{"b"}, nil, "its rows are without b"},
		{[]string{"c"}, []string{"b"}, "its file has rows of another problem, with c"},
		{[]string{"b"}, []string{"b"}, "<nil>"},
	} {
		if _, err := newRowBits(p, coverage.NewRecorder(1, 1, c.moreIn, c.moreOut).Record()); fmt.Sprint(err) != c.want {
			t.Errorf("%v %v: %v, want %s", c.moreIn, c.moreOut, err, c.want)
		}
	}
}
