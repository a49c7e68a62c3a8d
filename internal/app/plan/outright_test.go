package plan_test

import (
	"context"
	"errors"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
)

const rates = `(define (domain rates) (:requirements :numeric-fluents) (:types c)
 (:functions (value ?c - c) (rate ?c - c) (most))
 (:action up :parameters (?c - c) :precondition (<= (+ (value ?c) (rate ?c)) (most)) :effect (increase (value ?c) (rate ?c)))
 (:action down :parameters (?c - c) :precondition (>= (- (value ?c) (rate ?c)) 0) :effect (decrease (value ?c) (rate ?c)))
 (:action faster :parameters (?c - c) :effect (increase (rate ?c) 1)))`

const threeRates = `(define (problem three) (:domain rates) (:objects a b c - c)
 (:init (= (value a) 15) (= (value b) 9) (= (value c) 2) (= (rate a) 0) (= (rate b) 0) (= (rate c) 0) (= (most) 20))
 (:goal (and (< (value a) (value b)) (< (value b) (value c)))))`

// TestOutright plans where no number has a range, and where the search that proves has no time.
func TestOutright(t *testing.T) {
	ref := func(domain string) load.Ref {
		return load.Ref{Name: "p.pddl", Source: load.Source{PDDL: "d.pddl"}, Read: func(file string) ([]byte, error) {
			return []byte(map[string]string{"d.pddl": domain, "p.pddl": threeRates}[file]), nil
		}}
	}
	o, err := plan.NewOutright(t.Context(), ref(rates), 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := o.Answer(t.Context(), errors.New("rate has no range"), 0)
	if err != nil || d == nil || d.Status != engine.Feasible || d.Bound != nil || *d.Metric != float64(len(d.Plan)) || *d.Reward != -*d.Metric {
		t.Fatalf("without ranges: %+v, %v", d, err)
	}

	bounded := ref(rates[:len(rates)-len("(:action faster :parameters (?c - c) :effect (increase (rate ?c) 1)))")] +
		"(:action faster :parameters (?c - c) :precondition (< (rate ?c) 5) :effect (increase (rate ?c) 1)))")
	p, err := load.Load(t.Context(), bounded)
	if err != nil {
		t.Fatal(err)
	}
	if o, err = plan.NewOutright(t.Context(), bounded, 0); err != nil {
		t.Fatal(err)
	}
	o.Begin(t.Context())
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if d, err = plan.Plan(over, p, plan.Request{Outright: o}); err != nil || d.Status != engine.Feasible || d.Metric == nil {
		t.Errorf("without time: %+v, %v", d, err)
	}
}
