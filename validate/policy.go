package validate

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Policy says what to do in a state at a step, from 1: the action bits of a valuation, or nil for
// a state of which it says nothing.
type Policy func(step int, state factored.Valuation) factored.Valuation

// Odds is a policy's chance of success, or its expected reward.
type Odds struct {
	Lower, Upper *big.Rat // equal unless the fractions became too long
	States       int      // that the policy can reach
	Outcomes     int64    // of its actions, over all steps
	Steps        int64    // pairs of a step and a state that it can reach then
	// Failure is why there are no odds: a rule that the policy breaks, or may break where it is to
	// maximise its reward.
	Failure *Failure

	// Walk has the states that were evaluated, and takes further steps from them.
	Walk *Walk
}

// Exact reports whether the odds are known exactly.
func (o *Odds) Exact() bool { return o.Lower.Cmp(o.Upper) == 0 }

// Success computes the probability that the goal holds at the start or after one of the steps, if a
// run follows a policy. A run that breaks a rule, or comes to a state of which the policy says nothing,
// has failed.
func Success(p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation, act Policy, horizon int) (*Odds, error) {
	return follow(&evaluation{success: true, act: act, horizon: horizon}, p, net, chance, start)
}

// PlanSuccess is Success for a plan: the action of each step, whatever the state. A run in which it is not
// legal has failed. The error wraps ErrManyStates if the plan can reach more than most states.
func PlanSuccess(p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation, plan []factored.Valuation, most int) (*Odds, error) {
	act := func(step int, _ factored.Valuation) factored.Valuation { return plan[step-1] }
	return follow(&evaluation{graph: graph{most: most}, success: true, open: true, act: act, horizon: len(plan)}, p, net, chance, start)
}

// PlanReward is ExpectedReward for a plan, which may reach at most so many states, as for PlanSuccess. There are no odds
// if a rule can be broken.
func PlanReward(p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation, plan []factored.Valuation, most int) (*Odds, error) {
	act := func(step int, _ factored.Valuation) factored.Valuation { return plan[step-1] }
	return follow(&evaluation{graph: graph{most: most}, act: act, horizon: len(plan)}, p, net, chance, start)
}

// ErrManyStates is wrapped by the error about a plan that can reach too many states.
var ErrManyStates = errors.New("too many states can be reached")

// ExpectedReward computes the expected sum of the rewards, in the scale of the problem, if a run follows
// a policy for a number of steps. Where the policy says nothing, the run must end.
func ExpectedReward(p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation, act Policy, horizon int) (*Odds, error) {
	return follow(&evaluation{act: act, horizon: horizon}, p, net, chance, start)
}

// evaluation follows a policy forward to the states that it can reach at each step, and computes their
// values backward, from the definition of the problem.
type evaluation struct {
	graph
	act     Policy
	horizon int
	success bool
	open    bool // an action that is not legal is a failure of the run
	least   bool // probabilities are the worst of their ranges

	layers [][]int // the states that can be reached at each step
	last   []int   // by state, the step that last led to it
	taken  [][]*branch
}

func follow(e *evaluation, p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation) (*Odds, error) {
	if (net == nil) != (len(p.Outputs) == 0) {
		return nil, fmt.Errorf("the problem has %d learned bits but the network is %v", len(p.Outputs), net)
	}
	e.prepare(p, net, chance)
	if f := CheckPart(p, State, start); f != nil {
		return &Odds{Failure: f}, nil
	}
	first, err := e.node(start)
	if err != nil {
		return nil, err
	}
	e.layers, e.taken = [][]int{{first}}, nil
	for t := 1; t <= e.horizon; t++ {
		failure, err := e.forward(t)
		if err != nil || failure != nil {
			return &Odds{Failure: failure}, err
		}
	}
	out := &Odds{States: len(e.nodes), Walk: walkOf(&e.graph)}
	for _, l := range e.layers[:e.horizon] {
		out.Steps += int64(len(l))
	}
	for _, layer := range e.taken {
		for _, b := range layer {
			if b != nil {
				out.Outcomes += int64(len(b.next))
			}
		}
	}
	if e.least {
		out.Lower = e.worst()
		out.Upper = out.Lower
		return out, nil
	}
	if d := e.denominator(); d != nil && out.Outcomes <= maxExact {
		out.Lower = e.exactly(d)
		out.Upper = out.Lower
		return out, nil
	}
	out.Lower, out.Upper = e.between()
	return out, nil
}

// forward takes the action of the policy in each state that can be reached at step t.
func (e *evaluation) forward(t int) (*Failure, error) {
	var next []int
	taken := make([]*branch, len(e.layers[t-1]))
	for k, i := range e.layers[t-1] {
		n := e.nodes[i]
		if n.broken != nil && !e.success {
			f := *n.broken
			f.Step = t
			return &f, nil
		}
		if n.broken != nil || n.ends || e.success && n.goal {
			continue
		}
		action := e.act(t, n.state)
		if action == nil {
			if e.success {
				continue
			}
			return &Failure{Step: t, Group: "policy", What: "the policy has no action for a state that it can reach"}, nil
		}
		b, failure, err := e.branch(t, n, action)
		if failure != nil && e.open {
			continue
		}
		if err != nil || failure != nil {
			return failure, err
		}
		taken[k] = b
		for _, j := range b.next {
			for j >= len(e.last) {
				e.last = append(e.last, 0)
			}
			if e.last[j] != t {
				e.last[j] = t
				next = append(next, j)
			}
		}
	}
	e.layers, e.taken = append(e.layers, next), append(e.taken, taken)
	if t == e.horizon && !e.success {
		for _, i := range next {
			if f := e.nodes[i].broken; f != nil {
				return &Failure{Step: t + 1, Group: f.Group, What: f.What, Words: f.Words, Origin: f.Origin, Values: f.Values}, nil
			}
		}
	}
	return nil, nil
}

const (
	maxExact    = 1 << 21 // outcomes over all steps up to which values are exact
	maxFraction = 1 << 14 // bits of exact values
)

// denominator is a common denominator of all probabilities, or nil if values over its powers
// would be too long.
func (e *evaluation) denominator() *big.Int {
	if e.kept > maxExact {
		return nil
	}
	d, g := big.NewInt(1), new(big.Int)
	for _, layer := range e.taken {
		for _, b := range layer {
			if b == nil {
				continue
			}
			if g.GCD(nil, nil, d, b.total); g.Cmp(b.total) != 0 {
				d = new(big.Int).Mul(d, new(big.Int).Quo(b.total, g))
			}
			if d.BitLen()*e.horizon > maxFraction {
				return nil
			}
		}
	}
	return d
}

// exactly computes the value of the start: values with n steps left are whole numbers over the n-th power of d.
func (e *evaluation) exactly(d *big.Int) *big.Rat {
	before, values, power := make([]*big.Int, len(e.nodes)), make([]*big.Int, len(e.nodes)), big.NewInt(1)
	for left := 0; left <= e.horizon; left++ {
		last := power
		if left > 0 {
			power = new(big.Int).Mul(power, d)
		}
		for k, i := range e.layers[e.horizon-left] {
			v := new(big.Int)
			values[i] = v
			if b := e.branchAt(left, k); e.success && e.nodes[i].goal {
				v.Set(power)
			} else if b != nil {
				x := new(big.Int)
				for m, j := range b.next {
					x.Set(before[j])
					if !e.success && b.reward[m] != 0 {
						x.Add(x, new(big.Int).Mul(big.NewInt(b.reward[m]), last))
					}
					v.Add(v, x.Mul(x, b.weight[m]))
				}
				v.Mul(v, x.Quo(d, b.total))
			}
		}
		before, values = values, before
	}
	return new(big.Rat).SetFrac(before[e.layers[0][0]], power)
}

// branchAt is what the policy leads to from state k of those with some steps left; nil where a run ends.
func (e *evaluation) branchAt(left, k int) *branch {
	if left == 0 {
		return nil
	}
	return e.taken[e.horizon-left][k]
}

// between computes bounds on the value of the start in floating point. Each operation is wrong by at most
// one part in 2^53, so a sum of n products of f factors by at most (n + f + 1) such parts of
// the sum of their magnitudes; twice that is allowed for.
func (e *evaluation) between() (lower, upper *big.Rat) {
	type bounds struct{ lo, hi float64 }
	before, values := make([]bounds, len(e.nodes)), make([]bounds, len(e.nodes))
	for left := 0; left <= e.horizon; left++ {
		for k, i := range e.layers[e.horizon-left] {
			var v bounds
			if b := e.branchAt(left, k); e.success && e.nodes[i].goal {
				v = bounds{1, 1}
			} else if b != nil {
				size := 0.0
				for m, j := range b.next {
					x := before[j]
					if !e.success {
						x.lo, x.hi = x.lo+float64(b.reward[m]), x.hi+float64(b.reward[m])
					}
					v.lo, v.hi = v.lo+b.p[m]*x.lo, v.hi+b.p[m]*x.hi
					size += b.p[m] * (math.Max(math.Abs(x.lo), math.Abs(x.hi)) + math.Abs(float64(b.reward[m])))
				}
				off := 2 * float64(len(b.next)+2*b.draws+3) * 0x1p-53 * size
				v.lo, v.hi = v.lo-off, v.hi+off
			}
			values[i] = v
		}
		before, values = values, before
	}
	v := before[e.layers[0][0]]
	return new(big.Rat).SetFloat64(v.lo), new(big.Rat).SetFloat64(v.hi)
}
