package factored

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// randomFunction returns a problem with a random function of its first state.
func randomFunction(t *testing.T, rng *rand.Rand) *Problem {
	t.Helper()
	p := NewProblem("random")
	between := func(a, b int64) int64 { return a + rng.Int64N(b-a+1) }
	for i, kind := range []Kind{State, State, Action, Action} {
		v := Variable{Name: fmt.Sprint("x", i), Kind: kind, Lo: between(-5, 3)}
		v.Hi = v.Lo + between(1, 9)
		switch i {
		case 2:
			v.Lo, v.Hi, v.View = 0, 2, &View{Names: []string{"a", "b", "c"}}
		case 3:
			v.Bool = true
		}
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	sum := func() Affine {
		a := Affine{K: between(-20, 20), Den: between(1, 8)}
		for i := range 4 {
			s := Summand{Variable: i, Coef: between(-9, 9), Is: i == 2, Value: between(0, 2)}
			if rng.IntN(3) > 0 {
				a.Terms = append(a.Terms, s)
			}
		}
		return a
	}
	var tree func(depth int) *FunctionNode
	tree = func(depth int) *FunctionNode {
		n := &FunctionNode{Sum: sum()}
		if depth > 0 && rng.IntN(3) > 0 {
			n.Low, n.High = tree(depth-1), tree(depth-1)
		}
		return n
	}
	v := &p.Variables[0]
	f := Function{Variable: 0, Root: tree(2), Lo: between(v.Lo, v.Hi)}
	f.Hi = between(f.Lo, v.Hi)
	if err := p.DefineFunction(f); err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFunctionConstraints: the constraints of a function allow the next value that it gives, and no other.
func TestFunctionConstraints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 25 {
		p := randomFunction(t, rng)
		f := &p.Functions[0]
		for range 20 {
			now := make(Valuation, p.NumBits())
			values := make([]int64, len(p.Variables))
			for i := range p.Variables {
				v := &p.Variables[i]
				if v.Kind == Auxiliary {
					continue
				}
				values[i] = v.Lo + rng.Int64N(v.Hi-v.Lo+1)
				if err := v.Set(now, values[i]); err != nil {
					t.Fatal(err)
				}
			}
			want := f.Next(values)
			v := p.Variables[0]
			for x := range int64(1) << v.Width {
				next := make(Valuation, p.NumBits())
				for k := range v.Width {
					next[int(v.First)+k] = x>>(v.Width-1-k)&1 == 1
				}
				if got := allowed(p, now, next); got != (v.Value(next) == want) {
					t.Fatalf("next value %d for %v: allowed is %v; the function gives %d", v.Value(next), values, got, want)
				}
			}
		}
	}
}

// allowed reports whether some values of the auxiliary variables satisfy the constraints of functions.
func allowed(p *Problem, now, next Valuation) bool {
	aux := p.Bits(Auxiliary)
	for mask := range 1 << len(aux) {
		for i, b := range aux {
			now[b] = mask>>i&1 == 1
		}
		ok := true
		for _, cs := range [][]Constraint{p.Global, p.Transition} {
			for i := range cs {
				if c := &cs[i]; c.Function && ok {
					ok = c.Holds(now, next)
				}
			}
		}
		if ok {
			return true
		}
	}
	return false
}
