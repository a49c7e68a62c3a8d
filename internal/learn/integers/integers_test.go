package integers

import (
	"context"
	"math/rand/v2"
	"testing"
)

// layout places unsigned and signed variables one after the other.
func layout(widths ...int) (vars []Variable, bits int) {
	for _, w := range widths {
		v := Variable{Signed: w < 0}
		for range max(w, -w) {
			v.Bits = append(v.Bits, bits)
			bits++
		}
		vars = append(vars, v)
	}
	return vars, bits
}

// draw draws the rows of a function, of which it replaces some by others.
func draw(rng *rand.Rand, vars []Variable, bits, rows int, noise float64, f func(x []int) int) *Sample {
	s := &Sample{Variables: vars}
	for range rows {
		in := make([]uint64, (bits+63)/64)
		for b := range bits {
			in[b/64] |= uint64(rng.IntN(2)) << (b % 64)
		}
		x := make([]int, len(vars))
		for i := range vars {
			x[i] = vars[i].Value(in)
		}
		y := f(x)
		if rng.Float64() < noise && len(s.Out) > 0 {
			y = s.Out[rng.IntN(max(1, len(s.Out)))]
		}
		s.In, s.Out = append(s.In, in), append(s.Out, y)
	}
	return s
}

// TestFunctions: sums with limits, comparisons and cases are found exactly, with and without rows in error.
func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		name   string
		widths []int
		rows   int
		f      func(x []int) int
	}{
		{"a sum with limits of 64 levels", []int{6, 6, 6}, 500, func(x []int) int { return min(63, max(0, x[0]+x[1]-x[2])) }},
		{"a sum with limits of 10 bits", []int{10, 7, 8}, 500, func(x []int) int { return min(1000, max(3, x[0]+x[1]-x[2])) }},
		{"the least of two", []int{5, 5}, 300, func(x []int) int { return min(x[0], x[1]) }},
		{"the greatest of three", []int{5, 5, 5}, 500, func(x []int) int { return max(x[0], x[1], x[2]) }},
		{"a difference of signed integers", []int{-6, -6, 3}, 500, func(x []int) int { return max(-32, min(31, x[0]-x[1])) }},
		{"an absolute difference", []int{5, 5, 2}, 300, func(x []int) int { return max(x[0]-x[1], x[1]-x[0]) }},
		{"a comparison", []int{5, 5, 1}, 1000, func(x []int) int { return truth(x[0] <= x[1]) }},
		{"a comparison of three", []int{5, 5, 5}, 1000, func(x []int) int { return truth(x[0]+x[1] >= x[2]+7) }},
		{"cases", []int{4, 4, 1, 1, 1}, 1000, func(x []int) int {
			switch {
			case x[2] == 1:
				return (x[0] + x[1]) % 16
			case x[3] == 1:
				return max(0, x[0]-x[1])
			case x[4] == 1:
				return min(x[0], x[1])
			}
			return x[0]
		}},
		{"a digit", []int{4, 1, 3}, 500, func(x []int) int {
			if x[1] == 0 {
				return x[0]
			}
			return (x[0] + 1) % 10
		}},
		{"a sum of Booleans in a case", []int{4, 2, 1, 1, 1, 1}, 1000, func(x []int) int {
			if x[2] == 1 {
				return max(0, x[0]-4*x[3]-2*x[4]-x[5])
			}
			return min(15, x[0]+x[1])
		}},
		{"a queue", []int{5, 3, 3}, 1000, func(x []int) int { return min(31, max(0, x[0]-x[1])+x[2]) }},
	} {
		for _, noise := range []float64{0, 0.02} {
			rng := rand.New(rand.NewPCG(1, 2))
			vars, bits := layout(c.widths...)
			s := draw(rng, vars, bits, c.rows, noise, c.f)
			s.Exceptions = noise > 0
			e, wrong := Learn(context.Background(), s)
			if e == nil {
				t.Errorf("%s, noise %v: no function", c.name, noise)
				continue
			}
			text := e.Text(func(v *Variable) string { return string(rune('a' + v.Bits[0])) })
			if noise == 0 && wrong > 0 {
				t.Errorf("%s: %d of %d rows wrong by %s", c.name, wrong, c.rows, text)
			}
			other := draw(rng, vars, bits, 5000, 0, c.f)
			missed := 0
			for r, in := range other.In {
				if e.Eval(in) != other.Out[r] {
					missed++
				}
			}
			if missed > 0 {
				t.Errorf("%s, noise %v: %d of 5000 other rows wrong by %s", c.name, noise, missed, text)
			}
		}
	}
}

// TestWithin: what Range and Within say of random expressions is what their values are.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	vars := []Variable{{Bits: []int{0, 1}}, {Bits: []int{2, 3, 4}, Signed: true}, {Bits: []int{5}}}
	var random func(depth int) *Expr
	random = func(depth int) *Expr {
		if depth == 0 {
			if rng.IntN(4) == 0 {
				return constant(rng.IntN(9) - 4)
			}
			return &Expr{Op: Var, Variable: &vars[rng.IntN(len(vars))]}
		}
		arg := func() *Expr { return random(depth - 1) }
		switch rng.IntN(7) {
		case 0:
			return &Expr{Op: Min, Args: []*Expr{arg(), arg()}}
		case 1:
			return &Expr{Op: Max, Args: []*Expr{arg(), arg()}}
		case 2:
			return &Expr{Op: Abs, Args: []*Expr{arg()}}
		case 3:
			return &Expr{Op: Mod, Args: []*Expr{arg()}, Constant: 1 + rng.IntN(5)}
		case 4:
			return &Expr{Op: If, Args: []*Expr{{Op: AtLeast, Args: []*Expr{arg()}, Constant: rng.IntN(5) - 2}, arg(), arg()}}
		case 5:
			return &Expr{Op: Is, Args: []*Expr{arg()}, Constant: rng.IntN(5) - 2}
		}
		return &Expr{Op: Sum, Args: []*Expr{arg(), arg()}, Weights: []int{rng.IntN(5) - 2, rng.IntN(5) - 2}, Constant: rng.IntN(5) - 2}
	}
	for range 2000 {
		e := random(rng.IntN(4))
		least, most := e.Range()
		lo := rng.IntN(9) - 4
		hi := lo + rng.IntN(6)
		within := e.Within(lo, hi)
		for in := range uint64(64) {
			v := e.Eval([]uint64{in})
			if got := within.Eval([]uint64{in}); v < least || v > most || got != min(max(v, lo), hi) {
				name := func(v *Variable) string { return string(rune('a' + v.Bits[0])) }
				t.Fatalf("%s: %d of %d..%d, and %d in %d..%d by %s", e.Text(name), v, least, most, got, lo, hi, within.Text(name))
			}
		}
	}
}

// TestRareCases: of a walk of counters, what an action does that was taken seldom is found beside the rest.
func TestRareCases(t *testing.T) {
	const rows = 320
	vars, bits := layout(7, 7, 7, 4, 4, 4, 4) // three counters, how much each of two is changed by, two more, the action
	next := func(x []int) int {
		switch x[6] {
		case 11:
			return x[2] + x[4]
		case 3:
			return x[2] - x[4]
		}
		return x[2]
	}
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 3))
		set := func(x []int) []uint64 {
			in := make([]uint64, (bits+63)/64)
			for i, v := range vars {
				for k, b := range v.Bits {
					in[b/64] |= uint64(x[i]>>(len(v.Bits)-1-k)&1) << (b % 64)
				}
			}
			return in
		}
		s := &Sample{Variables: vars}
		x := []int{40, 60, 50, 1, 1, 1, 0}
		for r := range rows {
			if x[6] = rng.IntN(13); x[6] == 3 {
				x[6] = 2
			}
			if r == 100 || r == 180 || r == 250 {
				x[6], x[4] = 3, 2+r/50
			}
			s.In, s.Out = append(s.In, set(x)), append(s.Out, next(x))
			for i := range 3 {
				x[i] = min(100, max(20, x[i]+rng.IntN(5)-2))
			}
			x[2] = next(x)
			x[2] = min(100, max(20, x[2]))
			x[3], x[4], x[5] = rng.IntN(11), 1+rng.IntN(10), rng.IntN(11)
		}
		e, wrong := Learn(context.Background(), s)
		if e == nil || wrong > 0 {
			t.Errorf("seed %d: no function without a wrong row", seed)
			continue
		}
		for range 2000 {
			x := []int{rng.IntN(100), rng.IntN(100), 20 + rng.IntN(80), rng.IntN(11), rng.IntN(11), rng.IntN(11), rng.IntN(13)}
			if got := e.Eval(set(x)); got != next(x) {
				t.Errorf("seed %d: %v is followed by %d, not %d: %s", seed, x, got, next(x), e.Text(func(v *Variable) string { return string(rune('a' + v.Bits[0])) }))
				break
			}
		}
	}
}
