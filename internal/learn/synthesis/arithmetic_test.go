package synthesis

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/integers"
	"github.com/fdplan/fdplan/problem/bnn"
)

// randomExpr is an expression of some depth over variables.
func randomExpr(rng *rand.Rand, vars []integers.Variable, depth int) *integers.Expr {
	if depth == 0 {
		if rng.IntN(4) == 0 {
			return &integers.Expr{Op: integers.Value, Constant: rng.IntN(31) - 12}
		}
		return &integers.Expr{Op: integers.Var, Variable: &vars[rng.IntN(len(vars))]}
	}
	part := func() *integers.Expr { return randomExpr(rng, vars, rng.IntN(depth)) }
	switch op := []integers.Op{integers.Sum, integers.Min, integers.Max, integers.Abs, integers.Mod, integers.AtLeast, integers.Is, integers.If}[rng.IntN(8)]; op {
	case integers.Sum:
		e := &integers.Expr{Op: op, Constant: rng.IntN(21) - 10}
		for range 1 + rng.IntN(4) {
			e.Args, e.Weights = append(e.Args, part()), append(e.Weights, rng.IntN(9)-4)
		}
		return e
	case integers.Min, integers.Max:
		return &integers.Expr{Op: op, Args: []*integers.Expr{part(), part()}}
	case integers.If:
		test := &integers.Expr{Op: integers.AtLeast, Args: []*integers.Expr{part()}, Constant: rng.IntN(9) - 2}
		return &integers.Expr{Op: op, Args: []*integers.Expr{test, {Op: integers.Is, Args: []*integers.Expr{part()}, Constant: rng.IntN(4)}, part(), part()}}
	default:
		return &integers.Expr{Op: op, Args: []*integers.Expr{part()}, Constant: 1 + rng.IntN(13)}
	}
}

// TestIntegers: a network computes random expressions over signed and unsigned integers, all their bits, beside other functions.
func TestIntegers(t *testing.T) {
	widths := []int{4, 1, -5, 3, 2}
	var vars []integers.Variable
	inputs := 0
	for _, w := range widths {
		v := integers.Variable{Signed: w < 0}
		for range max(w, -w) {
			v.Bits = append(v.Bits, inputs)
			inputs++
		}
		vars = append(vars, v)
	}
	const width = 11
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		e := randomExpr(rng, vars, 3)
		fs := []Function{randomFunction(rng, inputs, 5, 0.1, 0.2)}
		for b := range width {
			fs = append(fs, Function{Inputs: e.Inputs(), Form: e, Bit: b})
		}
		net, err := Network(context.Background(), inputs, fs, Options{Seed: seed, Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		check(t, rng, net, fs[:1])
		eval := bnn.NewEvaluator(net)
		out, scratch := make([]uint64, 1), eval.NewScratch()
		for range 300 {
			in := []uint64{rng.Uint64() & (1<<inputs - 1)}
			eval.Forward(out, in, scratch)
			if want := uint64(e.Eval(in)) & (1<<width - 1); out[0]>>1 != want {
				t.Fatalf("seed %d: %b for input %b, expected %b", seed, out[0]>>1, in[0], want)
			}
		}
	}
}
