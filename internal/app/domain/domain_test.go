package domain_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/domain"
)

const blocks = "../../../examples/pddl/blocks.pddl"

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func train(t *testing.T, pddl, data string) (string, string) {
	t.Helper()
	d, err := domain.Train(context.Background(), pddl, data, "", domain.Options{Clauses: 1, Terms: 3})
	if err != nil {
		t.Fatal(err)
	}
	var safe, said strings.Builder
	if err := d.WriteSafe(&safe); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteText(&said); err != nil {
		t.Fatal(err)
	}
	return safe.String(), said.String()
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), p) {
			t.Errorf("%q is missing in\n%s", p, text)
		}
	}
}

// TestTables reads tables in the formats that others write.
func TestTables(t *testing.T) {
	macq := "plan_id,actions,ontable object a,ontable object b,holding object a,holding object b,handempty \n" +
		"1,pick object a,1,1,0,0,1\n1,put object a,0,1,1,0,0\n1,pick object b,1,1,0,0,1\n1,,1,0,0,1,0\n"
	safe, _ := train(t, "", write(t, "macq.csv", macq))
	contains(t, safe, "(ontable ?x1 - object)", "(:action pick :parameters (?x1 - object) :precondition (and (ontable ?x1) (not (holding ?x1)) (handempty) )",
		":effect (and (holding ?x1) (not (ontable ?x1)) (not (handempty)) )")

	rates := "value(c0),value(c1),rate(c0),rate(c1),act,value(c0)',value(c1)',rate(c0)',rate(c1)'\n" +
		"10,4,3,2,add_c0,13,4,3,2\n13,4,3,2,add_c1,13,6,3,2\n13,6,3,2,faster_c1,13,6,3,4\n13,6,3,4,add_c1,13,10,3,4\n13,10,3,4,faster_c0,13,10,5,4\n"
	safe, _ = train(t, "", write(t, "rates.csv", rates))
	contains(t, safe, "(increase (value ?x1) (rate ?x1))", "(increase (rate ?x1) 2)")

	events := "case,activity,time\nx,Pay!,3\nx,file,1\nx,grant,2\ny,file,1\ny,grant,5\ny,pay!,9\n"
	safe, said := train(t, "", write(t, "events.csv", events))
	contains(t, safe, "(:action pay :parameters () :precondition (and (not (did-pay)) (did-file) (did-grant) )", "(:action file :parameters () :precondition (and (not (did-pay)) (not (did-file)) (not (did-grant)) )")
	contains(t, said, "3 actions from 1 file, 6 rows")
}

// TestConditional learns effects with conditions, on objects that the action does not name.
func TestConditional(t *testing.T) {
	d := write(t, "case.pddl", "(define (domain case) (:types place thing) (:predicates (here ?p - place) (at ?t - thing ?p - place) (in ?t - thing)) (:action move :parameters (?a - place ?b - place)))")
	run := write(t, "one.trajectory", `((:init (here x) (at k x) (at c x) (at p y) (in k))
(operator: (move x y)) (:state (here y) (at k y) (at c x) (at p y) (in k))
(operator: (move y z)) (:state (here z) (at k z) (at c x) (at p y) (in k))
(operator: (move z x)) (:state (here x) (at k x) (at c x) (at p y) (in k)))`)
	safe, said := train(t, d, run)
	contains(t, safe, "(forall (?other1 - thing) (when (and (in ?other1)) (at ?other1 ?b)))")
	contains(t, said, "with a condition")
}

// TestRelevant learns preconditions that read some functions only, or none.
func TestRelevant(t *testing.T) {
	d := write(t, "case.pddl", "(define (domain case) (:types box) (:predicates (here ?b - box)) (:functions (weight ?b - box) (cost)) (:action lift :parameters (?b - box)))")
	run := write(t, "one.trajectory", `((:init (here x) (here y) (= (weight x) 2) (= (weight y) 5) (= (cost) 0))
(operator: (lift x)) (:state (here y) (= (weight x) 2) (= (weight y) 5) (= (cost) 2))
(operator: (lift y)) (:state (= (weight x) 2) (= (weight y) 5) (= (cost) 7)))`)
	for _, c := range []struct {
		relevant string
		terms    int
		want     []string // parts of conditions
		without  string
	}{
		{"", 1, []string{"(= (+ (* 3 (cost)) 4) (* 2 (weight ?b)))"}, "when"},
		{`{"lift": ["(weight ?b)"]}`, 3, []string{"(>= (weight ?b) 2)", "(>= 5 (weight ?b))"}, "= (cost)"},
		{`{"lift": []}`, 3, []string{"(increase (cost) (weight ?b))"}, "="},
		{"{}", 0, []string{"(increase (cost) (weight ?b))"}, "="},
	} {
		file := ""
		if c.relevant != "" {
			file = write(t, "relevant.json", c.relevant)
		}
		doc, err := domain.Train(context.Background(), d, run, file, domain.Options{Clauses: 1, Terms: c.terms})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := doc.WriteSafe(&b); err != nil {
			t.Fatal(err)
		}
		_, action, _ := strings.Cut(b.String(), "(:action")
		contains(t, action, c.want...)
		if strings.Contains(action, c.without) {
			t.Errorf("%s with %d terms: %s is in\n%s", c.relevant, c.terms, c.without, action)
		}
	}
	for text, want := range map[string]string{
		`{"fly": []}`:               "relevant.json: not relevant: fly is no action of case",
		`{"lift": ["(weight ?x)"]}`: "relevant.json: not relevant: lift has no function (weight ?x)",
		`{"lift": "(weight ?b)"}`:   "expected an object such as",
	} {
		_, err := domain.Train(context.Background(), d, run, write(t, "relevant.json", text), domain.Options{Clauses: 1, Terms: 3})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; expected %s", text, err, want)
		}
	}
}

// TestFaults holds faults to a line with their place.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, text, pddl, want string }{
		{"a.trajectory", "((:init (on a b)) (operator: (fly a)) (:state))", blocks, "a.trajectory:1:31: there is no action fly in domain blocks"},
		{"a.trajectory", "((:init (on a)))", blocks, "a.trajectory:1:10: on has 1 objects; expected 2"},
		{"a.trajectory", "((:init (on a b)) (operator: (pick-up a)))", blocks, "no state follows (pick-up a); expected (:state …)"},
		{"a.trajectory", "((:init (on a b)))", blocks, "there is no step"},
		{"a.trajectory", "((:init (on a b)) (pick-up a))", blocks, "pick-up is not expected in a trajectory"},
		{"a.trajectory", "((:init (above a b)))", blocks, "there is no predicate above"},
		{"a.trajectory", "((:init", blocks, "this ( is not closed"},
		{"a.trajectory", "((:init))", "", "expected --pddl DOMAIN.pddl"},
		{"a.trajectory", "(())", blocks, "() is not expected in a trajectory"},
		{"a.csv", "a,b\n1,2\n", "", "no column has actions"},
		{"a.csv", "action,p a\ngo,1,2\n", "", "a.csv:2:1: the row has 3 cells; expected 2"},
		{"a.csv", "action,p a\ngo,1\n", "", "there is no step"},
		{"a.csv", "action,on a b\npick-up a,7\npick-up a,0\n", blocks, "expected 0 or 1 for a predicate"},
		{"a.csv", "", "", "the table is empty"},
		{"a.csv", "action,on a b\npick-up a,1\npick-up a,\n", "", "a.csv:3:1: on a b is not known; expected a number in this cell, or no such row"},
		{"a.csv", "case,activity,time\n1,a,1\n1, ,2\n", "", "a.csv:3:1: activity is empty; expected a name with a letter or digit, or no such row"},
		{"a.csv", "case;activity;time\n1;a;2024-01-05\n1;b;\n", "", "a.csv:3:1: \"\" is no time; expected one such as 2024-01-31 13:45"},
		{"a.csv", "case,activity,time\n1,a,2024-01-05\n1,b,today\n", "", "a.csv:3:1: \"today\" is no time"},
		{"a.csv", "case,activity,time\n1,b,02/01/2024\n1,a,2024-01-05\n", "", "a.csv:2:1: 02/01/2024 may have the day or the month first"},
	} {
		_, err := domain.Train(context.Background(), c.pddl, write(t, c.name, c.text), "", domain.Options{Clauses: 1, Terms: 3})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; expected %s", c.text, err, c.want)
		}
	}
}

// TestTruth holds what was learned to the true domain.
func TestTruth(t *testing.T) {
	safe, _ := train(t, blocks, "../../../examples/pddl/walks")
	learned := write(t, "learned.pddl", safe)
	d, err := domain.Test(context.Background(), learned, blocks, "../../../examples/pddl/walks")
	if err != nil {
		t.Fatal(err)
	}
	if d.Rows != 54 || d.Right != 54 || d.Failures != 123 || d.Refused != 123 || *d.Truth.Precision != 1 || *d.Truth.Recall < .9 || d.Truth.Right != d.Truth.Both {
		t.Errorf("%+v, %+v", d, d.Truth)
	}
	// A domain that allows and does too much.
	wrong := write(t, "wrong.pddl", strings.Replace(safe, "      (clear ?x)\n      (handempty)\n", "", 1))
	if d, err = domain.Test(context.Background(), wrong, blocks, "../../../examples/pddl/walks"); err != nil || *d.Truth.Precision == 1 || d.Refused == 123 || d.Truth.Example == "" {
		t.Errorf("%v, %+v, %+v", err, d, d.Truth)
	}
	// The counts of executing all actions with all objects in all states.
	if x := d.Truth; x.Steps != 1776 || x.Possible != 121 || x.Allowed != 190 || x.Both != 121 || x.Right != 121 {
		t.Errorf("%+v; expected 1776 steps, 121 possible, 190 allowed, 121 both, 121 right", x)
	}
}
