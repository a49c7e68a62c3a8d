package validate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Chance tells what is drawn at random in the steps of a problem.
type Chance interface {
	// Draws lists what is drawn in the step from the state and with the action of now.
	Draws(now factored.Valuation) ([]*factored.Draw, error)
	// Ends reports whether a run ends in the state of now, whatever is planned.
	Ends(now factored.Valuation) (bool, error)
}

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
	return follow(&evaluation{success: true, open: true, most: most, act: act, horizon: len(plan)}, p, net, chance, start)
}

// PlanReward is ExpectedReward for a plan, which may reach at most so many states, as for PlanSuccess. There are no odds
// if a rule can be broken.
func PlanReward(p *factored.Problem, net *bnn.Network, chance Chance, start factored.Valuation, plan []factored.Valuation, most int) (*Odds, error) {
	act := func(step int, _ factored.Valuation) factored.Valuation { return plan[step-1] }
	return follow(&evaluation{most: most, act: act, horizon: len(plan)}, p, net, chance, start)
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
	p       *factored.Problem
	net     *bnn.Network
	chance  Chance
	act     Policy
	horizon int
	success bool
	open    bool // an action that is not legal is a failure of the run
	most    int  // states; 0 for any number

	check           *checker
	aux             []slot
	states, actions []factored.Bit
	kept            int // outcomes of all branches
	places          map[string]int
	nodes           []*node
	layers          [][]int // the states that can be reached at each step
	taken           [][]*branch
}

// node is a state that can be reached.
type node struct {
	state    factored.Valuation
	goal     bool
	broken   *Failure
	ends     bool
	branches map[string]*branch // by action
}

// branch is what an action can lead to.
type branch struct {
	next   []int
	reward []int64
	p      []float64  // probabilities, each rounded a few times
	weight []*big.Int // probabilities over total; nil where there are too many outcomes to be exact
	total  *big.Int
	draws  int   // factors of a probability
	events []int // draws that do not have their most likely value
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
	out := &Odds{States: len(e.nodes)}
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
	if d := e.denominator(); d != nil && out.Outcomes <= maxExact {
		out.Lower = e.exactly(d)
		out.Upper = out.Lower
		return out, nil
	}
	out.Lower, out.Upper = e.between()
	return out, nil
}

func (e *evaluation) prepare(p *factored.Problem, net *bnn.Network, chance Chance) {
	e.p, e.net, e.chance, e.places = p, net, chance, map[string]int{}
	e.check = &checker{p: p, net: net, dead: map[string]bool{}}
	e.check.sort()
	e.states, e.actions = p.Bits(factored.State), p.Bits(factored.Action)
	e.aux = slots(p, factored.Auxiliary, false)
}

// bitsKey is a map key for the states or the actions of a valuation.
func bitsKey(v factored.Valuation, of []factored.Bit) string {
	b := make([]byte, (len(of)+7)/8)
	for i, bit := range of {
		if v[bit] {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return string(b)
}

// node returns the number of a state.
func (e *evaluation) node(state factored.Valuation) (int, error) {
	key := bitsKey(state, e.states)
	if i, ok := e.places[key]; ok {
		return i, nil
	}
	n := &node{state: slices.Clone(state), branches: map[string]*branch{}}
	if n.broken = CheckPart(e.p, State, state); n.broken == nil {
		n.goal = len(e.p.Goal) > 0 && CheckPart(e.p, Goal, state) == nil
		var err error
		if n.ends, err = e.chance.Ends(state); err != nil {
			return 0, err
		}
	}
	if e.most > 0 && len(e.nodes) >= e.most {
		return 0, fmt.Errorf("%w: more than %d", ErrManyStates, e.most)
	}
	e.places[key] = len(e.nodes)
	e.nodes = append(e.nodes, n)
	return len(e.nodes) - 1, nil
}

// outside returns the number of what stands for all states with a value that its variable cannot have.
func (e *evaluation) outside() int {
	i, ok := e.places[""]
	if !ok {
		i = len(e.nodes)
		e.places[""] = i
		e.nodes = append(e.nodes, &node{broken: &Failure{Group: "global", What: "a drawn value is outside the range of its variable"}})
	}
	return i
}

// forward takes the action of the policy in each state that can be reached at step t.
func (e *evaluation) forward(t int) (*Failure, error) {
	var next []int
	seen := map[int]bool{}
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
			if !seen[j] {
				seen[j] = true
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

// branch lists what an action leads to. A failure means that it is not legal.
func (e *evaluation) branch(t int, n *node, action factored.Valuation) (*branch, *Failure, error) {
	key := bitsKey(action, e.actions)
	if b := n.branches[key]; b != nil {
		return b, nil, nil
	}
	now := slices.Clone(n.state)
	for _, b := range e.actions {
		now[b] = action[b]
	}
	draws, err := e.chance.Draws(now)
	if err != nil {
		return nil, nil, fmt.Errorf("step %d: %w", t, err)
	}
	b, failure, err := e.outcomes(t, now, draws)
	if err != nil || failure != nil {
		return nil, failure, err
	}
	n.branches[key] = b
	return b, nil, nil
}

// spread enumerates the joint outcomes of the draws of a step.
type spread struct {
	e       *evaluation
	t       int
	now     factored.Valuation
	then    factored.Valuation // next values as far as they are known
	outside bool               // a drawn value is outside its range
	events  int                // draws so far that do not have their most likely value
	draws   []*factored.Draw
	drawn   []bool // by bit
	// Of the first outcome; the others differ from it in the drawn values alone, unless a constraint
	// reads these.
	first bool
	reads bool
	fixed int64                 // the reward without the terms below
	terms []factored.RewardTerm // those that read what is drawn
	out   *branch
	total []*big.Int   // a common denominator of each draw
	whole [][]*big.Int // its probabilities over that

	rounded bool // weights are not kept
	failure *Failure
}

// outcomes lists what a step can lead to. A failure means that it is not legal.
func (e *evaluation) outcomes(t int, now factored.Valuation, draws []*factored.Draw) (*branch, *Failure, error) {
	s := &spread{e: e, t: t, now: now, then: make(factored.Valuation, e.p.NumBits()), draws: draws, drawn: make([]bool, e.p.NumBits()), first: true}
	s.out = &branch{total: big.NewInt(1), draws: len(draws)}
	joint := 1
	for _, d := range draws {
		if joint *= len(d.Values); joint > maxJoint {
			return nil, nil, fmt.Errorf("%w: step %d has more than %d outcomes", ErrManyStates, t, maxJoint)
		}
		for _, i := range d.Variables {
			v := &e.p.Variables[i]
			for b := v.First; b < v.First+factored.Bit(v.Width); b++ {
				s.drawn[b] = true
			}
		}
		total, whole := weights(d)
		s.total, s.whole = append(s.total, total), append(s.whole, whole)
		s.out.total = new(big.Int).Mul(s.out.total, total)
	}
	if e.kept += joint; e.kept > maxExact {
		s.rounded = true
	}
	for _, g := range e.check.step {
		for _, t := range g.Terms {
			s.reads = s.reads || t.Lit.Next && s.drawn[t.Lit.Bit]
		}
	}
	err := s.from(0, big.NewInt(1), 1)
	return s.out, s.failure, err
}

// maxJoint bounds the joint outcomes of a step.
const maxJoint = 1 << 22

// weights are the probabilities of a draw over a common denominator.
func weights(d *factored.Draw) (total *big.Int, whole []*big.Int) {
	total = big.NewInt(1)
	g := new(big.Int)
	for _, p := range d.Probability {
		g.GCD(nil, nil, total, p.Denom())
		total = new(big.Int).Mul(total, new(big.Int).Quo(p.Denom(), g))
	}
	for _, p := range d.Probability {
		w := new(big.Int).Quo(total, p.Denom())
		whole = append(whole, w.Mul(w, p.Num()))
	}
	return total, whole
}

// from chooses the outcomes of the draws from k on.
func (s *spread) from(k int, weight *big.Int, p float64) error {
	if s.failure != nil {
		return nil
	}
	if k == len(s.draws) {
		return s.leaf(weight, p)
	}
	d := s.draws[k]
	was, events := s.outside, s.events
	defer func() { s.outside, s.events = was, events }()
	for i, row := range d.Values {
		s.outside, s.events = was || row == nil, events+d.Disturbances[i]
		for j, x := range row {
			if err := s.e.p.Variables[d.Variables[j]].Set(s.then, x); err != nil {
				return err
			}
		}
		f, _ := d.Probability[i].Float64()
		w := weight
		if !s.rounded {
			w = new(big.Int).Mul(weight, s.whole[k][i])
		}
		if err := s.from(k+1, w, p*f); err != nil {
			return err
		}
	}
	return nil
}

// leaf adds one outcome.
func (s *spread) leaf(weight *big.Int, p float64) error {
	reward, outside := s.fixed, s.outside
	if outside {
		reward = 0
	} else if s.first || s.reads {
		var ok bool
		if reward, ok = s.solve(); !ok {
			if s.failure = s.e.check.failure; s.failure == nil {
				s.failure = &Failure{Step: s.t, Group: "global", What: "the action is not legal"}
			}
			return nil
		}
	} else {
		for _, t := range s.terms {
			if s.then[t.Lit.Bit] != t.Lit.Neg {
				reward += t.Weight
			}
		}
	}
	var j int
	if outside {
		j = s.e.outside()
	} else {
		var err error
		if j, err = s.e.node(s.then); err != nil {
			return err
		}
	}
	b := s.out
	b.next, b.reward, b.p, b.events = append(b.next, j), append(b.reward, reward), append(b.p, p), append(b.events, s.events)
	if !s.rounded {
		b.weight = append(b.weight, weight)
	}
	return nil
}

// solve finds the next values that are not drawn, and the reward of the step; false if a constraint does not
// hold.
func (s *spread) solve() (reward int64, ok bool) {
	e := s.e
	q := newQuestion(e.p, s.t)
	for _, list := range [][]factored.Bit{e.states, e.actions} {
		for _, b := range list {
			q.set(slot{bit: b}, s.now[b])
		}
	}
	e.check.network(s.t, q)
	var open []slot
	for _, b := range e.states {
		if next := (slot{b, true}); s.drawn[b] {
			q.set(next, s.then[b])
		} else if q.get(next) == unknown {
			open = append(open, next)
		}
	}
	e.check.failure = nil
	ok = e.check.solve(q, e.check.step, open, func() bool {
		copy(s.then, q.valuation(true))
		var ok bool
		reward, ok = e.check.complete(q, e.aux, s.then)
		return ok
	})
	if s.first && ok {
		s.first = false
		s.fixed, s.terms = reward, nil
		for _, t := range e.p.Reward.Terms {
			if t.Lit.Next && s.drawn[t.Lit.Bit] {
				if s.terms = append(s.terms, t); s.then[t.Lit.Bit] != t.Lit.Neg {
					s.fixed -= t.Weight
				}
			}
		}
	}
	return reward, ok
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
	before, power := map[int]*big.Int{}, big.NewInt(1)
	for left := 0; left <= e.horizon; left++ {
		last := power
		if left > 0 {
			power = new(big.Int).Mul(power, d)
		}
		layer := e.layers[e.horizon-left]
		values := make(map[int]*big.Int, len(layer))
		for k, i := range layer {
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
		before = values
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
	before := map[int]bounds{}
	for left := 0; left <= e.horizon; left++ {
		layer := e.layers[e.horizon-left]
		values := make(map[int]bounds, len(layer))
		for k, i := range layer {
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
		before = values
	}
	v := before[e.layers[0][0]]
	return new(big.Rat).SetFloat64(v.lo), new(big.Rat).SetFloat64(v.hi)
}
