package optimize

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// prove minimizes random costs over random clauses, the two searches in turns of
// random length, sometimes without end.
func prove(t *testing.T, seed uint64, f proof.Format) (opb, text []byte, res Result, m *Minimizer) {
	r := rand.New(rand.NewPCG(seed, 3))
	n := 4 + r.Int32N(30)
	var problem, out bytes.Buffer
	problem.WriteString("min:")
	var costs []sat.Term
	objective := []proof.Term{}
	most := []int64{1, 4, 1e12}[r.IntN(3)]
	for v := int32(1); v <= n; v++ {
		c := 1 + r.Int64N(most)
		l := sat.Pos(v)
		switch r.IntN(6) {
		case 0:
			c = -c
		case 1:
			l = l.Not()
		}
		costs = append(costs, sat.Term{Coef: c, Lit: l})
		objective = append(objective, proof.Term{Coef: c, Lit: l.DIMACS()})
		fmt.Fprintf(&problem, " %d %s", c, name(l))
	}
	problem.WriteString(" ;\n")
	var clauses [][]sat.Lit
	for range r.IntN(4 * int(n)) {
		var c []sat.Lit
		for range 2 + r.IntN(4) {
			l := sat.Pos(1 + r.Int32N(n))
			if r.IntN(4) == 0 {
				l = l.Not()
			}
			c = append(c, l)
			fmt.Fprintf(&problem, "1 %s ", name(l))
		}
		problem.WriteString(">= 1 ;\n")
		clauses = append(clauses, c)
	}
	p := NewProver(proof.New(&out, proof.Options{Format: f, Constraints: int64(len(clauses)), Objective: objective}))
	s := sat.New(sat.Options{Trace: p})
	s.Grow(n)
	for _, c := range clauses {
		s.AddClause(c...)
	}
	m, err := New(s, costs, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Attach(p)
	ctx := context.Background()
	for range r.IntN(8) {
		if m.met() {
			break
		}
		b := sat.Budget{Conflicts: 1 + r.Int64N(200)}
		if r.IntN(3) == 0 {
			err = m.fromAbove(ctx, b)
		} else {
			err = m.fromBelow(ctx, b)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if seed%5 == 0 {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		ctx = cancelled
	}
	res, err = m.Run(ctx, Limits{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if err := p.Conclude(res); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return problem.Bytes(), out.Bytes(), res, m
}

// TestProofs has proofs of random problems checked: of the minimum, and of the
// bounds where the run ends early.
func TestProofs(t *testing.T) {
	kinds := map[veripb.Kind]int{}
	counters, charged := 0, 0
	for seed := range uint64(*instances) {
		format := []proof.Format{proof.VeriPB12, proof.VeriPB20}[seed%2]
		opb, text, res, m := prove(t, seed, format)
		counters += len(m.outputs)
		for _, c := range m.p.cores {
			if len(c.times) > 2 && c.times[2] > 0 {
				charged++
			}
		}
		v, err := veripb.Check(bytes.NewReader(opb), bytes.NewReader(text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text[:min(8000, len(text))])
		}
		kinds[v.Kind]++
		want := map[Status]veripb.Kind{Infeasible: veripb.Unsat, Optimal: veripb.Optimal, Feasible: veripb.Bounds, Unknown: veripb.Bounds}[res.Status]
		if format == proof.VeriPB12 && want == veripb.Bounds {
			continue // that version has no conclusion for it
		}
		if v.Kind != want || v.Lower != nil && v.Lower.Int64() != res.Bound || want == veripb.Bounds && res.Model != nil && v.Upper.Int64() != res.Cost {
			t.Errorf("seed %d: %+v, the proof shows %v", seed, res, v)
		}
	}
	t.Logf("%v, %d counters, %d of the third kind paid", kinds, counters, charged)
	if *instances >= 300 && (counters < 100 || charged == 0 || kinds[veripb.Bounds] == 0 || kinds[veripb.Unsat] == 0) {
		t.Errorf("%v, %d counters, %d of the third kind paid: too few of some", kinds, counters, charged)
	}
}

// TestProofsOutside has VeriPB read some of them.
func TestProofsOutside(t *testing.T) {
	extsolver.RequireChecker(t, "veripb")
	counters := 0
	for seed := range uint64(30) {
		opb, text, res, m := prove(t, seed, proof.VeriPB12)
		counters += len(m.outputs)
		if res.Status != Optimal && res.Status != Infeasible {
			continue
		}
		if ok, output := extsolver.VeriPB(t, opb, text, time.Minute); !ok {
			t.Errorf("seed %d: veripb refuses\n%s\nof\n%s\n%s", seed, text, opb, output)
		}
	}
	if counters == 0 {
		t.Error("no counters")
	}
}

func name(l sat.Lit) string {
	if l.Negative() {
		return fmt.Sprintf("~x%d", l.Var())
	}
	return fmt.Sprintf("x%d", l.Var())
}
