package expr_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// testProblem has a Boolean and integers of both signs, and names of both
// styles.
func testProblem(t testing.TB) *factored.Problem {
	p := factored.NewProblem("test")
	for _, v := range []factored.Variable{
		{Name: "on(c1,c2)", Kind: factored.State, Bool: true},
		{Name: "robot-at[$x14| $y12]", Kind: factored.State, Bool: true},
		{Name: "level", Kind: factored.State, Lo: 0, Hi: 5},
		{Name: "temp", Kind: factored.State, Lo: -3, Hi: 2},
		{Name: "move-east", Kind: factored.Action, Bool: true},
		{Name: "order", Kind: factored.Action, Lo: 0, Hi: 2},
		{Name: "flow", Kind: factored.State, Lo: -2, Hi: 3, View: &factored.View{Num: 3, Den: 4}},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// valuations returns n random legal valuations.
func valuations(r *rand.Rand, p *factored.Problem, n int) []factored.Valuation {
	out := make([]factored.Valuation, n)
	for i := range out {
		out[i] = make(factored.Valuation, p.NumBits())
		for j := range p.Variables {
			v := &p.Variables[j]
			if err := v.Set(out[i], v.Lo+r.Int64N(v.Hi-v.Lo+1)); err != nil {
				panic(err)
			}
		}
	}
	return out
}

func TestEval(t *testing.T) {
	p := testProblem(t)
	now, next := make(factored.Valuation, p.NumBits()), make(factored.Valuation, p.NumBits())
	set := func(val factored.Valuation, name string, x int64) {
		v, _ := p.Lookup(name)
		if err := v.Set(val, x); err != nil {
			t.Fatal(err)
		}
	}
	set(now, "on(c1,c2)", 1)
	set(now, "level", 4)
	set(now, "temp", -3)
	set(now, "order", 2)
	set(next, "level", 5)
	for text, want := range map[string]bool{
		"on(c1,c2)":                             true,
		"on[ c1 , c2 ]":                         true,
		"~on(c1,c2) | level' > level":           true,
		"on(c1, c2) ^ robot-at[$x14| $y12]":     false,
		"robot-at[$x14|$y12]":                   false,
		"level + temp == 1":                     true,
		"level - 2*order == 0 => move-east":     false,
		"false => false => false":               true,
		"true <=> level >= 4":                   true,
		"~level >= 4":                           false,
		"level ~= 4":                            false,
		"level' - level == 1 ^ temp == -3":      true,
		"-temp - -3 == 6":                       true,
		"on(c1,c2) + on(c1,c2) + move-east < 2": false,
		"on'(c1,c2) | on(c1,c2)'":               false,
		"2*(level + 1) == 10":                   true,
		"(level == 4) + (temp == 0) == 1":       true,
		"1 | false & false":                     true,
	} {
		e, err := expr.Parse(p, text, expr.Options{Next: true})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := e.Eval(now, next); got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	p := testProblem(t)
	for text, want := range map[string]string{
		"":                              "1:1: expected a variable",
		"level":                         "1:1: the expression is a number",
		"levle == 1":                    "1:1: there is no variable levle",
		"on(c1,c2":                      "1:3: the arguments of on are not closed",
		"on(c1,c2) on(c1,c2)":           "1:11: expected an operator",
		"(on(c1,c2)":                    "1:11: expected )",
		"level / 0 == 1":                "1:9: the divisor is 0",
		"level / (2 - 1*2) == 1":        "1:10: the divisor is 0",
		"min[level] == 1":               "1:1: min has 1 arguments; expected two or more",
		"abs[level, temp] == 1":         "1:1: abs has 2 arguments; expected one",
		"min[level, temp == 1":          "expected",
		"if level == 1":                 "expected ( after if, found level",
		"if (level) then 1 else 2 == 1": "1:5: if needs a condition",
		"if (on(c1,c2)) then 1":         "expected else for the if in column 1, found the end",
		"level => on(c1,c2)":            "1:1: => needs conditions",
		"~level":                        "1:2: ~ needs a condition",
		"level == 1 == 1":               "1:12: expected an operator",
		"level' == 1":                   "1:1: level' is of the next step",
		"level == 99999999999999":       "1:10: the number",
		"level # 1":                     "1:7: \"#\" is no part",
		"move-east'":                    "next step",
		strings.Repeat("(", 5000):       "nested too deeply",
		strings.Repeat("~", 5000):       "nested too deeply",
	} {
		_, err := expr.Parse(p, text, expr.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"1099511627776*1099511627776 == level": "58 bits",
		"1099511627776*(100000*(level)) == 1":  "58 bits",
		"level / temp <= 1":                    "1:9: the divisor temp can be 0; expected one that cannot",
		"temp > 0 ^ 2 / (level - temp) <= 1":   "1:17: the divisor level - temp can be 0",
	} {
		q := testProblem(t)
		e, err := expr.Parse(q, text, expr.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Require(q, false, "require"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// randomText writes a random condition, or a sum if number is set.
func randomText(r *rand.Rand, depth int, number bool) string {
	if number {
		if depth == 0 {
			return []string{"level", "temp", "order", "level'", "on(c1,c2)", "temp'", fmt.Sprint(r.IntN(4)), "flow", "flow'", "0.25"}[r.IntN(10)]
		}
		a, b := randomText(r, depth-1, true), randomText(r, depth-1, true)
		switch r.IntN(11) {
		case 0:
			return "(" + a + " + " + b + ")"
		case 5:
			return "(" + a + "*" + b + ")"
		case 6:
			return "min[" + a + ", " + b + "]"
		case 7:
			return "max(" + a + ", " + b + ", 1)"
		case 8:
			return "abs[" + a + "]"
		case 9:
			return "(if (" + randomText(r, depth-1, false) + ") then " + a + " else " + b + ")"
		case 10:
			return "(" + a + "/" + []string{"(temp + 4)", "(1 + level*level)", "(-1.5 - level)", "(3*order - 0.5)", "2.5", "(if (temp ~= 0) then temp else 4)"}[r.IntN(6)] + ")"
		case 1:
			return "(" + a + " - " + b + ")"
		case 2:
			return fmt.Sprintf("(%d*%s)", r.IntN(4), a)
		case 3:
			return "(-" + a + ")"
		default:
			return "(" + randomText(r, depth-1, false) + ")"
		}
	}
	if depth == 0 {
		return []string{"on(c1,c2)", "robot-at[$x14| $y12]", "move-east", "on'(c1,c2)", "true", "false"}[r.IntN(6)]
	}
	switch r.IntN(4) {
	case 0:
		return "~(" + randomText(r, depth-1, false) + ")"
	case 1:
		op := []string{"==", "~=", "<", "<=", ">", ">="}[r.IntN(6)]
		return "(" + randomText(r, depth-1, true) + " " + op + " " + randomText(r, depth-1, true) + ")"
	}
	op := []string{"^", "|", "=>", "<=>"}[r.IntN(4)]
	return "(" + randomText(r, depth-1, false) + " " + op + " " + randomText(r, depth-1, false) + ")"
}

var instances = flag.Int("instances", 600, "number of random expressions")

// TestRequireMeansEval compiles random expressions and checks, on random steps, that the
// constraints can hold exactly if Eval reports true.
func TestRequireMeansEval(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for i := range *instances {
		p := testProblem(t)
		text := randomText(r, 1+r.IntN(4), false)
		e, err := expr.Parse(p, text, expr.Options{Next: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		samples, nexts := valuations(r, p, 20), valuations(r, p, 20)
		negate := i%2 == 1
		bits := p.NumBits()
		if err := e.Require(p, negate, "require"); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		m, err := model.New(p, nil, 1, model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		part := m.Part(1)
		sums := append(part.Sums[model.Global], part.Sums[model.Transition]...)
		var aux []model.Lit
		for _, b := range p.Bits(factored.Auxiliary) {
			aux = append(aux, m.Var(1, b))
		}
		st := propagate.NewSystem(int(m.NumVars()), sums, nil).NewState()
		for k := range samples {
			can := st.Consistent()
			if can {
				st.Reset()
				for b := range bits {
					kind := p.Kind(factored.Bit(b))
					can = can && st.Assign(signed(m.Var(1, factored.Bit(b)), samples[k][b]))
					if kind == factored.State {
						can = can && st.Assign(signed(m.Var(2, factored.Bit(b)), nexts[k][b]))
					}
				}
				can = can && st.Satisfiable(aux)
			}
			if want := e.Eval(samples[k], nexts[k]) != negate; can != want {
				t.Fatalf("%s (negated %v): the constraints say %v, Eval %v\nnow %v next %v", text, negate, can, want, samples[k], nexts[k])
			}
		}
	}
}

func signed(l model.Lit, v bool) model.Lit {
	if v {
		return l
	}
	return -l
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"if (temp ~= 0) then level/temp >= 1 else max[flow, abs[temp], 0.5] == flow*flow", "on(c1,c2) => ~move-east", "level + 2*temp <= 3 ^ on'(c1,c2)", "robot-at[$x14| $y12]", "((", "~~~true", "1 == -level'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := testProblem(t)
		e, err := expr.Parse(p, s, expr.Options{Next: true})
		if err != nil {
			return
		}
		val := make(factored.Valuation, p.NumBits())
		e.Eval(val, val)
		if err := e.Require(p, false, "require"); err == nil {
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
