package translate

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// exactly evaluates expressions in fractions of any size and shares no code with the compiler.
type exactly struct {
	g         *ground.Problem
	now, next []*big.Rat
}

func ratOf(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(fmt.Sprint(f)) // the decimal that was written
	return r
}

// nearestTo rounds x to a multiple of step, halves to the even one.
func nearestTo(x, step *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(x, step)
	whole := func(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) } // the divisor is positive
	low := whole(q)
	rest := new(big.Rat).Sub(q, new(big.Rat).SetInt(low))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && low.Bit(0) == 1 {
		low.Add(low, big.NewInt(1))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(low), step)
}

func (o *exactly) is(n *ground.Node) bool { return o.eval(n).Sign() != 0 }

func (o *exactly) eval(n *ground.Node) *big.Rat {
	truth := func(b bool) *big.Rat {
		if b {
			return big.NewRat(1, 1)
		}
		return new(big.Rat)
	}
	all := func(f func(a, b *big.Rat) *big.Rat) *big.Rat {
		v := o.eval(n.Args[0])
		for _, a := range n.Args[1:] {
			v = f(v, o.eval(a))
		}
		return v
	}
	switch n.Op {
	case ground.Const:
		return ratOf(n.Val)
	case ground.Ref:
		if n.Primed {
			return o.next[n.Fluent]
		}
		return o.now[n.Fluent]
	case ground.Not:
		return truth(!o.is(n.Args[0]))
	case ground.And:
		for _, a := range n.Args {
			if !o.is(a) {
				return truth(false)
			}
		}
		return truth(true)
	case ground.Or:
		for _, a := range n.Args {
			if o.is(a) {
				return truth(true)
			}
		}
		return truth(false)
	case ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		c := o.eval(n.Args[0]).Cmp(o.eval(n.Args[1]))
		return truth(map[ground.Op]bool{ground.Eq: c == 0, ground.Ne: c != 0, ground.Lt: c < 0, ground.Le: c <= 0, ground.Gt: c > 0, ground.Ge: c >= 0}[n.Op])
	case ground.Add:
		return all(func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) })
	case ground.Sub:
		return all(func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) })
	case ground.Mul:
		return all(func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) })
	case ground.Div:
		return all(func(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) })
	case ground.Neg:
		return new(big.Rat).Neg(o.eval(n.Args[0]))
	case ground.If:
		if o.is(n.Args[0]) {
			return o.eval(n.Args[1])
		}
		return o.eval(n.Args[2])
	case ground.Min, ground.Max:
		return all(func(a, b *big.Rat) *big.Rat {
			if (a.Cmp(b) < 0) == (n.Op == ground.Min) {
				return a
			}
			return b
		})
	case ground.Func:
		switch n.Name {
		case "abs":
			return new(big.Rat).Abs(o.eval(n.Args[0]))
		case "round":
			return nearestTo(o.eval(n.Args[0]), big.NewRat(1, 1))
		case operator.RoundTo.Name:
			return nearestTo(o.eval(n.Args[0]), o.eval(n.Args[1]))
		}
	}
	panic(fmt.Sprint("no such operation ", n.Op, n.Name))
}

// reals draws expressions over the fluents: u is a real action, a a Boolean one, x and y are real
// states and p is a Boolean one.
type reals struct{ r *rand.Rand }

func (m *reals) ref(i int, t ground.Type) *ground.Node {
	return &ground.Node{Op: ground.Ref, Type: t, Fluent: i}
}

func (m *reals) num() *ground.Node {
	v := []float64{0, 1, -1, 0.5, 0.25, -0.3, 2, 0.05, 1.5}[m.r.IntN(9)]
	return &ground.Node{Op: ground.Const, Type: ground.Real, Val: v}
}

func (m *reals) number(depth int) *ground.Node {
	if depth == 0 {
		switch m.r.IntN(5) {
		case 0:
			return m.num()
		case 1:
			return m.ref(1+3*m.r.IntN(2), ground.Bool)
		}
		return m.ref([]int{0, 2, 3}[m.r.IntN(3)], ground.Real)
	}
	n := &ground.Node{Type: ground.Real}
	sub := func() *ground.Node { return m.number(depth - 1) }
	switch m.r.IntN(10) {
	case 0, 1:
		n.Op, n.Args = ground.Add, []*ground.Node{sub(), sub(), sub()}
	case 2:
		n.Op, n.Args = ground.Sub, []*ground.Node{sub(), sub()}
	case 3, 4:
		n.Op, n.Args = ground.Mul, []*ground.Node{sub(), sub()}
	case 5:
		n.Op, n.Args = ground.If, []*ground.Node{m.condition(depth - 1), sub(), sub()}
	case 6:
		n.Op, n.Args = []ground.Op{ground.Min, ground.Max}[m.r.IntN(2)], []*ground.Node{sub(), sub()}
	case 7:
		n.Op, n.Args = ground.Div, []*ground.Node{sub(), {Op: ground.Const, Type: ground.Real, Val: []float64{2, -3, 0.4, 7}[m.r.IntN(4)]}}
	case 8: // by a number that is never 0
		by := &ground.Node{Op: ground.Add, Type: ground.Real, Args: []*ground.Node{
			{Op: ground.Func, Name: "abs", Type: ground.Real, Args: []*ground.Node{sub()}}, {Op: ground.Const, Type: ground.Real, Val: 0.5},
		}}
		n.Op, n.Args = ground.Div, []*ground.Node{sub(), by}
	default:
		n.Op, n.Name, n.Args = ground.Func, []string{"abs", "round"}[m.r.IntN(2)], []*ground.Node{sub()}
	}
	return n
}

func (m *reals) condition(depth int) *ground.Node {
	if depth == 0 && m.r.IntN(2) == 0 {
		return m.ref(1+3*m.r.IntN(2), ground.Bool)
	}
	op := []ground.Op{ground.Eq, ground.Lt, ground.Le, ground.Gt, ground.Ge, ground.Ne}[m.r.IntN(6)]
	return &ground.Node{Op: op, Type: ground.Bool, Args: []*ground.Node{m.number(max(0, depth-1)), m.number(max(0, depth-1))}}
}

// realWorld is a random problem whose reals have steps.
func realWorld(t *testing.T, r *rand.Rand, depth int) (*ground.Problem, map[string]Range) {
	t.Helper()
	m := &reals{r}
	g := &ground.Problem{Domain: "random", Instance: "r", MaxActions: -1, Discount: 1, ByName: map[string]int{}, Fluents: []ground.Fluent{
		{Name: "u", Kind: ground.Action, Type: ground.Real},
		{Name: "a", Kind: ground.Action, Type: ground.Bool},
		{Name: "x", Kind: ground.State, Type: ground.Real},
		{Name: "y", Kind: ground.State, Type: ground.Real},
		{Name: "p", Kind: ground.State, Type: ground.Bool},
	}, Order: []int{2, 3, 4}}
	for i := range g.Fluents {
		g.Fluents[i].Base = g.Fluents[i].Name
		g.ByName[g.Fluents[i].Name] = i
	}
	clamped := func(n *ground.Node) *ground.Node {
		if r.IntN(2) == 0 {
			return n
		}
		lo, hi := &ground.Node{Op: ground.Const, Type: ground.Real, Val: -1}, &ground.Node{Op: ground.Const, Type: ground.Real, Val: 1}
		return &ground.Node{Op: ground.Min, Type: ground.Real, Args: []*ground.Node{hi, {Op: ground.Max, Type: ground.Real, Args: []*ground.Node{lo, n}}}}
	}
	g.Fluents[2].CPF, g.Fluents[3].CPF, g.Fluents[4].CPF = clamped(m.number(depth)), clamped(m.number(depth)), m.condition(depth)
	g.Preconditions = []ground.Condition{{Expr: m.condition(1), Text: "precondition"}}
	g.Reward = m.ref(2, ground.Real)
	steps := map[string]operator.Rat{"u": operator.Fraction(1, 2), "x": {}, "y": {}}
	for _, name := range []string{"x", "y"} {
		steps[name] = []operator.Rat{operator.Fraction(1, 2), operator.Fraction(1, 5), operator.Fraction(1, 4), operator.Fraction(1, 10)}[r.IntN(4)]
	}
	q, err := g.Rounded(func(f *ground.Fluent) operator.Rat { return steps[f.Name] })
	if err != nil {
		t.Fatal(err)
	}
	return q, map[string]Range{"u": {Lo: -1, Hi: 1}, "x": {Lo: -1, Hi: 1}, "y": {Lo: -1, Hi: 2}}
}

// TestRounded compares problems whose reals have steps with fractions of any size, and the simulator too: in
// every state under every action the next state is the rounded one and no other.
func TestRounded(t *testing.T) {
	for _, bits := range []int{-1, 4, 10} {
		steps := 0
		for seed := range max(3, *instances/4) {
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			g, ranges := realWorld(t, r, 1+seed%3)
			c, err := Problem(context.Background(), g, Options{Ranges: ranges, tableBits: bits})
			if err != nil {
				t.Fatalf("tables of %d bits, seed %d: %v", bits, seed, err)
			}
			s, err := sim.New(g)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			c.Problem.Initial = nil
			steps += checkRounded(t, r, seed, c, s.NewRunner(nil))
		}
		t.Logf("tables of %d bits: %d steps", bits, steps)
	}
}

// each calls f with every assignment of the variables of a kind.
func each(c *Compiled, kinds []factored.Kind, at []int64, i int, f func()) {
	if i == len(at) {
		f()
		return
	}
	v := c.Variable(i)
	if kinds[i] != v.Kind {
		each(c, kinds, at, i+1, f)
		return
	}
	for at[i] = v.Lo; at[i] <= v.Hi; at[i]++ {
		each(c, kinds, at, i+1, f)
	}
}

func checkRounded(t *testing.T, r *rand.Rand, seed int, c *Compiled, run *sim.Runner) (steps int) {
	g := c.Ground
	every := make([]factored.Kind, len(g.Fluents))
	for i := range every {
		every[i] = c.Variable(i).Kind
	}
	at := make([]int64, len(g.Fluents))
	each(c, every, at, 0, func() {
		if r.IntN(100) != 0 {
			return
		}
		o := &exactly{g: g, now: make([]*big.Rat, len(at)), next: make([]*big.Rat, len(at))}
		values := make([]float64, len(at))
		for i, z := range at {
			x := c.valueAt(i, z)
			o.now[i], values[i] = big.NewRat(x.N, x.D), x.float()
		}
		here, err := c.Valuation(values)
		if err != nil {
			t.Fatal(err)
		}
		next := append([]float64(nil), values...)
		inside := true
		for _, i := range g.Order {
			o.next[i] = o.eval(g.Fluents[i].CPF)
			next[i], _ = o.next[i].Float64()
			z, ok := c.Encode(i, next[i])
			v := c.Variable(i)
			inside = inside && ok && z >= v.Lo && z <= v.Hi
		}
		steps++
		legal := o.is(g.Preconditions[0].Expr)
		simulated(t, seed, run, values, next, legal)
		try := func(next []float64, want bool) {
			there, err := c.Valuation(next)
			if err != nil {
				t.Fatal(err)
			}
			fail, err := validate.CheckStep(c.Problem, nil, here, there)
			if err != nil || (fail == nil) != want {
				t.Fatalf("seed %d: %v to %v: valid %v, want %v: %v %v\n%s", seed, values, next, fail == nil, want, fail, err, text(g, g.Fluents[2].CPF))
			}
		}
		if inside {
			try(next, legal)
		}
		other := append([]float64(nil), next...)
		i := 2 + r.IntN(2)
		v := c.Variable(i)
		other[i] = c.Decode(i, v.Lo+r.Int64N(v.Hi-v.Lo+1))
		if _, err := c.Valuation(other); err == nil && other[i] != next[i] {
			try(other, false)
		}
	})
	return steps
}

// simulated compares a step of the simulator.
func simulated(t *testing.T, seed int, run *sim.Runner, values, next []float64, legal bool) {
	t.Helper()
	if err := run.SetState(values[2:]); err != nil {
		t.Fatalf("seed %d: %v: %v", seed, values, err)
	}
	_, err := run.Step(values[:2])
	if v := new(sim.Violation); errors.As(err, &v) != !legal || err != nil && legal {
		t.Fatalf("seed %d: %v: simulator finds %v, legal %v", seed, values, err, legal)
	}
	if !legal {
		return
	}
	for i, x := range run.State(nil) {
		if x != next[i+2] {
			t.Fatalf("seed %d: %v: simulator has %v, want %v", seed, values, run.State(nil), next[2:])
		}
	}
}

// TestRoundedFunctions compares functions of reals with steps with the simulator in every state under every action.
func TestRoundedFunctions(t *testing.T) {
	for name, cpf := range map[string]string{
		"root":          "if (sqrt[x * x + u * u] <= 0.5) then x + u else x",
		"guarded":       "x + (if (hypot[u, x] >= 0.4) then 0.3 * u / hypot[u, x] else u)",
		"clamped":       "max[-1, min[1, x + 0.7 * cos[3 * x] * u]]",
		"legal divisor": "x + u / (2.5 + 2 * x) * 0.01",
		"power":         "pow[x, 2] - pow[u, 3] / 2",
		"long constant": "x * 0.123456789012 + 0.05",
	} {
		text := "domain d { pvariables { x : { state-fluent, real, default = 0.2 }; u : { action-fluent, real, default = 0.0 }; };\n cpfs { x' = " +
			cpf + "; };\n reward = x; action-preconditions { u >= -0.5 ^ u <= 0.5; }; state-invariants { x >= -1 ^ x <= 1; }; }\n" +
			"instance i { domain = d; horizon = 3; discount = 1.0; }"
		f, err := rddl.Parse("d.rddl", []byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		g, err := ground.File(context.Background(), f, "")
		if err == nil {
			g, err = g.Rounded(func(*ground.Fluent) operator.Rat { return operator.Fraction(1, 10) })
		}
		if err != nil {
			t.Fatal(name, err)
		}
		for _, bits := range []int{4, 12} {
			c, err := Problem(context.Background(), g, Options{tableBits: bits})
			if err != nil {
				if bits == 12 {
					t.Errorf("%s: %v", name, err)
				}
				continue // functions need tables
			}
			s, err := sim.New(g)
			if err != nil {
				t.Fatal(name, err)
			}
			c.Problem.Initial = nil
			followRounded(t, name, c, s.NewRunner(nil))
		}
	}
}

// followRounded compares the steps of a problem of one state x and one action u.
func followRounded(t *testing.T, name string, c *Compiled, run *sim.Runner) {
	t.Helper()
	x, u := c.Ground.ByName["x"], c.Ground.ByName["u"]
	legal := 0
	for a := c.Variable(x).Lo; a <= c.Variable(x).Hi; a++ {
		for b := c.Variable(u).Lo; b <= c.Variable(u).Hi; b++ {
			values := make([]float64, 2)
			values[x], values[u] = c.Decode(x, a), c.Decode(u, b)
			here, err := c.Valuation(values)
			if err != nil {
				t.Fatal(err)
			}
			if err := run.SetState(values[x : x+1]); err != nil {
				t.Fatal(err)
			}
			_, broken := run.Step(values[u : u+1])
			next := append([]float64(nil), values...)
			next[x] = run.Value(x)
			there, err := c.Valuation(next)
			if err != nil {
				continue
			}
			fail, err := validate.CheckStep(c.Problem, nil, here, there)
			if err != nil || (fail == nil) != (broken == nil) {
				t.Fatalf("%s: x = %v, u = %v to %v: the simulator says %v, the model %v %v", name, values[x], values[u], next[x], broken, fail, err)
			}
			if broken == nil {
				legal++
			}
		}
	}
	if legal < 10 {
		t.Errorf("%s: only %d legal steps", name, legal)
	}
}
