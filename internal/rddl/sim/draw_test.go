package sim_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

// uniform fails unless the counts are over exactly want values and roughly equal.
func uniform(t *testing.T, what string, counts map[string]int, want int) {
	t.Helper()
	if len(counts) != want {
		t.Errorf("%s: %d values were drawn, expected %d", what, len(counts), want)
		return
	}
	n := 0
	for _, c := range counts {
		n += c
	}
	e := float64(n) / float64(want)
	chi := 0.0
	for _, c := range counts {
		chi += (float64(c) - e) * (float64(c) - e) / e
	}
	df := float64(want - 1)
	if chi > df+5*math.Sqrt(2*df)+1 {
		t.Errorf("%s: chi-square %.1f with %v degrees of freedom", what, chi, df)
	}
}

// exactlyOne adds n Boolean fluents and the condition that one of them is true.
func exactlyOne(b *builder, kind ground.Kind, base string, n int) *node {
	var refs []*node
	for i := range n {
		name := fmt.Sprintf("%s(x%d)", base, i)
		if kind == ground.State {
			b.State(name, ground.Bool, float64(1-min(1, i)))
			b.CPF(name, b.Ref(name))
		} else {
			b.Action(name, ground.Bool, float64(1-min(1, i)))
		}
		refs = append(refs, b.Ref(name))
	}
	return b.Op(ground.Eq, b.Op(ground.Add, refs...), b.C(1))
}

func TestDrawActions(t *testing.T) {
	for name, c := range map[string]struct {
		legal int
		build func(b *builder)
	}{
		"free": {12, func(b *builder) {
			b.Action("a", ground.Bool, 0)
			b.Action("m", ground.Enum, 0, "@x", "@y", "@z")
			b.Action("n", ground.Int, 0)
		}},
		"max-nondef-actions": {1 + 1 + 2 + 1, func(b *builder) {
			b.Action("a", ground.Bool, 1)
			b.Action("m", ground.Enum, 1, "@x", "@y", "@z")
			b.Action("n", ground.Int, 5)
			b.P.MaxActions = 1
		}},
		"max and precondition": {1 + 5 + 10 - 1, func(b *builder) {
			for i := range 5 {
				b.Action(fmt.Sprintf("a(x%d)", i), ground.Bool, 0)
			}
			b.P.MaxActions = 2
			b.Precondition("not both", b.Op(ground.Not, b.Op(ground.And, b.Ref("a(x1)"), b.Ref("a(x3)"))))
		}},
		"one of twenty-four, by enumeration": {24, func(b *builder) {
			b.Precondition("one", exactlyOne(b, ground.Action, "a", 24))
		}},
		"rare sums of many": {1 + 8*2 + 28*3, func(b *builder) {
			var sum []*node
			for i := range 8 {
				b.Action(fmt.Sprintf("a(x%d)", i), ground.Bool, 0)
				b.Action(fmt.Sprintf("c(x%d)", i), ground.Bool, 0)
			}
			for i := range 8 {
				a, c := b.Ref(fmt.Sprintf("a(x%d)", i)), b.Ref(fmt.Sprintf("c(x%d)", i))
				b.Precondition("c with a", b.Op(ground.Implies, c, a))
				sum = append(sum, b.Op(ground.Mul, b.C(2), a), c)
			}
			b.Precondition("at most 5", b.Op(ground.Le, b.Op(ground.Add, sum...), b.C(5)))
		}},
		"nothing allowed of forty": {1, func(b *builder) {
			for i := range 40 {
				b.Action(fmt.Sprintf("a(x%d)", i), ground.Bool, 0)
			}
			b.P.MaxActions = 0
		}},
		"apart from each other": {24 * 2, func(b *builder) {
			b.Precondition("one", exactlyOne(b, ground.Action, "a", 24))
			b.Action("b", ground.Bool, 0)
		}},
		"by an intermediate fluent": {3, func(b *builder) {
			b.Action("a", ground.Bool, 0)
			b.Action("b", ground.Bool, 0)
			b.Computed("both", ground.Interm, ground.Bool, b.Op(ground.And, b.Ref("a"), b.Ref("b")))
			b.Precondition("not both", b.Op(ground.Not, b.Ref("both")))
		}},
	} {
		b := newBuilder(name)
		b.State("s", ground.Bool, 0)
		b.CPF("s", b.Ref("s"))
		c.build(b)
		lo := 0.0
		if name == "max-nondef-actions" {
			lo = 4
		}
		s := mustNew(t, b.P, sim.WithRanges(sim.Ranges{"n": {Lo: lo, Hi: lo + 1}}))
		r := s.NewRunner(rand.New(rand.NewPCG(3, 5)))
		counts := map[string]int{}
		var action []float64
		for range 20 * max(min(c.legal, 50), 10) {
			var err error
			if action, err = r.DrawAction(action); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := r.CheckAction(action); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			counts[fmt.Sprint(action)]++
		}
		uniform(t, name, counts, c.legal)
	}
}

func TestDrawActionErrors(t *testing.T) {
	for want, build := range map[string]func(b *builder){
		"no joint action is legal in step 1; for the defaults: test.rddl": func(b *builder) {
			b.Action("a", ground.Bool, 0)
			b.Precondition("never", b.Op(ground.And, b.Ref("a"), b.Op(ground.Not, b.Ref("a"))))
		},
		"never (s = false)": func(b *builder) {
			b.Action("a", ground.Bool, 0)
			b.Precondition("never", b.Ref("s"))
		},
		"k is a number without a range": func(b *builder) { b.Action("k", ground.Int, 0) },
		"division by zero":              func(b *builder) { b.Precondition("bad", b.Op(ground.Div, b.C(1), b.Ref("s"))) },
		"draws found no values": func(b *builder) {
			b.Action("x", ground.Real, 0)
			b.Precondition("point", b.Op(ground.Eq, b.Ref("x"), b.C(0.3)))
		},
	} {
		b := newBuilder("errors")
		b.State("s", ground.Bool, 0)
		b.CPF("s", b.Ref("s"))
		build(b)
		r := mustNew(t, b.P, sim.WithRanges(sim.Ranges{"x": {Lo: 0, Hi: 1}})).NewRunner(nil)
		_, err := r.DrawAction(nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if strings.HasPrefix(want, "no joint") && !errors.Is(err, sim.ErrNoAction) {
			t.Errorf("%v is not ErrNoAction", err)
		}
	}
}

func TestRealActions(t *testing.T) {
	b := newBuilder("reals")
	b.State("s", ground.Bool, 0)
	b.CPF("s", b.Ref("s"))
	b.Action("x", ground.Real, 0)
	b.Action("y", ground.Real, 0)
	b.Precondition("x < y", b.Op(ground.Lt, b.Ref("x"), b.Ref("y")))
	r := mustNew(t, b.P, sim.WithRanges(sim.Ranges{"x": {Lo: -1, Hi: 1}, "y": {Lo: -1, Hi: 1}})).NewRunner(nil)
	sum := 0.0
	for range 10_000 {
		a, err := r.DrawAction(nil)
		if err != nil || !(a[0] < a[1]) {
			t.Fatal(a, err)
		}
		sum += a[1] / 10_000
	}
	if math.Abs(sum-1.0/3) > 0.03 {
		t.Errorf("mean of the larger %v, expected 1/3", sum)
	}
}

// TestListedActions draws reals that have finitely many values, by rejection and from a list,
// with and without a bound on the number of actions.
func TestListedActions(t *testing.T) {
	values := []float64{-0.5, 0, 0.25, 2}
	for name, c := range map[string]struct{ max, legal int }{
		"free":           {-1, 4 * 4},
		"one of two":     {1, 1 + 3 + 3},
		"one of 12 is 2": {1, 12},
	} {
		b := newBuilder("listed")
		b.State("s", ground.Bool, 0)
		b.CPF("s", b.Ref("s"))
		ranges := sim.Ranges{}
		actions := 2
		if c.legal == 12 {
			actions = 12
		}
		var last []*ground.Node
		for i := range actions {
			x := fmt.Sprintf("x%d", i)
			b.Action(x, ground.Real, 0)
			ranges[x] = sim.Range{Lo: -0.5, Hi: 2, Values: values}
			last = append(last, b.Op(ground.Eq, b.Ref(x), b.C(2)))
		}
		if c.legal == 12 {
			b.Precondition("one is 2", b.Op(ground.Or, last...))
		}
		b.P.MaxActions = c.max
		r := mustNew(t, b.P, sim.WithRanges(ranges)).NewRunner(nil)
		counts := map[string]int{}
		const each = 400
		for range each * c.legal {
			a, err := r.DrawAction(nil)
			if err != nil {
				t.Fatal(name, err)
			}
			if err := r.CheckAction(a); err != nil {
				t.Fatal(name, err)
			}
			counts[fmt.Sprint(a)]++
		}
		if len(counts) != c.legal {
			t.Errorf("%s: %d joint actions, want %d: %v", name, len(counts), c.legal, counts)
		}
		for a, n := range counts {
			if math.Abs(float64(n)-each) > 6*math.Sqrt(each) {
				t.Errorf("%s: %s %d times, want about %d", name, a, n, each)
			}
		}
	}
}

func TestDrawStates(t *testing.T) {
	for name, c := range map[string]struct {
		legal  int
		listed []int
		build  func(b *builder)
	}{
		"free": {8, nil, func(b *builder) {
			b.State("n", ground.Int, 0)
			b.CPF("n", b.Ref("n"))
			b.State("t", ground.Bool, 0)
			b.CPF("t", b.Ref("t"))
		}},
		"by rejection": {7, nil, func(b *builder) {
			b.State("n", ground.Int, 0)
			b.CPF("n", b.Ref("n"))
			b.State("t", ground.Bool, 0)
			b.CPF("t", b.Ref("t"))
			b.Invariant("t => n < 3", b.Op(ground.Implies, b.Ref("t"), b.Op(ground.Lt, b.Ref("n"), b.C(3))))
		}},
		"two of one cell each": {36 * 2, []int{36}, func(b *builder) {
			b.Invariant("one", exactlyOne(b, ground.State, "agent", 6))
			b.Invariant("one", exactlyOne(b, ground.State, "enemy", 6))
			b.Invariant("tied", b.Op(ground.Or, b.Ref("agent(x0)"), b.Op(ground.Not, b.Ref("agent(x0)")), b.Ref("enemy(x0)")))
			b.State("t", ground.Bool, 0)
			b.CPF("t", b.Ref("t"))
		}},
		"apart": {25 * 25, []int{25, 25}, func(b *builder) {
			b.Invariant("one", exactlyOne(b, ground.State, "agent", 25))
			b.Invariant("one", exactlyOne(b, ground.State, "enemy", 25))
		}},
	} {
		b := newBuilder(name)
		c.build(b)
		s := mustNew(t, b.P, sim.WithRanges(sim.Ranges{"n": {Lo: 0, Hi: 3}}))
		sd, err := sim.NewStateDrawer(s)
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.Equal(sd.Listed(), c.listed) {
			t.Errorf("%s: enumerated %v, expected %v", name, sd.Listed(), c.listed)
		}
		r := s.NewRunner(rand.New(rand.NewPCG(3, 5)))
		counts := map[string]int{}
		for range 40 * c.legal {
			if err := sd.Draw(r); err != nil {
				t.Fatal(name, err)
			}
			if err := r.CheckState(); err != nil {
				t.Fatal(name, err)
			}
			counts[fmt.Sprint(r.State(nil))]++
		}
		uniform(t, name, counts, c.legal)
	}
}

func TestDrawStateErrors(t *testing.T) {
	for want, build := range map[string]func(b *builder){
		"k is a number without a range, expected one (--range k=lo..hi)": func(b *builder) {
			b.State("k", ground.Int, 0)
			b.CPF("k", b.Ref("k"))
		},
		"no state keeps the invariants that read no fluent": func(b *builder) { b.Invariant("false", b.T(false)) },
		"no state in the ranges keeps the invariants": func(b *builder) {
			b.Invariant("never", b.Op(ground.And, b.Ref("s"), b.Op(ground.Not, b.Ref("s"))))
		},
	} {
		b := newBuilder("errors")
		b.State("s", ground.Bool, 0)
		b.CPF("s", b.Ref("s"))
		build(b)
		if _, err := sim.NewStateDrawer(mustNew(t, b.P)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestEnumerationAgainstAll draws from random conditions, by listing and by counting, and compares the drawn values
// with those found by trying all; wrong bounds would lose values, and wrong merging draw others.
func TestEnumerationAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	for round := range 80 {
		b := newBuilder("bounds")
		names := []string{"b0", "b1", "b2", "n0", "n1"}
		for _, n := range names {
			typ := ground.Bool
			if n[0] == 'n' {
				typ = ground.Int
			}
			b.State(n, typ, 0)
			b.CPF(n, b.Ref(n))
		}
		var truth, value func(depth int) *node
		truth = func(depth int) *node {
			if depth == 0 {
				return b.Ref(names[rng.IntN(3)])
			}
			switch k := rng.IntN(12); k {
			case 0:
				return b.Op(ground.Not, truth(depth-1))
			case 1, 2:
				return b.Op(ground.And+ground.Op(k-1), truth(depth-1), truth(depth-1), truth(depth-1))
			case 3, 4:
				return b.Op(ground.Implies+ground.Op(k-3), truth(depth-1), truth(depth-1))
			case 5:
				return b.Op(ground.If, truth(depth-1), truth(depth-1), truth(depth-1))
			default:
				return b.Op(ground.Eq+ground.Op(k-6), value(depth-1), value(depth-1))
			}
		}
		value = func(depth int) *node {
			if depth == 0 {
				if rng.IntN(2) == 0 {
					return b.C(float64(rng.IntN(7) - 3))
				}
				return b.Ref(names[rng.IntN(5)])
			}
			switch rng.IntN(9) {
			case 0:
				return b.Op(ground.Add, value(depth-1), value(depth-1), truth(depth-1))
			case 1:
				return b.Op(ground.Sub, value(depth-1), value(depth-1))
			case 2:
				return b.Op(ground.Mul, value(depth-1), value(depth-1))
			case 3:
				return b.Op(ground.Neg, value(depth-1))
			case 4:
				return b.Op(ground.Min, value(depth-1), value(depth-1))
			case 5:
				return b.Op(ground.Max, value(depth-1), value(depth-1))
			case 6:
				return b.Func("abs", value(depth-1))
			case 7:
				return b.Op(ground.If, truth(depth-1), value(depth-1), value(depth-1))
			default:
				return b.Op(ground.Case, value(depth-1), b.C(0), value(depth-1), value(depth-1))
			}
		}
		b.Invariant("random", truth(3))
		b.Invariant("none of the first", b.Op(ground.Not, b.Op(ground.Or, b.Ref("b0"), b.Ref("b1"), b.Ref("b2"))))
		s := mustNew(t, b.P, sim.WithRanges(sim.Ranges{"n0": {Lo: -2, Hi: 3}, "n1": {Lo: 0, Hi: 2}}))
		r := s.NewRunner(rng)
		legal := 0
		for i := range 2 * 2 * 2 * 6 * 3 {
			if r.SetState([]float64{float64(i & 1), float64(i >> 1 & 1), float64(i >> 2 & 1), float64(i>>3%6 - 2), float64(i >> 3 / 6)}) == nil {
				legal++
			}
		}
		sd, err := sim.NewStateDrawer(s)
		if legal == 0 {
			if err == nil {
				t.Errorf("round %d: no state is legal, but a drawer is made", round)
			}
			continue
		}
		if err != nil {
			t.Fatalf("round %d: %d states are legal, got %v", round, legal, err)
		}
		drawn := map[string]int{}
		for range 40 * legal {
			if err := sd.Draw(r); err != nil {
				t.Fatal(err)
			}
			drawn[fmt.Sprint(r.State(nil))]++
		}
		if len(drawn) != legal {
			t.Errorf("round %d: %d states are legal, %d were drawn", round, legal, len(drawn))
		}
		clear(drawn)
		for range 40 * legal {
			if err := sd.DrawCounted(r); err != nil {
				t.Fatal(err)
			}
			if err := r.CheckState(); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			drawn[fmt.Sprint(r.State(nil))]++
		}
		uniform(t, fmt.Sprint("round ", round), drawn, legal)
	}
}

func TestPolicies(t *testing.T) {
	s := mustNew(t, sysAdmin(4, 2))
	for _, name := range []string{"noop", "random", "exploration"} {
		p, err := sim.PolicyByName(name)
		if err != nil {
			t.Fatal(err)
		}
		r := s.NewRunner(rand.New(rand.NewPCG(1, 2)))
		counts := map[string]int{}
		for range 2200 {
			a, err := p.Act(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			counts[fmt.Sprint(a)]++
		}
		want := 1 + 4 + 6
		if name == "noop" {
			want = 1
		}
		uniform(t, name, counts, want)
	}
	if _, err := sim.PolicyByName("greedy"); err == nil {
		t.Error("there is a policy greedy")
	}
}
