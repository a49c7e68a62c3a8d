package translate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/validate"
)

// writer writes random RDDL expressions over the fluents of unranged.
type writer struct{ r *rand.Rand }

func (w *writer) pick(list ...string) string { return list[w.r.IntN(len(list))] }

func (w *writer) integer(depth int) string {
	if depth == 0 {
		return w.pick("i", "j", "i", "j", "k", "p", "1", "2", "-1", "m")
	}
	e := func() string { return w.integer(depth - 1) }
	switch w.r.IntN(10) {
	case 0, 1:
		return "(" + e() + w.pick(" + ", " - ") + e() + ")"
	case 2, 3:
		return w.pick("min", "max") + "[" + e() + ", " + w.pick("-2", "0", "3", "4") + "]"
	case 4:
		return w.pick("mod[", "div[") + e() + ", " + w.pick("2", "3") + "]"
	case 5:
		return "abs[" + e() + "]"
	case 6:
		return "(" + w.pick("2", "-1", "3") + " * " + e() + ")"
	case 7:
		return w.pick("floor", "ceil", "round") + "[" + w.real(depth-1) + "]"
	default:
		return "(if (" + w.truth(depth-1) + ") then " + e() + " else " + e() + ")"
	}
}

func (w *writer) truth(depth int) string {
	if depth == 0 {
		return w.pick("p", "a", "i < 3", "j >= 1", "k == 2", "r < 1.5", "i <= j", "m ~= 1", "r >= 0.5", "j == 2", "i + j < 5", "big")
	}
	switch w.r.IntN(5) {
	case 0:
		return "(~" + w.truth(depth-1) + ")"
	case 1:
		return "(" + w.integer(depth-1) + w.pick(" < ", " <= ", " > ", " >= ", " == ", " ~= ") + w.integer(depth-1) + ")"
	case 2:
		return "(" + w.real(depth-1) + w.pick(" < ", " <= ", " > ", " >= ", " == ") + w.pick("1", "0.5", "r", "1.75", "i") + ")"
	}
	return "(" + w.truth(depth-1) + w.pick(" ^ ", " | ", " => ") + w.truth(depth-1) + ")"
}

func (w *writer) real(depth int) string {
	if depth == 0 {
		return w.pick("r", "r", "0.5", "1.25", "i / 2", "2.5", "p / 4")
	}
	e := func() string { return w.real(depth - 1) }
	switch w.r.IntN(5) {
	case 0:
		return "(" + e() + w.pick(" + ", " - ") + e() + ")"
	case 1:
		return w.pick("min", "max") + "[" + e() + ", " + w.pick("0", "1.5", "2") + "]"
	case 2:
		return "(" + e() + " / 2)"
	}
	return "(if (" + w.truth(depth-1) + ") then " + e() + " else " + e() + ")"
}

// unranged is a domain with integers without ranges and a real, half of them bounded by how
// they change and half by conditions.
func (w *writer) unranged() string {
	bounded := func(e, lo, hi string) string {
		switch w.r.IntN(4) {
		case 0:
			return e
		case 1:
			return "if (" + w.truth(1) + ") then " + w.pick("i", "j", "0") + " else max[min[" + e + ", " + hi + "], " + lo + "]"
		}
		return "max[min[" + e + ", " + hi + "], " + lo + "]"
	}
	inv, pre := []string{}, []string{}
	for range w.r.IntN(3) {
		inv = append(inv, w.pick("i >= -1", "i <= 4", "j <= 3 ^ j >= -3", "i + j <= 5", "i - j <= 4", "r <= 2", "(i == 0 | i == 2 | i == 3)", "big | i < 2", "r >= 0", "2 * i <= 7"))
	}
	for range w.r.IntN(4) {
		pre = append(pre, w.pick("k >= 0", "k <= 2", "k <= i", "k ~= 1", "(k == 0 | k == 2)", "k + j < 4", "p => k >= -1"))
	}
	block := func(name string, list []string) string {
		if len(list) == 0 {
			return ""
		}
		return name + " { " + strings.Join(list, "; ") + "; };\n"
	}
	return `domain d { pvariables {
		a : { action-fluent, bool, default = false }; k : { action-fluent, int, default = 0 };
		p : { state-fluent, bool, default = false }; i : { state-fluent, int, default = 0 };
		j : { state-fluent, int, default = 1 }; r : { state-fluent, real, default = 0.5 };
		m : { interm-fluent, int }; big : { interm-fluent, bool };
	}; cpfs {
		m = ` + strings.ReplaceAll(strings.ReplaceAll(w.integer(1), "m", "i"), "big", "a") + `;
		big = ` + strings.ReplaceAll(w.truth(1), "big", "p") + `;
		p' = ` + w.truth(2) + `;
		i' = ` + bounded(w.integer(2), "-2", "4") + `;
		j' = ` + bounded(w.integer(2), "0", "3") + `;
		r' = ` + w.pick("r", "max[min["+w.real(2)+", 2], 0]", w.real(1), "max[min["+w.real(2)+", 1.5], -0.5]") + `;
	};
	reward = 0;
	` + block("state-invariants", inv) + block("action-preconditions", pre) + `}
	instance x { domain = d; max-nondef-actions = pos-inf; horizon = 5; discount = 1.0; }`
}

// mangled words of the replacements above, such as "min" that became "iin".
func repaired(text string) string {
	for _, s := range [][2]string{{"iin[", "min["}, {"iax[", "max["}, {"iod[", "mod["}} {
		text = strings.ReplaceAll(text, s[0], s[1])
	}
	return text
}

// explored are the legal states that a simulator reaches, as far as they are few.
type explored struct {
	s      *sim.Simulator
	r      *sim.Runner
	limits [2]float64 // of the action k
}

// successors calls f with the state after each legal action whose next state is legal.
func (e *explored) successors(state []float64, f func(action, next []float64)) {
	for a := range 2 {
		for k := e.limits[0]; k <= e.limits[1]; k++ {
			if e.r.SetState(state) != nil {
				return // not legal
			}
			action := []float64{float64(a), k}
			if e.r.CheckAction(action) != nil {
				continue
			}
			if _, err := e.r.Step(action); err == nil {
				f(action, e.r.State(nil))
			}
		}
	}
}

// inferTotals count what was checked.
type inferTotals struct{ ranges, grids, steps, compiled int }

// TestInferredRanges compares inferred ranges and values of random problems with those that
// are reached, and checks that no legal step from any legal state within leads outside.
func TestInferredRanges(t *testing.T) {
	cases := uint64(2 * *instances)
	var total inferTotals
	for seed := range cases {
		total.check(t, seed)
	}
	t.Logf("%+v", total)
	if n := int(cases); total.ranges < n || total.grids < n/3 || total.steps < 100*n || total.compiled < n {
		t.Errorf("too little is checked: %+v", total)
	}
}

func FuzzInferredRanges(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { new(inferTotals).check(t, seed) })
}

// check is one case of TestInferredRanges.
func (n *inferTotals) check(t *testing.T, seed uint64) {
	w := &writer{rand.New(rand.NewPCG(seed, 12))}
	text := repaired(w.unranged())
	f, err := rddl.Parse("d.rddl", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	g, err := ground.File(context.Background(), f, "")
	if err != nil {
		return // such as a real where an integer is expected
	}
	s, err := sim.New(g)
	if err != nil {
		t.Fatal(err)
	}
	found := (&compiler{ctx: context.Background(), g: g}).inferFor(g)
	n.ranges += len(found.ranges)
	n.grids += len(found.grids)
	problem, err := Problem(context.Background(), g, Options{})
	if err != nil {
		problem = nil // not everything is bounded, or it is too large
	}
	e := &explored{s: s, r: s.NewRunner(nil), limits: [2]float64{-3, 4}}
	check := func(from []float64, after func(next []float64)) {
		e.successors(from, func(action, next []float64) {
			n.steps++
			if o := found.outside(s, next); o != "" {
				t.Fatalf("seed %d: after %v under %v: %s\n%s", seed, from, action, o, text)
			}
			k := g.ByName["k"]
			if r, ok := found.ranges[k]; ok && (action[1] < float64(r.Lo) || action[1] > float64(r.Hi)) {
				t.Fatalf("seed %d: the legal action %v is outside %v\n%s", seed, action, r, text)
			}
			if problem != nil && n.steps%7 == 0 {
				n.compiled++
				compareStep(t, problem, s, from, action, next, text)
			}
			after(next)
		})
	}
	follow(s, check)
	within(s, &found, w.r, check)
}

// outside describes a value of a state that was not inferred, or returns "".
func (f *inferred) outside(s *sim.Simulator, values []float64) string {
	for n, i := range s.States() {
		name := s.Problem().Fluents[i].Name
		if r, ok := f.ranges[i]; ok && (values[n] < float64(r.Lo) || values[n] > float64(r.Hi)) {
			return fmt.Sprintf("%s = %v, outside %v", name, values[n], r)
		}
		if g, ok := f.grids[i]; ok {
			z := (values[n] - g.base.float()) / g.step.float()
			if z != math.Trunc(z) || z < float64(g.first) || z > float64(g.last) {
				return fmt.Sprintf("%s = %v, not on %v", name, values[n], g)
			}
		}
	}
	return ""
}

// compareStep checks that a compiled problem allows a legal step of the simulator, and not with
// another value of the real fluent.
func compareStep(t *testing.T, c *Compiled, s *sim.Simulator, from, action, next []float64, text string) {
	t.Helper()
	now, after := make([]float64, len(c.Ground.Fluents)), make([]float64, len(c.Ground.Fluents))
	for n, i := range s.States() {
		now[i], after[i] = from[n], next[n]
	}
	for n, i := range s.Actions() {
		now[i] = action[n]
	}
	here, err := c.Valuation(now)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	there, err := c.Valuation(after)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if fail, err := validate.CheckStep(c.Problem, nil, here, there); err != nil || fail != nil {
		t.Fatalf("from %v under %v to %v: %v, %v\n%s", from, action, next, fail, err, text)
	}
	if got := c.Values(there); !slices.Equal(got, after) {
		t.Fatalf("the values %v are read back as %v\n%s", after, got, text)
	}
	r, g := c.Ground.ByName["r"], c.grids[c.Ground.ByName["r"]]
	if g.last == g.first {
		return
	}
	other := g.at(g.first)
	if other.float() == after[r] {
		other = g.at(g.last)
	}
	after[r] = other.float()
	if there, err = c.Valuation(after); err != nil {
		t.Fatal(err)
	}
	if fail, err := validate.CheckStep(c.Problem, nil, here, there); err != nil || fail == nil {
		t.Fatalf("from %v under %v to %v: allowed, but the simulator gives %v\n%s", from, action, after, next, text)
	}
}

// follow follows the steps from the initial state, breadth first.
func follow(s *sim.Simulator, check func(from []float64, after func(next []float64))) {
	r := s.NewRunner(nil)
	_ = r.Reset()
	queue, seen := [][]float64{r.State(nil)}, map[string]bool{}
	for len(queue) > 0 && len(seen) < 150 {
		from := queue[0]
		queue = queue[1:]
		check(from, func(next []float64) {
			if key := fmt.Sprint(next); !seen[key] {
				seen[key] = true
				queue = append(queue, next)
			}
		})
	}
}

// within takes steps from random states inside what was found.
func within(s *sim.Simulator, found *inferred, r *rand.Rand, check func(from []float64, after func(next []float64))) {
	for range 20 {
		var from []float64
		for _, i := range s.States() {
			f := &s.Problem().Fluents[i]
			v := float64(r.IntN(2))
			rg, ranged := found.ranges[i]
			gr, listed := found.grids[i]
			switch {
			case ranged:
				v = float64(rg.Lo + r.Int64N(rg.Hi-rg.Lo+1))
			case listed:
				v = gr.at(gr.first + r.Int64N(gr.last-gr.first+1)).float()
			case f.Type != ground.Bool:
				v = f.Initial // what is not bounded may have any value
			}
			from = append(from, v)
		}
		check(from, func([]float64) {})
	}
}

// TestInfer: actions have values although states have no range, and draws count.
func TestInfer(t *testing.T) {
	g := load(t, `n : { state-fluent, int, default = 0 };
		k : { action-fluent, int, default = 0 };
		r : { action-fluent, real, default = 0.0 };
		free : { action-fluent, int, default = 0 };`, "n' = n + k + Poisson(2.0);", "reward = n; action-preconditions { k >= -1 ^ k <= 3; r == 0.0 | r == 0.1 | r == 0.4; };", "1.0")
	v, err := Infer(context.Background(), g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := v.Range(g.ByName["k"]); !ok || r != (Range{Lo: -1, Hi: 3}) {
		t.Errorf("k has %v, %v", r, ok)
	}
	if got := v.Reals(g.ByName["r"]); !slices.Equal(got, []float64{0, 0.1, 0.2, 0.3, 0.4}) {
		t.Errorf("r has %v", got)
	}
	for _, name := range []string{"n", "free"} {
		if r, ok := v.Range(g.ByName[name]); ok {
			t.Errorf("%s has %v", name, r)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Infer(ctx, g, Options{}); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
