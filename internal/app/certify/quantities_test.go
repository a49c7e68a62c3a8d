package certify_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/verify"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// point is a step: the values of states and actions, in their units, then those of the next state.
type point struct{ x, y, b, u, a, x1, y1, b1 *big.Rat }

// formula is a random expression as text, and what it means, which is nil for what divides by 0.
type formula struct {
	text string
	of   func(at *point) *big.Rat
}

// writer writes random expressions.
type writer struct {
	*rand.Rand
	next, action bool // what they may read
}

func (f formula) String() string { return f.text }

// apply is an operation on the values of parts.
func apply(text string, op func(v ...*big.Rat) *big.Rat, parts ...formula) formula {
	return formula{text, func(at *point) *big.Rat {
		var values []*big.Rat
		for _, p := range parts {
			v := p.of(at)
			if v == nil {
				return nil
			}
			values = append(values, v)
		}
		return op(values...)
	}}
}

func rat(n, d int64) *big.Rat { return big.NewRat(n, d) }

func truthOf(b bool) *big.Rat { return rat(map[bool]int64{true: 1}[b], 1) }

// binary lists the operations on two numbers and two comparisons.
var binary = map[string]func(v ...*big.Rat) *big.Rat{
	"+": func(v ...*big.Rat) *big.Rat { return new(big.Rat).Add(v[0], v[1]) },
	"-": func(v ...*big.Rat) *big.Rat { return new(big.Rat).Sub(v[0], v[1]) },
	"*": func(v ...*big.Rat) *big.Rat { return new(big.Rat).Mul(v[0], v[1]) },
	"/": func(v ...*big.Rat) *big.Rat {
		if v[1].Sign() == 0 {
			return nil
		}
		return new(big.Rat).Quo(v[0], v[1])
	},
	"min": func(v ...*big.Rat) *big.Rat {
		if v[0].Cmp(v[1]) < 0 {
			return v[0]
		}
		return v[1]
	},
	"max": func(v ...*big.Rat) *big.Rat {
		if v[0].Cmp(v[1]) > 0 {
			return v[0]
		}
		return v[1]
	},
	"<=": func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Cmp(v[1]) <= 0) },
	"<":  func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Cmp(v[1]) < 0) },
	">=": func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Cmp(v[1]) >= 0) },
	">":  func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Cmp(v[1]) > 0) },
	"==": func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Cmp(v[1]) == 0) },
	"~=": func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Cmp(v[1]) != 0) },
}

// choose is a choice that evaluates what it takes alone.
func choose(s, a, b formula) formula {
	return formula{fmt.Sprintf("(if (%s) then %s else %s)", s, a, b), func(at *point) *big.Rat {
		switch v := s.of(at); {
		case v == nil:
			return nil
		case v.Sign() != 0:
			return a.of(at)
		}
		return b.of(at)
	}}
}

// number writes a random number.
func (w *writer) number(depth int) formula {
	leaf := func(text string, of func(at *point) *big.Rat) formula { return formula{text, of} }
	x, y := leaf("x", func(at *point) *big.Rat { return at.x }), leaf("y", func(at *point) *big.Rat { return at.y })
	leaves := []formula{x, x, y, leaf("b", func(at *point) *big.Rat { return at.b })}
	for _, c := range []int64{-3, 1, 2, 5, 6} {
		leaves = append(leaves, leaf(strings.TrimSuffix(rat(c, 4).FloatString(2), ".00"), func(*point) *big.Rat { return rat(c, 4) }))
	}
	u := leaf("u", func(at *point) *big.Rat { return at.u })
	if w.action {
		leaves = append(leaves, u, u, leaf("a", func(at *point) *big.Rat { return at.a }))
	}
	if w.next {
		leaves = append(leaves, leaf("x'", func(at *point) *big.Rat { return at.x1 }), leaf("y'", func(at *point) *big.Rat { return at.y1 }))
	}
	if depth == 0 {
		return leaves[w.IntN(len(leaves))]
	}
	a, b := w.number(depth-1), w.number(depth-1)
	switch k := w.IntN(10); k {
	case 0, 1, 2, 3, 4:
		op := []string{"+", "-", "*", "*", "+"}[k]
		return apply("("+a.text+" "+op+" "+b.text+")", binary[op], a, b)
	case 5, 6:
		op := []string{"min", "max"}[k-5]
		return apply(op+"["+a.text+", "+b.text+"]", binary[op], a, b)
	case 7:
		return apply("abs["+a.text+"]", func(v ...*big.Rat) *big.Rat { return new(big.Rat).Abs(v[0]) }, a)
	case 8:
		return choose(w.condition(depth-1), a, b)
	}
	one := leaf("1", func(*point) *big.Rat { return rat(1, 1) })
	divisors := []formula{
		apply("(y + 1)", binary["+"], y, one),
		apply("(x*x + 1)", func(v ...*big.Rat) *big.Rat { return rat(1, 1).Add(rat(1, 1), new(big.Rat).Mul(v[0], v[0])) }, x),
		apply("(x - 1.75)", func(v ...*big.Rat) *big.Rat { return new(big.Rat).Sub(v[0], rat(7, 4)) }, x),
		apply("(x + 0.25)", func(v ...*big.Rat) *big.Rat { return new(big.Rat).Add(v[0], rat(1, 4)) }, x),
		choose(apply("y ~= 0", func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Sign() != 0) }, y), y, one),
		leaf("(-0.5)", func(*point) *big.Rat { return rat(-1, 2) }),
	}
	if w.action {
		divisors = append(divisors, apply("(-u - 0.5)", func(v ...*big.Rat) *big.Rat { return new(big.Rat).Sub(rat(-1, 2), v[0]) }, u))
	}
	d := divisors[w.IntN(len(divisors))]
	if w.IntN(4) == 0 { // guarded
		return choose(apply("x ~= 0", func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Sign() != 0) }, x), apply(a.text+"/x", binary["/"], a, x), b)
	}
	return apply("("+a.text+"/"+d.text+")", binary["/"], a, d)
}

// condition writes a random condition.
func (w *writer) condition(depth int) formula {
	if depth == 0 {
		return formula{"b", func(at *point) *big.Rat { return at.b }}
	}
	switch w.IntN(6) {
	case 0:
		c := w.condition(depth - 1)
		return apply("~("+c.text+")", func(v ...*big.Rat) *big.Rat { return truthOf(v[0].Sign() == 0) }, c)
	case 1:
		c, d := w.condition(depth-1), w.condition(depth-1)
		op := []string{"^", "|", "=>", "<=>"}[w.IntN(4)]
		return apply("(("+c.text+") "+op+" ("+d.text+"))", func(v ...*big.Rat) *big.Rat {
			p, q := v[0].Sign() != 0, v[1].Sign() != 0
			return truthOf(map[string]bool{"^": p && q, "|": p || q, "=>": !p || q, "<=>": p == q}[op])
		}, c, d)
	}
	a, b := w.number(depth-1), w.number(depth-1)
	op := []string{"<=", "<", ">=", ">", "<=", ">=", "==", "~="}[w.IntN(8)]
	return apply(a.text+" "+op+" "+b.text, binary[op], a, b)
}

// world is a random problem of quantities.
type world struct {
	p       *factored.Problem
	next    [3]formula // of x, y and b
	rules   []formula
	later   []bool // whether a rule is about actions or next states: it holds in steps alone
	goal    *formula
	reward  *formula
	start   point
	horizon int
}

// add adds a condition to the problem.
func (w *world) add(text string, compile func(e *expr.Expr) error) (later bool, err error) {
	e, err := expr.Parse(w.p, text, expr.Options{Next: true})
	if err != nil {
		return false, err
	}
	action, next := e.Mentions()
	return action || next, compile(e)
}

// newWorld makes a random problem. The error is of what needs numbers that are too large.
func newWorld(r *rand.Rand) (*world, error) {
	w := &world{p: factored.NewProblem("quantities"), horizon: 1 + r.IntN(3)}
	half, quarter := &factored.View{Num: 1, Den: 2}, &factored.View{Num: 1, Den: 4}
	for _, v := range []factored.Variable{
		{Name: "u", Kind: factored.Action, Hi: 3, View: quarter}, {Name: "a", Kind: factored.Action, Bool: true},
		{Name: "x", Lo: -2, Hi: 3, View: half}, {Name: "y", Hi: 3}, {Name: "b", Bool: true},
	} {
		if _, err := w.p.AddVariable(v); err != nil {
			return nil, err
		}
	}
	now := &writer{Rand: r, action: true}
	step, full, state := now.number(1+r.IntN(2)), &writer{Rand: r, action: true, next: true}, &writer{Rand: r}
	clamp := func(v ...*big.Rat) *big.Rat { return binary["min"](binary["max"](v[0], rat(-1, 1)), rat(3, 2)) }
	x := formula{"x", func(at *point) *big.Rat { return at.x }}
	if r.IntN(3) > 0 { // a move on the grid, as a rule
		d := apply("(2*u - 0.5*y)", func(v ...*big.Rat) *big.Rat {
			return new(big.Rat).Sub(new(big.Rat).Mul(rat(2, 1), v[0]), new(big.Rat).Mul(rat(1, 2), v[1]))
		}, formula{"u", func(at *point) *big.Rat { return at.u }}, formula{"y", func(at *point) *big.Rat { return at.y }})
		step = choose(now.condition(1), apply("(x + "+d.text+")", binary["+"], x, d), apply("(x*x - 1)", func(v ...*big.Rat) *big.Rat {
			return new(big.Rat).Sub(new(big.Rat).Mul(v[0], v[0]), rat(1, 1))
		}, x))
	}
	w.next[0] = apply("min[max["+step.text+", -1], 1.5]", clamp, step)
	y := formula{"y", func(at *point) *big.Rat { return at.y }}
	w.next[1] = choose(now.condition(2), apply("abs[y - 3]", func(v ...*big.Rat) *big.Rat { return new(big.Rat).Sub(rat(3, 1), v[0]) }, y), y)
	w.next[2] = now.condition(2)
	for i, text := range []string{"x' == " + w.next[0].text, "y' == " + w.next[1].text, "b' <=> (" + w.next[2].text + ")"} {
		if _, err := w.add(text, func(e *expr.Expr) error { return e.Require(w.p, false, fmt.Sprintf("next %d", i)) }); err != nil {
			return nil, err
		}
	}
	for i := range 1 + r.IntN(2) {
		f := []*writer{now, full, state}[r.IntN(3)].condition(2 + r.IntN(2))
		if i == 0 && r.IntN(4) == 0 {
			f = apply("x*y <= 1", func(v ...*big.Rat) *big.Rat { return truthOf(new(big.Rat).Mul(v[0], v[1]).Cmp(rat(1, 1)) <= 0) }, x, y)
		}
		later, err := w.add(f.text, func(e *expr.Expr) error { return e.Require(w.p, false, fmt.Sprintf("rule %d", i)) })
		if err != nil {
			return nil, err
		}
		w.rules, w.later = append(w.rules, f), append(w.later, later)
	}
	if r.IntN(3) > 0 {
		f := state.condition(2)
		if _, err := w.add(f.text, func(e *expr.Expr) error { return e.Goal(w.p, "goal") }); err != nil {
			return nil, err
		}
		w.goal = &f
	}
	if r.IntN(4) > 0 {
		f := full.number(1 + r.IntN(3))
		if err := expr.SetReward(w.p, f.text, "reward"); err != nil {
			return nil, err
		}
		w.reward = &f
	}
	w.start = point{x: rat(r.Int64N(6)-2, 2), y: rat(r.Int64N(4), 1), b: rat(r.Int64N(2), 1)}
	for name, value := range map[string]*big.Rat{"x": w.start.x, "y": w.start.y, "b": w.start.b} {
		v, _ := w.p.Lookup(name)
		q := new(big.Rat).Quo(value, v.Step())
		w.p.Initial = append(w.p.Initial, v.Equals(q.Num().Int64(), "initial value of "+name)...)
	}
	return w, w.p.Check()
}

// legal reports whether the rules of states, or of steps, hold.
func (w *world) legal(at *point, steps bool) bool {
	for i, f := range w.rules {
		if v := f.of(at); w.later[i] == steps && (v == nil || v.Sign() == 0) {
			return false
		}
	}
	return true
}

// successor sets the next state of a step; false if there is none.
func (w *world) successor(at *point) bool {
	at.x1, at.y1, at.b1 = w.next[0].of(at), w.next[1].of(at), w.next[2].of(at)
	return at.x1 != nil && at.y1 != nil && at.b1 != nil && new(big.Rat).Mul(at.x1, rat(2, 1)).IsInt()
}

// each calls visit for each joint action in a state.
func each(at point, visit func(at *point)) {
	for u := range int64(4) {
		for a := range int64(2) {
			here := at
			here.u, here.a = rat(u, 4), rat(a, 1)
			visit(&here)
		}
	}
}

// best is the greatest reward, by trying all plans; nil if there is no plan.
func (w *world) best() *big.Rat {
	type reached struct {
		at     point
		reward *big.Rat
	}
	layer := map[string]reached{}
	if w.legal(&w.start, false) {
		layer["start"] = reached{w.start, new(big.Rat)}
	}
	for range w.horizon {
		after := map[string]reached{}
		for _, from := range layer {
			each(from.at, func(at *point) {
				if !w.successor(at) || !w.legal(at, true) {
					return
				}
				then := point{x: at.x1, y: at.y1, b: at.b1}
				if !w.legal(&then, false) {
					return
				}
				sum := new(big.Rat).Set(from.reward)
				if w.reward != nil {
					sum.Add(sum, w.reward.of(at))
				}
				key := fmt.Sprint(then.x, then.y, then.b)
				if was, ok := after[key]; !ok || was.reward.Cmp(sum) < 0 {
					after[key] = reached{then, sum}
				}
			})
		}
		layer = after
	}
	var out *big.Rat
	for _, r := range layer {
		if w.goal != nil {
			if v := w.goal.of(&r.at); v == nil || v.Sign() == 0 {
				continue
			}
		}
		if out == nil || out.Cmp(r.reward) < 0 {
			out = r.reward
		}
	}
	return out
}

// always reports whether a condition holds in all legal steps to legal states.
func (w *world) always(f formula) bool {
	for x := int64(-2); x <= 3; x++ {
		for y := range int64(4) {
			for b := range int64(2) {
				holds := true
				at := point{x: rat(x, 2), y: rat(y, 1), b: rat(b, 1)}
				if !w.legal(&at, false) {
					continue
				}
				each(at, func(at *point) {
					if !w.successor(at) || !w.legal(at, true) || !w.legal(&point{x: at.x1, y: at.y1, b: at.b1}, false) {
						return
					}
					v := f.of(at)
					holds = holds && v != nil && v.Sign() != 0
				})
				if !holds {
					return false
				}
			}
		}
	}
	return true
}

// tooLarge reports a refusal of numbers that do not fit, or of a comparison that is decided in a reward.
func tooLarge(err error) bool {
	for _, text := range []string{"58 bits", "too many digits", "too large", "beyond 2^50", "2^60", "more than 256 values", "is never true", "is always true"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// TestRandomQuantities has every engine solve random problems of quantities, whose transitions, rules,
// goals and rewards have products, quotients, minima, maxima and choices, and compares the answers with
// those found by trying all plans with another evaluator. It replays plans with the checker, certifies one engine's answer to
// every fourth, and asks for a property of all steps.
func TestRandomQuantities(t *testing.T) {
	all, others := engines(t), needy(t)
	t.Logf("%d engines with another program", len(others))
	plans, large, refuted := 0, 0, 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 30))
		w, err := newWorld(r)
		if err != nil && tooLarge(err) {
			large++
			continue
		}
		if err != nil {
			t.Fatalf("problem %d: %v", seed, err)
		}
		best := w.best()
		if best != nil {
			plans++
		}
		task := engine.Task{Problem: w.p}
		solvers := all
		if i%needyShare == 0 && len(others) > 0 {
			solvers = append(solvers[:len(solvers):len(solvers)], others[i/needyShare%len(others)])
		}
		for j, e := range solvers {
			res := solve(t, e, task, w.horizon, w.horizon)
			if best == nil && res.Status != engine.Infeasible || best != nil && (res.Status != engine.Optimal || big.NewRat(res.Reward, w.p.Reward.Scale).Cmp(best) != 0) {
				t.Fatalf("problem %d: %s finds %s %d/%d; trying all plans finds %v\nrules %v\ngoal %v\nreward %v\nnext %v", seed, e.Name(), res.Status, res.Reward, w.p.Reward.Scale, best, w.rules, w.goal, w.reward, w.next)
			}
			if res.Trace != nil {
				rep, err := validate.Check(w.p, nil, validate.FromTrace(res.Trace))
				if err != nil || !rep.Valid {
					t.Fatalf("problem %d, %s: the checker says %+v, %v", seed, e.Name(), rep, err)
				}
			}
			if i%4 == 0 && i/4%len(solvers) == j {
				dir := certificate(t, task, res, w.horizon, versions[i/4%len(versions)])
				if r, err := certify.Check(context.Background(), certify.Files{Folder: dir}, &certify.Against{Task: task}); err != nil || !r.Accepted {
					t.Fatalf("problem %d, %s: %+v, %v", seed, e.Name(), r, err)
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
		}
		holds, err := w.verify(r)
		switch {
		case err != nil && tooLarge(err):
			large++
		case err != nil:
			t.Fatalf("problem %d: %v", seed, err)
		case !holds:
			refuted++
		}
		if *instances > 500 && (i+1)%500 == 0 {
			fmt.Fprintf(os.Stderr, "%d problems, %d with a plan, %d properties refuted, %d of numbers that are too large: no difference\n", i+1, plans, refuted, large)
		}
	}
	if plans < *instances/6 || large > *instances/3 {
		t.Errorf("of %d problems %d have plans, %d are too large", *instances, plans, large)
	}
}

// verify compares the answer about a random property with all steps.
func (w *world) verify(r *rand.Rand) (holds bool, err error) {
	f := (&writer{Rand: r, action: true, next: true}).condition(2)
	prop, err := expr.Parse(w.p, f.text, expr.Options{Next: true})
	if err != nil {
		return false, err
	}
	res, err := verify.Property(context.Background(), engine.Task{Problem: w.p}, prop, verify.LegalNext)
	if err != nil {
		return false, err
	}
	if want := w.always(f); res.Holds != want {
		return false, fmt.Errorf("property %s: holds is %v, in all steps %v", f.text, res.Holds, want)
	}
	if !res.Holds {
		if err := verify.Replay(engine.Task{Problem: w.p}, prop, res, verify.LegalNext); err != nil {
			return false, errors.Join(errors.New(f.text), err)
		}
	}
	return res.Holds, nil
}
