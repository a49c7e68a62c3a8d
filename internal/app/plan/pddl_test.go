package plan_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/pddl"
)

var (
	pddlProblems = flag.Int("pddl", 60, "random PDDL problems to solve")
	pddlFirst    = flag.Uint64("pddl-first", 1, "seed of the first random PDDL problem")
)

// domainWriter writes random domains.
type domainWriter struct {
	*rand.Rand
	predicates [][]string // types of the arguments
	params     []string   // types of the variables in scope
}

var objectTypes = map[string]string{"a": "t", "b": "t", "c": "u"}

// term is a variable or an object of a type.
func (w *domainWriter) term(typ string) string {
	var all []string
	for i, t := range w.params {
		if t == typ || typ == "object" {
			all = append(all, fmt.Sprintf("?v%d", i))
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		if t := objectTypes[name]; t == typ || typ == "object" {
			all = append(all, name)
		}
	}
	return all[w.IntN(len(all))]
}

func (w *domainWriter) atom() string {
	k := w.IntN(len(w.predicates))
	out := fmt.Sprintf("(p%d", k)
	for _, t := range w.predicates[k] {
		out += " " + w.term(t)
	}
	return out + ")"
}

func (w *domainWriter) condition(depth int) string {
	switch k := w.IntN(9); {
	case depth == 0 || k < 3:
		return w.atom()
	case k == 3:
		return "(not " + w.condition(depth-1) + ")"
	case k == 4:
		return "(or " + w.condition(depth-1) + " " + w.condition(depth-1) + ")"
	case k == 5:
		return "(= " + w.term("object") + " " + w.term("object") + ")"
	case k == 6:
		return "(imply " + w.condition(depth-1) + " " + w.condition(depth-1) + ")"
	case k == 7:
		typ := []string{"t", "u", "object"}[w.IntN(3)]
		w.params = append(w.params, typ)
		text := fmt.Sprintf("(%s (?v%d - %s) %s)", []string{"forall", "exists"}[w.IntN(2)], len(w.params)-1, typ, w.condition(depth-1))
		w.params = w.params[:len(w.params)-1]
		return text
	}
	return "(and " + w.condition(depth-1) + " " + w.condition(depth-1) + ")"
}

func (w *domainWriter) effect(depth int) string {
	switch k := w.IntN(8); {
	case depth == 0 || k < 3:
		return w.atom()
	case k < 5:
		return "(not " + w.atom() + ")"
	case k == 5:
		return "(when " + w.condition(1) + " " + w.effect(depth-1) + ")"
	case k == 6:
		typ := []string{"t", "u"}[w.IntN(2)]
		w.params = append(w.params, typ)
		text := fmt.Sprintf("(forall (?v%d - %s) %s)", len(w.params)-1, typ, w.effect(depth-1))
		w.params = w.params[:len(w.params)-1]
		return text
	}
	return "(and " + w.effect(depth-1) + " " + w.effect(depth-1) + ")"
}

// randomPDDL writes a random domain and a problem, or one whose goal is some atoms, for which many actions are of use.
func randomPDDL(seed uint64, atoms bool) (domain, problem string) {
	w := &domainWriter{Rand: rand.New(rand.NewPCG(seed, 3))}
	var b strings.Builder
	b.WriteString("(define (domain d) (:requirements :adl :action-costs) (:types t u - object) (:constants a b - t c - u)\n(:predicates")
	for i := range 2 + w.IntN(3) {
		var types []string
		fmt.Fprintf(&b, " (p%d", i)
		for j := range w.IntN(3) {
			types = append(types, []string{"t", "u", "object"}[w.IntN(3)])
			fmt.Fprintf(&b, " ?x%d - %s", j, types[j])
		}
		b.WriteString(")")
		w.predicates = append(w.predicates, types)
	}
	derived := w.IntN(3) == 0
	if derived {
		b.WriteString(" (q)")
	}
	b.WriteString(")\n(:functions (total-cost) - number (toll ?x - t) - number)\n")
	if derived {
		fmt.Fprintf(&b, "(:derived (q) %s)\n", w.condition(2))
	}
	actions := 1 + w.IntN(3)
	if atoms {
		actions += 2
	}
	for i := range actions {
		w.params = nil
		for range w.IntN(3) {
			w.params = append(w.params, []string{"t", "u"}[w.IntN(2)])
		}
		fmt.Fprintf(&b, "(:action go%d :parameters (", i)
		for j, t := range w.params {
			fmt.Fprintf(&b, "?v%d - %s ", j, t)
		}
		cost := fmt.Sprint(w.IntN(3))
		if w.IntN(3) == 0 {
			cost = "(toll " + w.term("t") + ")"
		}
		pre := w.condition(2)
		if atoms {
			pre = w.condition(w.IntN(2))
		}
		if derived && w.IntN(2) == 0 {
			pre = "(and (q) " + pre + ")"
		}
		effect := w.effect(2)
		if atoms {
			effect = w.atom() + " " + w.effect(1)
		}
		fmt.Fprintf(&b, ") :precondition %s :effect (and %s (increase (total-cost) %s)))\n", pre, effect, cost)
	}
	w.params = nil
	domain = b.String() + ")"
	b.Reset()
	b.WriteString("(define (problem x) (:domain d) (:init (= (total-cost) 0) (= (toll a) 1) (= (toll b) 3)")
	facts := w.IntN(5)
	if atoms {
		facts += 3
	}
	for range facts {
		b.WriteString(" " + w.atom())
	}
	goal := "(and " + w.condition(1) + " " + w.condition(1) + ")"
	if atoms {
		goal = "(and " + w.atom() + " " + w.atom() + " " + w.atom() + ")"
	}
	if derived && w.IntN(2) == 0 {
		goal = "(and (q) " + goal + ")"
	}
	fmt.Fprintf(&b, ") (:goal %s)", goal)
	if w.IntN(4) > 0 {
		b.WriteString(" (:metric minimize (total-cost))")
	}
	return domain, b.String() + ")"
}

// A collection of garbage for every few megabytes takes a quarter of the time of these tests.
func init() { debug.SetGCPercent(400) }

// TestRandomPDDL compares the cheapest plans of random problems with those of an exhaustive search that executes the actions as they are
// written, and so does `pb` with those of a few steps.
func TestRandomPDDL(t *testing.T) {
	solved, none := 0, 0
	for seed := *pddlFirst; seed < *pddlFirst+uint64(*pddlProblems); seed++ {
		domain, problem := randomPDDL(seed, false)
		p, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte(problem))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, domain, problem)
		}
		const steps = 3
		cheapest, within, whole := exhaust(t, p, 20_000, steps)
		if !whole {
			continue
		}
		for _, of := range []struct {
			engine  string
			horizon int
			want    float64
		}{{"auto", 0, cheapest}, {"pb", steps, within}} {
			if of.engine == "pb" && seed%4 > 0 {
				continue
			}
			d := planPDDL(t, domain, problem, of.engine, of.horizon, false)
			switch {
			case of.want < 0:
				none++
				if d.Status != engine.Infeasible {
					t.Errorf("seed %d, %s: %s; expected that no plan exists\n%s\n%s", seed, of.engine, d.Status, domain, problem)
				}
			case d.Status != engine.Optimal || *d.Reward != -of.want || d.Metric == nil || *d.Metric != of.want:
				t.Errorf("seed %d, %s: %s %s, metric %v; expected %v\n%s\n%s", seed, of.engine, d.Status, d.SimulatorSays, d.Metric, of.want, domain, problem)
			default:
				solved++
			}
		}
	}
	t.Logf("%d plans, %d times none", solved, none)
	if *pddlProblems >= 60 && (solved < 10 || none < 10) {
		t.Errorf("%d plans, %d times none; expected more of both", solved, none)
	}
}

// TestUndefinedNumbers: an action is possible only where the numbers that it reads have values, as in executing it.
func TestUndefinedNumbers(t *testing.T) {
	solved := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		number := func() string { return []string{"(f ?x)", "(f ?y)", "(g)", "1", "2"}[rng.IntN(5)] }
		var b strings.Builder
		b.WriteString("(define (domain d) (:types t) (:constants a b - t) (:predicates (p ?x - t)) (:functions (f ?x - t) (g))\n")
		for i := range 4 {
			pre, effect := fmt.Sprintf("(%s %s %s)", []string{">", "<=", "="}[rng.IntN(3)], number(), number()), fmt.Sprintf("(assign (f ?x) %s)", number())
			if rng.IntN(3) == 0 {
				pre = "(not " + pre + ")"
			}
			switch rng.IntN(5) {
			case 0:
				effect = "(p ?y)"
			case 1:
				pre, effect = "(< (f ?x) 3) "+pre, "(and (p ?x) (increase (f ?x) 1))"
			case 2:
				effect = "(forall (?z - t) (assign (f ?z) 2))"
			case 3:
				effect = "(and (p ?x) (when (p ?y) (assign (g) 1)))"
			}
			fmt.Fprintf(&b, "(:action go%d :parameters (?x ?y - t) :precondition (and %s (<= %s 3)) :effect %s)\n", i, pre, number(), effect)
		}
		domain := b.String() + ")"
		problem := "(define (problem x) (:domain d) (:init"
		for _, f := range []string{"(f a)", "(f b)", "(g)"} {
			if rng.IntN(2) == 0 {
				problem += fmt.Sprintf(" (= %s %d)", f, rng.IntN(3))
			}
		}
		problem += ") (:goal (and (p a) (p b) (>= (f b) 0))))"
		p, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte(problem))
		if err != nil {
			t.Fatal(err)
		}
		const steps = 3
		want := shortest([]*pddl.State{p.Start()}, steps)
		d := planPDDL(t, domain, problem, "auto", steps, false)
		switch {
		case want < 0 && d.Status == engine.Infeasible:
		case want >= 0 && d.Status == engine.Optimal && *d.Reward == -float64(want):
			solved++
		default:
			t.Errorf("seed %d: %s; expected %d steps\n%s\n%s", seed, d.Status, want, domain, problem)
		}
	}
	if solved < 5 {
		t.Errorf("%d plans; expected more", solved)
	}
}

// shortest is the length of a shortest plan from some states; -1 where there is none of at most so many steps.
func shortest(from []*pddl.State, most int) int {
	var next []*pddl.State
	for _, w := range from {
		if ok, err := w.Goal(); ok && err == nil {
			return 0
		}
		for _, s := range w.Steps() {
			if to := w.Copy(); to.Execute(s) == nil {
				next = append(next, to)
			}
		}
	}
	if most == 0 || len(next) == 0 {
		return -1
	}
	if n := shortest(next, most-1); n >= 0 {
		return n + 1
	}
	return -1
}

// exhaust finds the least metric of all plans, and of those of at most some steps, by executing all actions in all states; -1 where there is no
// plan. It reports whether at most so many states were met.
func exhaust(t *testing.T, p *pddl.Problem, states, steps int) (least, within float64, whole bool) {
	t.Helper()
	least, within = -1, -1
	layer := map[string]*pddl.State{"": p.Start()} // by state, the cheapest way of so many steps
	best := map[string]float64{}
	for depth := 0; len(layer) > 0; depth++ {
		next := map[string]*pddl.State{}
		for _, w := range layer {
			cost, err := w.Metric(depth)
			if err != nil {
				t.Fatal(err)
			}
			if was, ok := best[w.Text()]; ok && was <= cost {
				continue // no more steps, and no more cost
			}
			if best[w.Text()] = cost; len(best) > states {
				return 0, 0, false
			}
			if ok, _ := w.Goal(); ok {
				if least < 0 || cost < least {
					least = cost
				}
				if depth <= steps && (within < 0 || cost < within) {
					within = cost
				}
			}
			for _, s := range w.Steps() {
				to := w.Copy()
				if to.Execute(s) != nil {
					continue
				}
				if old := next[to.Text()]; old != nil {
					a, _ := old.Metric(depth + 1)
					if b, _ := to.Metric(depth + 1); a <= b {
						continue
					}
				}
				next[to.Text()] = to
			}
		}
		layer = next
	}
	return least, within, true
}

func planPDDL(t *testing.T, domain, problem, name string, horizon int, parallel bool) *plan.Document {
	t.Helper()
	read := func(file string) ([]byte, error) {
		if file == "d.pddl" {
			return []byte(domain), nil
		}
		return []byte(problem), nil
	}
	p, err := load.Load(context.Background(), load.Ref{Name: "p.pddl", Source: load.Source{PDDL: "d.pddl", Parallel: parallel}, Read: read})
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, domain, problem)
	}
	r := plan.Request{Query: plan.Query{Options: registry.Options{Engine: name}}, Now: time.Now}
	if horizon > 0 {
		r.Horizon = bind.Steps(horizon)
	}
	d, err := plan.Plan(context.Background(), p, r)
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", name, err, domain, problem)
	}
	return d
}
