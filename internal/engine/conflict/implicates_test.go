package conflict

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestImplicatesAreTheFunction holds the implicates of random networks, and what is listed of rows that C allows, against every row
// of inputs, or each that C allows: one after which an output differs from what it is at all steps breaks a
// clause, and every other row keeps all clauses with the outputs that the network gives,
// and with no others.
func TestImplicatesAreTheFunction(t *testing.T) {
	rows, refused := 0, 0
	for seed := range uint64(18 * *Instances) {
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
		listed := seed%2 == 1
		clauses := implicates(context.Background(), m)
		if listed {
			clauses = legalRows(context.Background(), m, 1<<12)
		}
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
			if listed && !allowed(m, isTrue) {
				continue
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
	if rows < 15**Instances || refused < 3**Instances/2 {
		t.Errorf("only %d rows, %d of them refused", rows, refused)
	}
}

// allowed reports whether inputs are those of a state and action that C allows.
func allowed(m *model.Model, isTrue map[model.Lit]bool) bool {
	var others []model.Lit
	for v := model.Lit(1); int32(v) <= m.Stride(); v++ {
		if _, input := isTrue[v]; !input && slices.ContainsFunc(m.GlobalSums(), func(s model.Sum) bool {
			return slices.ContainsFunc(s.Terms, func(t model.Term) bool { return t.Lit.Var() == int32(v) })
		}) {
			others = append(others, v)
		}
	}
	for k := range 1 << len(others) {
		all := maps.Clone(isTrue)
		for i, v := range others {
			all[v] = k>>i&1 == 1
		}
		if !slices.ContainsFunc(m.GlobalSums(), func(s model.Sum) bool {
			var sum int64
			for _, t := range s.Terms {
				if all[model.Lit(t.Lit.Var())] == (t.Lit > 0) {
					sum += t.Coef
				}
			}
			return s.Op != factored.LE && sum < s.K || s.Op != factored.GE && sum > s.K
		}) {
			return true
		}
	}
	return false
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
	for seed := range uint64(6 * *Instances) {
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
	if added < 3**Instances || instead < 3**Instances/2 {
		t.Errorf("%d sessions with implicates, and %d without the network", added, instead)
	}
}

// TestLegalRows compares sessions that have a network's function on the inputs that C allows in its place with brute force.
func TestLegalRows(t *testing.T) {
	listed := 0
	for seed := range uint64(15 * *Instances) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		m, err := model.New(p, net, horizon, model.Options{Propagate: true})
		if err != nil {
			t.Fatal(err)
		}
		if m.Infeasible() || net == nil {
			continue
		}
		clauses := legalRows(t.Context(), m, 1<<12)
		if clauses == nil {
			continue
		}
		listed++
		x := &Session{name: "maxsat", m: m, s: sat.New(sat.Options{StateNogoods: true}), cost: math.MaxInt64, beat: math.MaxInt64, features: standard, implied: true}
		if err := loadClauses(t.Context(), x.s, m, cnf.Default, clauses, 0); err != nil {
			t.Fatal(err)
		}
		Advise(x.s, m)
		r, err := x.Solve(t.Context(), engine.Limits{Threads: 1}, nil)
		want, ok := randprob.BruteForce(p, net, horizon)
		if err != nil || ok != (r.Status == engine.Optimal) || ok && r.Reward != want || !ok && r.Status != engine.Infeasible {
			t.Fatalf("seed %d: %+v, %v; brute force finds a plan: %v, %d", seed, r, err, ok, want)
		}
	}
	if listed < 3**Instances {
		t.Errorf("only %d sessions", listed)
	}
}
