package format

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/factored"
)

// excluding states in rows that a clause holds, by way of a new variable and its negation.
func excluding(m *model.Model, clause []model.Lit) []model.Sum {
	yes, no := model.Lit(m.NumVars()+1), model.Lit(m.NumVars()+2)
	some := model.Sum{Op: factored.GE, Terms: []model.Term{{Coef: -1, Lit: yes}}}
	for _, l := range clause {
		some.Terms = append(some.Terms, model.Term{Coef: 1, Lit: l})
	}
	return []model.Sum{
		some,
		{Terms: []model.Term{{Coef: 2, Lit: yes}, {Coef: 2, Lit: no}}, Op: factored.EQ, K: 2},
		{Terms: []model.Term{{Coef: 3, Lit: -no}, {Coef: -1, Lit: no}}, Op: factored.GE, K: 3},
		{Terms: []model.Term{{Coef: 1, Lit: yes}, {Coef: 1, Lit: -yes}}, Op: factored.LE, K: 1},
	}
}

// TestRows excludes the best plan of random problems, as a clause and by rows over new variables:
// the least cost of what is left is the same in all formats.
func TestRows(t *testing.T) {
	requireAll(t)
	left := 0
	for seed := range uint64(*instances) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		m, err := model.New(p, net, horizon, model.Options{Propagate: seed%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "first.lp")
		if err := writeFile(file, m, Options{Kind: LP}); err != nil {
			t.Fatal(err)
		}
		best, err := extsolver.Cbc(file, solverLimit)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status == external.Unsatisfiable {
			continue
		}
		clause := m.Differs(m.Trace(func(v int32) bool { return best.True[v] }), horizon)
		var want *int64 // the reward; nil for no plan
		for i, s := range []solver{solvers[1], solvers[2], solvers[2], solvers[3], solvers[4], solvers[5], solvers[7]} {
			o := Options{Kind: s.kind, Rows: excluding(m, clause)}
			if i < 2 || seed%3 == 0 && i == 3 {
				o.Rows, o.Clauses = nil, [][]model.Lit{clause}
			}
			file := filepath.Join(t.TempDir(), "p."+s.extension)
			if err := writeFile(file, m, o); err != nil {
				t.Fatal(err)
			}
			a, err := s.solve(file, solverLimit)
			if err != nil || a.Status == external.Unknown {
				t.Fatalf("seed %d, %s: %v, %v", seed, s.name, a.Status, err)
			}
			var got *int64
			if a.Status != external.Unsatisfiable {
				var objective int64 // stays 0 if clasp, which found no soft clause, reports none
				if a.Objective != nil {
					objective = *a.Objective
				}
				c := ObjectiveOf(m, s.kind)
				r := c.Reward(objective)
				got = &r
			}
			if i == 0 {
				want = got
			}
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Errorf("seed %d, %s: not what is found of clauses", seed, s.name)
			}
		}
		if want != nil {
			left++
		}
	}
	if left < *instances/4 {
		t.Errorf("only %d problems have another plan", left)
	}
}

// TestRowsRefused has rows in clauses, and a context that ended.
func TestRowsRefused(t *testing.T) {
	p, net, horizon := randprob.New(1, randprob.Options{})
	m, err := model.New(p, net, horizon, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Rows: excluding(m, []model.Lit{1})}
	if _, err := Write(context.Background(), io.Discard, m, o); err == nil {
		t.Error("rows are written as clauses")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, o.Kind = range []Kind{OPB, LP, MPS} {
		if _, err := Write(ctx, io.Discard, m, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", o.Kind, err)
		}
	}
}
