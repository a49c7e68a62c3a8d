package factored_test

import (
	"fmt"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// TestFormat writes constraints on each kind of variable and compares the text with the
// values that satisfy the constraint.
func TestFormat(t *testing.T) {
	p := factored.NewProblem("p")
	add := func(v factored.Variable) *factored.Variable {
		id, err := p.AddVariable(v)
		if err != nil {
			t.Fatal(err)
		}
		return &p.Variables[id]
	}
	add(factored.Variable{Name: "floor", Hi: 4})
	add(factored.Variable{Name: "command", Kind: factored.Action, Hi: 3, View: &factored.View{Names: []string{"close", "down", "open", "wait"}}})
	add(*quantity())
	add(factored.Variable{Name: "b", Bool: true})
	add(factored.Variable{Name: "aux", Kind: factored.Auxiliary, Bool: true, Meaning: "floor >= 2"})
	sum := func(f int64, name string, next bool) (out []factored.Term) {
		v, _ := p.Lookup(name)
		for i := range v.Width {
			out = append(out, factored.Term{Coef: f * v.Weight(i), Lit: factored.Lit{Bit: v.First + factored.Bit(i), Next: next}})
		}
		return out
	}
	plus := func(a, b []factored.Term) []factored.Term { return append(append([]factored.Term(nil), a...), b...) }
	for _, c := range []struct {
		terms []factored.Term
		op    factored.Op
		k     int64
		want  string
	}{
		{sum(1, "floor", false), factored.EQ, 0, "floor == 0"},
		{sum(1, "floor", true), factored.LE, 2, "floor' <= 2"},
		{sum(2, "floor", false), factored.GE, 3, "floor >= 2"},
		{sum(-1, "floor", false), factored.GE, -1, "floor <= 1"},
		{sum(1, "floor", false), factored.LE, 4, "floor in 0..4"},
		{sum(2, "floor", false), factored.EQ, 3, "floor has no value"},
		{sum(1, "command", false), factored.EQ, 1, "command == down"},
		{sum(1, "command", false), factored.LE, 2, "command ~= wait"},
		{sum(1, "command", false), factored.LE, 1, "command is one of close, down"},
		{sum(1, "command", false), factored.LE, 3, "command is one of close, down, open, wait"},
		{sum(1, "load_kg", false), factored.LE, -1, "load_kg < 200 kg"},
		{sum(1, "load_kg", false), factored.GE, 1, "load_kg >= 600 kg"},
		{sum(1, "load_kg", true), factored.EQ, 0, "load_kg' in 200–600 kg"},
		{plus(sum(1, "floor", false), sum(2, "b", false)), factored.LE, 4, "b => floor <= 2"},
		{plus(sum(1, "load_kg", false), sum(-2, "aux", false)), factored.LE, -1, "~(floor >= 2) => load_kg < 200 kg"},
		{plus(sum(1, "floor", false), sum(-1, "floor", true)), factored.GE, 0, "floor - floor' >= 0"},
		{sum(1, "floor", false)[1:], factored.GE, 1, "floor in 1..3"},
		{plus(sum(1, "floor", false)[1:], sum(1, "command", false)), factored.GE, 1, "(floor in 1..3) + (command ~= close) >= 1"},
		{[]factored.Term{{Coef: 1, Lit: factored.Lit{Bit: 3, Neg: true}}, {Coef: 1, Lit: factored.Lit{Bit: 4}}}, factored.GE, 1, "command ~= open"},
		{plus(sum(-1, "b", false), sum(1, "aux", false)), factored.GE, 0, "b => (floor >= 2)"},
		{plus(sum(1, "b", false), sum(1, "aux", false)), factored.GE, 1, "~b => (floor >= 2)"},
		{plus(sum(1, "b", false), sum(1, "aux", false)), factored.EQ, 1, "b + (floor >= 2) == 1"},
		{sum(1, "b", false), factored.GE, 1, "b >= 1"},
		{nil, factored.GE, 1, "0 >= 1"},
	} {
		if got := p.Format(&factored.Constraint{Terms: c.terms, Op: c.op, K: c.k}); got != c.want {
			t.Errorf("%v: %q, want %q", fmt.Sprint(c.terms, c.op, c.k), got, c.want)
		}
	}
}
