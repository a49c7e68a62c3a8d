package cnf

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

var ops = []factored.Op{factored.LE, factored.GE, factored.EQ}

func holds(total int64, op factored.Op, k int64) bool {
	switch op {
	case factored.LE:
		return total <= k
	case factored.GE:
		return total >= k
	default:
		return total == k
	}
}

// encodeSum encodes c, whose variables are 1..n.
func encodeSum(t *testing.T, e Encoding, c model.Sum, limit int) *propagator {
	t.Helper()
	m := &memory{next: model.Lit(len(c.Terms))}
	e.sum(m, c, limit)
	return newPropagator(t, m)
}

// checkModels compares the models with the definition.
func checkModels(t *testing.T, e Encoding, c model.Sum, limit int) {
	t.Helper()
	pr := encodeSum(t, e, c, limit)
	lits := make([]model.Lit, len(c.Terms))
	for i, term := range c.Terms {
		lits[i] = term.Lit
	}
	pr.each(lits, false, func(values []int8, ok bool) {
		// A conflict under a partial assignment must hold for all completions.
		var least, most int64
		for i, b := range values {
			switch {
			case b > 0:
				least += c.Terms[i].Coef
				most += c.Terms[i].Coef
			case b == 0:
				most += c.Terms[i].Coef
			}
		}
		if ok {
			if got, want := pr.satisfiable(), holds(least, c.Op, c.K); got != want {
				t.Fatalf("%v %v: %v is a model: %v, want %v", e, c, values, got, want)
			}
			return
		}
		if possible(c, values, 0) {
			t.Fatalf("%v %v: conflict at %v, which is possible", e, c, values)
		}
	})
}

// possible reports whether values can be completed so that c holds.
func possible(c model.Sum, values []int8, i int) bool {
	var total int64
	if i == len(values) {
		for j, b := range values {
			if b > 0 {
				total += c.Terms[j].Coef
			}
		}
		return holds(total, c.Op, c.K)
	}
	if values[i] != 0 {
		return possible(c, values, i+1)
	}
	for _, b := range []int8{-1, 1} {
		values[i] = b
		ok := possible(c, values, i+1)
		values[i] = 0
		if ok {
			return true
		}
	}
	return false
}

// checkComplete tests that propagation alone finds every conflict and every
// implied literal, on all partial assignments.
func checkComplete(t *testing.T, e Encoding, c model.Sum) {
	t.Helper()
	pr := encodeSum(t, e, c, diagramLimit)
	lits := make([]model.Lit, len(c.Terms))
	for i, term := range c.Terms {
		lits[i] = term.Lit
	}
	pr.each(lits, true, func(values []int8, ok bool) {
		if can := possible(c, values, 0); can != ok {
			t.Fatalf("%v %v: %v is possible: %v, propagation says %v", e, c, values, can, ok)
		}
		if !ok {
			return
		}
		for i := range values {
			if values[i] != 0 {
				continue
			}
			for _, b := range []int8{-1, 1} {
				values[i] = -b
				forced := !possible(c, values, 0)
				values[i] = 0
				if forced && pr.val(lits[i]) != b {
					t.Fatalf("%v %v: literal %d is not inferred from %v", e, c, i, values)
				}
			}
		}
	})
}

func sumOf(rng *rand.Rand, op factored.Op, k int64, coefs ...int64) model.Sum {
	c := model.Sum{Op: op, K: k}
	for i, a := range coefs {
		l := model.Lit(i + 1)
		if rng.Intn(2) == 0 {
			l = -l
		}
		c.Terms = append(c.Terms, model.Term{Coef: a, Lit: l})
	}
	rng.Shuffle(len(c.Terms), func(i, j int) { c.Terms[i], c.Terms[j] = c.Terms[j], c.Terms[i] })
	return c
}

// TestCardinality tests sums with equal coefficients: every bound, infeasible
// and trivial ones included.
func TestCardinality(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, e := range all {
		for n := 0; n <= largest(); n++ {
			for _, op := range ops {
				for k := -2; k <= n+2; k++ {
					for _, coef := range []int64{1, 3} {
						coefs := make([]int64, n)
						for i := range coefs {
							coefs[i] = coef
						}
						// Also right-hand sides between multiples.
						for _, more := range []int64{0, coef - 1} {
							c := sumOf(rng, op, int64(k)*coef+more, coefs...)
							checkModels(t, e, c, diagramLimit)
							if n <= 6 {
								checkComplete(t, e, c)
							}
						}
					}
				}
			}
		}
	}
}

// TestLargeCardinality tests the bounds of longer sums at their thresholds.
func TestLargeCardinality(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	rounds := 15
	if *exhaustive {
		rounds = 60
	}
	for range rounds {
		n := 10 + rng.Intn(50)
		k := 1 + rng.Intn(n-1)
		coefs := make([]int64, n)
		for i := range coefs {
			coefs[i] = 1
		}
		for _, e := range all {
			for _, op := range ops {
				c := sumOf(rng, op, int64(k), coefs...)
				pr := encodeSum(t, e, c, diagramLimit)
				for _, b := range []int8{1, -1} {
					if op == factored.LE && b < 0 || op == factored.GE && b > 0 {
						continue // the other side is unbounded
					}
					count := k
					if b < 0 {
						count = n - k
					}
					mark := len(pr.trail)
					order := rng.Perm(n)
					for _, i := range order[:count] {
						if !pr.assume(c.Terms[i].Lit * model.Lit(b)) {
							t.Fatalf("%v n=%d %v %d: conflict", e, n, op, k)
						}
					}
					for _, i := range order[count:] {
						if pr.val(c.Terms[i].Lit) != -b {
							t.Fatalf("%v n=%d %v %d: not inferred", e, n, op, k)
						}
					}
					if !pr.satisfiable() {
						t.Fatalf("%v n=%d %v %d: no model", e, n, op, k)
					}
					pr.undo(mark)
				}
			}
		}
	}
}

// TestSums tests random sums, also with the adders that replace diagrams.
func TestSums(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	rounds := 150
	if *exhaustive {
		rounds = 800
	}
	for range rounds {
		n := 1 + rng.Intn(8)
		largest := []int64{2, 5, 20, 1_000_000}[rng.Intn(4)]
		coefs := make([]int64, n)
		var total int64
		for i := range coefs {
			coefs[i] = 1 + rng.Int63n(largest)
			if rng.Intn(4) == 0 {
				coefs[i] = 1 << rng.Intn(12)
			}
			total += coefs[i]
		}
		k := rng.Int63n(total+5) - 2
		if rng.Intn(2) == 0 { // a value that is taken
			k = 0
			for _, a := range coefs {
				k += a * rng.Int63n(2)
			}
		}
		op := ops[rng.Intn(3)]
		c := sumOf(rng, op, k, coefs...)
		e := all[rng.Intn(len(all))]
		checkModels(t, e, c, diagramLimit)
		checkModels(t, e, c, 0)
		if n <= 6 && op != factored.EQ {
			checkComplete(t, e, c)
		}
	}
}

// TestExtremeSums tests bounds and coefficients at the ends of their ranges.
func TestExtremeSums(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	big := int64(1) << 58
	for _, op := range ops {
		for _, k := range []int64{math.MinInt64, math.MaxInt64, -1, 0, 1, big, 2*big - 1, 2 * big, 4*big + 3, 1 << 61} {
			for _, e := range all {
				for _, limit := range []int{diagramLimit, 0} {
					checkModels(t, e, sumOf(rng, op, k, big, big, 2*big, 1, 2), limit)
					checkModels(t, e, sumOf(rng, op, k, big, big, big+1, big-1, 3*big+7), limit)
					checkModels(t, e, sumOf(rng, op, k), limit)
				}
			}
		}
	}
}

// TestFallback tests that the node limit decides between diagram and adders.
func TestFallback(t *testing.T) {
	c := model.Sum{Op: factored.LE}
	rng := rand.New(rand.NewSource(6))
	for i := range 60 {
		a := 1 + rng.Int63n(1<<40)
		c.Terms = append(c.Terms, model.Term{Coef: a, Lit: model.Lit(i + 1)})
		c.K += a / 2
	}
	counter := Counter{Next: 60}
	Default.Sum(&counter, c)
	if counter.Clauses < 1000 || counter.Clauses > 50_000 {
		t.Errorf("%d clauses; adders should need some ten thousand", counter.Clauses)
	}
	small := Counter{Next: 60}
	for i := range c.Terms {
		c.Terms[i].Coef = int64(i%7 + 1)
	}
	c.K = 100
	Default.Sum(&small, c)
	if small.Clauses > 2*small.Vars+2 || small.Vars > 60*101 {
		t.Errorf("%d clauses and %d variables; a diagram has at most two clauses a node", small.Clauses, small.Vars)
	}
}

// TestForms tests the sums that need no counting.
func TestForms(t *testing.T) {
	terms := func(coefs ...int64) (out []model.Term) {
		for i, a := range coefs {
			out = append(out, model.Term{Coef: a, Lit: model.Lit(i + 1)})
		}
		return out
	}
	for _, tc := range []struct {
		sum  model.Sum
		want string
	}{
		{model.Sum{Terms: terms(1, 1, 1), Op: factored.GE, K: 1}, "[[1 2 3]]"},
		{model.Sum{Terms: terms(2, 2, 2), Op: factored.GE, K: 1}, "[[1 2 3]]"},
		{model.Sum{Terms: terms(1, 1, 1), Op: factored.LE, K: 2}, "[[-1 -2 -3]]"},
		{model.Sum{Terms: terms(5, 3, 4), Op: factored.GE, K: 2}, "[[1 3 2]]"},
		{model.Sum{Terms: terms(1, 1, 1), Op: factored.LE, K: 0}, "[[-1] [-2] [-3]]"},
		{model.Sum{Terms: terms(1, 1, 1), Op: factored.EQ, K: 3}, "[[1] [2] [3]]"},
		{model.Sum{Terms: terms(7, 3, 3), Op: factored.LE, K: 6}, "[[-1]]"},
		{model.Sum{Terms: terms(7, 3, 3), Op: factored.LE, K: 5}, "[[-1] [-2 -3]]"},
		{model.Sum{Terms: terms(1, 1, 1), Op: factored.LE, K: 3}, "[]"},
		{model.Sum{Terms: terms(1, 1, 1), Op: factored.GE, K: -1}, "[]"},
		{model.Sum{Terms: terms(1, 1), Op: factored.GE, K: 3}, "[[1] [-1]]"},
		{model.Sum{Terms: terms(2, 4), Op: factored.EQ, K: 3}, "[[-2] [1] [-1]]"},
		{model.Sum{Op: factored.LE, K: -1}, "[[1] [-1]]"},
		{model.Sum{Op: factored.EQ, K: 0}, "[]"},
	} {
		for _, e := range all {
			m := &memory{next: model.Lit(len(tc.sum.Terms))}
			e.Sum(m, tc.sum)
			if got := fmt.Sprint(m.clauses); got != tc.want && !(len(m.clauses) == 0 && tc.want == "[]") {
				t.Errorf("%v %v: %s, want %s", e, tc.sum, got, tc.want)
			}
		}
	}
}

func TestParseEncoding(t *testing.T) {
	for _, e := range all {
		if got, err := ParseEncoding(e.String()); err != nil || got != e {
			t.Errorf("%v: %v, %v", e, got, err)
		}
	}
	if _, err := ParseEncoding("totaliser"); err == nil {
		t.Error("no error for an unknown name")
	}
	if got := Encoding(9).String(); got != "Encoding(9)" {
		t.Error(got)
	}
}
