package factored_test

import (
	"math"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// quantity returns a variable whose values -1, 0 and 1 stand for bins of a load.
func quantity() *factored.Variable {
	return &factored.Variable{Name: "load_kg", Lo: -1, Hi: 1, View: &factored.View{Edges: []float64{0, 200, 600, 800}, Unit: "kg"}}
}

// holds is the comparison itself.
func holds(op string, q, x float64) bool {
	switch op {
	case "<":
		return q < x
	case "<=":
		return q <= x
	case ">":
		return q > x
	}
	return q >= x
}

// TestBound compares every comparison of a quantity with a number, on the edges
// and between them, with its translation, for numbers on and beside each edge. A
// comparison is refused exactly if it differs within a bin.
func TestBound(t *testing.T) {
	v := quantity()
	numbers, constants := []float64{}, []float64{-7, 1000}
	for _, e := range v.View.Edges {
		constants = append(constants, e, e+50)
		numbers = append(numbers, math.Nextafter(e, -1), e, math.Nextafter(e, 1e9), e+50)
	}
	refused := 0
	for _, op := range []string{"<", "<=", ">", ">="} {
		for _, x := range constants {
			truth := map[int64]map[bool]bool{}
			for _, q := range numbers {
				level, err := v.Level(q)
				if err != nil {
					continue // outside the range
				}
				if truth[level] == nil {
					truth[level] = map[bool]bool{}
				}
				truth[level][holds(op, q, x)] = true
			}
			mixed := false
			for _, both := range truth {
				mixed = mixed || len(both) == 2
			}
			level, below, err := v.Bound(op, x)
			switch {
			case (err != nil) != mixed:
				t.Errorf("load_kg %s %v: error %v, differs within a bin: %v", op, x, err, mixed)
			case err != nil:
				refused++
			default:
				for l, both := range truth {
					if !both[l < level == below] {
						t.Errorf("load_kg %s %v: at value %d it is not %v", op, x, l, l < level == below)
					}
				}
			}
		}
	}
	if refused < 8 {
		t.Errorf("only %d comparisons were refused", refused)
	}
}

// TestViews writes each value as people read it and reads it back, and refuses
// what is not a value.
func TestViews(t *testing.T) {
	p := factored.NewProblem("views")
	command := factored.Variable{Name: "command", Kind: factored.Action, Hi: 2, View: &factored.View{Names: []string{"wait", "up", "down"}}}
	for _, v := range []factored.Variable{*quantity(), command} {
		id, err := p.AddVariable(v)
		if err != nil {
			t.Fatal(err)
		}
		w := &p.Variables[id]
		for x := w.Lo; x <= w.Hi; x++ {
			text, ok := w.Show(x).(string)
			if !ok {
				t.Fatalf("%s = %d is shown as %v", w.Name, x, w.Show(x))
			}
			if got, err := w.Parse(text); err != nil || got != x {
				t.Errorf("%s %q reads as %d, %v; want %d", w.Name, text, got, err, x)
			}
			if w.Quantity() {
				if got, err := w.Level(w.Center(x)); err != nil || got != x {
					t.Errorf("the center of %q lies in %d, %v", text, got, err)
				}
			}
		}
	}
	load, cmd := &p.Variables[0], &p.Variables[1]
	if got := load.RangeText(); got != "0..800 kg" {
		t.Errorf("the range reads %q", got)
	}
	if got := cmd.RangeText(); got != "wait, up, down" {
		t.Errorf("the range reads %q", got)
	}
	if got := load.EdgesText(); got != "0, 200, 600, 800" {
		t.Errorf("the edges read %q", got)
	}
	for v, text := range map[*factored.Variable]string{load: "801", cmd: "left"} {
		if x, err := v.Parse(text); err == nil {
			t.Errorf("%s = %s reads as %d", v.Name, text, x)
		}
	}
	for _, bad := range []factored.Variable{
		{Name: "few", Hi: 2, View: &factored.View{Names: []string{"a", "b"}}},
		{Name: "flat", Hi: 2, View: &factored.View{Edges: []float64{0, 1}}},
	} {
		if _, err := p.AddVariable(bad); err == nil {
			t.Errorf("%s: accepted", bad.Name)
		}
	}
}
