package plan_test

import (
	"context"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// touched is what an action reads and sets, as texts such as "+p(a)": needed or set to be true, "-p(a)" false.
type touched struct{ reads, sets []string }

// touchedBy lists what a ground action reads and sets, as the definition of interference says.
func touchedBy(g *pddl.Grounded, op *pddl.Operator) (out touched) {
	var walk func(n *ground.Node, pos, neg bool)
	walk = func(n *ground.Node, pos, neg bool) {
		switch {
		case n.Op == ground.Ref && g.Fluents[n.Fluent].Kind == ground.Interm:
			walk(g.Fluents[n.Fluent].CPF, pos, neg)
		case n.Op == ground.Ref:
			if pos {
				out.reads = append(out.reads, "+"+n.Name)
			}
			if neg {
				out.reads = append(out.reads, "-"+n.Name)
			}
		}
		for _, a := range n.Args {
			switch n.Op {
			case ground.And, ground.Or:
				walk(a, pos, neg)
			case ground.Not:
				walk(a, neg, pos)
			default:
				walk(a, true, true)
			}
		}
	}
	for _, n := range op.Needs {
		walk(n, true, false)
	}
	always := map[int]bool{}
	for _, e := range op.Effects {
		walk(e.When, true, true)
		if e.When.Op == ground.Const && e.Value.Val == 1 {
			always[e.Fluent] = true
		}
	}
	for _, e := range op.Effects {
		switch name := g.Fluents[e.Fluent].Name; {
		case e.Value.Val == 1:
			out.sets = append(out.sets, "+"+name)
		case !always[e.Fluent]:
			out.sets = append(out.sets, "-"+name)
		}
	}
	return out
}

// interfere reports whether what one action sets hurts another one.
func interfere(a, b touched) bool {
	hurts := func(a, b touched) bool {
		return slices.ContainsFunc(a.sets, func(x string) bool {
			opposite := "+" + x[1:]
			if x[0] == '+' {
				opposite = "-" + x[1:]
			}
			return slices.Contains(b.reads, opposite) || slices.Contains(b.sets, opposite)
		})
	}
	return hurts(a, b) || hurts(b, a)
}

// fewestSteps finds the least number of steps of sets of actions that do not interfere, by trying all sets in all states; -1 for none within so many. Every set is
// executed in all orders, which must end in one state. A false means that there are too many states or sets.
func fewestSteps(t *testing.T, p *pddl.Problem, most int) (least int, whole bool) {
	t.Helper()
	g, err := p.Ground(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]touched{}
	for i := range g.Operators {
		of[pddl.StepOf(g.Fluents[g.Operators[i].Action].Name).String()] = touchedBy(g, &g.Operators[i])
	}
	start := p.Start()
	seen, layer := map[string]bool{start.Text(): true}, []*pddl.State{start}
	for depth := 0; depth <= most; depth++ {
		var next []*pddl.State
		for _, w := range layer {
			if ok, _ := w.Goal(); ok {
				return depth, true
			}
			sets := jointly(w, of)
			if len(seen) > 500 || len(sets) >= mostSets {
				return 0, false
			}
			for _, set := range sets {
				to := executeAll(t, w, set)
				if !seen[to.Text()] {
					seen[to.Text()] = true
					next = append(next, to)
				}
			}
		}
		layer = next
	}
	return -1, true
}

const mostSets = 300

// jointly lists the sets of actions that can be executed and do not interfere, at most so many of them.
func jointly(w *pddl.State, of map[string]touched) (sets [][]pddl.Step) {
	for _, s := range w.Steps() {
		if w.Copy().Execute(s) != nil {
			continue
		}
		for _, set := range slices.Concat([][]pddl.Step{nil}, sets) {
			if len(sets) < mostSets && !slices.ContainsFunc(set, func(o pddl.Step) bool { return interfere(of[o.String()], of[s.String()]) }) {
				sets = append(sets, append(slices.Clone(set), s))
			}
		}
	}
	return sets
}

// executeAll executes a set of actions in all orders, of more than three in the given one and backwards.
func executeAll(t *testing.T, w *pddl.State, set []pddl.Step) *pddl.State {
	t.Helper()
	orders := [][]int{{0}}
	switch len(set) {
	case 1:
	case 2:
		orders = [][]int{{0, 1}, {1, 0}}
	case 3:
		orders = [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	default:
		var there, back []int
		for i := range set {
			there, back = append(there, i), append(back, len(set)-1-i)
		}
		orders = [][]int{there, back}
	}
	var first *pddl.State
	for _, order := range orders {
		to := w.Copy()
		for _, i := range order {
			if err := to.Execute(set[i]); err != nil {
				t.Fatalf("%v in the order %v: %v", set, order, err)
			}
		}
		if first == nil {
			first = to
		} else if to.Text() != first.Text() {
			t.Fatalf("%v in the order %v: %s; in the given one %s", set, order, to.Text(), first.Text())
		}
	}
	return first
}

// TestRandomParallel compares the least number of steps of random problems with that of an exhaustive search over sets of actions.
func TestRandomParallel(t *testing.T) {
	const most = 3
	solved, none, together := 0, 0, 0
	for seed := *pddlFirst; seed < *pddlFirst+uint64(*pddlProblems); seed++ {
		domain, problem := randomPDDL(seed, true)
		p, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte(problem))
		if err != nil {
			t.Fatal(err)
		}
		least, whole := fewestSteps(t, p, most)
		if !whole || least == 0 {
			continue
		}
		name := []string{"auto", "maxsat", "search"}[seed%3]
		d := planPDDL(t, domain, problem, name, most, true)
		switch {
		case least < 0:
			if none++; d.Status != engine.Infeasible {
				t.Errorf("seed %d, %s: %s; expected no plan of %d steps\n%s\n%s", seed, name, d.Status, most, domain, problem)
			}
			continue
		case d.Status != engine.Optimal || *d.Horizon != least || *d.Reward != -float64(least) || d.Metric == nil:
			t.Fatalf("seed %d, %s: %s, %v steps; expected %d\n%s\n%s", seed, name, d.Status, *d.Horizon, least, domain, problem)
		}
		solved++
		if slices.ContainsFunc(d.Plan, func(s app.Values) bool { return len(s) > 1 }) {
			together++
		}
		if open := planPDDL(t, domain, problem, "pb", 0, true); *open.Horizon != least {
			t.Errorf("seed %d: %d steps; expected %d", seed, *open.Horizon, least)
		}
	}
	t.Logf("%d plans, %d with steps of several actions, %d times none", solved, together, none)
	if *pddlProblems >= 60 && (solved < 5 || none < 10 || together == 0) {
		t.Error("expected more of each")
	}
}
