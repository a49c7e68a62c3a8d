package outcome_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/problem/factored"
)

// office are steps of a permit through an office: from stage 2 on a fee is to have been paid, if that is asked for. It returns the model's groups as text.
func office(t *testing.T, rows int, fee bool) string {
	p := factored.NewProblem("office")
	add := func(v factored.Variable) {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	add(factored.Variable{Name: "stage", Kind: factored.State, Hi: 4})
	add(factored.Variable{Name: "clerk", Kind: factored.State, Hi: 2, View: &factored.View{Names: []string{"absent", "present", "senior"}}})
	add(factored.Variable{Name: "paid", Kind: factored.State, Hi: 1, Bool: true})
	add(factored.Variable{Name: "action", Kind: factored.Action, Hi: 2, Default: -1, View: &factored.View{Names: []string{"wait", "submit", "pay"}}})
	s := outcome.NewSource(p, states(p))
	rng := rand.New(rand.NewPCG(1, 2))
	now := make([]int64, 4)
	for r := range rows {
		if r%12 == 0 {
			now = []int64{0, rng.Int64N(3), 0, 0}
		}
		now[3] = rng.Int64N(3)
		next := []int64{now[0], rng.Int64N(3), now[2], 0}
		switch {
		case now[3] == 2:
			next[2] = 1
		case now[3] == 1 && !(fee && now[0] == 2 && now[2] == 0) && rng.Float64() < []float64{0, .5, .8}[now[1]]:
			next[0] = min(4, now[0]+1)
		}
		s.Add(now, next, r%12 == 0)
		now = next
	}
	groups, err := outcome.Learn(t.Context(), &s.Table, seq(len(s.Outputs)), outcome.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, g := range modelOf(t, p, s, groups).Groups {
		for _, c := range g.Contexts {
			text.WriteString(c.When + "\n")
		}
	}
	return text.String()
}

// TestException: what a few rows show under three conditions at once comes before the contexts of a tree, and nothing does where there is nothing.
func TestException(t *testing.T) {
	if text := office(t, 3000, true); !strings.Contains(text, "stage == 2") || !strings.Contains(text, "~paid") {
		t.Errorf("that a fee is to be paid is not found:\n%s", text)
	}
	if text := office(t, 3000, false); strings.Contains(text, "paid") {
		t.Errorf("a fee is found where there is none:\n%s", text)
	}
}
