package pddl_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/pddl"
)

const lamps = `(define (domain lamps)
 (:requirements :typing :conditional-effects :action-costs)
 (:types lamp)
 (:predicates (on ?l - lamp) (next ?a ?b - lamp) (dark))
 (:functions (total-cost) (price ?l - lamp))
 (:derived (dark) (not (exists (?l - lamp) (on ?l))))
 (:action press :parameters (?l - lamp)
  :precondition (exists (?m - lamp) (next ?l ?m))
  :effect (and (when (on ?l) (not (on ?l))) (when (not (on ?l)) (on ?l))
   (forall (?m - lamp) (when (and (next ?l ?m) (on ?m)) (not (on ?m))))
   (increase (total-cost) (price ?l)))))`

const twoLamps = `(define (problem two) (:domain lamps) (:objects l1 l2 - lamp)
 (:init (on l1) (on l2) (next l1 l2) (= (price l1) 2) (= (price l2) 1))
 (:goal (dark)) (:metric minimize (total-cost)))`

func TestGround(t *testing.T) {
	p, err := pddl.Read("d.pddl", []byte(lamps), "p.pddl", []byte(twoLamps))
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Ground(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range g.Fluents {
		names = append(names, f.Name)
	}
	// l2 is next to none and cannot be pressed, and price and next never change.
	if got, want := strings.Join(names, " "), "press(l1) on(l1) on(l2) dark"; got != want {
		t.Errorf("fluents %s, expected %s", got, want)
	}
}

func TestValidatePlan(t *testing.T) {
	p, err := pddl.Read("d.pddl", []byte(lamps), "p.pddl", []byte(twoLamps))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"(press l1)":                       "",
		"0: (PRESS L1) [1]\n; cost = 2":    "",
		"":                                 "the goal does not hold after 0 steps",
		"(press l1)\n(press l1)":           "the goal does not hold after 2 steps",
		"(press l2)":                       "step 1, (press l2): (exists …) does not hold",
		"(press l3)":                       "step 1, (press l3): l3 is no lamp",
		"(press l1 l2)":                    "step 1, (press l1 l2): it has 2 objects; expected 1",
		"(burn l1)":                        "step 1, (burn l1): there is no such action",
		"; nothing but this\n(press l1)\n": "",
	} {
		steps, err := pddl.ReadPlan("plan", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		metric, err := p.Validate(steps)
		switch {
		case want == "" && (err != nil || metric != 2):
			t.Errorf("%q: %v, metric %v; expected 2", text, err, metric)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%q: %v; expected %s", text, err, want)
		}
	}
}

// TestFaults: each fault is one line with its place.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"(on ?l - lamp)", "(on ?l - lamb)", "d.pddl:4:15: there is no type lamb; did you mean lamp?"},
		{"(next ?l ?m))\n", "(nex ?l ?m))\n", "d.pddl:8:37: there is no predicate nex; did you mean next?"},
		{":effect (and (when (on ?l)", ":effect (and (when (on ?k)", "d.pddl:9:26: there is no ?k here; did you mean ?l?"},
		{":effect", ":efect", "d.pddl:9:3: :efect is not expected here; expected :parameters, :precondition, :effect"},
		{"(:types lamp)", "(:typs lamp)", "d.pddl:3:2: there is no section :typs; did you mean :types?"},
		{":typing", ":durative-actions", "d.pddl:2:17: the requirement :durative-actions is not supported; expected some of "},
		{"(not (exists (?l - lamp) (on ?l)))", "(or (dark) (on l1))", "d.pddl:6:34: there is no l1 here"},
		{"(not (exists (?l - lamp) (on ?l)))", "(not (dark))", "d.pddl:4:50: dark is derived from itself; expected derived predicates without cycles"},
		{"(not (on ?m))", "(dark)", "d.pddl:10:57: dark is derived; no effect can change it"},
		{"(price ?l)))))", "(price ?l))))", "d.pddl:1:1: this ( is not closed"},
		{"(price ?l)))))", "(price ?l))))))", "d.pddl:11:41: this ) closes nothing"},
		{"(increase (total-cost)", "(increase 3", "d.pddl:11:4: 3 is no function to increase"},
	} {
		text := strings.Replace(lamps, c.from, c.to, 1)
		if text == lamps {
			t.Fatalf("there is no %s", c.from)
		}
		p, err := pddl.Read("d.pddl", []byte(text), "p.pddl", []byte(twoLamps))
		if err == nil {
			_, err = p.Ground(t.Context())
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nexpected %s", c.to, err, c.want)
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{"(:domain lamps)", "(:domain lamp)", "p.pddl:1:23: the problem is of another domain than lamps"},
		{"(on l2)", "(on l3)", "p.pddl:2:21: there is no object l3"},
		{"(= (price l2) 1)", "(= (price l2) x)", "p.pddl:2:69: x is no number"},
		{"(:goal (dark))", "", "p.pddl:1:18: the problem has no goal; expected (:goal CONDITION)"},
		{"(total-cost)", "(* (total-cost) (price l1))", "p.pddl:3:51: the metric is not linear; expected sums of functions times numbers"},
	} {
		text := strings.Replace(twoLamps, c.from, c.to, 1)
		if text == twoLamps {
			t.Fatalf("there is no %s", c.from)
		}
		p, err := pddl.Read("d.pddl", []byte(lamps), "p.pddl", []byte(text))
		if err == nil {
			_, err = p.Ground(t.Context())
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nexpected %s", c.to, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(lamps, twoLamps, "(press l1)")
	f.Fuzz(func(t *testing.T, domain, problem, text string) {
		p, err := pddl.Read("d", []byte(domain), "p", []byte(problem))
		if err != nil {
			return
		}
		if len(domain)+len(problem) < 4000 {
			p.Ground(t.Context())
		}
		if steps, err := pddl.ReadPlan("x", []byte(text)); err == nil && len(p.Derived) == 0 {
			p.Validate(steps)
		}
	})
}

// TestRanges holds the ranges that follow from comparisons of sums to the values that random walks meet.
func TestRanges(t *testing.T) {
	p, err := pddl.Read("d", []byte(`(define (domain counters) (:functions (value ?c) (rate ?c) (most)) (:predicates (counter ?c))
(:action up :parameters (?c) :precondition (and (counter ?c) (<= (+ (value ?c) (rate ?c)) (most))) :effect (increase (value ?c) (rate ?c)))
(:action down :parameters (?c) :precondition (and (counter ?c) (>= (- (* 2 (value ?c)) (* 2 (rate ?c))) 0)) :effect (decrease (value ?c) (rate ?c)))
(:action faster :parameters (?c) :precondition (and (counter ?c) (< (rate ?c) 5)) :effect (increase (rate ?c) 1))
(:action slower :parameters (?c) :precondition (and (counter ?c) (> (* 3 (rate ?c)) 2)) :effect (decrease (rate ?c) 1)))`),
		"p", []byte("(define (problem p) (:domain counters) (:objects a b) (:init (counter a) (counter b) (= (value a) 3) (= (value b) 11) (= (rate a) 0) (= (rate b) 2) (= (most) 20)) (:goal (and (= (value a) (value b)))))"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Ground(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Ranges) != 4 {
		t.Fatalf("ranges %v; expected those of 4 numbers", g.Ranges)
	}
	random, s := rand.New(rand.NewPCG(1, 2)), p.Start()
	for range 5000 {
		steps := s.Steps()
		s.Execute(steps[random.IntN(len(steps))])
		for name, r := range g.Ranges {
			words := pddl.StepOf(name)
			if v := s.Value(words.Name, words.Args...); v < r.Lo || v > r.Hi {
				t.Fatalf("%s is %v; its range is %v", name, v, r)
			}
		}
	}
	if r := g.Ranges["value(a)"]; r.Lo < -10 || r.Hi > 30 {
		t.Errorf("value(a) has %v; expected less", r)
	}
}

// TestEmptyPlan reads what WritePlan writes of a plan without steps.
func TestEmptyPlan(t *testing.T) {
	for text, want := range map[string]bool{"; cost = 0\n": true, "": false, "{}": false, "(a b)": true} {
		if pddl.IsPlan([]byte(text)) != want {
			t.Errorf("%q is a plan: %v; expected %v", text, !want, want)
		}
	}
}

// TestVariableBehindWord reads a variable that no blank parts from the word before it, as in the collection's zenotravel.
func TestVariableBehindWord(t *testing.T) {
	domain := "(define (domain d) (:predicates (p ?x)(q ?x)) (:action a :parameters (?x) :precondition (p?x) :effect (q?x)))"
	p, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte("(define (problem x) (:domain d) (:objects o) (:init (p o)) (:goal (q o)))"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ValidateNamed([]string{"a(o)"}); err != nil {
		t.Error(err)
	}
}

// TestDecimals adds up decimals that are no binary fractions.
func TestDecimals(t *testing.T) {
	domain := "(define (domain d) (:predicates (p ?x)) (:functions (cost) (need ?x)) (:action a :parameters (?x) :effect (and (p ?x) (increase (cost) (need ?x)))))"
	problem := "(define (problem x) (:domain d) (:objects b c e) (:init (= (cost) 0) (= (need b) .1) (= (need c) .2) (= (need e) .7)) (:goal (p b)) (:metric minimize (cost)))"
	p, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte(problem))
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range []string{"b c e", "e c b", "c b e"} {
		var names []string
		for _, o := range strings.Fields(plan) {
			names = append(names, "a("+o+")")
		}
		if metric, err := p.ValidateNamed(names); err != nil || metric != 1 {
			t.Errorf("%s: metric %v, %v; expected 1", plan, metric, err)
		}
	}
}
