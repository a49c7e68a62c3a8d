package factored

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func mustAdd(t *testing.T, p *Problem, v Variable) *Variable {
	t.Helper()
	id, err := p.AddVariable(v)
	if err != nil {
		t.Fatal(err)
	}
	return &p.Variables[id]
}

// TestIntegerBits checks the paper's example, -93 in eight bits, and the widths and range
// constraints of both signs.
func TestIntegerBits(t *testing.T) {
	for _, c := range []struct {
		lo, hi      int64
		width       int
		constraints int // number of constraints that keep the bits in the range
	}{
		{0, 0, 0, 0}, {0, 1, 1, 0}, {0, 3, 2, 0}, {0, 4, 3, 1}, {2, 7, 3, 1}, {3, 5, 3, 2}, {0, 15, 4, 0},
		{-128, 127, 8, 0}, {-1, 0, 1, 0}, {-1, 1, 2, 1}, {-4, 3, 3, 0}, {-5, 2, 4, 2}, {-3, -2, 3, 2},
	} {
		p := NewProblem("test")
		v := mustAdd(t, p, Variable{Name: "x", Kind: State, Lo: c.lo, Hi: c.hi})
		if v.Width != c.width || len(p.Global) != c.constraints {
			t.Errorf("%d..%d: %d bits and %d range constraints, want %d and %d", c.lo, c.hi, v.Width, len(p.Global), c.width, c.constraints)
		}
		legal := 0
		for pattern := range 1 << v.Width {
			val := make(Valuation, v.Width)
			for i := range val {
				val[i] = pattern>>(v.Width-1-i)&1 == 1
			}
			x := v.Value(val)
			allowed := true
			for _, g := range p.Global {
				var sum int64
				for _, term := range g.Terms {
					if term.Lit.holds(val, nil) {
						sum += term.Coef
					}
				}
				allowed = allowed && (g.Op != LE || sum <= g.K) && (g.Op != GE || sum >= g.K)
			}
			if allowed != (x >= c.lo && x <= c.hi) {
				t.Errorf("%d..%d: the range constraints say %v of %d", c.lo, c.hi, allowed, x)
			}
			if x >= c.lo && x <= c.hi {
				legal++
				back := make(Valuation, v.Width)
				if err := v.Set(back, x); err != nil || !slices.Equal(back, val) {
					t.Errorf("%d..%d: Set(%d) gives %v, %v", c.lo, c.hi, x, back, err)
				}
			}
		}
		if int64(legal) != c.hi-c.lo+1 {
			t.Errorf("%d..%d: %d patterns are legal", c.lo, c.hi, legal)
		}
		for _, x := range []int64{c.lo - 1, c.hi + 1} {
			if v.Set(make(Valuation, v.Width), x) == nil {
				t.Errorf("%d..%d: Set takes %d", c.lo, c.hi, x)
			}
		}
	}
	p := NewProblem("paper")
	v := mustAdd(t, p, Variable{Name: "x", Kind: State, Lo: -128, Hi: 127})
	val := make(Valuation, 8)
	if err := v.Set(val, -93); err != nil {
		t.Fatal(err)
	}
	if want := (Valuation{true, false, true, false, false, false, true, true}); !slices.Equal(val, want) {
		t.Errorf("-93 is %v, the paper has %v", val, want)
	}
}

func TestScaleWeights(t *testing.T) {
	for _, c := range []struct {
		in      []string
		weights []int64
		scale   int64
	}{
		{[]string{"1", "-2", "0"}, []int64{1, -2, 0}, 1},
		{[]string{"0.5", "2"}, []int64{1, 4}, 2},
		{[]string{"0.1", "0.25", "-1e-2"}, []int64{10, 25, -1}, 100},
		{[]string{"1e3", ".5", "+3."}, []int64{2000, 1, 6}, 2},
		{nil, []int64{}, 1},
	} {
		weights, scale, err := ScaleWeights(c.in)
		if err != nil || !slices.Equal(weights, c.weights) || scale != c.scale {
			t.Errorf("%v: got %v over %d, %v; want %v over %d", c.in, weights, scale, err, c.weights, c.scale)
		}
	}
	for _, bad := range [][]string{
		{"x"}, {""}, {"."}, {"--1"}, {"1e"}, {"1e1e1"}, {"0x10"}, {"1_000"}, {"Inf"}, {"NaN"}, {"1/3"}, {"1.2.3"},
		{"1e999999999"}, {"1e300"}, {"1e-300"}, {"1152921504606846977"}, {"1e18", "1e18"}, {"1e15", "1e-15"},
	} {
		if _, _, err := ScaleWeights(bad); !errors.Is(err, ErrWeights) {
			t.Errorf("%v: got %v", bad, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for want, spoil := range map[string]func(p *Problem){
		"does not exist":        func(p *Problem) { p.Global = []Constraint{{Terms: []Term{{1, Lit{Bit: 9}}}}} },
		"only the present step": func(p *Problem) { p.Global = []Constraint{{Terms: []Term{{1, Lit{Bit: 0, Next: true}}}}} },
		"a' stands":             func(p *Problem) { p.Transition = []Constraint{{Terms: []Term{{1, Lit{Bit: 1, Next: true}}}}} },
		"only state variables":  func(p *Problem) { p.Goal = []Constraint{{Terms: []Term{{1, Lit{Bit: 1}}}}} },
		"is an auxiliary":       func(p *Problem) { p.Initial = []Constraint{{Terms: []Term{{1, Lit{Bit: 2}}}}} },
		"more than 2^60":        func(p *Problem) { p.Global = []Constraint{{Terms: []Term{{1 << 60, Lit{}}, {1, Lit{}}}}} },
		"beyond 2^60":           func(p *Problem) { p.Global = []Constraint{{K: -1 << 62}} },
		"not a state variable":  func(p *Problem) { p.Outputs = []Bit{1} },
		"outputs s twice":       func(p *Problem) { p.Outputs = []Bit{0, 0} },
		"reads s twice":         func(p *Problem) { p.Inputs = []Bit{0, 0} },
		"input x is":            func(p *Problem) { p.Inputs = []Bit{2} },
		"scale is 0":            func(p *Problem) { p.Reward.Scale = 0 },
		"mentions a'":           func(p *Problem) { p.Reward.Terms = []RewardTerm{{Lit{Bit: 1, Next: true}, 1}} },
		"weights, scaled":       func(p *Problem) { p.Reward.Terms = []RewardTerm{{Lit{}, -1 << 62}} },
	} {
		p := NewProblem("test")
		mustAdd(t, p, Variable{Name: "s", Kind: State, Bool: true})
		mustAdd(t, p, Variable{Name: "a", Kind: Action, Bool: true})
		mustAdd(t, p, Variable{Name: "x", Kind: Auxiliary, Bool: true})
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		spoil(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestNames(t *testing.T) {
	p := NewProblem("test")
	v := mustAdd(t, p, Variable{Name: "robot-at(x14,y20)", Kind: State, Bool: true})
	for _, name := range []string{"robot-at(x14,y20)", "robot-at[x14, y20]", "robot-at( x14 ,y20 )"} {
		if got, ok := p.Find(name); !ok || got != v {
			t.Errorf("Find(%q) fails", name)
		}
	}
	if _, err := p.AddVariable(Variable{Name: "robot-at(x14,y20)", Bool: true}); !errors.Is(err, ErrDuplicate) {
		t.Errorf("a second variable of the name: %v", err)
	}
	mustAdd(t, p, Variable{Name: "robot-at[x14,y20]", Kind: State, Bool: true})
	if _, ok := p.Find("robot-at[ x14,y20 ]"); ok {
		t.Error("Find chooses between two variables of the same form")
	}
	q := p.Clone()
	mustAdd(t, q, Variable{Name: "level", Kind: State, Hi: 5})
	if _, ok := p.Find("level"); ok || p.NumBits() != 2 {
		t.Error("a clone shares its variables")
	}
	c := Constraint{Terms: []Term{{-2, Lit{Bit: 2}}, {1, Lit{Bit: 0, Neg: true}}}, Op: LE, K: -1}
	if got := q.Format(&c); got != "level >= 4" {
		t.Errorf("Format gives %s", got)
	}
}
