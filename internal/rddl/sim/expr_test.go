package sim_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

type node = ground.Node

// evaluate returns the value of an expression as the next state of a real fluent out, where x
// is the real state 2.5, i the integer state -7, t a true Boolean state, e the second value
// of an enumeration, and a a true action.
func evaluate(t *testing.T, f func(b *builder) *node) (float64, error) {
	t.Helper()
	b := newBuilder("expr")
	b.State("x", ground.Real, 2.5)
	b.State("i", ground.Int, -7)
	b.State("t", ground.Bool, 1)
	b.State("e", ground.Enum, 1, "@low", "@high")
	b.State("out", ground.Real, 0)
	b.Action("a", ground.Bool, 1)
	for _, name := range []string{"x", "i", "t", "e"} {
		b.CPF(name, b.Ref(name))
	}
	b.CPF("out", f(b))
	s, err := sim.New(b.P)
	if err != nil {
		return 0, err
	}
	r := s.NewRunner(nil)
	if _, err := r.Step([]float64{1}); err != nil {
		return 0, err
	}
	return r.Value(b.P.ByName["out"]), nil
}

func call(name string, args ...float64) func(b *builder) *node {
	return func(b *builder) *node {
		var nodes []*node
		for _, a := range args {
			nodes = append(nodes, b.C(a))
		}
		return b.Func(name, nodes...)
	}
}

func op(o ground.Op, args ...float64) func(b *builder) *node {
	return func(b *builder) *node {
		var nodes []*node
		for _, a := range args {
			nodes = append(nodes, b.C(a))
		}
		return b.Op(o, nodes...)
	}
}

// logic applies an operation to Booleans.
func logic(o ground.Op, args ...bool) func(b *builder) *node {
	return func(b *builder) *node {
		var nodes []*node
		for _, a := range args {
			nodes = append(nodes, b.T(a))
		}
		return b.Op(o, nodes...)
	}
}

func TestValues(t *testing.T) {
	div0 := func(b *builder) *node { return b.Op(ground.Gt, b.Op(ground.Div, b.C(1), b.C(0)), b.C(0)) }
	for name, c := range map[string]struct {
		f    func(b *builder) *node
		want float64
	}{
		"constant":        {func(b *builder) *node { return b.C(-1.5) }, -1.5},
		"state":           {func(b *builder) *node { return b.Ref("x") }, 2.5},
		"action":          {func(b *builder) *node { return b.Op(ground.Add, b.Ref("a"), b.C(0)) }, 1},
		"next state":      {func(b *builder) *node { return b.Op(ground.Add, b.Ref("i'"), b.C(0)) }, -7},
		"enum index":      {func(b *builder) *node { return b.Op(ground.Eq, b.Ref("e"), b.C(1)) }, 1},
		"not":             {logic(ground.Not, true), 0},
		"and of none":     {logic(ground.And), 1},
		"and of one":      {logic(ground.And, false), 0},
		"and":             {logic(ground.And, true, true), 1},
		"and of three":    {logic(ground.And, true, true, false), 0},
		"and guards":      {func(b *builder) *node { return b.Op(ground.And, b.T(false), div0(b)) }, 0},
		"or of none":      {logic(ground.Or), 0},
		"or":              {logic(ground.Or, false, true), 1},
		"or of three":     {logic(ground.Or, false, false, true), 1},
		"or guards":       {func(b *builder) *node { return b.Op(ground.Or, b.T(true), div0(b)) }, 1},
		"implies 00":      {logic(ground.Implies, false, false), 1},
		"implies 10":      {logic(ground.Implies, true, false), 0},
		"implies guards":  {func(b *builder) *node { return b.Op(ground.Implies, b.T(false), div0(b)) }, 1},
		"iff":             {logic(ground.Iff, false, false), 1},
		"iff of others":   {logic(ground.Iff, true, false), 0},
		"eq":              {op(ground.Eq, 2, 2), 1},
		"ne":              {op(ground.Ne, 2, 2), 0},
		"lt":              {op(ground.Lt, 2, 2), 0},
		"le":              {op(ground.Le, 2, 2), 1},
		"gt":              {op(ground.Gt, 3, 2), 1},
		"ge":              {op(ground.Ge, 1, 2), 0},
		"add of none":     {op(ground.Add), 0},
		"add":             {op(ground.Add, 1, 2), 3},
		"add of three":    {op(ground.Add, 1, 2, 0.5), 3.5},
		"add of Booleans": {func(b *builder) *node { return b.Op(ground.Add, b.Ref("t"), b.T(true), b.Ref("a")) }, 3},
		"sub":             {op(ground.Sub, 1, 2), -1},
		"mul":             {op(ground.Mul, 3, -2), -6},
		"mul of three":    {op(ground.Mul, 3, -2, 0.5), -3},
		"mul of none":     {op(ground.Mul), 1},
		"div is real":     {op(ground.Div, -7, 2), -3.5},
		"neg":             {op(ground.Neg, 3), -3},
		"neg of 0": {func(b *builder) *node {
			return b.Op(ground.Div, b.C(1), b.Op(ground.Add, b.C(1), b.Op(ground.Neg, b.C(0))))
		}, 1},
		"min":              {op(ground.Min, 3, 1, 2), 1},
		"max":              {op(ground.Max, 3, 1, 4), 4},
		"if":               {func(b *builder) *node { return b.Op(ground.If, b.Ref("t"), b.C(4), div0(b)) }, 4},
		"if of Booleans":   {func(b *builder) *node { return b.Op(ground.Not, b.Op(ground.If, b.T(false), b.T(false), b.T(true))) }, 0},
		"case":             {func(b *builder) *node { return b.Op(ground.Case, b.Ref("e"), b.C(0), div0(b), b.C(1), b.C(9)) }, 9},
		"case default":     {func(b *builder) *node { return b.Op(ground.Case, b.Ref("i"), b.C(0), b.C(8), b.C(3)) }, 3},
		"abs":              {call("abs", -2.5), 2.5},
		"sgn -":            {call("sgn", -2.5), -1},
		"sgn 0":            {call("sgn", 0), 0},
		"sgn +":            {call("sgn", 0.1), 1},
		"round to even":    {call("round", 2.5), 2},
		"round up":         {call("round", 3.5), 4},
		"round negative":   {call("round", -0.4), 0},
		"floor":            {call("floor", -2.5), -3},
		"ceil":             {call("ceil", -2.5), -2},
		"sin":              {call("sin", 1), math.Sin(1)},
		"cos":              {call("cos", 1), math.Cos(1)},
		"tan":              {call("tan", 1), math.Tan(1)},
		"asin":             {call("asin", 1), math.Pi / 2},
		"acos":             {call("acos", -1), math.Pi},
		"atan":             {call("atan", 1), math.Pi / 4},
		"sinh":             {call("sinh", 1), math.Sinh(1)},
		"cosh":             {call("cosh", 1), math.Cosh(1)},
		"tanh":             {call("tanh", 1), math.Tanh(1)},
		"exp":              {call("exp", 1), math.E},
		"ln":               {call("ln", math.E), 1},
		"sqrt":             {call("sqrt", 9), 3},
		"sqrt of 0":        {call("sqrt", 0), 0},
		"lngamma":          {call("lngamma", 5), math.Log(24)},
		"gamma":            {call("gamma", 5), 24},
		"div":              {call("div", -7, 2), -4},
		"div of negatives": {call("div", -7, -2), 3},
		"mod":              {call("mod", -7, 3), 2},
		"mod negative":     {call("mod", 7, -3), -2},
		"mod exact":        {call("mod", -6, 3), 0},
		"fmod":             {call("fmod", -7.5, 2), 0.5},
		"min function":     {call("min", 2, -1), -1},
		"max function":     {call("max", 2, -1), 2},
		"pow":              {call("pow", 2, -1), 0.5},
		"pow negative":     {call("pow", -2, 3), -8},
		"pow 0 0":          {call("pow", 0, 0), 1},
		"log":              {call("log", 8, 2), 3},
		"hypot":            {call("hypot", 3, 4), 5},
	} {
		got, err := evaluate(t, c.f)
		if err != nil || math.Abs(got-c.want) > 1e-12 || math.Signbit(got) != math.Signbit(c.want) {
			t.Errorf("%s: got %v, %v; want %v", name, got, err, c.want)
		}
	}
}

func random(name string, args ...float64) func(b *builder) *node {
	return func(b *builder) *node {
		var nodes []*node
		for _, a := range args {
			nodes = append(nodes, b.C(a))
		}
		return b.Random(ground.Real, name, nodes...)
	}
}

// TestEvaluationErrors checks the error of every operation that can fail, at the line of the
// expression.
func TestEvaluationErrors(t *testing.T) {
	for want, f := range map[string]func(b *builder) *node{
		"step 1, cpf of out: division by zero: 2.5 / 0 (x = 2.5, t = true)": func(b *builder) *node {
			return b.Op(ground.Div, b.Ref("x"), b.Op(ground.Sub, b.C(1), b.Ref("t")))
		},
		"division by zero: mod(3, 0)":                                                         call("mod", 3, 0),
		"division by zero: fmod(3.5, 0)":                                                      call("fmod", 3.5, 0),
		"division by zero: div(3, 0)":                                                         call("div", 3, 0),
		"not both integers: div(3.5, 2)":                                                      call("div", 3.5, 2),
		"not both integers: mod(3, 0.5)":                                                      call("mod", 3, 0.5),
		"ln of a number that is not positive: ln(0)":                                          call("ln", 0),
		"sqrt of a negative number: sqrt(-1)":                                                 call("sqrt", -1),
		"asin of a number outside -1..1: asin(1.5)":                                           call("asin", 1.5),
		"acos of a number outside -1..1: acos(-2)":                                            call("acos", -2),
		"not positive: lngamma(0)":                                                            call("lngamma", 0),
		"not positive: gamma(-1)":                                                             call("gamma", -1),
		"log of a number that is not positive: log(-1, 2)":                                    call("log", -1, 2),
		"base that is not positive or is 1: log(2, 1)":                                        call("log", 2, 1),
		"zero to a negative power: pow(0, -1)":                                                call("pow", 0, -1),
		"a negative number to a fractional power: pow(-2, 0.5)":                               call("pow", -2, 0.5),
		"the result is not a finite number: exp(1000)":                                        call("exp", 1000),
		"no case of the switch has the value and there is no default: -7":                     func(b *builder) *node { return b.Op(ground.Case, b.Ref("i"), b.C(0), b.C(8)) },
		"the same without a default node: -7":                                                 nil,
		"out is a finite number (out' = +Inf":                                                 op(ground.Mul, 1e200, 1e200),
		"the probability of Bernoulli is 1.5, expected a value in 0..1":                       random("Bernoulli", 1.5),
		"the weights do not sum to 1 but to: 0.75":                                            random("Discrete", 0, 0.5, 1, 0.25),
		"a weight is negative: -1":                                                            random("UnnormDiscrete", 0, -1, 1, 2),
		"the weights do not sum to a positive number but to: 0":                               random("UnnormDiscrete", 0, 0, 1, 0),
		"the variance of Normal is -1, expected a value of at least 0":                        random("Normal", 0, -1),
		"the upper bound 0 of Uniform is below the lower bound 1":                             random("Uniform", 1, 0),
		"the rate of Poisson is -1, expected a value in 0..4503599627370496":                  random("Poisson", -1),
		"the scale of Exponential is 0, expected a value above 0":                             random("Exponential", 0),
		"the shape of Gamma is 0, expected a value above 0":                                   random("Gamma", 0, 1),
		"the shape of Beta is 0":                                                              random("Beta", 1, 0),
		"the scale of Weibull is -1":                                                          random("Weibull", 1, -1),
		"the probability of Geometric is 0, expected a value above 0 and at most 1":           random("Geometric", 0),
		"the probability of Binomial is 2":                                                    random("Binomial", 3, 2),
		"the number of trials of Binomial is 1.5, expected an integer in 0..4503599627370496": random("Binomial", 1.5, 0.5),
		"the number of successes of NegativeBinomial is 0, expected a value above 0":          random("NegativeBinomial", 0, 0.5),
		"the probability 1e-300 of NegativeBinomial is too close to 0":                        random("NegativeBinomial", 1, 1e-300),
		"the scale of Laplace is 0":                                                           random("Laplace", 1, 0),
		"the degrees of freedom of Student is 0":                                              random("Student", 0),
	} {
		if f == nil {
			want, f = "no default: -7", func(b *builder) *node { return b.Op(ground.Case, b.Ref("i"), b.C(0), b.C(8), nil) }
		}
		got, err := evaluate(t, f)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "test.rddl:") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, %v; want %q", got, err, want)
		}
	}
}

// TestRefused checks what New refuses, with its position.
func TestRefused(t *testing.T) {
	const want = "a weight of Discrete is random itself"
	_, err := evaluate(t, func(b *builder) *node { return b.Random(ground.Int, "Discrete", b.C(0), random("Uniform", 0, 1)(b)) })
	if err == nil || !strings.HasPrefix(err.Error(), "test.rddl:") || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v; want %q", err, want)
	}
}

// TestFluentTypes checks the values that a fluent of each type refuses.
func TestFluentTypes(t *testing.T) {
	for _, c := range []struct {
		typ  ground.Type
		v    float64
		want string // words of the error; empty if the value is accepted
	}{
		{ground.Int, 2.5, "out is an integer in 0..3 (out' = 2.5)"},
		{ground.Int, 4, "out is an integer in 0..3 (out' = 4)"},
		{ground.Int, 3, ""},
		{ground.Bool, 2, "out is Boolean (out' = 2)"},
		{ground.Bool, 1, ""},
		{ground.Enum, 2, "out is one of @a, @b (out' = 2)"},
		{ground.Enum, 1, ""},
		{ground.Real, 3.5, "out is a number in 0..3 (out' = 3.5)"},
		{ground.Real, 0.5, ""},
	} {
		b := newBuilder("types")
		b.State("out", c.typ, 0)
		b.P.Fluents[0].Values = []string{"@a", "@b"}
		b.CPF("out", b.C(c.v))
		s, err := sim.New(b.P, sim.WithRanges(sim.Ranges{"out": {Lo: 0, Hi: 3}}))
		if err != nil {
			t.Fatal(err)
		}
		r := s.NewRunner(nil)
		_, err = r.Step(nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("type %d, value %v: got %v, want %q", c.typ, c.v, err, c.want)
		}
		if c.want != "" && (r.Steps() != 0 || r.Value(0) != 0) {
			t.Errorf("type %d, value %v: the step was taken", c.typ, c.v)
		}
	}
}
