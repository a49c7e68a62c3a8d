package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// viewProblem has a quantity, an enumeration and a Boolean.
func viewProblem(t *testing.T) *factored.Problem {
	t.Helper()
	p := factored.NewProblem("lift")
	for _, v := range []factored.Variable{
		{Name: "load_kg", Hi: 3, View: &factored.View{Edges: []float64{0, 250, 500, 750, 1000}, Unit: "kg"}},
		{Name: "temp", Lo: -1, Hi: 1, View: &factored.View{Edges: []float64{-7.5, 0, 2.5, 1e2}}},
		{Name: "walk(p1)", Kind: factored.Action, Hi: 2, View: &factored.View{Names: []string{"@left", "@right", "@stay"}}},
		{Name: "run(p1)", Kind: factored.Action, Hi: 2, View: &factored.View{Names: []string{"@left", "@right", "@stay"}}},
		{Name: "floor", Hi: 3},
		{Name: "alarm", Bool: true},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestQuantity compares each accepted comparison with the numbers of each bin: it must have
// the same truth for all of them, and Eval must find it.
func TestQuantity(t *testing.T) {
	p := viewProblem(t)
	for _, name := range []string{"load_kg", "temp"} {
		v, _ := p.Lookup(name)
		edges := v.View.Edges
		constants := []float64{edges[0] - 1, edges[len(edges)-1] + 1}
		for k := range edges {
			constants = append(constants, edges[k], edges[k]+0.5)
		}
		for _, c := range constants {
			for op, holds := range map[string]func(a, b float64) bool{
				"<": func(a, b float64) bool { return a < b }, "<=": func(a, b float64) bool { return a <= b },
				">": func(a, b float64) bool { return a > b }, ">=": func(a, b float64) bool { return a >= b },
			} {
				for _, text := range []string{fmt.Sprintf("%s %s %v", name, op, c), fmt.Sprintf("~(%s %s %v)", name, op, c)} {
					// Whether one truth fits each bin.
					exact := true
					want := make([]bool, v.Hi-v.Lo+1)
					for k := range want {
						lo, hi := edges[k], edges[k+1]
						points := []float64{lo, lo + (hi-lo)*1e-6, (lo + hi) / 2, hi - (hi-lo)*1e-6}
						if lo < c && c < hi {
							points = append(points, c)
						}
						if k == len(want)-1 {
							points = append(points, hi)
						}
						for i, x := range points {
							h := holds(x, c)
							exact = exact && (i == 0 || h == want[k])
							want[k] = h
						}
					}
					e, err := expr.Parse(p, text, expr.Options{})
					if (err == nil) != exact {
						t.Errorf("%s: exact %v, got %v", text, exact, err)
						continue
					}
					if err != nil {
						continue
					}
					for k := range want {
						val := make(factored.Valuation, p.NumBits())
						if err := v.Set(val, v.Lo+int64(k)); err != nil {
							t.Fatal(err)
						}
						if got := e.Eval(val, nil); got != (want[k] != strings.HasPrefix(text, "~")) {
							t.Errorf("%s in bin %v is %v", text, v.Show(v.Lo+int64(k)), got)
						}
					}
				}
			}
		}
	}
}

func TestViewErrors(t *testing.T) {
	p := viewProblem(t)
	for text, want := range map[string]string{
		"load_kg > 600":           "1:9: load_kg > 600: 600 lies inside the bin 500–750 kg; use 500 or 750, or add a bin edge",
		"600 < load_kg":           "load_kg > 600: 600 lies inside the bin 500–750 kg",
		"load_kg > 500":           "500 itself belongs to the bin 500–750 kg; use load_kg >= 500",
		"load_kg == 500":          "a bin is no single number",
		"load_kg >= temp":         "load_kg and temp are quantities",
		"load_kg + 1 == 2":        "load_kg is a quantity in bins; expected a comparison",
		"-load_kg == 2":           "load_kg is a quantity in bins; expected a comparison",
		"load_kg":                 "load_kg is a quantity in bins; expected a comparison",
		"load_kg >= floor":        "load_kg is a quantity in bins; expected a number",
		"walk(p1) == 1":           "1:13: expected one of @left, @right, @stay",
		"walk(p1) == @up":         `"@up" is not a value of walk(p1); expected one of @left, @right, @stay`,
		"walk(p1) < @right":       "which have no order",
		"walk(p1) + 1 == 1":       "walk(p1) is one of @left, @right, @stay; expected",
		`walk(p1) == "up`:         "the quoted value is not closed",
		`walk(p1) == "far left"`:  `"far left" is not a value of walk(p1); expected one of`,
		"~@left":                  "@left is a value of an enumeration",
		"floor == @left":          "@left is a value of an enumeration",
		"walk(p1) == @left | 2.5": "this one is a number",
		"floor == 1e99":           "1e99 is beyond 2^40",
	} {
		if _, err := expr.Parse(p, text, expr.Options{Next: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestNames(t *testing.T) {
	p := viewProblem(t)
	if _, err := p.AddVariable(factored.Variable{Name: "turn(p1)", Kind: factored.Action, Hi: 2, View: &factored.View{Names: []string{"@right", "@up", "@left"}}}); err != nil {
		t.Fatal(err)
	}
	val := make(factored.Valuation, p.NumBits())
	for name, x := range map[string]int64{"walk(p1)": 1, "run(p1)": 1, "turn(p1)": 0} { // all right
		v, _ := p.Lookup(name)
		if err := v.Set(val, x); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]bool{
		"walk(p1) == @right": true, `walk(p1) == "right"`: true, "walk(p1) ~= @right": false, "@left == walk(p1)": false, "right == walk(p1)": true,
		"walk(p1) == run(p1)": true, "walk(p1) == turn(p1)": true, "turn(p1) ~= walk(p1)": false, "turn(p1) == walk(p1) ^ run(p1) == turn(p1)": true, "(walk(p1) == @left) + (run(p1) == right) == 1": true,
	} {
		e, err := expr.Parse(p, text, expr.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := e.Eval(val, nil); got != want {
			t.Errorf("%s is %v", text, got)
		}
	}
}

func TestConstants(t *testing.T) {
	p := viewProblem(t)
	for text, want := range map[string]string{
		"floor == 5":                         "floor == 5 is never true; the range of floor is 0..3",
		"alarm => (floor >= 0)":              "floor >= 0 is always true",
		"load_kg > 2000 => floor' == floor":  "load_kg > 2000 is never true; the range of load_kg is 0..1000 kg",
		"floor + floor < 7":                  "floor + floor < 7 is always true",
		"floor == 3":                         "",
		"load_kg >= 750 => floor' == floor":  "",
		"2*floor - floor' > -3":              "",
		"floor' ~= 9 ^ walk(p1) == @left":    "floor' ~= 9 is always true",
		"1 == 1 | floor == 2":                "",
		"walk(p1) == @left | load_kg <= 1e3": "load_kg <= 1e3 is always true",
	} {
		e, err := expr.Parse(p, text, expr.Options{Next: true})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := strings.Join(e.Constants(), "|")
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
