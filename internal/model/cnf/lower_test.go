package cnf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// streamed collects the clauses of a Lowering.
type streamed struct {
	t      *testing.T
	lits   []int32
	counts [model.NumGroups + 1]Size
	step   int
	err    error
}

func (s *streamed) Clauses(t int, g model.Group, clauses []int32) error {
	if t < s.step {
		s.t.Errorf("step %d after step %d", t, s.step)
	}
	s.step = t
	if len(clauses) == 0 || clauses[len(clauses)-1] != 0 {
		s.t.Errorf("step %d, %v: a chunk ends inside a clause", t, g)
	}
	for _, l := range clauses {
		if l == 0 {
			s.counts[g].Clauses++
		} else {
			s.counts[g].Literals++
		}
	}
	s.lits = append(s.lits, clauses...)
	return s.err
}

// plain lowers without templates: every constraint of every step is encoded
// over the variables of the whole model.
type plain struct {
	lits []int32
	next int32
}

func (p *plain) NewVar() model.Lit { p.next++; return model.Lit(p.next) }

func (p *plain) Clause(lits ...model.Lit) {
	if len(lits) == 0 {
		p.lits = append(p.lits, 1, 0, -1, 0)
		return
	}
	for _, l := range lits {
		p.lits = append(p.lits, int32(l))
	}
	p.lits = append(p.lits, 0)
}

func lowerPlainly(m *model.Model, e Encoding) *plain {
	p := &plain{next: m.NumVars()}
	for t := 1; t <= m.Horizon+1; t++ {
		shift := model.Lit(m.Stride()) * model.Lit(t-1)
		move := func(l model.Lit) model.Lit {
			if l < 0 {
				return l - shift
			}
			return l + shift
		}
		part := m.Part(t)
		for _, l := range part.Fixed {
			p.Clause(move(l))
		}
		for g := range part.Sums {
			for _, s := range part.Sums[g] {
				terms := make([]model.Term, len(s.Terms))
				for i, term := range s.Terms {
					terms[i] = model.Term{Coef: term.Coef, Lit: move(term.Lit)}
				}
				s.Terms = terms
				e.Sum(p, s)
			}
		}
		for _, layer := range part.Layers {
			moved := make([]model.Neuron, len(layer))
			for i, n := range layer {
				moved[i] = model.Neuron{Out: move(n.Out), Threshold: n.Threshold}
				for _, l := range n.Inputs {
					moved[i].Inputs = append(moved[i].Inputs, move(l))
				}
			}
			if len(moved) > 0 {
				e.Neurons(p, moved)
			}
		}
	}
	return p
}

// TestLower compares stamped templates with direct encoding, clause by clause, and the counts
// of Sizes with what is streamed.
func TestLower(t *testing.T) {
	for seed := range uint64(150) {
		p, net, _ := randprob.New(seed, randprob.Options{})
		horizon := 1 + int(seed%7)
		for _, propagate := range []bool{false, true} {
			m, err := model.New(p, net, horizon, model.Options{Propagate: propagate})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []Encoding{Default, Paper, Published, Unidirectional} {
				what := fmt.Sprintf("seed %d, propagate %v, %v", seed, propagate, e)
				got := &streamed{t: t}
				l := NewLowering(m, e)
				// Groups are kept, or encoded again at each step, or some of
				// either.
				l.kept = []int{maxKept, 0, 40}[seed%3]
				if err := l.Stream(context.Background(), got); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				sizes, err := l.Sizes(context.Background())
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if m.Infeasible() {
					if !slices.Equal(got.lits, []int32{1, 0, -1, 0}) {
						t.Errorf("%s: an infeasible model gives %v", what, got.lits)
					}
					continue
				}
				want := lowerPlainly(m, e)
				if !slices.Equal(got.lits, want.lits) {
					t.Errorf("%s: the streamed clauses differ from the plain ones", what)
				}
				if total := sizes.Total(); total.Variables != int64(want.next) {
					t.Errorf("%s: Sizes counts %d variables, expected %d", what, total.Variables, want.next)
				}
				for g, c := range got.counts {
					c.Variables = sizes.Groups[g].Variables
					if c != sizes.Groups[g] {
						t.Errorf("%s, group %d: Sizes counts %+v, streamed are %+v", what, g, sizes.Groups[g], c)
					}
				}
			}
		}
	}
}

// counter counts clauses and does not store them.
type counter struct{ clauses, chunks int64 }

func (c *counter) Clauses(_ int, _ model.Group, clauses []int32) error {
	c.chunks++
	for _, l := range clauses {
		if l == 0 {
			c.clauses++
		}
	}
	return nil
}

// counting builds a problem whose one constraint over many bits takes several
// chunks of clauses.
func counting(t testing.TB, bits, horizon int) *model.Model {
	t.Helper()
	p := factored.NewProblem("counting")
	c := factored.Constraint{Op: factored.LE, K: int64(bits / 2)}
	for i := range bits {
		if _, err := p.AddVariable(factored.Variable{Name: fmt.Sprint("b", i), Bool: true}); err != nil {
			t.Fatal(err)
		}
		c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: factored.Lit{Bit: factored.Bit(i)}})
	}
	p.Global = []factored.Constraint{c}
	m, err := model.New(p, nil, horizon, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLowerChunks checks that large groups arrive complete, in chunks.
func TestLowerChunks(t *testing.T) {
	m := counting(t, 200, 5)
	got := &streamed{t: t}
	if err := NewLowering(m, Paper).Stream(context.Background(), got); err != nil {
		t.Fatal(err)
	}
	if want := lowerPlainly(m, Paper); !slices.Equal(got.lits, want.lits) {
		t.Error("chunks differ from the plain clauses")
	}
	var c counter
	if err := NewLowering(m, Paper).Stream(context.Background(), &c); err != nil {
		t.Fatal(err)
	}
	if c.chunks <= 6 {
		t.Errorf("%d chunks over 6 steps test nothing", c.chunks)
	}
}

// TestLowerEnds checks that the stream's error and the context stop the work.
func TestLowerEnds(t *testing.T) {
	m := counting(t, 20, 3)
	full := errors.New("full")
	if err := NewLowering(m, Default).Stream(context.Background(), &streamed{t: t, err: full}); !errors.Is(err, full) {
		t.Errorf("error %v, expected that of the stream", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := NewLowering(m, Default).Stream(ctx, &streamed{t: t}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected that of the context", err)
	}
	if _, err := NewLowering(m, Default).Sizes(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected that of the context", err)
	}
}

// later is a context that has ended when it is asked for the n-th time.
type later struct {
	context.Context
	n int
}

func (c *later) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestLowerEndsWithin checks that the context ends the encoding of a single
// group too, and of one that is not kept, in which the stream may fail as well.
func TestLowerEndsWithin(t *testing.T) {
	m := counting(t, 200, 1)
	var c counter
	if err := NewLowering(m, Paper).Stream(context.Background(), &c); err != nil || c.clauses < 4*pollClauses {
		t.Fatalf("%d clauses, %v", c.clauses, err)
	}
	for _, kept := range []int{maxKept, 0} {
		var c counter
		l := NewLowering(m, Paper)
		l.kept = kept
		if err := l.Stream(&later{context.Background(), 3}, &c); !errors.Is(err, context.Canceled) || c.clauses > 0 {
			t.Errorf("kept %d: %v after %d clauses", kept, err, c.clauses)
		}
	}
	full := errors.New("full")
	l := NewLowering(m, Paper)
	l.kept = 0
	if err := l.Stream(context.Background(), &streamed{t: t, err: full}); !errors.Is(err, full) {
		t.Errorf("error %v, expected that of the stream", err)
	}
}

// TestLowerTooLarge checks that variables beyond 31 bits are refused.
func TestLowerTooLarge(t *testing.T) {
	m := counting(t, 60, 1<<23) // the encoding has more than 256 variables a step
	_, err := NewLowering(m, Paper).Sizes(context.Background())
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, expected ErrTooLarge", err)
	}
}

// BenchmarkLower measures stamping alone.
func BenchmarkLower(b *testing.B) {
	m := counting(b, 200, 100)
	l := NewLowering(m, Paper)
	var c nothing
	for b.Loop() {
		if err := l.Stream(context.Background(), &c); err != nil {
			b.Fatal(err)
		}
	}
	sizes, err := l.Sizes(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(sizes.Total().Clauses)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mclauses/s")
}

// nothing ignores clauses.
type nothing struct{}

func (nothing) Clauses(int, model.Group, []int32) error { return nil }
