package verify

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// level is a random system: a level of 70 values with a function of two or three parts, what it was a step before, a pump, a valve
// that may be anything, and rules.
func level(t *testing.T, r *rand.Rand) *factored.Problem {
	p := factored.NewProblem("level")
	for _, v := range []factored.Variable{
		{Name: "pump", Kind: factored.Action, Hi: 2}, {Name: "level", Kind: factored.State, Lo: -3, Hi: 66},
		{Name: "before", Kind: factored.State, Lo: -3, Hi: 66}, {Name: "open", Kind: factored.State, Bool: true},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(den int64) factored.Affine {
		return factored.Affine{K: int64(r.IntN(41)) - 20, Den: den, Terms: []factored.Summand{
			{Coef: int64(r.IntN(9)) - 2, Variable: 0}, {Coef: int64(r.IntN(9)) - 1, Variable: 1}, {Coef: int64(r.IntN(7)) - 3, Variable: 2},
			{Coef: int64(r.IntN(9)), Variable: 3, Is: true, Value: 1},
		}}
	}
	leaf := func() *factored.FunctionNode { return &factored.FunctionNode{Sum: sum(4)} }
	root := &factored.FunctionNode{Sum: sum(1), Low: leaf(), High: leaf()}
	if r.IntN(2) == 0 {
		root.High = &factored.FunctionNode{Sum: sum(1), Low: leaf(), High: leaf()}
	}
	was := &factored.FunctionNode{Sum: factored.Affine{Den: 1, Terms: []factored.Summand{{Coef: 1, Variable: 1}}}}
	for _, f := range []factored.Function{{Variable: 1, Root: root, Lo: -3, Hi: 60 + int64(r.IntN(7))}, {Variable: 2, Root: was, Lo: -3, Hi: 66}} {
		if err := p.DefineFunction(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{
		fmt.Sprintf("level - before <= %d", r.IntN(20)), fmt.Sprintf("level + pump <= %d", 50+r.IntN(20)), "level >= 30 => pump <= 1 | open", "before ~= 7",
	} {
		if r.IntN(2) == 0 {
			continue
		}
		e, err := expr.Parse(p, text, expr.Options{})
		if err == nil {
			err = e.Require(p, false, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// claim is a random property of a level.
func claim(r *rand.Rand) string {
	change, end := r.IntN(40)-10, r.IntN(70)-3
	all := []string{
		fmt.Sprintf("level' <= %d", end), fmt.Sprintf("level' - level <= %d", change), fmt.Sprintf("level - level' <= %d", change),
		fmt.Sprintf("level' ~= %d", end), fmt.Sprintf("level >= %d => level' >= level - %d", end, change+10), fmt.Sprintf("~(level' = level ^ pump = %d)", r.IntN(3)),
		fmt.Sprintf("level - before <= %d", change), fmt.Sprintf("open' | level' >= %d", end), "level' * pump <= 100", fmt.Sprintf("level' + 2*pump >= %d", end-40),
		fmt.Sprintf("abs(level' - level) <= %d", change), fmt.Sprintf("max(level', 2*before - 9, pump) <= %d", end+10),
	}
	out := all[r.IntN(len(all))]
	for r.IntN(3) > 0 {
		out = "(" + out + ")" + []string{" ^ ", " | ", " => "}[r.IntN(3)] + "(" + all[r.IntN(len(all))] + ")"
	}
	return out
}

// breaks reports whether a step breaks a property, by trying all.
func breaks(t *testing.T, p *factored.Problem, e *expr.Expr, steps Steps) bool {
	now, next := make(factored.Valuation, p.NumBits()), make(factored.Valuation, p.NumBits())
	v := p.Variables
	for x := v[1].Lo; x <= v[1].Hi; x++ {
		for y := v[2].Lo; y <= v[2].Hi; y++ {
			for k := range int64(12) {
				values := []int64{k % 3, x, y, k / 3 % 2}
				for i := range values {
					if err := v[i].Set(now, values[i]); err != nil {
						t.Fatal(err)
					}
				}
				for i, z := range []int64{p.Functions[0].Next(values), x, k / 6} {
					if err := v[i+1].Set(next, z); err != nil {
						t.Fatal(err)
					}
				}
				if e.Eval(now, next) {
					continue
				}
				failure, err := validate.CheckStep(p, nil, now, next)
				if err != nil {
					t.Fatal(err)
				}
				if failure == nil && (steps == AnyNext || validate.CheckPart(p, validate.State, next) == nil) {
					return true
				}
			}
		}
	}
	return false
}

var levels = flag.Int("levels", 24, "random systems of which properties are decided piece by piece")

func TestPieces(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(*levels) {
		r := rand.New(rand.NewPCG(seed, 30))
		p, text := level(t, r), claim(r)
		e, err := expr.Parse(p, text, expr.Options{Next: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, steps := range []Steps{AnyNext, LegalNext} {
			res, err := byPieces(t.Context(), engine.Task{Problem: p}, e, steps)
			if err != nil {
				t.Fatal(err)
			}
			if res == nil {
				found["unknown"]++
				continue
			}
			if fails := breaks(t, p, e, steps); fails == res.Holds {
				t.Fatalf("seed %d: %s: holds is %v for %s next states, and trying all says %v", seed, text, res.Holds, steps, !fails)
			}
			found[fmt.Sprint(res.Holds)]++
		}
	}
	if found["true"] < *levels/4 || found["false"] < *levels*2/3 || found["unknown"] > *levels*2/3 {
		t.Errorf("answers: %v", found)
	}
}
