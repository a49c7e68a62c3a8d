package optimize

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/solve/sat"
)

var instances = flag.Int("instances", 300, "random instances to compare with brute force")

// TestRandom minimizes random objectives over random clauses and compares with
// every assignment, in one run and in many short ones.
func TestRandom(t *testing.T) {
	seen := map[Status]int{}
	for seed := range uint64(*instances) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := 3 + r.Int32N(9)
		lit := func() sat.Lit { return sat.Pos(1+r.Int32N(n)) ^ sat.Lit(r.IntN(2)) }
		s := sat.New(sat.Options{CuttingPlanes: seed%2 == 0})
		var clauses [][]sat.Lit
		for range r.IntN(int(n) * 4) {
			var c []sat.Lit
			for range 1 + r.IntN(3) {
				c = append(c, lit())
			}
			clauses = append(clauses, c)
			s.AddClause(c...)
		}
		var terms []sat.Term
		most := []int64{2, 20, 1e6, 1e15}[r.IntN(4)]
		for range r.IntN(12) {
			terms = append(terms, sat.Term{Coef: r.Int64N(2*most+1) - most/2, Lit: lit()})
		}
		constant := r.Int64N(100) - 50
		var best int64
		found := false
		for bits := range 1 << n {
			value := func(l sat.Lit) bool { return bits>>(l.Var()-1)&1 != 0 != l.Negative() }
			ok := true
			for _, c := range clauses {
				one := false
				for _, l := range c {
					one = one || value(l)
				}
				ok = ok && one
			}
			if !ok {
				continue
			}
			cost := constant
			for _, t := range terms {
				if value(t.Lit) {
					cost += t.Coef
				}
			}
			if !found || cost < best {
				found, best = true, cost
			}
		}
		m, err := New(s, terms, constant, func(p Result) {
			if found && (p.Bound > best || p.Status == Feasible && p.Cost < best) {
				t.Fatalf("seed %d: on the way %+v, the minimum is %d", seed, p, best)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var res Result
		for l := (Limits{Conflicts: int64(r.IntN(2) * 3)}); ; {
			if res, err = m.Run(context.Background(), l); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if l.Conflicts == 0 || res.Status == Optimal || res.Status == Infeasible {
				break
			}
			l.Conflicts += 2
		}
		seen[res.Status]++
		switch {
		case !found && res.Status != Infeasible:
			t.Fatalf("seed %d: %+v, there is no solution", seed, res)
		case found && (res.Status != Optimal || res.Cost != best || res.Bound != best):
			t.Fatalf("seed %d: %+v, the minimum is %d", seed, res, best)
		}
	}
	if seen[Optimal] == 0 || seen[Infeasible] == 0 {
		t.Errorf("one-sided instances: %v", seen)
	}
}
