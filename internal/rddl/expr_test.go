package rddl

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/source"
)

// tree writes an expression in prefix notation.
func tree(e Expr) string {
	list := func(head string, parts ...Expr) string {
		s := "(" + head
		for _, x := range parts {
			s += " " + tree(x)
		}
		return s + ")"
	}
	switch e := e.(type) {
	case *Number:
		return e.Text
	case *Bool:
		return fmt.Sprint(e.Value)
	case *Literal:
		return "@" + e.Name
	case *Name:
		return e.Name
	case *Var:
		return "?" + e.Name
	case *Fluent:
		name := e.Name
		if e.Primed {
			name += "'"
		}
		return list(name, e.Args...)
	case *Unary:
		return list(e.Op.String(), e.X)
	case *Binary:
		return list(e.Op.String(), e.X, e.Y)
	case *Quant:
		head := e.Op.String()
		for _, p := range e.Params {
			head += " ?" + p.Name + ":" + p.TypeName.Name
		}
		return list(head, e.Body)
	case *If:
		return list("if", e.Cond, e.Then, e.Else)
	case *Switch:
		s := "(switch " + tree(e.X)
		for _, c := range e.Cases {
			s += " " + tree(c.Value) + ":" + tree(c.Result)
		}
		if e.Default != nil {
			s += " default:" + tree(e.Default)
		}
		return s + ")"
	case *Call:
		return list(e.Name, e.Args...)
	case *Dist:
		return list(e.Name, e.Args...)
	case *Discrete:
		head := "Discrete " + e.TypeName.Name
		if e.Unnorm {
			head = "Unnorm" + head
		}
		for _, p := range e.Params {
			head += "?" + p.Name + ":" + p.TypeName.Name
		}
		for _, o := range e.Outcomes {
			head += " " + tree(o.Value) + ":"
			if o.Prob == nil {
				head += "otherwise"
			} else {
				head += tree(o.Prob)
			}
		}
		if e.Body != nil {
			return list(head, e.Body)
		}
		return "(" + head + ")"
	}
	return fmt.Sprintf("?%T", e)
}

// TestTrees checks the precedence of operators, and that the printer preserves it.
func TestTrees(t *testing.T) {
	cases := []struct{ text, want string }{
		// Operators, weakest first.
		{"a <=> b => c", "(<=> a (=> b c))"},
		{"a => b <=> c", "(<=> (=> a b) c)"},
		{"a => b => c", "(=> (=> a b) c)"},
		{"a => b | c", "(=> a (| b c))"},
		{"a | b ^ c", "(| a (^ b c))"},
		{"a ^ b | c", "(| (^ a b) c)"},
		{"a & b ^ c", "(^ (^ a b) c)"},
		{"a ^ b == c", "(^ a (== b c))"},
		{"a == b + c", "(== a (+ b c))"},
		{"a < b < c", "(< (< a b) c)"},
		{"a ~= b", "(~= a b)"},
		{"a ~=b", "(~= a b)"},
		{"a >= b ^ c <= d", "(^ (>= a b) (<= c d))"},
		{"a + b * c", "(+ a (* b c))"},
		{"a - b - c", "(- (- a b) c)"},
		{"a - (b - c)", "(- a (- b c))"},
		{"a / b * c", "(* (/ a b) c)"},
		{"a / (b * c)", "(/ a (* b c))"},
		{"a > b", "(> a b)"},
		// Prefixes bind most strongly.
		{"~a == b", "(== (~ a) b)"},
		{"~(a == b)", "(~ (== a b))"},
		{"~a ^ b", "(^ (~ a) b)"},
		{"-a * b", "(* (- a) b)"},
		{"a * -b", "(* a (- b))"},
		{"a - -b", "(- a (- b))"},
		{"--a", "(- (- a))"},
		{"+a", "(+ a)"},
		{"~~a", "(~ (~ a))"},
		{"~a(?x)", "(~ (a ?x))"},
		// Names and the minus.
		{"a-b", "a-b"},
		{"a - b", "(- a b)"},
		{"a -b", "(- a b)"},
		{"f(?x)-b", "(- (f ?x) b)"},
		{"5-a", "(- 5 a)"},
		{"?x-1", "?x-1"},
		{"a_b-2", "a_b-2"},
		{"level", "level"},
		// Numbers.
		{"5", "5"}, {"5.0", "5.0"}, {".5", ".5"}, {"1e-3", "1e-3"}, {"2.5E+7", "2.5E+7"}, {"pos-inf", "pos-inf"}, {"-neg-inf", "(- neg-inf)"},
		{"1.5 + .5", "(+ 1.5 .5)"},
		// Quantifiers and aggregations extend to the right as far as possible.
		{"sum_{?x : t} f(?x) + 1", "(sum ?x:t (+ (f ?x) 1))"},
		{"sum_{?x : t} [f(?x)] + 1", "(sum ?x:t (+ (f ?x) 1))"},
		{"[sum_{?x : t} f(?x)] + 1", "(+ (sum ?x:t (f ?x)) 1)"},
		{"(sum_{?x : t} (f(?x))) + 1", "(+ (sum ?x:t (f ?x)) 1)"},
		{"1 + sum_{?x : t} f(?x) * 2 == 3", "(+ 1 (sum ?x:t (== (* (f ?x) 2) 3)))"},
		{"~forall_{?x : t} a ^ b", "(~ (forall ?x:t (^ a b)))"},
		{"forall_{?x : t, ?y : u} [a => b]", "(forall ?x:t ?y:u (=> a b))"},
		{"exists_{?x : t} forall_{?y : u} a | b", "(exists ?x:t (forall ?y:u (| a b)))"},
		{"a ^ exists_{?x : t} b <=> c", "(^ a (exists ?x:t (<=> b c)))"},
		{"prod_{?x: t} a", "(prod ?x:t a)"},
		{"min_{?x : t} a - max_{?x : t} b", "(min ?x:t (- a (max ?x:t b)))"},
		{"avg_{ ?x : t } a", "(avg ?x:t a)"},
		{"f(argmax_{?x : t} a, argmin_{?x : t} b)", "(f (argmax ?x:t a) (argmin ?x:t b))"},
		// if and switch.
		{"if (a) then b else c + 1", "(if a b (+ c 1))"},
		{"(if (a) then b else c) + 1", "(+ (if a b c) 1)"},
		{"1 + if (a) then b else c + 1", "(+ 1 (if a b (+ c 1)))"},
		{"if (a) then if (b) then c else d else e", "(if a (if b c d) e)"},
		{"if (a) then b else if (c) then d else e", "(if a b (if c d e))"},
		{"if [a] then b else c", "(if a b c)"},
		{"switch (a) { case @x : 1, case y : 2 + 3, default : 4 }", "(switch a @x:1 y:(+ 2 3) default:4)"},
		// Calls.
		{"f", "f"}, {"f'", "(f')"}, {"f'(?x)", "(f' ?x)"}, {"f(g(?x), @a)", "(f (g ?x) @a)"}, {"f[?x]", "(f ?x)"},
		{"$a == @b", "(== @a @b)"},
		{"max[a, b + 1]", "(max a (+ b 1))"}, {"max(a, b)", "(max a b)"}, {"exp[-a]", "(exp (- a))"},
		// Distributions.
		{"KronDelta(a ^ b)", "(KronDelta (^ a b))"},
		{"Normal(0.0, 1.0) + 1", "(+ (Normal 0.0 1.0) 1)"},
		{"Discrete(t, @a : 0.5, @b : otherwise)", "(Discrete t @a:0.5 @b:otherwise)"},
		{"UnnormDiscrete(t, @a : x + 1, b : 2)", "(UnnormDiscrete t @a:(+ x 1) @b:2)"},
		{"Discrete_{?x : t} p(?x) / 2", "(Discrete ?x:t (/ (p ?x) 2))"},
	}
	for _, c := range cases {
		e, err := ParseExpr("", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := tree(e); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.text, got, c.want)
		}
		text := FormatExpr(e, nil)
		again, err := ParseExpr("", []byte(text))
		if err != nil || !equalTrees(&e, &again) {
			t.Errorf("%s prints as %s: %v", c.text, text, err)
		}
	}
}

// TestFormatBound replaces variables by objects.
func TestFormatBound(t *testing.T) {
	e, err := ParseExpr("", []byte("(a(?x)=>exists_{?y : t} (b(?x,?y)))"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := FormatExpr(e, map[string]string{"x": "c1"}), "a(c1) => (exists_{?y : t} [b(c1, ?y)])"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWarnings(t *testing.T) {
	for text, want := range map[string]int{
		"sum_{?x : t} [f(?x)] + 1":   1,
		"sum_{?x : t} f(?x) + 1":     0,
		"sum_{?x : t} [f(?x) + 1]":   0,
		"[sum_{?x : t} [f(?x)]] + 1": 0,
	} {
		f := mustParse(t, "w", []byte("domain d { reward = "+text+"; }"))
		if len(f.Warnings) != want {
			t.Errorf("%s: warnings %v", text, f.Warnings)
		}
	}
}

// TestDeep parses deeper nesting and longer chains than any stack should hold.
func TestDeep(t *testing.T) {
	const n = 20_000
	for name, c := range map[string]struct{ text, msg string }{
		"brackets": {strings.Repeat("(", n) + "a" + strings.Repeat(")", n), "nested"},
		"not":      {strings.Repeat("~", n) + "a", "nested"},
		"else":     {strings.Repeat("if (a) then b else ", n) + "c", "nested"},
		"fluents":  {strings.Repeat("f(", n), "nested"},
		"sums":     {strings.Repeat("sum_{?x:t} ", n) + "a", "nested"},
		"cases":    {strings.Repeat("switch (a) { case b : ", n), "nested"},
		"chain":    {"a" + strings.Repeat(" + a", 10*n), "in a row"},
	} {
		_, err := ParseExpr("deep", []byte(c.text))
		var e *source.Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Accepted depths must also be handled by the checker and the printer.
	long := "true" + strings.Repeat(" ^ true", 40_000)
	deep := strings.Repeat("(if (true) then true else ", 4000) + "true" + strings.Repeat(")", 4000)
	for _, text := range []string{long, deep} {
		f := mustParse(t, "long", []byte("domain d { reward = "+text+"; }"))
		if _, err := CheckAll(f); err != nil {
			t.Error(err)
		}
		roundTrip(t, f)
	}
}
