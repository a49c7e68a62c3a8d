// Package apptest contains helpers for the tests of several use cases.
package apptest

import (
	"bytes"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Integers returns a problem with a Boolean and an integer of each kind.
func Integers(t testing.TB) *factored.Problem {
	p := factored.NewProblem("Integers")
	for _, v := range []factored.Variable{
		{Name: "on(c1)", Kind: factored.State, Bool: true},
		{Name: "level", Kind: factored.State, Lo: -2, Hi: 5},
		{Name: "go", Kind: factored.Action, Bool: true},
		{Name: "order", Kind: factored.Action, Lo: 0, Hi: 6},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// NetworkFile reads the network of a bundled problem.
func NetworkFile(t *testing.T, name string) *bnn.File {
	t.Helper()
	k, err := bundled.Task(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := bundled.Read(k.Network)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bnn.ReadFile(k.Network, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Valuation returns variables values; the others are false or 0.
func Valuation(t testing.TB, p *factored.Problem, values map[string]int64) factored.Valuation {
	val := make(factored.Valuation, p.NumBits())
	for name, x := range values {
		v, ok := p.Lookup(name)
		if !ok {
			t.Fatalf("no variable %s", name)
		}
		if err := v.Set(val, x); err != nil {
			t.Fatal(err)
		}
	}
	return val
}
