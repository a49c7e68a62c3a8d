package greedy_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/execution/greedy"
	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

var problems = flag.Int("problems", 100, "random problems to solve")

// randomNumeric writes a problem with a few atoms, and with numbers from 0 to 4.
func randomNumeric(rng *rand.Rand) (domain, problem string) {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	number := func() string { return pick("(n a)", "(n b)", "(rate)", "1", "2", "3") }
	var condition func(depth int) string
	condition = func(depth int) string {
		switch k := rng.IntN(8); {
		case k < 3:
			return fmt.Sprintf("(%s %s (+ %s %s))", pick("<=", ">=", "=", "<", ">"), pick("(n a)", "(n b)", "(rate)"), number(), pick("0", "1", "(rate)"))
		case k < 4 && depth > 0:
			return fmt.Sprintf("(%s %s %s)", pick("and", "or"), condition(depth-1), condition(depth-1))
		case k < 5 && depth > 0:
			return "(not " + condition(depth-1) + ")"
		case k < 6:
			return "(d)"
		}
		return pick("(p)", "(q)")
	}
	var b strings.Builder
	b.WriteString("(define (domain d) (:types t) (:constants a b - t) (:predicates (p) (q) (d)) (:functions (n ?x - t) (rate))\n")
	fmt.Fprintf(&b, "(:derived (d) (or (q) (and (p) (>= (n a) %s))))\n", number())
	for i := range 2 + rng.IntN(4) {
		of := pick("(n a)", "(n b)", "(rate)")
		effect := ""
		pre := pick("(and)", strings.ReplaceAll(condition(1), "(d)", "(p)"), condition(1))
		switch rng.IntN(4) {
		case 0:
			by := pick("1", "2", "(rate)")
			pre, effect = fmt.Sprintf("(and %s (<= (+ %s %s) 4))", pre, of, by), fmt.Sprintf("(increase %s %s)", of, by)
		case 1:
			by := pick("1", "2", "(n b)")
			pre, effect = fmt.Sprintf("(and %s (>= (- %s %s) 0))", pre, of, by), fmt.Sprintf("(decrease %s %s)", of, by)
		case 2:
			effect = fmt.Sprintf("(assign %s %s)", of, number())
		default:
			effect = fmt.Sprintf("(when %s %s)", condition(1), pick("(p)", "(not (p))", "(q)", "(not (q))"))
		}
		fmt.Fprintf(&b, "(:action go%d :precondition %s :effect (and %s %s))\n", i, pre, effect, pick("", "(p)", "(q)", "(not (q))"))
	}
	problem = fmt.Sprintf("(define (problem x) (:domain d) (:init (= (n a) %d) (= (n b) %d) (= (rate) %d) %s) (:goal (and %s %s %s)))",
		rng.IntN(5), rng.IntN(5), rng.IntN(3), pick("(p)", "(q)", ""), condition(1), condition(1), condition(0))
	return b.String() + ")", problem
}

// shortest is the length of a shortest plan by breadth first, as the actions are written; -1 for none.
func shortest(p *pddl.Problem) int {
	layer, seen := []*pddl.State{p.Start()}, map[string]bool{}
	for depth := 0; len(layer) > 0; depth++ {
		var next []*pddl.State
		for _, w := range layer {
			if ok, _ := w.Goal(); ok {
				return depth
			}
			for _, s := range w.Steps() {
				if to := w.Copy(); to.Execute(s) == nil && !seen[to.Facts()] {
					seen[to.Facts()] = true
					next = append(next, to)
				}
			}
		}
		layer = next
	}
	return -1
}

// TestRandom compares what is left when nothing better can be found with the shortest plans.
func TestRandom(t *testing.T) {
	solved, none := 0, 0
	for seed := range uint64(*problems) {
		domain, problem := randomNumeric(rand.New(rand.NewPCG(seed, 5)))
		p, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte(problem))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, domain, problem)
		}
		g, err := p.Ground(context.Background())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, domain, problem)
		}
		search := greedy.New(g, 0, func(int) (float64, float64) { return -50, 50 })
		for done := false; !done && search.Work < 1<<34; {
			_, done = search.Advance(context.Background(), 1<<20)
		}
		want := shortest(p)
		switch {
		case want < 0 && search.Best == nil:
			none++
		case want < 0 || search.Best == nil:
			t.Errorf("seed %d: %v; expected %d steps\n%s\n%s", seed, search.Best, want, domain, problem)
		default:
			solved++
			if cost, err := p.ValidateNamed(actions(g, search.Best)); err != nil || cost != search.Best.Cost || int(cost) != want {
				t.Errorf("seed %d: cost %v, %v by the validator (%v); expected %d steps\n%s\n%s", seed, search.Best.Cost, cost, err, want, domain, problem)
			}
		}
	}
	if t.Logf("%d plans, %d times none", solved, none); solved < *problems/10 || none < *problems/20 {
		t.Errorf("%d plans, %d times none; expected more of both", solved, none)
	}
}

// actions are the steps of a plan.
func actions(g *pddl.Grounded, plan *greedy.Plan) (out []string) {
	for _, values := range plan.Values {
		for i := range g.Fluents {
			if f := &g.Fluents[i]; f.Kind == ground.Action && values[i] == 1 {
				out = append(out, f.Name)
			}
		}
	}
	return out
}
