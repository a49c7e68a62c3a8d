package translate

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// oracle evaluates expressions in floating point and shares no code with the compiler. The
// test's constants make this exact.
type oracle struct {
	g         *ground.Problem
	now, next []float64
}

func (o *oracle) eval(n *ground.Node) float64 {
	b := func(x bool) float64 {
		if x {
			return 1
		}
		return 0
	}
	x := make([]float64, len(n.Args))
	for i, a := range n.Args {
		if n.Op != ground.If && n.Op != ground.Case {
			x[i] = o.eval(a)
		}
	}
	switch n.Op {
	case ground.Const:
		return n.Val
	case ground.Ref:
		if n.Primed {
			return o.next[n.Fluent]
		}
		if f := &o.g.Fluents[n.Fluent]; f.Kind == ground.Interm {
			return o.eval(f.CPF)
		}
		return o.now[n.Fluent]
	case ground.Not:
		return 1 - x[0]
	case ground.And:
		r := 1.0
		for _, y := range x {
			r *= y
		}
		return r
	case ground.Or:
		r := 0.0
		for _, y := range x {
			r = max(r, y)
		}
		return r
	case ground.Implies:
		return b(x[0] == 0 || x[1] != 0)
	case ground.Iff, ground.Eq:
		return b(x[0] == x[1])
	case ground.Ne:
		return b(x[0] != x[1])
	case ground.Lt:
		return b(x[0] < x[1])
	case ground.Le:
		return b(x[0] <= x[1])
	case ground.Gt:
		return b(x[0] > x[1])
	case ground.Ge:
		return b(x[0] >= x[1])
	case ground.Add:
		r := 0.0
		for _, y := range x {
			r += y
		}
		return r
	case ground.Sub:
		return x[0] - x[1]
	case ground.Mul:
		r := 1.0
		for _, y := range x {
			r *= y
		}
		return r
	case ground.Div:
		return x[0] / x[1]
	case ground.Neg:
		return -x[0]
	case ground.If:
		if o.eval(n.Args[0]) != 0 {
			return o.eval(n.Args[1])
		}
		return o.eval(n.Args[2])
	case ground.Case:
		on := o.eval(n.Args[0])
		i := 1
		for ; i+1 < len(n.Args); i += 2 {
			if n.Args[i].Val == on {
				return o.eval(n.Args[i+1])
			}
		}
		return o.eval(n.Args[i])
	case ground.Min:
		r := x[0]
		for _, y := range x {
			r = min(r, y)
		}
		return r
	case ground.Max:
		r := x[0]
		for _, y := range x {
			r = max(r, y)
		}
		return r
	case ground.Func:
		switch n.Name {
		case "abs":
			return math.Abs(x[0])
		case "sgn":
			return b(x[0] > 0) - b(x[0] < 0)
		case "floor":
			return math.Floor(x[0])
		case "ceil":
			return math.Ceil(x[0])
		case "round":
			return math.RoundToEven(x[0])
		case "div":
			return math.Floor(x[0] / x[1])
		case "mod":
			return x[0] - x[1]*math.Floor(x[0]/x[1])
		case "pow":
			return math.Pow(x[0], x[1])
		}
	}
	panic(fmt.Sprint("no such operation ", n.Op, n.Name))
}

// maker draws random expressions over a problem's fluents.
type maker struct {
	r      *rand.Rand
	g      *ground.Problem
	primed bool
	limit  int // fluents from this index on are not read
}

func (m *maker) ref(t ground.Type) *ground.Node {
	for {
		i := m.r.IntN(m.limit)
		f := &m.g.Fluents[i]
		if f.Type == t {
			return &ground.Node{Op: ground.Ref, Type: t, Fluent: i, Primed: m.primed && f.Kind == ground.State && m.r.IntN(3) == 0}
		}
	}
}

func (m *maker) num(v float64) *ground.Node {
	return &ground.Node{Op: ground.Const, Type: ground.Int, Val: v}
}

func (m *maker) boolean(depth int) *ground.Node {
	n := &ground.Node{Type: ground.Bool}
	if depth == 0 {
		return m.ref(ground.Bool)
	}
	switch m.r.IntN(9) {
	case 0:
		n.Op, n.Args = ground.Not, []*ground.Node{m.boolean(depth - 1)}
	case 1, 2:
		n.Op = []ground.Op{ground.And, ground.Or}[m.r.IntN(2)]
		for range 1 + m.r.IntN(3) {
			n.Args = append(n.Args, m.boolean(depth-1))
		}
	case 3:
		n.Op = []ground.Op{ground.Implies, ground.Iff, ground.Eq, ground.Ne}[m.r.IntN(4)]
		n.Args = []*ground.Node{m.boolean(depth - 1), m.boolean(depth - 1)}
	case 4:
		n.Op, n.Args = ground.If, []*ground.Node{m.boolean(depth - 1), m.boolean(depth - 1), m.boolean(depth - 1)}
	case 5:
		n.Op, n.Args = ground.Case, []*ground.Node{m.ref(ground.Int), m.num(0), m.boolean(depth - 1), m.num(2), m.boolean(depth - 1), m.boolean(depth - 1)}
	default:
		n.Op = []ground.Op{ground.Eq, ground.Ne, ground.Lt, ground.Le, ground.Gt, ground.Ge}[m.r.IntN(6)]
		n.Args = []*ground.Node{m.number(depth-1, ground.Real), m.number(depth-1, ground.Real)}
	}
	return n
}

// number draws a number; type Int makes it an integer.
func (m *maker) number(depth int, t ground.Type) *ground.Node {
	n := &ground.Node{Type: t}
	if depth == 0 {
		switch m.r.IntN(4) {
		case 0:
			return m.num(float64(m.r.IntN(7) - 3))
		case 1:
			return m.ref(ground.Bool)
		}
		return m.ref(ground.Int)
	}
	arg := func() *ground.Node { return m.number(depth-1, t) }
	switch k := m.r.IntN(12); {
	case k == 0:
		n.Op = ground.Add
		for range 1 + m.r.IntN(3) {
			n.Args = append(n.Args, arg())
		}
	case k == 1:
		n.Op, n.Args = ground.Sub, []*ground.Node{arg(), arg()}
	case k == 2:
		n.Op = ground.Mul
		for range 2 + m.r.IntN(3) {
			n.Args = append(n.Args, arg())
		}
	case k == 3:
		n.Op, n.Args = ground.Neg, []*ground.Node{arg()}
	case k == 4:
		n.Op, n.Args = ground.If, []*ground.Node{m.boolean(depth - 1), arg(), arg()}
	case k == 5:
		n.Op, n.Args = ground.Case, []*ground.Node{m.ref(ground.Int), m.num(1), arg(), m.num(-1), arg(), arg()}
	case k == 6:
		n.Op, n.Args = ground.Min, []*ground.Node{arg(), arg()}
	case k == 7:
		n.Op, n.Args = ground.Max, []*ground.Node{arg(), arg()}
	case k == 8 && t == ground.Real:
		n.Op, n.Args = ground.Div, []*ground.Node{arg(), m.num([]float64{2, 4, -2}[m.r.IntN(3)])}
	case k == 9:
		n.Op, n.Name, n.Args = ground.Func, []string{"floor", "ceil", "round"}[m.r.IntN(3)], []*ground.Node{m.number(depth-1, ground.Real)}
	case k == 10:
		n.Op, n.Name, n.Args = ground.Func, []string{"div", "mod"}[m.r.IntN(2)], []*ground.Node{arg(), m.num([]float64{2, 4, -2}[m.r.IntN(3)])}
		if n.Name == "div" || t == ground.Int {
			n.Type = ground.Int
		}
	default:
		n.Op, n.Name, n.Args = ground.Func, []string{"abs", "sgn"}[m.r.IntN(2)], []*ground.Node{arg()}
		if m.r.IntN(4) == 0 {
			n.Name, n.Args = "pow", append(n.Args, m.num(2))
		}
	}
	return n
}

// world is a problem with a few small fluents and random cpfs.
func world(r *rand.Rand, depth int) (*ground.Problem, map[string]Range) {
	g := &ground.Problem{Domain: "random", Instance: "r", MaxActions: -1, Discount: 1, Fluents: []ground.Fluent{
		{Name: "a", Kind: ground.Action, Type: ground.Bool},
		{Name: "b", Kind: ground.Action, Type: ground.Bool},
		{Name: "p", Kind: ground.State, Type: ground.Bool},
		{Name: "q", Kind: ground.State, Type: ground.Bool},
		{Name: "i", Kind: ground.State, Type: ground.Int},
		{Name: "j", Kind: ground.State, Type: ground.Int},
		{Name: "m", Kind: ground.Interm, Type: ground.Bool},
		{Name: "n", Kind: ground.Interm, Type: ground.Int},
	}}
	for i := range g.Fluents {
		g.Fluents[i].Base = g.Fluents[i].Name
	}
	m := &maker{r: r, g: g}
	for _, i := range []int{6, 7, 2, 3, 4, 5} {
		m.limit = 8
		if i >= 6 {
			m.limit = i
		}
		if g.Fluents[i].Type == ground.Bool {
			g.Fluents[i].CPF = m.boolean(depth)
		} else {
			g.Fluents[i].CPF = m.number(depth, ground.Int)
		}
		g.Order = append(g.Order, i)
	}
	g.MaxActions = r.IntN(3) - 1
	m.limit, m.primed = 8, true
	g.Preconditions = []ground.Condition{{Expr: m.boolean(depth)}}
	g.Reward = m.number(depth, ground.Real)
	m.limit, m.primed = 6, false
	inv := m.boolean(1)
	for mentions(g, inv) {
		inv = m.boolean(1)
	}
	g.Invariants = []ground.Condition{{Expr: inv}}
	return g, map[string]Range{"i": {Lo: 0, Hi: 4}, "j": {Lo: -2, Hi: 1}}
}

// mentions reports whether n reads an action.
func mentions(g *ground.Problem, n *ground.Node) bool {
	if n.Op == ground.Ref && g.Fluents[n.Fluent].Kind == ground.Action {
		return true
	}
	for _, a := range n.Args {
		if mentions(g, a) {
			return true
		}
	}
	return false
}

// states calls f with every value of the states and actions.
func states(ranges map[string]Range, g *ground.Problem, kinds []ground.Kind, f func(v []float64)) {
	v := make([]float64, len(g.Fluents))
	var rec func(i int)
	rec = func(i int) {
		if i == len(v) {
			f(v)
			return
		}
		fl := &g.Fluents[i]
		lo, hi := int64(0), int64(1)
		if r, ok := ranges[fl.Name]; ok {
			lo, hi = r.Lo, r.Hi
		}
		in := false
		for _, k := range kinds {
			in = in || fl.Kind == k
		}
		if !in {
			lo, hi = 0, 0
		}
		for x := lo; x <= hi; x++ {
			v[i] = float64(x)
			rec(i + 1)
		}
	}
	rec(0)
}

// checkWorld compares one problem with the oracle in some of its states.
func checkWorld(t *testing.T, r *rand.Rand, g *ground.Problem, ranges map[string]Range, bits int) (steps, aux int) {
	c, err := Problem(context.Background(), g, Options{Ranges: ranges, tableBits: bits})
	if err != nil {
		t.Fatalf("%v", err)
	}
	p := c.Problem
	p.Initial = nil
	holds := func(cs []ground.Condition, o *oracle) bool {
		for _, x := range cs {
			if o.eval(x.Expr) == 0 {
				return false
			}
		}
		return true
	}
	states(ranges, g, []ground.Kind{ground.State, ground.Action}, func(v []float64) {
		if r.IntN(12) != 0 {
			return
		}
		o := &oracle{g: g, now: v, next: make([]float64, len(v))}
		inRange := true
		for _, i := range g.Order {
			f := &g.Fluents[i]
			if f.Kind != ground.State {
				continue
			}
			x := o.eval(f.CPF)
			o.next[i] = x
			if rg, ok := ranges[f.Name]; ok && (x < float64(rg.Lo) || x > float64(rg.Hi)) {
				inRange = false
			}
		}
		here, err := c.Valuation(v)
		if err != nil {
			t.Fatal(err)
		}
		want := inRange
		if inRange {
			want = holds(g.Preconditions, o) && holds(g.Invariants, o) && (g.MaxActions < 0 || int(v[0]+v[1]) <= g.MaxActions)
		}
		try := func(next []float64, want bool) {
			there, err := c.Valuation(next)
			if err != nil {
				t.Fatal(err)
			}
			// Check would try all values of auxiliary bits that are meaningless at the first
			// step, where the plan is invalid; CheckStep does not.
			fail, err := validate.CheckStep(p, nil, here, there)
			if err != nil {
				t.Fatal(err)
			}
			if (fail == nil) != want {
				t.Fatalf("state and action %v to %v: valid %v, want %v: %v\n%s", v, next, fail == nil, want, fail, describe(g))
			}
			if want && holds(g.Invariants, &oracle{g: g, now: next}) {
				rep, err := validate.Check(p, nil, validate.Plan{Actions: []factored.Valuation{here}, States: []factored.Valuation{here, there}})
				if err != nil {
					t.Fatal(err)
				}
				if !rep.Valid {
					t.Fatalf("state and action %v to %v: %v\n%s", v, next, rep.Failure, describe(g))
				}
				if got, want := p.Reward.Float(rep.Reward), o.eval(g.Reward); got != want {
					t.Fatalf("state and action %v to %v: reward %v, want %v\n%s", v, next, got, want, describe(g))
				}
			}
			steps++
		}
		if inRange {
			try(o.next, want)
		}
		// Any other successor must be refused.
		other := append([]float64(nil), o.next...)
		for _, name := range []string{"i", "j"} {
			i := int(name[0]-'i') + 4
			rg := ranges[name]
			if r.IntN(2) == 0 || other[i] < float64(rg.Lo) || other[i] > float64(rg.Hi) {
				other[i] = float64(rg.Lo + r.Int64N(rg.Hi-rg.Lo+1))
			}
		}
		if r.IntN(2) == 0 {
			other[2] = 1 - other[2]
		}
		for i := range other {
			if other[i] != o.next[i] {
				try(other, false)
				break
			}
		}
	})
	return steps, len(p.Bits(factored.Auxiliary))
}

func describe(g *ground.Problem) string {
	var b strings.Builder
	for i := range g.Fluents {
		if f := &g.Fluents[i]; f.CPF != nil {
			fmt.Fprintf(&b, "%s' = %s\n", f.Name, text(g, f.CPF))
		}
	}
	fmt.Fprintf(&b, "pre %s\ninv %s\nreward %s\n", text(g, g.Preconditions[0].Expr), text(g, g.Invariants[0].Expr), text(g, g.Reward))
	return b.String()
}

func text(g *ground.Problem, n *ground.Node) string {
	switch n.Op {
	case ground.Const:
		return fmt.Sprint(n.Val)
	case ground.Ref:
		if n.Primed {
			return g.Fluents[n.Fluent].Name + "'"
		}
		return g.Fluents[n.Fluent].Name
	}
	names := []string{"const", "ref", "not", "and", "or", "implies", "iff", "eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "div", "neg", "if", "case", "min", "max", "func", "random"}
	var parts []string
	for _, a := range n.Args {
		parts = append(parts, text(g, a))
	}
	return names[n.Op] + n.Name + "(" + strings.Join(parts, ", ") + ")"
}

var instances = flag.Int("instances", 20, "random problems of each kind to compare with direct evaluation")

// TestRandom compares random problems, with tables of several sizes and without, with direct
// evaluation.
func TestRandom(t *testing.T) {
	for _, bits := range []int{-1, 3, 10} {
		t.Run(fmt.Sprint("bits", bits), func(t *testing.T) {
			steps, aux := 0, 0
			for seed := range 2 * *instances {
				r := rand.New(rand.NewPCG(uint64(seed), 1))
				g, ranges := world(r, 1+seed%3)
				began := time.Now()
				s, a := checkWorld(t, r, g, ranges, bits)
				steps, aux = steps+s, aux+a
				if d := time.Since(began); d > 200*time.Millisecond {
					t.Logf("seed %d: %v, %d steps, %d aux", seed, d, s, a)
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%d steps, %d auxiliary bits", steps, aux)
		})
	}
}
