package ground

import (
	"context"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl"
)

// foldDomain has a fluent of every kind, for use in expressions.
const foldDomain = `domain fold {
	types { xpos : object; color : {@red, @green, @blue}; };
	pvariables {
		YES : { non-fluent, bool, default = true };
		NO : { non-fluent, bool, default = false };
		ZERO : { non-fluent, int, default = 0 };
		TWO : { non-fluent, int, default = 2 };
		HALF : { non-fluent, real, default = 0.5 };
		BIG : { non-fluent, int, default = 9007199254740992 };
		NEXT(xpos, xpos) : { non-fluent, bool, default = false };
		COST(xpos) : { non-fluent, int, default = 1 };
		HOME : { non-fluent, xpos, default = @x2 };
		WALL(xpos) : { non-fluent, bool, default = false };
		p(xpos) : { state-fluent, bool, default = false };
		q : { state-fluent, bool, default = false };
		n : { state-fluent, int, default = 0 };
		m(xpos) : { state-fluent, int, default = 0 };
		r : { state-fluent, real, default = 0.0 };
		c(xpos) : { state-fluent, color, default = @red };
		at : { state-fluent, xpos, default = @x1 };
		a : { action-fluent, bool, default = false };
	};
	cpfs {
		p'(?x) = p(?x); q' = q; n' = n; m'(?x) = m(?x); r' = r; c'(?x) = c(?x); at' = at;
	};
	reward = 0;
}
non-fluents nf { domain = fold; objects { xpos : {x1, x2, x3}; };
	non-fluents { NEXT(x1, x2); NEXT(x2, x3); COST(x2) = 5; COST(x3) = 3; WALL(x2); };
}
instance i { domain = fold; non-fluents = nf; horizon = 3; discount = 1.0; }
`

func mustParse(t *testing.T, text string) *rddl.File {
	t.Helper()
	f, err := rddl.Parse("test.rddl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustGround(t *testing.T, text string) *Problem {
	t.Helper()
	p, err := File(context.Background(), mustParse(t, text), "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// typed parses and checks an expression over p.
func typed(p *Problem, text string) (rddl.Expr, error) {
	e, err := rddl.ParseExpr("expr", []byte(text))
	if err != nil {
		return nil, err
	}
	return p.Program().CheckExpr(e, rddl.InStateCPF, rddl.Type{})
}

// foldCases are expressions with the text of the grounded result.
var foldCases = []struct{ text, want string }{
	// Constants.
	{"YES ^ q", "q"},
	{"NO ^ q", "false"},
	{"NO | q", "q"},
	{"q | YES", "true"},
	{"~~q", "q"},
	{"~~~q", "~q"},
	{"~NO", "true"},
	{"NO => q", "true"},
	{"YES => q", "q"},
	{"q => NO", "~q"},
	{"q => YES", "true"},
	{"q <=> YES", "q"},
	{"NO <=> q", "~q"},
	{"q => q", "true"},
	{"q <=> q", "true"},
	{"q == true", "q"},
	{"q ~= a", "~(q <=> a)"},
	{"q ^ a ^ q", "q ^ a"},
	{"q ^ a ^ ~q", "false"},
	{"~q | a | q", "true"},
	{"q ^ (a ^ p(@x1)) ^ YES", "q ^ a ^ p(x1)"},
	{"~(n < 3)", "n >= 3"},
	{"~(at == @x1)", "at ~= @x1"},
	{"if (YES) then n else 1 / ZERO", "n"},
	{"if (TWO > 3) then 1 / ZERO else n", "n"},
	{"if (q) then true else false", "q"},
	{"if (q) then false else true", "~q"},
	{"if (q) then a else false", "q ^ a"},
	{"if (q) then true else a", "q | a"},
	{"if (q) then false else a", "~q ^ a"},
	{"if (q) then a else true", "~q | a"},
	{"if (q) then a else a", "a"},
	{"if (~q) then 1 else 2", "if (q) then 2 else 1"},
	{"if (q) then n else TWO", "if (q) then n else 2"},
	// Numbers.
	{"TWO + 3 * 4", "14"},
	{"TWO - 3", "-1"},
	{"-(-n)", "n"},
	{"n + 0", "n"},
	{"n * 1", "n"},
	{"0 * n", "0"},
	{"n * ZERO", "0"},
	{"0 * (n / m(@x1))", "0"},
	{"n * TWO * 3", "6 * n"},
	{"n + 1 + (m(@x1) + 2)", "n + m(x1) + 3"},
	{"n - TWO", "n + -2"},
	{"0 - n", "-n"},
	{"n - n", "0"},
	{"n - -m(@x1)", "n + m(x1)"},
	{"n - (m(@x1) - 1)", "n - (m(x1) + -1)"},
	{"-1 * n", "-n"},
	{"-(3 * n)", "-3 * n"},
	{"3 / TWO", "1.5"},
	{"n / 1", "n"},
	{"n / TWO", "n / 2"},
	{"YES + YES + q", "q + 2"},
	{"YES * q", "q"},
	{"q >= 1", "q"},
	{"q > 0.5", "q"},
	{"q == 0", "~q"},
	{"2 > q", "true"},
	{"q < 0", "false"},
	{"3 >= TWO", "true"},
	{"3 < n", "n > 3"},
	{"n == n", "true"},
	{"n ~= n", "false"},
	{"n < pos-inf", "true"},
	{"r == pos-inf", "false"},
	{"-n <= neg-inf", "false"},
	{"HALF + HALF", "1"},
	{"min[n, 3, 2]", "min[n, 2]"},
	{"max[1, 3]", "3"},
	{"max[n, max[n, 1]]", "max[n, 1]"},
	{"abs[-3] + sgn[-2] + floor[2.5] + ceil[2.5] + round[2.5]", "9"},
	{"floor[n]", "n"},
	{"div[-7, 2]", "-4"},
	{"mod[-7, 2]", "1"},
	{"fmod[7.5, -2]", "-0.5"},
	{"pow[2, 10]", "1024"},
	{"log[8, 2]", "3"},
	{"sqrt[16]", "4"},
	{"hypot[3, 4]", "5"},
	{"exp[0] + ln[1] + cos[0] + sin[0] + tan[0]", "2"},
	{"abs[n]", "abs[n]"},
	// Quantifiers and aggregations.
	{"forall_{?x : xpos} p(?x)", "p(x1) ^ p(x2) ^ p(x3)"},
	{"exists_{?x : xpos} [p(?x) ^ NEXT(?x, @x2)]", "p(x1)"},
	{"exists_{?x : xpos, ?y : xpos} [NEXT(?x, ?y) ^ p(?y)]", "p(x2) | p(x3)"},
	{"forall_{?x : xpos} (WALL(?x) => p(?x))", "p(x2)"},
	{"exists_{?x : xpos} (?x == @x2)", "true"},
	{"forall_{?x : xpos} (?x ~= HOME | p(?x))", "p(x2)"},
	{"[sum_{?x : xpos} COST(?x)]", "9"},
	{"[sum_{?x : xpos} (COST(?x) * p(?x))]", "p(x1) + 5 * p(x2) + 3 * p(x3)"},
	{"[sum_{?x : xpos} sum_{?y : xpos} (NEXT(?x, ?y) ^ p(?y))]", "p(x2) + p(x3)"},
	{"[prod_{?x : xpos} COST(?x)]", "15"},
	{"[prod_{?x : xpos} (COST(?x) * m(?x))]", "15 * m(x1) * m(x2) * m(x3)"},
	{"[min_{?x : xpos} COST(?x)]", "1"},
	{"[max_{?x : xpos} (COST(?x) + n)]", "max[n + 1, n + 5, n + 3]"},
	{"[max_{?x : xpos} m(?x)]", "max[m(x1), m(x2), m(x3)]"},
	{"[avg_{?x : xpos} COST(?x)]", "3"},
	{"[avg_{?x : xpos} m(?x)]", "(m(x1) + m(x2) + m(x3)) / 3"},
	{"[argmax_{?x : xpos} COST(?x)]", "@x2"},
	{"[argmin_{?x : xpos} COST(?x)]", "@x1"},
	{"[argmax_{?x : xpos} WALL(?x)] == @x2", "true"},
	{"[argmax_{?x : xpos} (0 * n)]", "@x1"},
	{
		"[argmin_{?x : xpos} m(?x)]",
		"if (m(x1) <= m(x2) ^ m(x1) <= m(x3)) then @x1 else if (m(x2) <= m(x3)) then @x2 else @x3",
	},
	{"[argmax_{?x : xpos} m(?x)] == @x1", "m(x1) >= m(x2) ^ m(x1) >= m(x3)"},
	{"forall_{?k : color} (c(@x1) ~= ?k)", "c(x1) ~= @red ^ c(x1) ~= @green ^ c(x1) ~= @blue"},
	// Fluents as arguments of fluents.
	{"p(HOME)", "p(x2)"},
	{"WALL(at)", "at == @x2"},
	{"COST(at)", "switch (at) {case @x1 : 1, case @x2 : 5, default : 3}"},
	{"m(at) + 1", "switch (at) {case @x1 : m(x1), case @x2 : m(x2), default : m(x3)} + 1"},
	{"NEXT(at, HOME)", "at == @x1"},
	{"p([argmax_{?x : xpos} COST(?x)])", "p(x2)"},
	// Switches.
	{"switch (c(@x1)) { case @red : 1, case @green : 2, default : 1 }", "if (c(x1) == @green) then 2 else 1"},
	{"switch (c(@x1)) { case @red : q, case @green : q, case @blue : q }", "q"},
	{"switch (HOME) { case @x1 : 1 / ZERO, default : n }", "n"},
	{"switch (c(@x2)) { case @blue : n, case @red : 1, default : 2 }", "switch (c(x2)) {case @blue : n, case @red : 1, default : 2}"},
	// Distributions.
	{"KronDelta(q ^ YES)", "q"},
	{"DiracDelta(r + 0)", "r"},
	{"Bernoulli(1)", "true"},
	{"Bernoulli(HALF * 0)", "false"},
	{"Bernoulli(HALF)", "Bernoulli(0.5)"},
	{"if (q) then Bernoulli(0.0) else Bernoulli(HALF)", "~q ^ Bernoulli(0.5)"},
	{"Bernoulli(HALF) ^ Bernoulli(HALF)", "Bernoulli(0.5) ^ Bernoulli(0.5)"},
	{"Normal(n + 0, TWO)", "Normal(n, 2)"},
	{"Discrete(color, @red : 0.0, @green : 1.0, @blue : ZERO)", "@green"},
	{"Discrete(color, @red : HALF, @green : 0.25, @blue : otherwise)", "Discrete(@red : 0.5, @green : 0.25, @blue : 0.25)"},
	{"UnnormDiscrete(color, @red : TWO, @green : n, @blue : 0)", "UnnormDiscrete(@red : 2, @green : n)"},
	{"Discrete_{?k : color}(if (?k == @red) then 1 else 0)", "@red"},
}

func TestFold(t *testing.T) {
	p := mustGround(t, foldDomain)
	for _, c := range foldCases {
		e, err := typed(p, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		n, err := p.Expr(e)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got := n.String(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestLongJunction grounds a junction with too many arguments for pairwise comparison.
func TestLongJunction(t *testing.T) {
	b := newBuilder(context.Background(), 1000)
	var args []*Node
	for i := range 40 {
		n := b.intern(Node{Op: Ref, Fluent: i % 30})
		if i%30%2 == 1 {
			n = b.not(Pos{}, n)
		}
		args = append(args, n)
	}
	if n := b.and(Pos{}, args...); n.Op != And || len(n.Args) != 30 {
		t.Errorf("got %s", n)
	}
	for _, i := range []int{0, 1, 28, 29} {
		if n := b.and(Pos{}, append(args[:35:35], b.not(Pos{}, args[i]))...); !n.IsConst(0) {
			t.Errorf("with the negation of argument %d: %s", i, n)
		}
		if n := b.or(Pos{}, append(args[:35:35], b.not(Pos{}, args[i]))...); !n.IsConst(1) {
			t.Errorf("or with the negation of argument %d: %s", i, n)
		}
	}
}
