package policy_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// brute solves a problem by recursion over the histories that can follow, with the direct evaluator of
// expressions and exact fractions.
type brute struct {
	t       *testing.T
	g       *ground.Problem
	goal    *ground.Node
	success bool
	memo    map[string]*big.Rat
	known   map[string][]move // by state
	changes *changes          // nil for none
}

func newBrute(t *testing.T, p *load.Problem, o solver.Objective, c *changes) *brute {
	return &brute{t: t, g: p.Truth.Sim.Problem(), goal: p.Truth.Goal, success: o == solver.Success, memo: map[string]*big.Rat{}, changes: c}
}

func (b *brute) start() []float64 {
	start := make([]float64, len(b.g.Fluents))
	for i, f := range b.g.Fluents {
		start[i] = f.Initial
	}
	return b.state(start)
}

// state keeps the states among the values of all fluents.
func (b *brute) state(values []float64) []float64 {
	out := append([]float64(nil), values...)
	for i := range b.g.Fluents {
		if b.g.Fluents[i].Kind != ground.State {
			out[i] = 0
		}
	}
	return out
}

func (b *brute) holds(n *ground.Node, now []float64) bool {
	v, err := ground.Eval(n, &ground.Values{Now: now})
	if err != nil {
		b.t.Fatal(err)
	}
	return v != 0
}

// event is one result of a step.
type event struct {
	p, reward *big.Rat
	next      []float64
	unlikely  int
}

// events lists the results of a step; now has the actions.
func (b *brute) events(now []float64) (list []event) {
	var script, sizes []int
	for {
		at, p, unlikely := 0, big.NewRat(1, 1), 0
		next, inter := append([]float64(nil), now...), append([]float64(nil), now...)
		draw := func(name string, args []float64) (float64, error) {
			var values []float64
			var weights []*big.Rat
			exact := func(x float64) *big.Rat { r := operator.Simplest(x); return big.NewRat(r.N, r.D) }
			switch name {
			case "Bernoulli":
				values, weights = []float64{1, 0}, []*big.Rat{exact(args[0]), new(big.Rat).Sub(big.NewRat(1, 1), exact(args[0]))}
			case "Binomial": // of two trials
				x := exact(args[1])
				y := new(big.Rat).Sub(big.NewRat(1, 1), x)
				one := new(big.Rat).Mul(x, y)
				values, weights = []float64{0, 1, 2}, []*big.Rat{new(big.Rat).Mul(y, y), one.Add(one, one), new(big.Rat).Mul(x, x)}
			default:
				b.t.Fatalf("a draw from %s", name)
			}
			if at == len(script) {
				script, sizes = append(script, 0), append(sizes, len(values))
			}
			k := script[at]
			at++
			p.Mul(p, weights[k])
			for j, w := range weights {
				if c := w.Cmp(weights[k]); c > 0 || c == 0 && j < k {
					unlikely++
					break
				}
			}
			return values[k], nil
		}
		for _, i := range b.g.Order {
			f := &b.g.Fluents[i]
			v, err := ground.Eval(f.CPF, &ground.Values{Now: inter, Next: next, Draw: draw})
			if err != nil {
				b.t.Fatal(err)
			}
			if f.Kind == ground.State {
				next[i] = v
			} else {
				inter[i] = v
			}
		}
		if p.Sign() > 0 {
			r, err := ground.Eval(b.g.Reward, &ground.Values{Now: inter, Next: next})
			if err != nil {
				b.t.Fatal(err)
			}
			if b.changes != nil && b.changes.reward != nil {
				r = float64(b.changes.reward(now, next))
			}
			list = append(list, event{p, new(big.Rat).SetFloat64(r), next, unlikely})
		}
		k := len(script) - 1
		for ; k >= 0; k-- {
			if script[k]++; script[k] < sizes[k] {
				break
			}
		}
		if script, sizes = script[:k+1], sizes[:k+1]; k < 0 {
			return list
		}
	}
}

// kind tells of a state whether it breaks a rule, is a goal, and ends a run.
func (b *brute) kind(s []float64) (broken, goal, ends bool) {
	broken = s[b.g.ByName["n"]] < 0 || s[b.g.ByName["n"]] > most
	for _, c := range b.g.Invariants {
		broken = broken || !b.holds(c.Expr, s)
	}
	broken = broken || b.changes != nil && !b.changes.state(s)
	for _, c := range b.g.Termination {
		ends = ends || b.holds(c.Expr, s)
	}
	return broken, b.holds(b.goal, s), ends
}

// actions lists the legal joint actions as states with actions.
func (b *brute) actions(s []float64) (list [][]float64) {
	for k := range 4 {
		now := append([]float64(nil), s...)
		now[b.g.ByName["a"]], now[b.g.ByName["b"]] = float64(k&1), float64(k>>1)
		legal := b.g.MaxActions < 0 || k&1+k>>1 <= b.g.MaxActions
		for _, c := range b.g.Preconditions {
			legal = legal && b.holds(c.Expr, now)
		}
		// The next value of n forbids the step where it is not drawn and leaves its range.
		if legal && !b.drawn() {
			n := b.events(now)[0].next[b.g.ByName["n"]]
			legal = n >= 0 && n <= most
		}
		if legal && b.changes != nil {
			for _, e := range b.events(now) {
				if n := e.next[b.g.ByName["n"]]; n >= 0 && n <= most { // else the run fails
					legal = legal && b.changes.step(now, e.next)
				}
			}
		}
		if legal {
			list = append(list, now)
		}
	}
	return list
}

func (b *brute) drawn() bool {
	_, groups := b.g.Groups()
	for _, g := range groups {
		for _, i := range g.Fluents {
			if b.g.Fluents[i].Name == "n" {
				return true
			}
		}
	}
	return false
}

// value is the best value of a state; nil for minus infinity.
func (b *brute) value(s []float64, left int) *big.Rat {
	key := fmt.Sprint(s, left)
	if v, ok := b.memo[key]; ok {
		return v
	}
	v := b.compute(s, left)
	b.memo[key] = v
	return v
}

func (b *brute) compute(s []float64, left int) *big.Rat {
	broken, goal, ends := b.kind(s)
	switch {
	case broken && !b.success:
		return nil
	case b.success && goal && !broken:
		return big.NewRat(1, 1)
	case broken, ends, left == 0:
		return new(big.Rat)
	}
	var best *big.Rat
	if b.success {
		best = new(big.Rat)
	}
	for _, now := range b.actions(s) {
		sum := new(big.Rat)
		for _, e := range b.events(now) {
			v := b.value(b.state(e.next), left-1)
			if v == nil {
				sum = nil
				break
			}
			if !b.success {
				v = new(big.Rat).Add(v, e.reward)
			}
			sum.Add(sum, new(big.Rat).Mul(v, e.p))
		}
		if sum != nil && (best == nil || sum.Cmp(best) > 0) {
			best = sum
		}
	}
	return best
}

// worst is the best guaranteed reward; nil for none.
func (b *brute) worst(s []float64, left, budget int) *big.Rat {
	broken, goal, ends := b.kind(s)
	switch {
	case broken:
		return nil
	case b.success && goal, !b.success && (ends || left == 0):
		return new(big.Rat)
	case ends, left == 0:
		return nil
	}
	key := fmt.Sprint("worst ", s, left, budget)
	if v, ok := b.memo[key]; ok {
		return v
	}
	var best *big.Rat
	for _, now := range b.actions(s) {
		var least *big.Rat
		for _, e := range b.events(now) {
			if e.unlikely > budget {
				continue
			}
			v := b.worst(b.state(e.next), left-1, budget-e.unlikely)
			if v == nil {
				least = nil
				break
			}
			if v = new(big.Rat).Add(v, e.reward); least == nil || v.Cmp(least) < 0 {
				least = v
			}
		}
		if least != nil && (best == nil || least.Cmp(best) > 0) {
			best = least
		}
	}
	b.memo[key] = best
	return best
}

// move is a legal joint action of a state with its results.
type move struct {
	bits   int
	events []event
}

// moves lists the legal joint actions of a state, once.
func (b *brute) moves(s []float64) []move {
	key := fmt.Sprint(s)
	if b.known == nil {
		b.known = map[string][]move{}
	}
	list, ok := b.known[key]
	if !ok {
		for _, now := range b.actions(s) {
			m := move{int(now[b.g.ByName["a"]]) + 2*int(now[b.g.ByName["b"]]), b.events(now)}
			for i := range m.events {
				m.events[i].next = b.state(m.events[i].next)
			}
			list = append(list, m)
		}
		b.known[key] = list
	}
	return list
}

// bestPlan is what the best sequence of actions is worth, for the worst case within a budget unless that is -1; nil for
// none.
func (b *brute) bestPlan(steps, budget int) (best *big.Rat) {
	known := map[string]*big.Rat{}
	for k := range 1 << (2 * steps) {
		v := b.planValue(b.start(), k, steps, budget, known)
		if v != nil && (best == nil || v.Cmp(best) > 0) {
			best = v
		}
	}
	return best
}

// planValue is what the rest of a plan, two bits for each step, is worth from a state.
func (b *brute) planValue(s []float64, plan, left, budget int, known map[string]*big.Rat) *big.Rat {
	key := fmt.Sprint(s, plan, left, budget)
	if v, ok := known[key]; ok {
		return v
	}
	v := b.planRest(s, plan, left, budget, known)
	known[key] = v
	return v
}

func (b *brute) planRest(s []float64, plan, left, budget int, known map[string]*big.Rat) *big.Rat {
	worst := budget >= 0
	broken, goal, ends := b.kind(s)
	switch {
	case broken && (worst || !b.success):
		return nil
	case broken:
		return new(big.Rat)
	case b.success && goal && worst:
		return new(big.Rat)
	case b.success && goal:
		return big.NewRat(1, 1)
	case (ends || left == 0) && b.success && worst:
		return nil
	case ends || left == 0:
		return new(big.Rat)
	}
	return b.planStep(s, plan, left, budget, known)
}

func (b *brute) planStep(s []float64, plan, left, budget int, known map[string]*big.Rat) (out *big.Rat) {
	worst := budget >= 0
	for _, m := range b.moves(s) {
		if m.bits != plan&3 {
			continue
		}
		if !worst {
			out = new(big.Rat)
		}
		for _, e := range m.events {
			rest := -1
			if worst {
				if rest = budget - e.unlikely; rest < 0 {
					continue
				}
			}
			v := b.planValue(e.next, plan>>2, left-1, rest, known)
			if v == nil {
				return nil
			}
			if worst || !b.success {
				v = new(big.Rat).Add(v, e.reward)
			}
			if !worst {
				out.Add(out, new(big.Rat).Mul(v, e.p))
			} else if out == nil || v.Cmp(out) < 0 {
				out = v
			}
		}
		return out
	}
	if b.success && !worst {
		return new(big.Rat)
	}
	return nil
}
