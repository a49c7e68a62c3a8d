package quantity

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// neighbours makes a table of n quantities that all move towards the mean of the others, and one of them faster while its neighbour is above 0.
func neighbours(n, rows int, seed uint64) *Table {
	rng := rand.New(rand.NewPCG(seed, 1))
	t := &Table{Columns: make([]Column, n+1)}
	x := make([]float64, n)
	for k := range rows {
		u := float64(rng.IntN(3))
		mean := 0.0
		for _, v := range x {
			mean += v / float64(n)
		}
		next := make([]float64, n)
		for i := range x {
			rate := .1
			if i == 0 && x[1] > 0 {
				rate = .8
			}
			next[i] = math.Round((.8*x[i]+rate*(mean-x[i])+.3*(u-1)+rng.NormFloat64())*1000) / 1000
			c := &t.Columns[i]
			c.Name, c.Learn, c.Step = "x"+strconv.Itoa(i), true, .001
			c.Now, c.Next = append(c.Now, x[i]), append(c.Next, next[i])
		}
		a := &t.Columns[n]
		a.Name, a.Role, a.Now = "u", Action, append(a.Now, u)
		t.Follows, x = append(t.Follows, k > 0), next
	}
	return t
}

// TestPromising: of many terms whose splits could be compared, that on which the function depends is among the few whose splits are.
func TestPromising(t *testing.T) {
	const quantities = 14
	for seed := range uint64(10) {
		x := neighbours(quantities, 600, seed)
		x.runs()
		var terms []Term
		var splits []int
		for k := range quantities {
			terms, splits = append(terms, Term{k, 0, number}), append(splits, k)
		}
		d := x.newDesign(0, terms, x.back(0))
		root := d.grow(d.choose(0, 0), splits, 2)
		if root.Split != 1 || math.Abs(root.At) > .7 {
			t.Errorf("seed %d: the split is on x%d at %v, want x1 at 0", seed, root.Split, root.At)
		}
		d.fill()
		l := &Node{Split: -1, gram: d.all, beta: d.solve(d.all, d.choose(0, 0), nil, nil, 0)}
		for i := range d.y {
			l.rows = append(l.rows, i)
		}
		if some := d.promising(l, splits); len(some) != tried || !slices.Contains(some, 1) {
			t.Errorf("seed %d: %v", seed, some)
		}
	}
}

// TestDecimals: a function of columns whose steps are of very different sizes can be read: products of weights and steps, and constants, are integers of
// 40 bits over a denominator of as many.
func TestDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	x := &Table{Columns: []Column{{Step: 1e-6}, {Step: .2}, {Step: 2e-5}, {Values: 3, Step: 0}, {Step: 1000}}}
	terms := []Term{{0, 0, number}, {1, 1, number}, {2, 0, number}, {3, 0, 1}, {4, 0, number}}
	for range 1000 {
		f := &Function{Terms: terms, Root: &Node{Split: -1, Constant: rng.NormFloat64() * math.Pow10(rng.IntN(9)-4)}}
		for range terms {
			f.Root.Weights = append(f.Root.Weights, rng.NormFloat64()*math.Pow10(rng.IntN(14)-9))
		}
		g := x.decimals(f, mostDecimals, make([]float64, len(terms)))
		fractions := []*big.Rat{rational(t, g.Root.Constant)}
		for j, w := range g.Root.Weights {
			step, _ := x.step(terms[j])
			fractions = append(fractions, new(big.Rat).Mul(rational(t, w), rational(t, step)))
		}
		den := big.NewInt(1)
		for _, q := range fractions {
			den.Mul(den, new(big.Int).Div(q.Denom(), new(big.Int).GCD(nil, nil, den, q.Denom())))
		}
		for _, q := range fractions {
			if n := new(big.Int).Mul(q.Num(), new(big.Int).Div(den, q.Denom())); den.BitLen() > 40 || n.BitLen() > 40 {
				t.Fatalf("%v over %v in %+v", n, den, g.Root)
			}
		}
	}
}

// rational returns a decimal number as a fraction.
func rational(t *testing.T, x float64) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
	if !ok {
		t.Fatal(x)
	}
	return r
}

// BenchmarkSeveral learns the functions of six quantities.
func BenchmarkSeveral(b *testing.B) {
	for b.Loop() {
		if _, err := Learn(context.Background(), neighbours(6, 1000, 1), Options{Lags: 3, Threads: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
