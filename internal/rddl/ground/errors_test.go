package ground

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/source"
)

// TestExpressionErrors checks errors that only the values of non-fluents reveal, and
// expressions that are not errors behind a condition on fluents.
func TestExpressionErrors(t *testing.T) {
	p := mustGround(t, foldDomain)
	for _, c := range []struct{ text, want string }{
		{"n / ZERO", "expr:1:3: division by zero: this divisor is always 0"},
		{"[sum_{?x : xpos} (n / (COST(?x) - 1))]", "expr:1:21: division by zero"},
		{"div[n, ZERO]", "expr:1:1: division by zero: the divisor of div"},
		{"div[3, ZERO]", "expr:1:1: division by zero"},
		{"n + ln[ZERO - 1]", "expr:1:5: ln of a number that is not positive: ln[-1]"},
		{"sqrt[-HALF]", "expr:1:1: sqrt of a negative number: sqrt[-0.5]"},
		{"Bernoulli(TWO)", "expr:1:1: the probability of Bernoulli is 2, expected a value in 0..1"},
		{"Normal(n * 0, -TWO)", "expr:1:1: the variance of Normal is -2, expected a value of at least 0"},
		{"Uniform(TWO, 1)", "expr:1:1: the upper bound 1 of Uniform is below the lower bound 2"},
		{"Geometric(ZERO)", "expected a value above 0 and at most 1"},
		{"Binomial(-TWO, HALF)", "expected an integer in 0..4503599627370496"},
		{"Exponential(ZERO)", "expected a value above 0"},
		{"Discrete(color, @red : HALF, @green : 0.25, @blue : ZERO)", "expr:1:1: the probabilities of Discrete sum to 0.75, expected 1"},
		{"UnnormDiscrete(color, @red : ZERO, @green : ZERO, @blue : ZERO)", "sum to 0, expected more than 0"},
		{"[argmax_{?x : xpos} (n * Bernoulli(HALF))]", "expr:1:24: argmax compares each value several times and cannot draw"},
		{"BIG * TWO + n", "the integer 1.8014398509481984e+16 is beyond 2^53"},
		// Behind a condition on fluents.
		{"if (q) then n / ZERO else 1", ""},
		{"q ^ (n / ZERO > 1)", ""},
		{"a | (n / ZERO > 1)", ""},
		{"q => (ln[-TWO] > 1)", ""},
		{"forall_{?x : xpos} [p(?x) ^ (n / (COST(?x) - 1) > 0)]", ""},
		{"switch (at) { case @x1 : n / ZERO, default : 0 }", ""},
		{"if (q) then Bernoulli(TWO) else true", ""},
	} {
		e, err := typed(p, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		_, err = p.Expr(e)
		var at *source.Error
		switch {
		case c.want == "" && err == nil:
		case c.want == "" || err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &at):
			t.Errorf("%s: got %v, want %q", c.text, err, c.want)
		}
	}
}

// TestProblemErrors checks faults of whole problems, each with its place.
func TestProblemErrors(t *testing.T) {
	text := func(declare, cpfs, init string) string {
		return fmt.Sprintf(`domain d { types { t : object; };
pvariables { NEXT(t, t) : { non-fluent, bool, default = false }; a : { action-fluent, bool, default = false };
%s };
cpfs {
%s };
reward = 0; }
non-fluents n { domain = d; objects { t : {o1, o2, o3}; }; non-fluents { NEXT(o1, o2); NEXT(o2, o3); }; }
instance i { domain = d; non-fluents = n; init-state {
%s };
horizon = 1; discount = 1.0; }`, declare, cpfs, init)
	}
	const chain = "b(t) : { interm-fluent, bool }; q : { state-fluent, bool, default = false };"
	for _, c := range []struct{ declare, cpfs, init, want string }{
		{ // a fluent that depends on itself
			"b : { interm-fluent, bool }; q : { state-fluent, bool, default = false };", "q' = b; b = ~b;", "q;",
			"test.rddl:5:9: b depends on itself within one step: b -> b; expected",
		},
		{ // next states that depend on each other
			"p : { state-fluent, bool, default = false }; q : { state-fluent, bool, default = false };",
			"p' = q'; q' = p | p';", "p;",
			"test.rddl:5:1: p' depends on itself within one step: p' -> q' -> p'; expected",
		},
		{ // grounded fluents that depend on each other
			chain, "q' = true; b(?x) = exists_{?y : t} [(NEXT(?x, ?y) | (?x == @o3 ^ ?y == @o2)) ^ b(?y)];", "q;",
			"b(o2) depends on itself within one step: b(o2) -> b(o3) -> b(o2)",
		},
		{ // the same without a cycle: each depends on the next
			chain, "q' = b(@o1); b(?x) = a | (exists_{?y : t} [NEXT(?x, ?y) ^ b(?y)]);", "q;", "",
		},
		{ // an unknown object in the initial state
			"at : { state-fluent, t, default = @o1 };", "at' = at;", "at = @o7;", "test.rddl:9:6: ",
		},
		{ // a state of an object type that is never assigned
			"at(t) : { state-fluent, t };", "at'(?x) = at(?x);", "at(o1) = @o2;", "at(o2)",
		},
		{ // a non-fluent of an object type that is never assigned
			"WHERE(t) : { non-fluent, t }; q : { state-fluent, bool, default = false };", "q' = WHERE(@o1) == @o2;", "q;", "WHERE(o1) has no value",
		},
		{
			"n : { state-fluent, int, default = 0 };", "n' = n;", "n = 1.5;", "test.rddl:9:5: ",
		},
	} {
		p, err := File(context.Background(), mustParse(t, text(c.declare, c.cpfs, c.init)), "")
		var at *source.Error
		switch {
		case c.want == "" && err == nil:
			if order := p.Order; len(order) != 4 || p.Fluents[order[0]].Name != "b(o3)" {
				t.Errorf("%s: order %v", c.cpfs, order)
			}
		case c.want == "" || err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &at):
			t.Errorf("%s %s\n got %v\nwant %s", c.cpfs, c.init, err, c.want)
		}
	}
}

// TestLongChain grounds a chain of dependencies that would overflow the stack of a recursive
// search.
func TestLongChain(t *testing.T) {
	p := &Problem{}
	const length = 50_000
	for i := range length {
		n := &Node{Op: Const}
		if i+1 < length {
			n = &Node{Op: Ref, Fluent: i + 1}
		}
		p.Fluents = append(p.Fluents, Fluent{Name: fmt.Sprint("b", i), Kind: Interm, CPF: n})
	}
	order, err := p.order()
	if err != nil || len(order) != length || order[0] != length-1 {
		t.Fatalf("%d in order, %v", len(order), err)
	}
	p.Fluents[length-1].CPF = &Node{Op: Ref, Fluent: 0}
	if _, err := p.order(); err == nil || len(err.Error()) > 300 {
		t.Errorf("got %.400v", err)
	}
}

func TestEvalErrors(t *testing.T) {
	one := &Node{Op: Const, Val: 1}
	zero := &Node{Op: Const}
	pos := Pos{File: "f", Line: 2, Col: 3}
	for want, n := range map[string]*Node{
		"f:2:3: division by zero":                          {Op: Div, Args: []*Node{one, zero}, Pos: pos},
		"f:2:3: sqrt of a negative number: sqrt[-1]":       {Op: Func, Name: "sqrt", Args: []*Node{{Op: Const, Val: -1}}, Pos: pos},
		"there is no function foo":                         {Op: Func, Name: "foo", Args: []*Node{one}, Pos: pos},
		"sqrt has 2 arguments, it takes 1":                 {Op: Func, Name: "sqrt", Args: []*Node{one, one}, Pos: pos},
		"mod has 1 arguments, it takes 2":                  {Op: Func, Name: "mod", Args: []*Node{one}, Pos: pos},
		"gamma of a number that is not positive: gamma[0]": {Op: Func, Name: "gamma", Args: []*Node{zero}, Pos: pos},
		"f:2:3: q' has no value here":                      {Op: Ref, Name: "q", Primed: true, Pos: pos},
		"Bernoulli draws at random":                        {Op: Random, Name: "Bernoulli", Args: []*Node{one}, Pos: pos},
		"the switch has no case for green":                 {Op: Case, Args: []*Node{{Op: Const, Type: Enum, Val: 1, Values: []string{"red", "green"}}, zero, one, nil}, Pos: pos},
	} {
		if _, err := Eval(n, &Values{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	draw := &Node{Op: Random, Type: Enum, Name: "Discrete", Args: []*Node{{Op: Const, Val: 4}, zero, {Op: Const, Val: 7}, one}}
	v, err := Eval(draw, &Values{Draw: func(name string, args []float64) (float64, error) { return float64(len(args) - 1), nil }})
	if err != nil || v != 7 {
		t.Errorf("the draw is %v, %v", v, err)
	}
}
