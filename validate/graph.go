package validate

import (
	"fmt"
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

// graph has the states of a problem with chance that were looked at, and what actions in them lead to, from the
// definition of the problem.
type graph struct {
	p      *factored.Problem
	chance Chance
	memory *Memory // of steps; nil for none

	check           *checker
	aux             []slot
	states, actions []factored.Bit
	kept            int  // outcomes of all branches
	whole           bool // weights are kept, however many there are
	most            int  // states; 0 for any number
	budget          int  // disturbances of a step beyond which no outcome is listed, where the outcomes are many; -1 for any number
	places          map[string]int
	nodes           []*node
}

// node is a state that can be reached.
type node struct {
	state    factored.Valuation
	goal     bool
	broken   *Failure
	ends     bool
	branches map[string]*branch // by action
	last     *branch            // of the action that was taken last, if that is short
	bits     uint64             // of that action
}

// branch is what an action can lead to.
type branch struct {
	action string // bitsKey of it; where all legal actions are listed
	next   []int
	reward []int64
	p      []float64  // probabilities, each rounded a few times
	weight []*big.Int // probabilities over total; nil where there are too many outcomes to be exact
	total  *big.Int
	paid   *big.Int // the expected reward times total, in units of bounds
	draws  int      // factors of a probability
	events []int    // draws that do not have their most likely value
	drawn  []*factored.Draw
	pruned bool // only outcomes within a budget of disturbances are listed
	budget int
}

func (g *graph) prepare(p *factored.Problem, net *bnn.Network, chance Chance) {
	g.p, g.chance, g.places, g.budget = p, chance, map[string]int{}, -1
	if r, ok := chance.(*remembering); ok {
		g.chance, g.memory = r.Chance, r.memory
	}
	g.check = &checker{p: p, net: net, dead: map[string]bool{}}
	g.check.sort()
	g.states, g.actions = p.Bits(factored.State), p.Bits(factored.Action)
	g.aux = slots(p, factored.Auxiliary, false)
}

// node returns the number of a state.
func (g *graph) node(state factored.Valuation) (int, error) {
	key := state.Key(g.states)
	if i, ok := g.places[key]; ok {
		return i, nil
	}
	n := &node{state: slices.Clone(state), branches: map[string]*branch{}}
	if n.broken = CheckPart(g.p, State, state); n.broken == nil {
		n.goal = len(g.p.Goal) > 0 && CheckPart(g.p, Goal, state) == nil
		var err error
		if n.ends, err = g.chance.Ends(state); err != nil {
			return 0, err
		}
	}
	if g.most > 0 && len(g.nodes) >= g.most {
		return 0, fmt.Errorf("%w: more than %d", ErrManyStates, g.most)
	}
	g.places[key] = len(g.nodes)
	g.nodes = append(g.nodes, n)
	return len(g.nodes) - 1, nil
}

// outside returns the number of what stands for all states with a value that its variable cannot have.
func (g *graph) outside() int {
	i, ok := g.places[""]
	if !ok {
		i = len(g.nodes)
		g.places[""] = i
		g.nodes = append(g.nodes, &node{broken: &Failure{Group: "global", What: "a drawn value is outside the range of its variable"}})
	}
	return i
}

// branch lists what an action leads to. A failure means that it is not legal.
func (g *graph) branch(t int, n *node, action factored.Valuation) (*branch, *Failure, error) {
	bits, short := g.short(action)
	if short && n.last != nil && n.bits == bits && (!n.last.pruned || n.last.budget >= g.budget) {
		return n.last, nil, nil
	}
	key := action.Key(g.actions)
	if b := n.branches[key]; b != nil && (!b.pruned || b.budget >= g.budget) {
		if short {
			n.last, n.bits = b, bits
		}
		return b, nil, nil
	}
	now := slices.Clone(n.state)
	for _, b := range g.actions {
		now[b] = action[b]
	}
	draws, err := g.chance.Draws(now)
	if err != nil {
		return nil, nil, fmt.Errorf("step %d: %w", t, err)
	}
	b, failure, err := g.outcomes(t, now, draws)
	if err != nil || failure != nil {
		return nil, failure, err
	}
	n.branches[key] = b
	return b, nil, nil
}

// short packs an action, if it has at most 64 bits.
func (g *graph) short(action factored.Valuation) (bits uint64, ok bool) {
	if len(g.actions) > 64 {
		return 0, false
	}
	for i, b := range g.actions {
		if action[b] {
			bits |= 1 << i
		}
	}
	return bits, true
}

// spread enumerates the joint outcomes of the draws of a step.
type spread struct {
	g       *graph
	t       int
	now     factored.Valuation
	then    factored.Valuation // next values as far as they are known
	outside bool               // a drawn value is outside its range
	events  int                // draws so far that do not have their most likely value
	draws   []*factored.Draw
	drawn   []bool         // by bit
	bits    []factored.Bit // of what is drawn; see key
	place   string
	// Of the first outcome; the others differ from it in the drawn values alone, unless a constraint
	// reads these.
	first bool
	reads bool
	fixed int64                 // the reward without the terms below
	terms []factored.RewardTerm // those that read what is drawn
	out   *branch
	whole [][]*big.Int // the probabilities of each draw over a common denominator

	rounded bool // weights are not kept
	failure *Failure
}

// outcomes lists what a step can lead to. A failure means that it is not legal.
func (g *graph) outcomes(t int, now factored.Valuation, draws []*factored.Draw) (*branch, *Failure, error) {
	s := &spread{g: g, t: t, now: now, then: make(factored.Valuation, g.p.NumBits()), draws: draws, drawn: make([]bool, g.p.NumBits()), first: true}
	s.out = &branch{total: big.NewInt(1), draws: len(draws), drawn: draws}
	joint := 1
	for _, d := range draws {
		joint = min(joint*len(d.Values), maxJoint+1)
		for _, i := range d.Variables {
			v := &g.p.Variables[i]
			for b := v.First; b < v.First+factored.Bit(v.Width); b++ {
				s.drawn[b] = true
			}
		}
	}
	ruled := false // a rule is about what is drawn, so that the action is legal only if all outcomes keep it
	for _, c := range g.check.step {
		for _, t := range c.Terms {
			reads := t.Lit.Next && s.drawn[t.Lit.Bit]
			s.reads, ruled = s.reads || reads, ruled || reads && !c.Gate && !c.Defines
		}
	}
	if g.budget >= 0 && joint > fewJoint && !ruled {
		s.rounded, s.out.pruned, s.out.budget = true, true, g.budget
		err := s.from(0, nil, 1)
		return s.out, s.failure, err
	}
	if joint > maxJoint {
		return nil, nil, fmt.Errorf("%w: step %d has more than %d outcomes", ErrManyStates, t, maxJoint)
	}
	for _, d := range draws {
		total, whole := weights(d)
		if sum := add(whole); sum.Cmp(total) != 0 {
			return nil, nil, fmt.Errorf("step %d: the probabilities of a draw sum to %s; expected 1", t, new(big.Rat).SetFrac(sum, total).RatString())
		}
		s.whole = append(s.whole, whole)
		s.out.total = new(big.Int).Mul(s.out.total, total)
	}
	if g.kept += joint; g.kept > maxExact && !g.whole {
		s.rounded = true
	}
	err := s.from(0, big.NewInt(1), 1)
	return s.out, s.failure, err
}

const (
	maxJoint = 1 << 22 // joint outcomes of a step, at most
	fewJoint = 1 << 10 // joint outcomes that are listed whatever the budget is
)

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

func add(list []*big.Int) *big.Int {
	sum := new(big.Int)
	for _, x := range list {
		sum.Add(sum, x)
	}
	return sum
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
		if s.out.pruned && events+d.Disturbances[i] > s.g.budget {
			continue
		}
		s.outside, s.events = was || row == nil, events+d.Disturbances[i]
		for j, x := range row {
			if err := s.g.p.Variables[d.Variables[j]].Set(s.then, x); err != nil {
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
		if reward, ok = s.solved(); !ok {
			if s.failure = s.g.check.failure; s.failure == nil {
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
		j = s.g.outside()
	} else {
		var err error
		if j, err = s.g.node(s.then); err != nil {
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

// solved finds the next values that are not drawn, and the reward of the step; false if a constraint does not
// hold.
func (s *spread) solved() (reward int64, ok bool) {
	key := ""
	if s.g.memory != nil {
		key = s.key()
		reward, ok = s.recall(key)
	}
	if !ok {
		if reward, ok = s.solve(); ok && s.g.memory != nil {
			s.keep(key, reward)
		}
	}
	if s.first && ok {
		s.first = false
		s.fixed, s.terms = reward, nil
		for _, t := range s.g.p.Reward.Terms {
			if t.Lit.Next && s.drawn[t.Lit.Bit] {
				if s.terms = append(s.terms, t); s.then[t.Lit.Bit] != t.Lit.Neg {
					s.fixed -= t.Weight
				}
			}
		}
	}
	return reward, ok
}

// solve is solved, from the definition.
func (s *spread) solve() (reward int64, ok bool) {
	g := s.g
	q := newQuestion(g.p, s.t)
	for _, list := range [][]factored.Bit{g.states, g.actions} {
		for _, b := range list {
			q.set(slot{bit: b}, s.now[b])
		}
	}
	g.check.network(q)
	var open []slot
	for _, b := range g.states {
		if next := (slot{b, true}); s.drawn[b] {
			q.set(next, s.then[b])
		} else if q.get(next) == unknown {
			open = append(open, next)
		}
	}
	g.check.failure = nil
	ok = g.check.solve(q, g.check.step, open, func() bool {
		copy(s.then, q.valuation(true))
		var ok bool
		reward, ok = g.check.complete(q, g.aux, s.then)
		return ok
	})
	return reward, ok
}
