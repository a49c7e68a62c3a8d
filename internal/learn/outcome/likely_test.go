package outcome_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestFunction: functions of the most likely outcomes of random systems give what these are, for all values of all variables.
func TestFunction(t *testing.T) {
	p := factored.NewProblem("mill")
	for _, v := range []factored.Variable{
		{Name: "a", Kind: factored.Action, Hi: 2, Default: -1, View: &factored.View{Names: []string{"idle", "slow", "fast"}}},
		{Name: "x", Lo: -2, Hi: 9}, {Name: "y", Hi: 7}, {Name: "on", Bool: true, Hi: 1},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	functions, parts := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(31, seed))
		truth := randomSystem(p, rng)
		s := outcome.NewSource(p, []int{1})
		next := make([]int64, len(p.Variables))
		for range 2000 {
			now := randomValues(p, rng)
			truth.Likely(next, now, nil)
			if rng.IntN(4) > 0 {
				truth.Sample(next, now, nil, rng)
			}
			s.Add(now, next, true)
		}
		groups, err := outcome.Learn(t.Context(), &s.Table, []int{0}, outcome.Options{Determined: seed%4 == 0})
		if err != nil {
			t.Fatal(err)
		}
		text, n, err := s.Function(groups[0])
		if err != nil {
			t.Fatal(err)
		}
		m := modelOf(t, p, s, groups)
		if text == "" {
			if len(m.Groups[0].Sums) == 0 {
				t.Errorf("seed %d: no function of %s", seed, strings.Join(m.Lines(), "\n"))
			}
			continue
		}
		f, err := expr.ParseFunction(p, text)
		if err != nil {
			t.Fatalf("seed %d: %v in %s", seed, err, text)
		}
		functions, parts = functions+1, parts+n
		for now := range allValues(p) {
			if m.Likely(next, now, nil); f.Next(now) != next[1] {
				t.Fatalf("seed %d: %d after %v, not %d:\n%s\n%s", seed, f.Next(now), now, next[1], text, strings.Join(m.Lines(), "\n"))
			}
		}
	}
	if functions < 40 || parts < 3*functions {
		t.Errorf("%d functions of %d parts", functions, parts)
	}
}

// randomSystem draws x in contexts of all variables.
func randomSystem(p *factored.Problem, rng *rand.Rand) *chance.Model {
	effects := []string{"x + 1", "x - 1", "x + 3", "x - 2", "x = 4", "x = 9", "keep"}
	if rng.IntN(4) == 0 {
		effects = []string{"x = x + y + 1", "x = x + y - 1", "x = x + y"}
	}
	whens := []string{"a == \"fast\"", "y <= 3", "on", "x >= 5", "x + y <= 6", "a == \"slow\" ^ y == 2", "x == y", "y == 1 | y == 6"}
	for {
		b := []string{"draw x", "blocked " + []string{"clamp", "keep", "others", "rest"}[rng.IntN(4)]}
		for _, k := range rng.Perm(len(whens))[:1+rng.IntN(3)] {
			b = append(b, "when "+whens[k])
			b = append(b, randomOutcomes(effects, rng)...)
		}
		b = append(append(b, "otherwise"), randomOutcomes(effects, rng)...)
		if m, _, err := chance.Parse(p, b); err == nil { // each context is that of some values
			return m
		}
	}
}

func randomOutcomes(effects []string, rng *rand.Rand) (lines []string) {
	k := 1 + rng.IntN(3)
	weights := [][]int{{10}, {7, 3}, {5, 3, 2}}[k-1]
	for i, e := range rng.Perm(len(effects))[:k] {
		lines = append(lines, fmt.Sprintf("%d/10: %s", weights[i], effects[e]))
	}
	return lines
}

func randomValues(p *factored.Problem, rng *rand.Rand) []int64 {
	now := make([]int64, len(p.Variables))
	for j := range now {
		v := &p.Variables[j]
		now[j] = v.Lo + rng.Int64N(v.Hi-v.Lo+1)
	}
	return now
}

// allValues yields all joint values of the variables of a problem.
func allValues(p *factored.Problem) func(yield func([]int64) bool) {
	return func(yield func([]int64) bool) {
		now := make([]int64, len(p.Variables))
		var rec func(j int) bool
		rec = func(j int) bool {
			if j == len(now) {
				return yield(now)
			}
			for now[j] = p.Variables[j].Lo; now[j] <= p.Variables[j].Hi; now[j]++ {
				if !rec(j + 1) {
					return false
				}
			}
			return true
		}
		rec(0)
	}
}
