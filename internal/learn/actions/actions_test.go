package actions_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/actions"
	"github.com/fdplan/fdplan/internal/pddl"
)

var (
	instances = flag.Int("instances", 40, "random domains to learn")
	first     = flag.Uint64("first", 1, "seed of the first random domain")
)

// randomDomain writes a domain of the class that is learned, and a problem. Most actions need and delete something.
func randomDomain(r *rand.Rand, numbers bool) (domain, problem string) {
	var b, p strings.Builder
	types := []string{"t", "u"}
	pick := func(params []string, typ string) string {
		var fit []string
		for i, t := range params {
			if t == typ {
				fit = append(fit, fmt.Sprintf("?v%d", i))
			}
		}
		if len(fit) == 0 {
			return ""
		}
		return fit[r.IntN(len(fit))]
	}
	var predicates [][]string
	b.WriteString("(define (domain d) (:types t u)\n(:predicates")
	for i := range 4 {
		var args []string
		fmt.Fprintf(&b, " (p%d", i)
		for j := range min(i, 2) {
			args = append(args, types[r.IntN(2)])
			fmt.Fprintf(&b, " ?x%d - %s", j, args[j])
		}
		b.WriteString(")")
		predicates = append(predicates, args)
	}
	b.WriteString(")\n")
	if numbers {
		b.WriteString("(:functions (f ?x - t) (g) (h ?x - t))\n")
	}
	atom := func(params []string) string {
		k := r.IntN(len(predicates))
		out := fmt.Sprintf("(p%d", k)
		for _, t := range predicates[k] {
			v := pick(params, t)
			if v == "" {
				return ""
			}
			out += " " + v
		}
		return out + ")"
	}
	for i := range 3 {
		params := []string{"t"}
		for range r.IntN(2) + 1 {
			params = append(params, types[r.IntN(2)])
		}
		fmt.Fprintf(&b, "(:action a%d :parameters (", i)
		for j, t := range params {
			fmt.Fprintf(&b, "?v%d - %s ", j, t)
		}
		b.WriteString(") :precondition (and")
		for range r.IntN(3) {
			if x := atom(params); x != "" && r.IntN(3) == 0 {
				b.WriteString(" (not " + x + ")")
			} else {
				b.WriteString(" " + x)
			}
		}
		if numbers {
			fmt.Fprintf(&b, " (<= (+ (f ?v0) (h ?v0)) %d)", 4+r.IntN(8))
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, " (>= (+ (g) (* 2 (f ?v0))) %d)", r.IntN(4)-2)
			}
		}
		b.WriteString(") :effect (and")
		for range 1 + r.IntN(3) {
			if x := atom(params); x != "" && r.IntN(2) == 0 {
				b.WriteString(" (not " + x + ")")
			} else {
				b.WriteString(" " + x)
			}
		}
		if numbers {
			b.WriteString([]string{" (increase (f ?v0) (h ?v0))", " (assign (f ?v0) (- (h ?v0) 1))", " (decrease (g) (f ?v0))", " (increase (f ?v0) (+ (g) 0.5))"}[r.IntN(4)])
		}
		b.WriteString("))\n")
	}
	p.WriteString("(define (problem x) (:domain d) (:objects a b c - t d e - u) (:init")
	objects := map[string][]string{"t": {"a", "b", "c"}, "u": {"d", "e"}}
	for k, args := range predicates {
		for range 3 {
			if r.IntN(3) == 0 {
				continue
			}
			fmt.Fprintf(&p, " (p%d", k)
			for _, t := range args {
				p.WriteString(" " + objects[t][r.IntN(len(objects[t]))])
			}
			p.WriteString(")")
		}
	}
	if numbers {
		fmt.Fprintf(&p, " (= (g) %d)", r.IntN(4))
		for _, o := range objects["t"] {
			fmt.Fprintf(&p, " (= (f %s) %d) (= (h %s) %d)", o, r.IntN(5), o, r.IntN(4))
		}
	}
	return b.String() + ")", p.String() + ") (:goal (and)))"
}

// world is a system whose states are walked through.
type world struct {
	t      *testing.T
	truth  *pddl.Problem
	domain *pddl.Domain
	random *rand.Rand
}

func newWorld(t *testing.T, seed uint64, numbers bool) *world {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	domain, problem := randomDomain(r, numbers)
	p, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte(problem))
	if err != nil {
		t.Fatalf("seed %d: %v\n%s\n%s", seed, err, domain, problem)
	}
	return &world{t, p, p.Domain, r}
}

// walk takes random steps and writes them as a trajectory. visit, where not nil, is called in each state.
func (w *world) walk(steps int, visit func(*pddl.State)) *pddl.Trajectory {
	s := w.truth.Start()
	var b strings.Builder
	b.WriteString("((:init " + s.Facts() + ")\n")
	n := 0
	for range steps {
		if visit != nil {
			visit(s)
		}
		var next *pddl.State
		for _, x := range shuffled(w.random, s.Steps()) {
			to := s.Copy()
			if to.Execute(x) == nil {
				fmt.Fprintf(&b, "(operator: %s)\n(:state %s)\n", x, to.Facts())
				next = to
				break
			}
			if w.random.IntN(3) == 0 {
				fmt.Fprintf(&b, "(:failed %s)\n", x)
			}
		}
		if next == nil {
			break
		}
		s = next
		n++
	}
	if n == 0 {
		return nil
	}
	t, err := w.domain.ReadTrajectory("walk", []byte(b.String()+")"))
	if err != nil {
		w.t.Fatalf("%v\n%s", err, b.String())
	}
	return t
}

func shuffled(r *rand.Rand, s []pddl.Step) []pddl.Step {
	s = slices.Clone(s)
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// TestSafe learns random domains from walks and holds what was learned to the truth in all states of other walks: the safe side allows nothing that
// is not possible and leads where the truth does, and the optimistic side refuses nothing that is possible.
func TestSafe(t *testing.T) {
	for _, numbers := range []bool{false, true} {
		allowed, possible, learned := 0, 0, 0
		for seed := *first; seed < *first+uint64(*instances); seed++ {
			w := newWorld(t, seed, numbers)
			var runs []*pddl.Trajectory
			for range 4 {
				if run := w.walk(15, nil); run != nil {
					runs = append(runs, run)
				}
			}
			m, err := actions.Learn(context.Background(), w.domain, runs, actions.Options{Clauses: 1 + int(seed%2), Terms: 2 + int(seed%3)})
			if err != nil {
				t.Fatal(err)
			}
			safe, optimistic := w.in(m.Safe), w.in(m.Optimistic)
			learned += len(m.Safe.Actions)
			w.walk(25, func(s *pddl.State) {
				for _, x := range s.Steps() {
					real, mine, may := s.Copy(), s.With(safe), s.With(optimistic)
					err, ok := real.Execute(x), mine.Execute(x) == nil
					if err == nil {
						possible++
					}
					switch {
					case ok && err != nil:
						t.Errorf("seed %d: %s is allowed, and %v", seed, x, err)
					case ok && real.Facts() != mine.Facts():
						t.Errorf("seed %d: %s leads to %s; learned %s", seed, x, real.Facts(), mine.Facts())
					case ok:
						allowed++
					}
					if err == nil && slices.ContainsFunc(m.Optimistic.Actions, func(a *pddl.Action) bool { return a.Name == x.Name }) && !aliased(x) && may.Execute(x) != nil {
						t.Errorf("seed %d: %s is possible, and the optimistic side refuses it", seed, x)
					}
				}
			})
			if t.Failed() {
				t.Fatalf("%s\n%s", w.domain.Text(), m.Safe.Text())
			}
		}
		t.Logf("numbers %v: %d actions, %d of %d possible steps are allowed", numbers, learned, allowed, possible)
		if *instances >= 40 && (allowed < possible/5 || learned < *instances) {
			t.Errorf("numbers %v: %d actions, %d of %d possible steps are allowed; expected more", numbers, learned, allowed, possible)
		}
	}
}

// in is the world's problem in a learned domain, read again from its text.
func (w *world) in(d *pddl.Domain) *pddl.Problem {
	w.t.Helper()
	again, err := pddl.ReadDomain("learned.pddl", []byte(d.Text()))
	if err != nil {
		w.t.Fatalf("%v\n%s", err, d.Text())
	}
	p := *w.truth
	p.Domain = again
	return &p
}

func aliased(s pddl.Step) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(s.Args)))) < len(s.Args)
}

// TestBaseline compares the literals of the safe side with those of the published definition of SAM, which is written down here once more: an
// action needs every literal of its parameters that held in all rows, and does all changes that some row shows.
func TestBaseline(t *testing.T) {
	for seed := *first; seed < *first+uint64(*instances)/2; seed++ {
		w := newWorld(t, seed, false)
		var runs []*pddl.Trajectory
		for range 3 {
			if run := w.walk(15, nil); run != nil {
				runs = append(runs, run)
			}
		}
		m, err := actions.Learn(context.Background(), w.domain, runs, actions.Options{Clauses: 1, Terms: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range m.Safe.Actions {
			if i := slices.IndexFunc(m.Actions, func(x *actions.Action) bool { return x.Name == a.Name }); m.Actions[i].LeftOut > 0 {
				continue
			}
			pre, effects := sam(w.domain, a, runs)
			got := map[string]bool{}
			for _, e := range a.Pre.Args {
				if text := e.String(); !strings.Contains(text, "(= ") {
					got[text] = true
				}
			}
			if !maps.Equal(pre, got) {
				t.Errorf("seed %d: %s needs %v; SAM %v", seed, a.Name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(pre)))
			}
			for _, e := range a.Effect.Args {
				if !effects[e.String()] {
					t.Errorf("seed %d: %s does %s; SAM does %v", seed, a.Name, e, slices.Sorted(maps.Keys(effects)))
				}
			}
		}
	}
}

// sam lists the literals that an action needs and changes by the definition.
func sam(d *pddl.Domain, a *pddl.Action, runs []*pddl.Trajectory) (pre, effects map[string]bool) {
	effects = map[string]bool{}
	for _, run := range runs {
		for _, x := range run.Transitions {
			if x.Name != a.Name || x.After == nil {
				continue
			}
			here := map[string]bool{}
			for _, s := range d.PredicateList() {
				var fill func(lifted, object []string)
				fill = func(lifted, object []string) {
					if k := len(lifted); k < len(s.Params) {
						for i, p := range a.Params {
							if d.Is(p.Types, s.Params[k].Types) {
								fill(append(slices.Clone(lifted), "?"+p.Name), append(slices.Clone(object), x.Args[i]))
							}
						}
						return
					}
					name := strings.Join(append([]string{s.Name}, object...), " ")
					text := "(" + strings.Join(append([]string{s.Name}, lifted...), " ") + ")"
					before, after := x.Before.Atoms[name], x.After.Atoms[name]
					here[map[bool]string{true: text, false: "(not " + text + ")"}[before]] = true
					if before != after {
						effects[map[bool]string{true: text, false: "(not " + text + ")"}[after]] = true
					}
				}
				fill(nil, nil)
			}
			if pre == nil {
				pre = here
			}
			maps.DeleteFunc(pre, func(k string, _ bool) bool { return !here[k] })
		}
	}
	return pre, effects
}

// learn learns from a trajectory of a domain.
func learn(t *testing.T, domain, trajectory string, o actions.Options) *actions.Model {
	t.Helper()
	d, err := pddl.ReadDomain("d.pddl", []byte(domain))
	if err != nil {
		t.Fatal(err)
	}
	run, err := d.ReadTrajectory("t.trajectory", []byte(trajectory))
	if err != nil {
		t.Fatal(err)
	}
	m, err := actions.Learn(context.Background(), d, []*pddl.Trajectory{run}, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const tank = "(define (domain d) (:types c) (:predicates (on ?c - c)) (:functions (fuel ?c - c) (rate ?c - c) (used)) (:action burn :parameters (?c - c)))"

// TestIdle has rows that change nothing taken as failures where no effect explains them beside the others.
func TestIdle(t *testing.T) {
	step := func(fuel, used float64) string {
		return fmt.Sprintf("(operator: (burn a)) (:state (on a) (= (fuel a) %v) (= (rate a) 2.3) (= (used) %v))", fuel, used)
	}
	text := "((:init (on a) (= (fuel a) 5) (= (rate a) 2.3) (= (used) 0))" + step(2.7, 2.3) + step(5-4.6, 4.6) + step(5-4.6, 4.6) + ")"
	a := learn(t, tank, text, actions.Options{Terms: 1}).Actions[0]
	if a.Unknown != "" || a.Rows != 2 || a.Idle != 1 || a.Failed != 1 || a.Effects != 2 {
		t.Errorf("%+v, expected 2 rows with 2 effects, and one taken as a failure", a)
	}
}

// TestPlainFactors has inequalities with factors 1 and -1 where the facets of the rows have too large numbers: what they allow, the true
// precondition does, and they allow all rows.
func TestPlainFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 60
	var fuel, rate [n]float64
	for i := range n {
		rate[i] = float64(r.IntN(1e9)) / 1e6
		fuel[i] = rate[i] + float64(r.IntN(1e9))/1e6
	}
	var b strings.Builder
	used := 0.0
	state := func(head string) {
		fmt.Fprintf(&b, "(%s (= (used) %.6f)", head, used)
		for i := range n {
			fmt.Fprintf(&b, " (on a%d) (= (fuel a%d) %.6f) (= (rate a%d) %.6f)", i, i, fuel[i], i, rate[i])
		}
		b.WriteString(")")
	}
	b.WriteString("(")
	state(":init")
	for i := range n {
		fuel[i], used = fuel[i]-rate[i], used+rate[i]
		fmt.Fprintf(&b, "(operator: (burn a%d))", i)
		state(":state")
	}
	b.WriteString(")")
	m := learn(t, tank, b.String(), actions.Options{Terms: 2})
	if a := m.Actions[0]; a.Unknown != "" || !a.Plain || a.Inequalities == 0 {
		t.Fatalf("%+v, expected inequalities with plain factors", a)
	}
	run, err := m.Safe.ReadTrajectory("t", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	allowed := 0
	for i := range run.Transitions {
		x := &run.Transitions[i]
		if err := m.Safe.Replay(run, x); err != nil {
			t.Errorf("%s: %v", x.Step, err)
		}
		for range 20 { // the same with other numbers
			v := maps.Clone(x.Before.Values)
			o := x.Args[0]
			v["fuel "+o], v["rate "+o] = float64(r.IntN(1e9))/1e6, float64(r.IntN(1e9))/1e6
			if m.Safe.At(run, &pddl.Observed{Atoms: x.Before.Atoms, Values: v}).Execute(x.Step) == nil {
				if allowed++; v["fuel "+o] < v["rate "+o] {
					t.Errorf("fuel %v and rate %v are allowed", v["fuel "+o], v["rate "+o])
				}
			}
		}
	}
	if allowed == 0 {
		t.Error("nothing else is allowed")
	}
}
