package rddl

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// vocabulary is a domain with a fluent of every kind and type, for the tables.
const vocabulary = `domain d {
  types { t : object; level : {@low, @high}; grade : {@high, @top}; };
  pvariables {
    N : { non-fluent, int, default = 2 };
    R(t) : { non-fluent, real, default = 0.5 };
    HOME : { non-fluent, t, default = @a };
    b : { state-fluent, bool, default = false };
    p(t) : { state-fluent, bool, default = false };
    i : { state-fluent, int, default = 0 };
    r : { state-fluent, real, default = 0.0 };
    l : { state-fluent, level, default = @low };
    g : { state-fluent, grade, default = @top };
    pos : { state-fluent, t };
    act(t) : { action-fluent, bool, default = false };
    dv : { derived-fluent, bool };
  };
  cpfs { b' = b; p'(?x) = p(?x); i' = i; r' = r; l' = l; g' = g; pos' = pos; dv = b; };
  reward = 0;
}
instance i { domain = d; objects { t : {a, c}; }; horizon = 3; discount = 1; }
`

func vocabularyProgram(t *testing.T) *Program {
	t.Helper()
	progs, err := CheckAll(mustParse(t, "vocabulary", []byte(vocabulary)))
	if err != nil {
		t.Fatal(err)
	}
	return progs[0]
}

// TestTypes checks every construct: an expression with its type, and one that is refused,
// with the column and words of the message.
func TestTypes(t *testing.T) {
	p := vocabularyProgram(t)
	cases := []struct{ text, want string }{ // want: a type, or COL: message
		{"1", "int"}, {"1.0", "real"}, {"pos-inf", "real"}, {"true", "bool"},
		{"b", "bool"}, {"i", "int"}, {"r", "real"}, {"l", "level"}, {"pos", "t"}, {"HOME", "t"},
		{"p(a)", "bool"}, {"p(@a)", "bool"}, {"p($a)", "bool"}, {"p[a]", "bool"}, {"p(pos)", "bool"}, {"p(HOME)", "bool"},
		{"p(argmax_{?x : t} R(?x))", "bool"},
		{"p(l)", "3: argument 1 of p is of type level, expected t"},
		{"p(1)", "3: argument 1 of p is of type int, expected t"},
		{"b'", "bool"}, {"p'(a)", "bool"},
		{"N'", "1: only state-fluents have next values"},
		{"b ^ ~b | b => b <=> b", "bool"}, {"b & b", "bool"}, {"b ^ dv", "bool"},
		{"b ^ i", "5: an operand of ^ is of type bool"}, {"~r", "2: the operand of ~ is of type bool"},
		{"b + 1", "int"}, {"b + r", "real"}, {"i * 2", "int"}, {"i / 2", "real"}, {"-b", "int"}, {"+r", "real"},
		{"l + 1", "1: an operand of + must be a number"}, {"i / 0", "5: division by zero"},
		{"i < r", "bool"}, {"b < 1", "bool"}, {"b == 1", "bool"}, {"i ~= r", "bool"}, {"pos == HOME", "bool"}, {"pos == a", "bool"},
		{"l == @low", "bool"}, {"l == @high", "bool"}, {"@high == g", "bool"}, {"high ~= l", "bool"},
		{"l == g", "3: == compares type level with type grade"}, {"@high == @high", "1: could be of type level or grade"},
		{"l == pos", "3: == compares type level with type t"}, {"l < @low", "1: an operand of < must be a number"},
		{"forall_{?x : t} p(?x)", "bool"}, {"exists_{?x : t, ?y : level} p(?x)", "bool"}, {"exists_{?x : level} l == ?x", "bool"},
		{"forall_{?x : t} R(?x)", "17: the body of forall is of type bool"},
		{"sum_{?x : t} p(?x)", "int"}, {"sum_{?x : t} R(?x)", "real"}, {"prod_{?x : t} i", "int"}, {"min_{?x : t} R(?x)", "real"},
		{"max_{?x : t} p(?x)", "int"}, {"avg_{?x : t} p(?x)", "real"}, {"argmin_{?x : t} R(?x)", "t"}, {"argmax_{?x : level} i", "level"},
		{"argmax_{?x : t, ?y : t} i", "17: second variable of argmax"}, {"sum_{?x : t} pos", "14: the body of sum must be a number"},
		{"sum_{?x : int} 1", "11: a parameter cannot be of type int"},
		{"sum_{?x : t} ?x-1", "14: did you mean ?x - 1, with spaces?"},
		{"i-1", "1: did you mean i - 1, with spaces?"},
		{"if (b) then 1 else 2.0", "real"}, {"if (b) then b else 1", "int"}, {"if (b) then @low else @high", "level"},
		{"if (b) then l else @high", "level"}, {"if (b) then l else g", "20: else is of type grade, expected level"},
		{"if (b) then l else 1", "20: else is of type int, expected level"}, {"if (1) then b else b", "5: the condition of if"},
		{"switch (l) { case @low : 1, case @high : 2.0 }", "real"}, {"switch (l) { case low : b, default : 1 }", "int"},
		{"switch (pos) { case @a : 1, case c : 2 }", "int"}, {"switch (pos) { case @a : 1 }", "1: switch has no case for c"},
		{"switch (l) { case @top : 1, default : 0 }", "19: @top is of type grade"}, {"switch (l) { case i : 1 }", "19: unknown value i"},
		{"switch (l) { case @low : l, default : g }", "39: this case is of type grade"},
		{"abs[i]", "int"}, {"abs[r]", "real"}, {"sgn[r]", "int"}, {"round[r]", "int"}, {"floor[r]", "int"}, {"ceil[r]", "int"},
		{"exp[i]", "real"}, {"ln[r]", "real"}, {"log[r, 2]", "real"}, {"sqrt[r]", "real"}, {"gamma[r]", "real"}, {"lngamma[r]", "real"},
		{"sin[r]", "real"}, {"cos[r]", "real"}, {"tan[r]", "real"}, {"asin[r]", "real"}, {"acos[r]", "real"}, {"atan[r]", "real"},
		{"sinh[r]", "real"}, {"cosh[r]", "real"}, {"tanh[r]", "real"}, {"hypot[r, i]", "real"},
		{"pow[i, 2]", "int"}, {"pow[i, -2]", "real"}, {"pow[i, N]", "real"}, {"pow[r, 2]", "real"},
		{"min[i, b]", "int"}, {"max[i, r, 3]", "real"}, {"div[i, 2]", "int"}, {"mod[i, N]", "int"}, {"fmod[r, 2]", "real"}, {"min(i, 2)", "int"},
		{"log[r]", "1: log has 1 argument, expected 2"}, {"min[i]", "1: min has 1 argument, expected at least 2"},
		{"div[r, 2]", "5: argument 1 of div is of type real"}, {"mod[i, 0]", "8: division by zero"}, {"exp[l]", "5: argument 1 of exp must be a number"},
		{"exp", "1: exp is a function"}, {"sgn'", "1: unknown fluent sgn"},
		{"KronDelta(b)", "bool"}, {"KronDelta(i)", "int"}, {"KronDelta(l)", "level"}, {"KronDelta(r)", "11: KronDelta of type real"},
		{"DiracDelta(r)", "real"}, {"DiracDelta(l)", "12: DiracDelta of type level"},
		{"Bernoulli(r)", "bool"}, {"Bernoulli(-0.5)", "11: the probability of Bernoulli is -0.5"}, {"Bernoulli(b)", "bool"},
		{"Normal(r, 1)", "real"}, {"Normal(0, -1)", "11: the variance of Normal is -1"}, {"Uniform(0, 1)", "real"}, {"Uniform(2, 1)", "12: the upper bound"},
		{"Poisson(r)", "int"}, {"Exponential(r)", "real"}, {"Exponential(0)", "13: the scale of Exponential is 0"}, {"Gamma(r, 1)", "real"}, {"Beta(1, 2)", "real"},
		{"Geometric(0.5)", "int"}, {"Binomial(10, 0.5)", "int"}, {"NegativeBinomial(3, 0.5)", "int"}, {"Weibull(1, 2)", "real"}, {"Pareto(1, 2)", "real"},
		{"Student(3)", "real"}, {"Gumbel(0, 1)", "real"}, {"Laplace(0, 1)", "real"}, {"Cauchy(0, 1)", "real"}, {"Gompertz(1, 1)", "real"},
		{"ChiSquare(2)", "real"}, {"Kumaraswamy(1, 1)", "real"}, {"Normal(l, 1)", "8: the mean of Normal must be a number"},
		{"Discrete(level, @low : 0.5, @high : 0.5)", "level"}, {"Discrete(t, a : R(a), c : otherwise)", "t"}, {"Discrete(level, @low : 0.3, @high : otherwise)", "level"},
		{"Discrete(level, @low : 0.5, @top : 0.5)", "29: @top is of type grade"}, {"Discrete(level, @low : 0.5, @low : 0.5)", "29: second probability of @low"},
		{"Discrete(level, @low : 1.5, @high : 0.5)", "24: probability 1.5"}, {"Discrete(real, @low : 1)", "10: real is a word"},
		{"UnnormDiscrete(level, @low : 3, @high : N)", "level"}, {"UnnormDiscrete(level, @low : -3, @high : 1)", "30: weight -3"},
		{"Discrete_{?x : t} R(?x)", "t"}, {"UnnormDiscrete_{?x : level} 2", "level"},
		{"Multinomial(t, 3, @a : 0.5, @c : 0.5)", "1: the random vector Multinomial"}, {"MultivariateNormal[?x](R(_), R(_))", "1: the random vector"},
		{"nothing", "1: unknown name nothing"}, {"@nothing", "1: unknown object or value @nothing"}, {"?x", "1: unknown variable ?x"},
	}
	for _, c := range cases {
		got := ""
		e, err := ParseExpr("", []byte(c.text))
		if err == nil {
			e, err = p.CheckExpr(e, InReward, Type{})
		}
		if err == nil {
			got = e.ResultType().String()
		} else {
			got = strings.TrimPrefix(err.Error(), "1:")
		}
		col, msg, faulty := strings.Cut(c.want, ": ")
		if faulty {
			if err == nil || !strings.HasPrefix(got, col+": ") || !strings.Contains(got, msg) {
				t.Errorf("%s: got %s, want %s", c.text, got, c.want)
			}
		} else if !faulty && got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

// TestPlaces checks what each place may read.
func TestPlaces(t *testing.T) {
	p := vocabularyProgram(t)
	for _, c := range []struct {
		place Place
		text  string
		ok    bool
	}{
		{InReward, "b' ^ act(a) ^ dv", true},
		{InPrecond, "b ^ act(a) ^ dv", true},
		{InPrecond, "b'", false},
		{InInvariant, "b ^ dv", true},
		{InInvariant, "act(a)", false},
		{InInvariant, "b'", false},
		{InConstraint, "act(a) => b", true},
		{InConstraint, "b'", false},
		{InTermination, "b ^ KronDelta(b)", true},
		{InTermination, "Bernoulli(0.5)", false},
		{InGoal, "p(a) ^ N == 2", true},
		{InGoal, "act(a)", false},
		{InGoal, "dv", false},
		{InProperty, "act(a) => b'", true},
		{InDerivedCPF, "act(a)", false},
		{InIntermCPF, "b'", false},
		{InObservCPF, "b' ^ act(a)", true},
	} {
		e, err := ParseExpr("", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.CheckExpr(e, c.place, Type{Kind: BoolType}); (err == nil) != c.ok {
			t.Errorf("%s in %s: %v", c.text, placeRules[c.place].name, err)
		}
	}
}

// TestForms checks the alternative forms of blocks.
func TestForms(t *testing.T) {
	const body = ` types { t : object; e : {low, @high}; }; pvariables { s(t) : { state-fluent, bool }; n(t) : { non-fluent, real };
		k : { non-fluent, e, default = high }; a : { action-fluent, bool, default = false }; };
		cdfs { s'(?x) = s(?x); }; reward = 0; `
	const domain = "domain d {" + body + "}\n"
	const inst = "instance i { domain = d; objects { t : {o1, o2}; }; "
	for name, text := range map[string]string{
		"horizon pos-inf":         domain + inst + "horizon = pos-inf; discount = 0.9; }",
		"actions pos-inf":         domain + inst + "max-nondef-actions = pos-inf; horizon = 3; discount = 1.0; }",
		"terminate-when":          domain + inst + "horizon = terminate-when(s(o1)); discount = 0.9; }",
		"terminate-when, no ;":    domain + inst + "horizon = terminate-when(s(o1)) discount = 0.9; }",
		"terminal":                domain + inst + "terminal = s(o1); horizon = 4; discount = 0.9; }",
		"requirements with =":     "domain d { requirements = { a, b-c };" + body + "}",
		"requirements without =":  "domain d { requirements { a };" + body + "}",
		"requirements empty":      "domain d { requirements = { };" + body + "}",
		"termination":             "domain d {" + body + "termination { s(@o1); }; }" + inst + "horizon = 1; }",
		"empty sections":          "domain d {" + body + "state-invariants { }; action-preconditions { }; state-action-constraints { }; termination { }; }",
		"objects in the domain":   "domain d {" + body + "objects { t : {o0}; }; } instance i { domain = d; horizon = 1; }",
		"non-fluents in instance": domain + inst + "non-fluents { n(o1) = 1; n(@o2) = -2.5; k = @low; }; init-state { s(o1); ~s(o2); }; horizon = 1; }",
		"names only with @":       domain + "instance i { domain = d; objects { t : {@1, @-a, @true}; }; init-state { s(@1); s(@true) = false; }; horizon = 1; }",
		"value twice":             domain + inst + "init-state { s(o1); s(o1) = true; }; horizon = 1; }",
		"blocks in any order": inst + "non-fluents = nf; horizon = 1; } non-fluents nf { domain = d; objects { t : {o1, o2}; }; non-fluents { n(o1) = pos-inf; }; };" +
			domain + ";",
		"byte order mark and CRLF": "\xEF\xBB\xBF" + strings.ReplaceAll(domain, "\n", "\r\n") + "// the end",
	} {
		f, err := Parse("forms", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		roundTrip(t, f)
		if _, err := CheckAll(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJoinAndSelect puts a domain and two instances together.
func TestJoinAndSelect(t *testing.T) {
	d := mustParse(t, "d.rddl", []byte("domain d { pvariables { s : { state-fluent, int }; }; cpfs { s' = s + 1; }; reward = s; }"))
	one := mustParse(t, "1.rddl", []byte("instance one { domain = d; horizon = 1; }"))
	two := mustParse(t, "2.rddl", []byte("instance two { domain = d; init-state { s = 4; }; horizon = 2; }"))
	all, err := Join(d, one, two)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"one":   "",
		"two":   "",
		"":      "2.rddl:1:10: second instance two, expected one, or the name of the one that is meant",
		"three": "d.rddl: no instance three",
	} {
		_, _, in, err := all.Select(name)
		if got := errText(err); got != want || err == nil && in.Name.Name != name {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	if progs, err := CheckAll(all); err != nil || len(progs) != 2 || progs[1].Instance.Horizon != 2 {
		t.Errorf("%v, %v", progs, err)
	}
	if _, err := Join(d, d); errText(err) != "d.rddl:1:8: second domain d, the first is at d.rddl:1:8" {
		t.Error(err)
	}
	if _, err := CheckAll(one); errText(err) != "1.rddl:1:25: instance one is of domain d, which is not among the files" {
		t.Error(err)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestCheckLeavesTheFile checks one tree twice, with different instances, and expects it
// unchanged.
func TestCheckLeavesTheFile(t *testing.T) {
	src, err := os.ReadFile("testdata/rover.rddl")
	if err != nil {
		t.Fatal(err)
	}
	f, again := mustParse(t, "rover", src), mustParse(t, "rover", src)
	for range 2 {
		if _, err := CheckAll(f); err != nil {
			t.Fatal(err)
		}
		if !equalTrees(f, again) {
			t.Fatal("the check changed the file")
		}
	}
}

func TestSummary(t *testing.T) {
	progs, err := CheckAll(mustParse(t, "testdata/rover.rddl", nil))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(progs[0].Summary())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"domain":"rover","instance":"rover-1","non_fluents":"nf-rover","requirements":["reward-deterministic"],"types":3,"enums":2,` +
		`"objects":{"cell":2,"colour":2,"level":3},"pvariables":{"action-fluent":2,"interm-fluent":2,"non-fluent":2,"observ-fluent":1,"state-fluent":3},` +
		`"cpfs":6,"preconditions":1,"invariants":1,"constraints":0,"termination":0,"assigned":2,"initial":3,"horizon":10,"max_nondef_actions":1,"discount":1}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestLetters: an instance whose domain is written in other letters is of that domain, with a
// warning; an exact name goes first, and several alike are an error.
func TestLetters(t *testing.T) {
	const tail = " { domain = bicycle; horizon = 1; discount = 1.0; }"
	for _, c := range []struct {
		text, domain, warning, err string
	}{
		{"domain Bicycle { reward = 0; } instance i" + tail, "Bicycle", "letters.rddl:1:54: instance i writes its domain bicycle, and the domain is Bicycle; they are taken for the same", ""},
		{"domain Bicycle { reward = 0; } domain bicycle { reward = 1; } instance i" + tail, "bicycle", "", ""},
		{"domain Bicycle { reward = 0; } domain BICYCLE { reward = 1; } instance i" + tail, "", "", "not among the files"},
		{"domain tricycle { reward = 0; } instance i" + tail, "", "", "not among the files; they have tricycle"},
		{"domain Bicycle { reward = 0; } non-fluents n { domain = bicycle; } instance i { domain = Bicycle; non-fluents = n; horizon = 1; discount = 1.0; }",
			"Bicycle", "letters.rddl:1:57: non-fluents block n writes its domain bicycle, and the domain is Bicycle; they are taken for the same", ""},
	} {
		progs, err := CheckAll(mustParse(t, "letters.rddl", []byte(c.text)))
		if c.err != "" || err != nil {
			if c.err == "" || !strings.Contains(errText(err), c.err) {
				t.Errorf("%s: %v, want %q", c.text, err, c.err)
			}
			continue
		}
		var warnings []string
		for _, w := range progs[0].Warnings {
			warnings = append(warnings, w.Error())
		}
		if got := strings.Join(warnings, "\n"); got != c.warning || progs[0].Domain.Name.Name != c.domain {
			t.Errorf("%s: domain %s, warnings %q, want %q", c.text, progs[0].Domain.Name.Name, got, c.warning)
		}
	}
}
