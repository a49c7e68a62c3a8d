package translate

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/validate"
)

// every has a fluent of every kind and type; OUT is the next value of out.
const every = `domain every {
	types { t : object; level : {@low, @mid, @high}; };
	pvariables {
		NEXT(t, t) : { non-fluent, bool, default = false };
		COST(t)    : { non-fluent, real, default = 0.5 };
		TWO        : { non-fluent, int, default = 2 };
		HOME       : { non-fluent, t, default = @o2 };
		p(t)  : { state-fluent, bool, default = false };
		l     : { state-fluent, level, default = @low };
		at    : { state-fluent, t, default = @o1 };
		x     : { state-fluent, int, default = 0 };
		out   : { state-fluent, bool, default = false };
		a(t)  : { action-fluent, bool, default = false };
		set   : { action-fluent, level, default = @low };
		free  : { interm-fluent, int };
		half  : { interm-fluent, real };
		one   : { interm-fluent, bool, level = 1 };
		two   : { interm-fluent, level, level = 2 };
		dv    : { derived-fluent, bool };
		seen  : { observ-fluent, bool };
	};
	cpfs {
		free = x + a(@o1);
		half = x / TWO;
		one = p(@o1) ^ ~a(@o2);
		two = if (one) then set else l;
		dv = x > 1 | p(@o2);
		p'(?x) = if (a(?x)) then ~p(?x) else p(?x);
		l' = set;
		at' = if (exists_{?y : t} a(?y)) then argmax_{?y : t} a(?y) else at;
		x' = if (a(@o2)) then min[x + 1, 3] else x;
		out' = OUT;
		seen = out';
	};
	reward = half + (two == @mid);
}
non-fluents nf { domain = every; objects { t : {o1, o2, o3}; }; non-fluents { NEXT(o1, o2); NEXT(o2, o3); COST(o3) = 2.5; }; }
instance i { domain = every; non-fluents = nf; max-nondef-actions = pos-inf; horizon = 5; discount = 1.0; }
`

// constructs has an expression for each construct of the language with a deterministic value.
var constructs = []string{
	// Fluents of every kind, with arguments of every form.
	"p(@o1)", "p(o2)", "p(at)", "p(HOME)", "p[$o3]", "a(o1)", "set == @mid", "free > 2", "half > 0.5", "one", "two == @high", "dv",
	"p'(@o1)", "l' == @low", "at' == HOME", "x' == 3", "p(argmax_{?y : t} COST(?y))", "COST(at) > 1", "NEXT(at, HOME)",
	// Operators.
	"p(o1) ^ a(o2)", "p(o1) & a(o2)", "p(o1) | a(o2)", "~p(o1)", "p(o1) => a(o1)", "p(o1) <=> a(o1)",
	"x == 2", "x ~= 2", "x < 2", "x <= 2", "x > 2", "x >= 2", "l == set", "at ~= @o2", "p(o1) == a(o1)", "p(o1) < a(o1)",
	"x + free == 4", "x - free == -1", "x * free > 3", "x / TWO > 1.2", "-x < -1", "+x == 1", "x < pos-inf", "p(o1) + p(o2) + p(o3) == 2",
	// Quantifiers and aggregations.
	"forall_{?y : t} [p(?y) | a(?y)]", "exists_{?y : t, ?z : t} [NEXT(?y, ?z) ^ p(?y) ^ p(?z)]", "exists_{?k : level} [?k == l ^ ?k == set]",
	"(sum_{?y : t} p(?y)) > 1", "(sum_{?y : t} COST(?y) * p(?y)) > 2.5", "(prod_{?y : t} (p(?y) + 1)) == 4", "(avg_{?y : t} p(?y)) > 0.5",
	"(min_{?y : t} (p(?y) + x)) == 2", "(max_{?y : t} (p(?y) * x)) == 3", "(argmin_{?y : t} p(?y)) == at", "(argmax_{?y : t} (p(?y) * COST(?y))) == at",
	// if and switch.
	"if (p(o1)) then a(o1) else x > 1", "(if (p(o1)) then x else 2) == 2", "(if (p(o1)) then l else @high) == set",
	"switch (l) { case @low : p(o1), case @mid : p(o2), case @high : a(o1) }", "(switch (at) { case @o1 : x, default : 2 }) > 1",
	// Delta distributions.
	"KronDelta(p(o1))", "DiracDelta(x) > 1", "Bernoulli(1.0)",
}

// functions has an expression for each function.
var functions = []string{
	"abs[x - 2] == 1", "sgn[x - 2] == 1", "round[x / 2] == 2", "floor[x / 2] == 1", "ceil[x / 2] == 1",
	"cos[x] > 0.3", "sin[x] > 0.3", "tan[x] > 0.3", "acos[x / 3] > 0.3", "asin[x / 3] > 0.3", "atan[x] > 0.9",
	"cosh[x] > 2", "sinh[x] > 2", "tanh[x] > 0.5", "exp[x] > 2", "ln[x + 1] > 1", "sqrt[x] > 1.1", "lngamma[x + 1] > 0.5", "gamma[x + 1] > 1.5",
	"log[x + 1, 2] > 1.5", "pow[x, 2] > 3", "hypot[x, 1] > 2", "div[x, 2] == 1", "mod[x, 2] == 1", "fmod[x, 2] == 1", "min[x, free, 2] == 1", "max[x, 1, free] == 2",
}

// agree compiles the problem with out' = text and takes random steps in the simulator. The
// compiled problem must allow each step, with no other value of out.
func agree(t *testing.T, text string, tableBits int) {
	f, err := rddl.Parse("every.rddl", []byte(strings.Replace(every, "OUT", text, 1)))
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.File(context.Background(), f, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Problem(context.Background(), g, Options{Ranges: map[string]Range{"x": {Lo: 0, Hi: 3}}, tableBits: tableBits})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s, err := sim.New(g)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c.Problem.Initial = nil
	out := g.ByName["out"]
	rng := rand.New(rand.NewPCG(1, 1))
	r := s.NewRunner(rng)
	pick := func(fluents []int, v []float64) (values []float64) {
		for _, i := range fluents {
			fl := &g.Fluents[i]
			most := map[ground.Type]int{ground.Bool: 2, ground.Int: 4, ground.Enum: len(fl.Values)}[fl.Type]
			v[i] = float64(rng.IntN(most))
			values = append(values, v[i])
		}
		return values
	}
	for range 40 {
		now, next := make([]float64, len(g.Fluents)), make([]float64, len(g.Fluents))
		if err := r.SetState(pick(s.States(), now)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, err := r.Step(pick(s.Actions(), now)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, i := range s.States() {
			next[i] = r.Value(i)
		}
		for _, want := range []bool{true, false} {
			here, err := c.Valuation(now)
			if err != nil {
				t.Fatal(err)
			}
			there, err := c.Valuation(next)
			if err != nil {
				t.Fatal(err)
			}
			fail, err := validate.CheckStep(c.Problem, nil, here, there)
			if err != nil {
				t.Fatal(err)
			}
			if (fail == nil) != want {
				t.Fatalf("%s, %d bits: from %v to %v: compiled %v, simulated %v: %v", text, tableBits, now, next, fail == nil, want, fail)
			}
			next[out] = 1 - next[out]
		}
	}
}

// TestConstructs compares the simulator and the compiled problem, with truth
// tables and without.
func TestConstructs(t *testing.T) {
	for _, text := range constructs {
		agree(t, text, 0)
		agree(t, text, -1)
	}
}

// TestFunctions does the same for the functions; not all can be compiled without tables.
func TestFunctions(t *testing.T) {
	seen := map[string]bool{}
	for _, text := range functions {
		name, _, _ := strings.Cut(text, "[")
		seen[name] = true
		agree(t, text, 0)
		switch name {
		case "abs", "sgn", "round", "floor", "ceil", "pow", "div", "mod", "fmod", "min", "max":
			agree(t, text, -1)
		}
	}
	for name := range operator.Functions {
		if !seen[name] {
			t.Errorf("no expression has %s", name)
		}
	}
}

// wide has functions and products of expressions over more than five bits.
var wide = []string{
	"1 / (1 + exp[2.5 - [sum_{?y : t} (p(?y) + a(?y))]]) >= 0.5", "exp[[sum_{?y : t} (p(?y) + a(?y))] - 2.5] > 1",
	"sqrt[x + 2 * p(@o1) + 0.5 * p(@o2) + p(@o3) + a(@o1)] > 1.6", "round[sqrt[[sum_{?y : t} (p(?y) + a(?y))]]] == 2",
	"pow[1 + [sum_{?y : t} (p(?y) + a(?y))], 1 + p(@o1)] > 4", "x / (1 + [sum_{?y : t} (p(?y) + a(?y))]) >= 0.5",
	"if (forall_{?y : t} [p(?y) => a(?y)]) then exp[x] > 2.5 else ln[1 + free] > 1", "hypot[x, p(@o1) + p(@o2) + p(@o3)] > 2",
	"div[7, 1 + x + p(@o1) + p(@o2) + p(@o3)] == 2", "[prod_{?y : t} (2.5 * p(?y) + ~p(?y))] * (1 + a(@o1)) * (1 + 3 * a(@o2)) >= 2.5",
	"(2 * p(@o1) + 1) * (p(@o2) + 1) * (p(@o3) - 1) * (a(@o1) - 2) * (x - 1) == 0", "[prod_{?y : t} ((p(?y) - a(?y)) * (x + 1))] > 0",
}

// TestMeaning compares what auxiliary variables of the reward and of conditions are shown as.
func TestMeaning(t *testing.T) {
	const text = `domain d {
	pvariables { a : { state-fluent, bool, default = false }; b : { state-fluent, bool, default = false };
		x : { state-fluent, int, default = 0 }; go : { action-fluent, bool, default = false }; };
	cpfs { a' = go ^ (b | x > 1); b' = a ^ ~go | b ^ x == 2; x' = x; };
	reward = -2 * (a ^ go) - 3 * (x > 1 ^ ~b) - x;
	action-preconditions { (a ^ go) + b <= 1; };
}
non-fluents n { domain = d; }
instance i { domain = d; non-fluents = n; max-nondef-actions = pos-inf; horizon = 2; discount = 1.0; }`
	f, err := rddl.Parse("d.rddl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.File(context.Background(), f, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Problem(context.Background(), g, Options{Ranges: map[string]Range{"x": {Lo: 0, Hi: 3}}, tableBits: -1})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range c.Problem.Variables {
		if v := &c.Problem.Variables[i]; v.Meaning != "" {
			got = append(got, v.Meaning)
		}
	}
	if want := []string{"a ^ go", "~(x > 1)", "x > 1 ^ ~b"}; !slices.Equal(got, want) {
		t.Errorf("meanings %q, want %q", got, want)
	}
}

// TestWide compares expressions that read more bits than a table has.
func TestWide(t *testing.T) {
	for _, text := range wide {
		agree(t, text, 5)
		agree(t, text, 0)
		if strings.Contains(text, ") * (") {
			agree(t, text, -1)
		}
	}
}

// TestTermination: a state where a condition holds may be reached and not left.
func TestTermination(t *testing.T) {
	g := load(t, "x : { state-fluent, int, default = 0 };\na : { action-fluent, bool, default = false };",
		"x' = min[x + a, 3];", "reward = 0;\ntermination { x == 2; };", "1.0")
	c, err := Problem(context.Background(), g, Options{Ranges: map[string]Range{"x": {Lo: 0, Hi: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	x := g.ByName["x"]
	a := g.ByName["a"]
	for from, want := range []bool{true, true, false, true} {
		now, next := make([]float64, 2), make([]float64, 2)
		now[x], now[a], next[x] = float64(from), 1, float64(min(from+1, 3))
		here, err := c.Valuation(now)
		if err != nil {
			t.Fatal(err)
		}
		there, err := c.Valuation(next)
		if err != nil {
			t.Fatal(err)
		}
		if fail, err := validate.CheckStep(c.Problem, nil, here, there); err != nil || (fail == nil) != want {
			t.Errorf("from %d: %v, %v", from, fail, err)
		}
	}
}
