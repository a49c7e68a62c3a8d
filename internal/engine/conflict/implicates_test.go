package conflict

import (
	"context"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/bnn"
)

// TestImplicatesAreTheFunction holds the implicates of random networks against every row
// of inputs: one after which an output differs from what it is at all steps breaks a
// clause, and every other row keeps all clauses with the outputs that the network gives,
// and with no others.
func TestImplicatesAreTheFunction(t *testing.T) {
	rows, refused := 0, 0
	for seed := range uint64(600) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		if net == nil || len(p.Inputs) > 10 {
			continue
		}
		m, err := model.New(p, net, horizon, model.Options{Propagate: true})
		if err != nil {
			t.Fatal(err)
		}
		if m.Infeasible() {
			continue
		}
		clauses := implicates(context.Background(), m)
		e := bnn.NewEvaluator(net)
		in, out := make([]uint64, bnn.Words(len(p.Inputs))), make([]uint64, bnn.Words(len(p.Outputs)))
	row:
		for row := range uint64(1) << len(p.Inputs) {
			isTrue := map[model.Lit]bool{}
			for i, b := range p.Inputs {
				isTrue[m.Var(1, b)] = row>>i&1 == 1
				if v := known(m, b, 1, horizon); v != 0 && (v > 0) != isTrue[m.Var(1, b)] {
					continue row
				}
			}
			in[0] = row
			e.Forward(out, in, e.NewScratch())
			legal := true
			for i, b := range p.Outputs {
				y := out[i/64]>>(i%64)&1 == 1
				isTrue[m.Var(2, b)] = y
				if v := known(m, b, 2, horizon+1); v != 0 && (v > 0) != y {
					legal = false
				}
			}
			rows++
			if !legal {
				refused++
			}
			if keeps(clauses, isTrue) != legal {
				t.Fatalf("seed %d: row %b keeps all clauses: %v, want %v", seed, row, !legal, legal)
			}
			for _, b := range p.Outputs {
				if !legal || known(m, b, 2, horizon+1) != 0 {
					continue
				}
				v := m.Var(2, b)
				isTrue[v] = !isTrue[v]
				if keeps(clauses, isTrue) {
					t.Fatalf("seed %d: row %b keeps all clauses with another output", seed, row)
				}
				isTrue[v] = !isTrue[v]
			}
		}
	}
	if rows < 1000 || refused < 100 {
		t.Errorf("only %d rows, %d of them refused", rows, refused)
	}
}

// keeps reports whether an assignment satisfies all clauses.
func keeps(clauses [][]model.Lit, isTrue map[model.Lit]bool) bool {
	for _, c := range clauses {
		if !slices.ContainsFunc(c, func(l model.Lit) bool {
			if l < 0 {
				return !isTrue[-l]
			}
			return isTrue[l]
		}) {
			return false
		}
	}
	return true
}

// TestImplicates compares sessions that have implicates beside the network from the beginning, or in its place, with brute
// force.
func TestImplicates(t *testing.T) {
	encoding := cnf.Default
	added, instead := 0, 0
	for seed := range uint64(400) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		want, ok := randprob.BruteForce(p, net, horizon)
		for _, how := range []setup{{features: standard}, {features: standard, encoding: &encoding}} {
			x, err := open(context.Background(), engine.Task{Problem: p, Network: net}, horizon, how)
			if err != nil {
				t.Fatal(err)
			}
			if how.encoding != nil && x.implied {
				instead++
			}
			if !x.m.Infeasible() && x.wantsImplicates() {
				x.addImplicates(context.Background(), 0)
				added++
			}
			r, err := x.Solve(context.Background(), engine.Limits{Threads: 1}, nil)
			if err != nil || ok != (r.Status == engine.Optimal) || ok && r.Reward != want || !ok && r.Status != engine.Infeasible {
				t.Fatalf("seed %d: %+v, %v; brute force finds a plan: %v, %d", seed, r, err, ok, want)
			}
		}
	}
	if added < 200 || instead < 100 {
		t.Errorf("%d sessions with implicates, and %d without the network", added, instead)
	}
}
