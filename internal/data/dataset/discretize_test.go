package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestDiscretize reads quantities as levels from every format and writes them
// back.
func TestDiscretize(t *testing.T) {
	level := Column{Name: "level(t1)", Type: Int, Bounded: true, Hi: 3}
	s, err := NewSchema("tank", []Column{level, {Name: "n", Type: Int, Bounded: true, Hi: 9}}, []Column{{Name: "flow", Type: Int, Bounded: true, Hi: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Discretize(map[string]bins.Bins{"level": {Edges: []float64{0, 2.5, 5, 7.5, 10}}, "flow": {Edges: []float64{-1, 0, 1}}}); err != nil {
		t.Fatal(err)
	}
	const text = "level(t1),n,flow,level(t1)',n'\n9.99,3,-0.5,2.5,4\n0,3,0,10,4\n"
	want := []float64{3, 3, 0, 1, 4, 0, 3, 1, 3, 4}
	file := write(t, "d.csv", text)
	d, err := ReadAs(file, s)
	if err != nil || !slices.Equal(valuesOf(d), want) {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, name := range []string{"d.csv", "d.parquet", "d.npz"} {
		name = filepath.Join(t.TempDir(), name)
		if err := Write(name, d); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(valuesOf(d), want) {
			t.Fatal("writing changes the values")
		}
		again, err := ReadAs(name, s)
		if err != nil || !slices.Equal(valuesOf(again), want) {
			t.Errorf("%s: %+v, %v", name, again, err)
		}
		raw, err := ReadAs(name, s.Stored())
		if err != nil || valuesOf(raw)[0] != 8.75 || valuesOf(raw)[2] != -0.5 {
			t.Errorf("%s: %+v, %v; want the centers of bins", name, raw, err)
		}
	}
	for row, why := range map[string]string{
		"10.01,3,0,0,4": `:2:1: column level(t1): "10.01", expected a value in 0..10`,
		"1,3,0,-0.1,4":  `:2:7: column level(t1)': "-0.1", expected a value in 0..10`,
		"NaN,3,0,0,4":   `:2:1: column level(t1): "NaN", expected a finite number`,
		"1,3,2,0,4":     `:2:5: column flow: "2", expected a value in -1..1`,
		"1,3.5,1,0,4":   `:2:3: column n: "3.5", expected an integer`,
	} {
		if d, err := ReadAs(write(t, "d.csv", "level(t1),n,flow,level(t1)',n'\n"+row+"\n"), s); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %+v, %v", row, d, err)
		}
	}
	// Integers in a Parquet file are quantities too.
	plain, err := NewSchema("tank", []Column{{Name: "level(t1)", Type: Int}, {Name: "n", Type: Int}}, []Column{{Name: "flow", Type: Int}})
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string][]float64{"whole.parquet": {7, 3, 1, 10, 4}, "out.npz": {7, 3, 1, 11, 4}} {
		name = filepath.Join(t.TempDir(), name)
		if err := Write(name, NewData(plain, values)); err != nil {
			t.Fatal(err)
		}
		d, err := ReadAs(name, s)
		if values[3] == 10 && (err != nil || !slices.Equal(valuesOf(d), []float64{2, 3, 1, 3, 4})) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if values[3] == 11 && (err == nil || !strings.Contains(err.Error(), "row 1, column level(t1)': 11, expected a value in 0..10")) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	for want, b := range map[string]map[string]bins.Bins{
		"column n is not an integer in 0..7":     {"n": {Edges: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}}},
		"column flow: there are no bins":         {"flow": {Edges: []float64{1}}},
		"column level(t1) is not an integer in ": {"level(t1)": {Edges: []float64{0, 1, 2}}, "level": {Edges: []float64{0, 1, 2, 3, 4}}},
	} {
		if _, err := s.Discretize(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestDecimals reads quantities of fixed decimals from every format as their steps, rounded, and writes
// them back.
func TestDecimals(t *testing.T) {
	p := factored.NewProblem("tank")
	for _, v := range []factored.Variable{
		{Name: "level", Lo: -4, Hi: 200, View: &factored.View{Num: 1, Den: 20}}, {Name: "pump", Kind: factored.Action, Hi: 3, View: &factored.View{Num: 5, Den: 1}},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	s, err := OfProblem(p)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ReadAs(write(t, "d.csv", "level,pump,level'\n9.98,2.5,10.02\n-0.225,12.4,0.025\n0.30000000000000004,7.5,1e-1\n"), s)
	want := []float64{200, 0, 200, -4, 2, 0, 6, 2, 2}
	if err != nil || !slices.Equal(valuesOf(d), want) {
		t.Fatalf("%v, %v", valuesOf(d), err)
	}
	for _, name := range []string{"d.csv", "d.parquet", "d.npz"} {
		name = filepath.Join(t.TempDir(), name)
		if err := Write(name, d); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadAs(name, s); err != nil || !slices.Equal(valuesOf(again), want) {
			t.Errorf("%s: %v, %v", name, valuesOf(again), err)
		}
		if text, _ := os.ReadFile(name); strings.HasSuffix(name, ".csv") && string(text) != "level,pump,level'\n10.00,0,10.00\n-0.20,10,0.00\n0.30,10,0.10\n" {
			t.Errorf("%s", text)
		}
	}
	if _, err := ReadAs(write(t, "d.csv", "level,pump,level'\n10.03,0,0\n"), s); err == nil || !strings.Contains(err.Error(), "d.csv:2:1: column level: \"10.03\", expected a value in -0.2..10") {
		t.Errorf("a value outside: %v", err)
	}
}
