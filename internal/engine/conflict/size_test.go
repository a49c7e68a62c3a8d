package conflict

import (
	"context"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// wide is a problem with a network of width hidden units between 16 state bits
// and themselves.
func wide(t *testing.T, width int) engine.Task {
	t.Helper()
	p := factored.NewProblem("wide")
	const bits = 16
	for i := range bits {
		if _, err := p.AddVariable(factored.Variable{Name: strings.Repeat("s", i+1), Bool: true}); err != nil {
			t.Fatal(err)
		}
		p.Inputs, p.Outputs = append(p.Inputs, factored.Bit(i)), append(p.Outputs, factored.Bit(i))
	}
	layer := func(in, out int) bnn.Layer {
		l := bnn.Layer{Inputs: in, Weights: make([]int8, in*out), Thresholds: make([]int32, out)}
		for i := range l.Weights {
			l.Weights[i] = int8(i%3%2*2 - 1)
		}
		for i := range l.Thresholds {
			l.Thresholds[i] = int32(in / 2)
		}
		return l
	}
	return engine.Task{Problem: p, Network: &bnn.Network{Layers: []bnn.Layer{layer(bits, width), layer(width, width), layer(width, bits)}}}
}

// TestSizeEstimate: what is said of a model before it is loaded is near what the
// solver then counts.
func TestSizeEstimate(t *testing.T) {
	task := wide(t, 16)
	m, err := model.New(task.Problem, task.Network, 2, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, estimate, loaded int64) {
		if estimate < loaded/2 || estimate > 3*loaded {
			t.Errorf("%s: estimated %d bytes, loaded %d", what, estimate, loaded)
		}
	}
	s := sat.New(sat.Options{})
	if err := load(context.Background(), s, m); err != nil {
		t.Fatal(err)
	}
	near("native", nativeBytes(m), s.Bytes())
	for _, e := range []cnf.Encoding{cnf.Default, cnf.Paper, cnf.Published, cnf.Unidirectional} {
		sizes, err := cnf.NewLowering(m, e).Sizes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		s := sat.New(sat.Options{})
		if err := loadClauses(context.Background(), s, m, e, nil, 0); err != nil {
			t.Fatal(err)
		}
		near(e.String(), clauseBytes(sizes.Total()), s.Bytes())
	}
}

// TestTooLarge: a model beyond the bound on memory is not built, and the answer
// says how large it would be; within the bound nothing changes.
func TestTooLarge(t *testing.T) {
	task := wide(t, 128)
	q := engine.Query{Task: task, MinHorizon: 10, MaxHorizon: 10}
	for _, e := range []engine.Engine{PB{}, MaxSAT{}} {
		r, err := e.Solve(context.Background(), q, engine.Limits{Threads: 1, Memory: 1 << 20}, nil)
		if err != nil || r.Status != engine.Unknown || !strings.Contains(r.Reason, "would take about") || !strings.Contains(r.Reason, "the memory limit is 1 MiB") {
			t.Errorf("%s: %+v, %v", e.Name(), r, err)
		}
	}
	p, net, _ := randprob.New(1, randprob.Options{})
	small := engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: 2, MaxHorizon: 2}
	for _, e := range []engine.Engine{PB{}, MaxSAT{}} {
		bounded, err1 := e.Solve(context.Background(), small, engine.Limits{Threads: 1, Memory: 64 << 20}, nil)
		free, err2 := e.Solve(context.Background(), small, engine.Limits{Threads: 1}, nil)
		if err1 != nil || err2 != nil || bounded.Status != free.Status || bounded.Reward != free.Reward {
			t.Errorf("%s: %+v, %v; without a bound %+v, %v", e.Name(), bounded, err1, free, err2)
		}
	}
}
