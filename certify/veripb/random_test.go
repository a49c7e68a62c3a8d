package veripb

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var instances = flag.Uint64("instances", 200, "random cases of the rules that cost most; of others some times as many")

// randomConstraint returns the text of a constraint over x1..xn.
func randomConstraint(rng *rand.Rand, n int, wide bool) string {
	var b strings.Builder
	sum := int64(0)
	for v := 1; v <= n; v++ {
		if rng.IntN(3) == 0 {
			continue
		}
		coef := int64(1)
		switch rng.IntN(4) {
		case 0:
			coef = 1 + rng.Int64N(7)
		case 1:
			coef = -1 - rng.Int64N(3)
		}
		sum += max(coef, 0)
		text := fmt.Sprint(coef)
		if wide {
			text += "00000000000000000000"
		}
		if rng.IntN(2) == 0 {
			fmt.Fprintf(&b, "%s x%d ", text, v)
		} else {
			fmt.Fprintf(&b, "%s ~x%d ", text, v)
		}
	}
	degree := fmt.Sprint(rng.Int64N(sum+2) - 1)
	if wide {
		degree += "00000000000000000000"
	}
	return b.String() + ">= " + degree + " ;"
}

// randomRow returns the text of a constraint over most of x1..xn, with equal coefficients but one,
// or of a clause.
func randomRow(rng *rand.Rand, n int) string {
	var b strings.Builder
	terms := 0
	for v := 1; v < n; v++ {
		if rng.IntN(5) > 0 {
			terms++
			fmt.Fprintf(&b, "2 %sx%d ", []string{"", "~"}[rng.IntN(2)], v)
		}
	}
	degree := 1
	if rng.IntN(2) == 0 {
		degree = 1 + rng.IntN(2*terms+1)
		fmt.Fprintf(&b, "%d %sx%d ", degree-rng.IntN(2), []string{"", "~"}[rng.IntN(2)], n)
	}
	return fmt.Sprintf("%s>= %d ;", &b, degree)
}

// randomNeuron returns the texts of the two constraints that define xn as whether enough of the
// others hold; sometimes the second asks for one more.
func randomNeuron(rng *rand.Rand, n int) [2]string {
	var more, less strings.Builder
	for v := 1; v < n; v++ {
		signs := [][2]string{{"", "~"}, {"~", ""}}[rng.IntN(2)]
		fmt.Fprintf(&more, "1 %sx%d ", signs[0], v)
		fmt.Fprintf(&less, "1 %sx%d ", signs[1], v)
	}
	at := 2 + rng.IntN(n-3)
	below := n - at + rng.IntN(4)/3
	return [2]string{
		fmt.Sprintf("%s%d ~x%d >= %d ;", &more, at, n, at),
		fmt.Sprintf("%s%d x%d >= %d ;", &less, below, n, below),
	}
}

// models calls f with every assignment that satisfies all constraints, until f returns false.
func models(n int, constraints []*constraint, f func(truth func(lit) bool) bool) {
	for bits := range 1 << n {
		truth := func(l lit) bool { return bits>>l.variable()&1 != 0 != l.negated() }
		if !slices.ContainsFunc(constraints, func(k *constraint) bool { return !k.satisfied(truth) }) && !f(truth) {
			return
		}
	}
}

// naive reports whether plain propagation, which looks at each constraint until nothing
// changes, gives a contradiction.
func naive(n int, constraints []*constraint) bool {
	value := make([]int, 2*n)
	for changed := true; changed; {
		changed = false
		for _, k := range constraints {
			slack := k.degree.neg()
			for i, l := range k.lits {
				if value[l] >= 0 {
					slack = slack.add(k.coef(i))
				}
			}
			if slack.sign() < 0 {
				return true
			}
			for i, l := range k.lits {
				if value[l] == 0 && slack.less(k.coef(i)) {
					value[l], value[l.not()], changed = 1, -1, true
				}
			}
		}
	}
	return false
}

// parsed parses a constraint.
func parsed(t testing.TB, c *checker, text string) *constraint {
	t.Helper()
	w := words{file: "test", line: 1, text: []byte(text)}
	k, err := c.inequality(&w)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return k
}

func newChecker(n int) *checker {
	c := &checker{problem: &problem{}, version: version20, level: -1}
	for v := 1; v <= n; v++ {
		c.names.lookup(fmt.Append(nil, "x", v))
	}
	c.propagator.grow(n)
	return c
}

// TestPropagation randomly adds, deletes and tests constraints, and compares every answer
// with plain propagation.
func TestPropagation(t *testing.T) {
	follows, not, rows, neurons := 0, 0, 0, 0
	for seed := range *instances {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 3 + rng.IntN(6)
		switch seed % 6 {
		case 4:
			n += minDensity
		case 5:
			n += 80 // in two words
		}
		c := newChecker(n)
		for range 60 {
			text := randomConstraint(rng, n, rng.IntN(8) == 0)
			if seed%6 > 3 {
				text = randomRow(rng, n)
			}
			k := parsed(t, c, text)
			live := []*constraint{}
			for _, have := range c.byID {
				if have != nil {
					live = append(live, have)
				}
			}
			switch rng.IntN(4) {
			case 0:
				if id := rng.IntN(len(c.byID) + 1); id > 0 && c.byID[id-1] != nil {
					c.drop(id)
				}
				if rng.IntN(4) == 0 {
					c.sweep()
				}
			case 1:
				if c.insert(k); k.shape != packed {
					break
				}
				rows++
				for _, text := range randomNeuron(rng, n) {
					k = parsed(t, c, text)
					c.insert(k)
				}
				if k.rows[k.at].other != nil {
					neurons++
				}
			case 2:
				want := naive(n, append(live, k.negation()))
				if got := c.follows(k); got != want {
					t.Fatalf("seed %d: %s follows: %v, expected %v", seed, k.text(&c.names), got, want)
				}
				if want {
					follows++
				} else {
					not++
				}
			default:
				// Two assumptions, as for a goal of red.
				other := parsed(t, c, randomConstraint(rng, n, false))
				if got, want := c.refute(k.copy(), other.copy()), naive(n, append(live, k, other)); got != want {
					t.Fatalf("seed %d: refuted: %v, expected %v", seed, got, want)
				}
			}
		}
	}
	if n := 5 * int(*instances) / 6; follows < n || not < n || rows < n || neurons < n {
		t.Errorf("only %d questions answered with yes and %d with no, with %d rows and %d neurons", follows, not, rows, neurons)
	}
}

// TestPolish derives constraints by random operators, with numbers near the limits of 64
// bits, and checks that no model is lost.
func TestPolish(t *testing.T) {
	derived := 0
	for seed := range *instances {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 2 + rng.IntN(5)
		c := newChecker(n)
		for range 3 {
			c.insert(parsed(t, c, randomConstraint(rng, n, rng.IntN(5) == 0)))
		}
		axioms := slices.Clone(c.byID)
		for range 20 {
			line := fmt.Sprint(1 + rng.IntN(len(c.byID)))
			for range 1 + rng.IntN(5) {
				factor := 1 + rng.Int64N(9)
				if rng.IntN(4) == 0 {
					factor = 1 << (20 + rng.IntN(43))
				}
				switch rng.IntN(7) {
				case 0, 1:
					line += fmt.Sprintf(" %d %d * +", 1+rng.IntN(len(c.byID)), factor)
				case 2:
					line += fmt.Sprintf(" %d *", factor)
				case 3:
					line += fmt.Sprintf(" %d d", factor)
				case 4:
					line += fmt.Sprintf(" x%d w", 1+rng.IntN(n))
				case 5:
					line += fmt.Sprintf(" ~x%d %d * +", 1+rng.IntN(n), factor)
				default:
					line += " s"
				}
			}
			w := words{file: "test", line: 1, text: []byte(line)}
			if err := c.rulePolish(&w); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, line, err)
			}
			k := c.byID[len(c.byID)-1]
			derived++
			models(n, axioms, func(truth func(lit) bool) bool {
				if !k.satisfied(truth) {
					t.Fatalf("seed %d: pol %s gave %s, which loses a model", seed, line, k.text(&c.names))
				}
				return true
			})
		}
	}
	if derived != 20*int(*instances) {
		t.Errorf("%d derivations", derived)
	}
}

// TestImplies compares syntactic implication, equality and negation with the
// models.
func TestImplies(t *testing.T) {
	yes := 0
	for seed := range 30 * *instances {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 1 + rng.IntN(3)
		c := newChecker(n)
		a, b := parsed(t, c, randomConstraint(rng, n, false)), parsed(t, c, randomConstraint(rng, n, false))
		if equal(a, b, &c.terms) && (!implies(a, b, &c.terms) || !implies(b, a, &c.terms)) {
			t.Fatalf("seed %d: equal without implication", seed)
		}
		if implies(a, b, &c.terms) {
			yes++
			models(n, []*constraint{a, b.negation()}, func(func(lit) bool) bool {
				t.Fatalf("seed %d: %s does not imply %s", seed, a.text(&c.names), b.text(&c.names))
				return false
			})
		}
		if !implies(a, a.copy(), &c.terms) || !equal(a, a.copy(), &c.terms) || !equal(a, a.negation().negation(), &c.terms) {
			t.Fatalf("seed %d: %s is not what it is", seed, a.text(&c.names))
		}
		models(n, nil, func(truth func(lit) bool) bool {
			if a.satisfied(truth) == a.negation().satisfied(truth) {
				t.Fatalf("seed %d: %s and its negation agree", seed, a.text(&c.names))
			}
			return true
		})
	}
	if yes < 3*int(*instances)/2 {
		t.Errorf("only %d implications", yes)
	}
}

// TestRedundant adds constraints by random witnesses and checks that a satisfiable problem
// keeps a model with no greater objective.
func TestRedundant(t *testing.T) {
	accepted, strengthened := 0, 0
	for seed := range 10 * *instances {
		rng := rand.New(rand.NewPCG(seed, 4))
		n := 2 + rng.IntN(4)
		c := newChecker(n)
		for v := range n {
			c.problem.objective = append(c.problem.objective, term{number(rng.Int64N(5) - 2), lit(v) << 1})
		}
		for range 1 + rng.IntN(4) {
			c.insert(parsed(t, c, randomConstraint(rng, n, false)))
		}
		before := slices.Clone(c.byID)
		line := randomConstraint(rng, n, false)
		for v := 1; v <= n; v++ {
			if rng.IntN(2) == 0 {
				line += fmt.Sprintf(" x%d -> %s", v, []string{"0", "1", fmt.Sprint("x", 1+rng.IntN(n)), fmt.Sprint("~x", 1+rng.IntN(n))}[rng.IntN(4)])
			}
		}
		w := words{file: "test", line: 1, text: []byte(line)}
		if c.ruleRedundant(&w) != nil {
			continue
		}
		accepted++
		least := func(constraints []*constraint) (best *num, count int) {
			models(n, constraints, func(truth func(lit) bool) bool {
				count++
				if v := c.objectiveValue(truth); best == nil || v.less(*best) {
					best = &v
				}
				return true
			})
			return best, count
		}
		old, many := least(before)
		now, fewer := least(c.byID)
		if fewer < many {
			strengthened++
		}
		if (old == nil) != (now == nil) || old != nil && old.cmp(*now) != 0 {
			t.Fatalf("seed %d: red %s changed the least objective from %v to %v", seed, line, old, now)
		}
	}
	if accepted < 5*int(*instances)/3 || strengthened < int(*instances)/6 {
		t.Errorf("only %d constraints accepted, %d of them stronger than what follows", accepted, strengthened)
	}
}

// TestNumbers compares arithmetic with big integers near the limits of 64 bits.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	pick := func() num {
		n := new(big.Int).Lsh(big.NewInt(rng.Int64N(5)-2), uint([]int{0, 1, 31, 32, 61, 62, 63, 64, 90}[rng.IntN(9)]))
		return fromBig(n.Add(n, big.NewInt(rng.Int64N(5)-2)))
	}
	same := func(what string, a, b, got num, want *big.Int) {
		t.Helper()
		if got.value().Cmp(want) != 0 || (got.big == nil) != want.IsInt64() {
			t.Fatalf("%v %s %v = %v, expected %v", a, what, b, got, want)
		}
	}
	for range 150 * *instances {
		a, b := pick(), pick()
		x, y := a.value(), b.value()
		same("+", a, b, a.add(b), new(big.Int).Add(x, y))
		same("-", a, b, a.sub(b), new(big.Int).Sub(x, y))
		same("*", a, b, a.mul(b), new(big.Int).Mul(x, y))
		same("abs", a, b, a.abs(), new(big.Int).Abs(x))
		if a.cmp(b) != x.Cmp(y) || a.sign() != x.Sign() {
			t.Fatalf("%v and %v compare wrongly", a, b)
		}
		if b.sign() > 0 {
			up := new(big.Int).Neg(x)
			up.Neg(up.Div(up, y)) // Div rounds down for y > 0
			same("ceil/", a, b, a.ceilDiv(b), up)
		}
		if back, ok := parseNumber([]byte(a.String())); !ok || back.cmp(a) != 0 {
			t.Fatalf("%v was read as %v", a, back)
		}
	}
	for _, bad := range []string{"", "-", "+", "1-", "0x1", "1_0", "--1", strings.Repeat("1", maxDigits+1)} {
		if n, ok := parseNumber([]byte(bad)); ok {
			t.Errorf("%.20q was read as %v", bad, n)
		}
	}
}
