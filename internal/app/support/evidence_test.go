package support_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// noisyLog is a log of a problem of drawn: rows as its network has them but for some flipped
// bits.
func noisyLog(p *load.Problem, r *rand.Rand) (rows [][2]uint64, record *coverage.Record, words []uint64) {
	inputs, outputs := len(p.Problem.Inputs), len(p.Problem.Outputs)
	b := coverage.NewRecorder(inputs, outputs, nil, nil)
	file := b.File("log.csv")
	bools := func(x uint64, n int) []bool {
		out := make([]bool, n)
		for i := range out {
			out[i] = x>>i&1 == 1
		}
		return out
	}
	for i := range 1 + r.IntN(40) {
		in := r.Uint64N(1 << inputs)
		out := forward(p, in)
		if r.IntN(5) == 0 {
			out ^= 1 << r.IntN(outputs)
		}
		rows = append(rows, [2]uint64{in, out})
		if !slices.Contains(words, in) {
			words = append(words, in)
		}
		b.Add(bools(in, inputs), nil, bools(out, outputs), nil, file, i+2)
	}
	return rows, b.Record(), words
}

// forward is what the network of a problem computes.
func forward(p *load.Problem, in uint64) uint64 {
	eval := bnn.NewEvaluator(p.Network)
	out := make([]uint64, 1)
	eval.Forward(out, []uint64{in}, eval.NewScratch())
	return out[0]
}

// TestEvidence compares the evidence of every step with a count of the rows of random logs: with
// all rows recorded, with those alone that dispute, and with those and what they settle.
func TestEvidence(t *testing.T) {
	kinds := map[support.Kind]int{}
	for seed := range uint64(150) {
		p := drawn(seed)
		settled := p.Support
		rows, record, words := noisyLog(p, rand.New(rand.NewPCG(seed, 9)))
		net := func(out, in []uint64) { out[0] = forward(p, in[0]) }
		for _, c := range []struct {
			name string
			with func()
		}{
			{"whole", func() { p.Record, p.Seen, p.Support = record, record.Seen(), nil }},
			{"whole, with support", func() { p.Record, p.Seen, p.Support = record, record.Seen(), settled }},
			{"disputed", func() {
				p.Record, p.Seen, p.Support = record.Disputed(net), coverage.Of(len(p.Problem.Inputs), words), nil
			}},
		} {
			c.with()
			j := support.NewJudge(p)
			for in := range uint64(1) << len(p.Problem.Inputs) {
				now := make(factored.Valuation, p.Problem.NumBits())
				for i, b := range p.Problem.Inputs {
					now[b] = in>>i&1 == 1
				}
				got, err := j.Evidence(now)
				if err != nil {
					t.Fatal(err)
				}
				n, agree := 0, 0
				var bits []int
				for _, row := range rows {
					if row[0] != in {
						continue
					}
					n++
					if differ := row[1] ^ forward(p, in); differ == 0 {
						agree++
					} else {
						for b := range p.Problem.Outputs {
							if differ>>b&1 == 1 && !slices.Contains(bits, b) {
								bits = append(bits, b)
							}
						}
					}
				}
				slices.Sort(bits)
				open, err := j.Open(now)
				if err != nil {
					t.Fatal(err)
				}
				want := support.Evidence{Kind: support.Unseen, Next: support.Variables(p.Problem, open)}
				switch {
				case n > agree:
					want = support.Evidence{Kind: support.Disputed, Rows: &n, Agree: &agree, Next: support.Variables(p.Problem, bits)}
				case n > 0 && c.name == "disputed":
					want = support.Evidence{Kind: support.Seen}
				case n > 0:
					want = support.Evidence{Kind: support.Seen, Rows: &n, Agree: &agree}
				case p.Support != nil && len(open) == 0:
					want = support.Evidence{Kind: support.Supported, Class: p.Support.Class()}
				}
				if fmt.Sprint(text(got)) != fmt.Sprint(text(want)) {
					t.Errorf("problem %d, %s, inputs %b: %v, want %v", seed, c.name, in, text(got), text(want))
				}
				kinds[got.Kind]++
			}
		}
	}
	for _, k := range []support.Kind{support.Seen, support.Disputed, support.Supported, support.Unseen} {
		if kinds[k] < 20 {
			t.Errorf("%d steps are %s: too few", kinds[k], k)
		}
	}
}

// text is all of an evidence.
func text(e support.Evidence) []any {
	number := func(n *int) any {
		if n == nil {
			return nil
		}
		return *n
	}
	return []any{e.Kind, number(e.Rows), number(e.Agree), e.Class, e.Next}
}

// TestDisputed is about the sentence on disputed steps.
func TestDisputed(t *testing.T) {
	step := func(n int, kind support.Kind, agree, rows int) support.Step {
		return support.Step{Step: n, Evidence: support.Evidence{Kind: kind, Agree: &agree, Rows: &rows}}
	}
	for _, c := range []struct {
		steps support.Steps
		want  string
	}{
		{nil, ""},
		{support.Steps{step(1, support.Seen, 3, 3)}, ""},
		{support.Steps{step(1, support.Seen, 3, 3), step(2, support.Disputed, 50, 51)}, "the plan's step 2 is disputed by the log; 50 of 51 rows agree"},
		{support.Steps{step(3, support.Disputed, 50, 51), step(5, support.Disputed, 83, 100)}, "the plan's steps 3 and 5 are disputed by the log; at least 83 % of the rows agree"},
		{support.Steps{step(1, support.Disputed, 999, 1000), step(2, support.Disputed, 999, 1000), step(4, support.Disputed, 0, 1)}, "the plan's steps 1, 2 and 4 are disputed by the log; at least 0 % of the rows agree"},
	} {
		if got := c.steps.Disputed(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestAlike: a step that no row has is disputed by rows with the same values of what its next
// value depends on, and unseen where there are none or these agree.
func TestAlike(t *testing.T) {
	f := factored.NewProblem("alike")
	for i, name := range []string{"s", "other", "act"} {
		kind := factored.State
		if i == 2 {
			kind = factored.Action
		}
		if _, err := f.AddVariable(factored.Variable{Name: name, Kind: kind, Bool: true}); err != nil {
			t.Fatal(err)
		}
		f.Inputs = append(f.Inputs, factored.Bit(i))
	}
	f.Outputs = []factored.Bit{0}
	net := &bnn.Network{Layers: []bnn.Layer{{Inputs: 3, Weights: []int8{0, 0, 1}, Thresholds: []int32{1}}}} // s' = act
	for _, c := range []struct {
		agree, rows int
		want        support.Kind
	}{{50, 51, support.Disputed}, {0, 3, support.Disputed}, {3, 3, support.Unseen}, {0, 0, support.Unseen}} {
		b := coverage.NewRecorder(3, 1, nil, nil)
		file := b.File("log.csv")
		b.Add([]bool{false, false, false}, nil, []bool{false}, nil, file, 2)
		for i := range c.rows {
			b.Add([]bool{false, i%2 == 0, true}, nil, []bool{i < c.agree}, nil, file, i+3)
		}
		p := &load.Problem{Task: engine.Task{Problem: f, Network: net}}
		p.Record = b.Record()
		p.Seen = p.Record.Seen()
		p.Support = &coverage.Support{Inputs: 3, Outputs: 1, Tables: [][]coverage.Table{{{Inputs: []int{2}, Off: []uint64{0}}}}}
		e, err := support.NewJudge(p).Evidence(factored.Valuation{true, false, true})
		if err != nil || e.Kind != c.want || c.want == support.Disputed && (*e.Agree != c.agree || *e.Rows != c.rows) || !slices.Equal(e.Next, []string{"s"}) {
			t.Errorf("%d of %d rows agree: %v, %v", c.agree, c.rows, text(e), err)
		}
	}
}
