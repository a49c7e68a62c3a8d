package load

import (
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestBeyond: values that no row has are named with what the log has, and others are not.
func TestBeyond(t *testing.T) {
	f := factored.NewProblem("shelf")
	for _, v := range []factored.Variable{{Name: "stock", Hi: 400, View: &factored.View{Num: 1, Den: 2}}, {Name: "cold", Bool: true, Hi: 1}, {Name: "order", Kind: factored.Action, Hi: 40}} {
		if _, err := f.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	p := &Problem{Task: engine.Task{Problem: f}, Trained: Trained{Logged: map[string]Logged{"stock": {Low: 44, High: 296}, "order": {Low: 0, High: 20}}}}
	var all []factored.Valuation
	for _, x := range [][2]int64{{44, 20}, {296, 0}, {320, 5}} {
		val := make(factored.Valuation, f.NumBits())
		for i, of := range []int{0, 2} {
			if err := f.Variables[of].Set(val, x[i]); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, val)
	}
	if got := p.Beyond(slices.Values(all[:2])); got != nil {
		t.Error(got)
	}
	if got, want := p.Beyond(slices.Values(all)), []string{"stock is between 22.0 and 160.0, and in the log between 22.0 and 148.0"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}
