package bracket

import (
	"math"
	"slices"
)

// Trial goes from a state down the actions that look best, and draws, to a state that is new; then it backs up. With
// optimism it goes where the upper bound is, and else where the estimate may be.
func (s *Search) Trial(state []uint64, left int, optimism bool) error {
	var path []int32
	i, err := s.node(state, left)
	if err != nil {
		return err
	}
	next := make([]uint64, s.words)
	for {
		n := &s.nodes[i]
		if n.closed {
			break
		}
		fresh := n.acts == nil
		if fresh && len(path) > 0 && s.bytes > s.o.Memory {
			break
		}
		path = append(path, i)
		if fresh {
			if n.acts, err = s.actions(n.state, n.left); err != nil {
				return err
			}
			s.backup(n)
			s.bytes += int64(100 * len(n.acts))
		}
		if len(n.acts) == 0 || fresh && len(path) > 1 {
			break
		}
		x := s.pick(n, optimism)
		x.visits++
		p, err := s.draw(n.state, x.id, next)
		if err != nil {
			return err
		}
		at, j := s.nodes[i].left-1, -1
		child, err := s.node(next, at)
		if err != nil {
			return err
		}
		for k := range x.kids {
			if x.kids[k].node == child {
				j = k
			}
		}
		if c := &s.nodes[child]; j < 0 {
			x.kids = append(x.kids, kid{p, child, c.hu[min(x.ju, len(c.hu)-1)], c.hv[min(x.jv, len(c.hv)-1)]})
		}
		i = child
	}
	for k := len(path) - 1; k >= 0; k-- {
		n := &s.nodes[path[k]]
		n.visits++
		s.backup(n)
	}
	return nil
}

// pick is the action of a node that a trial takes.
func (s *Search) pick(n *node, optimism bool) *act {
	if optimism {
		best, choice := math.Inf(-1), 0
		for i := range n.acts {
			if u, _ := s.q(&n.acts[i]); u > best {
				best, choice = u, i
			}
		}
		return &n.acts[choice]
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range n.acts {
		_, v := s.q(&n.acts[i])
		if lo = min(lo, v); v > hi {
			hi = v
		}
	}
	// Confidence bounds on estimates (Kocsis and Szepesvári, 2006), relative to how far these differ.
	best, choice := math.Inf(-1), 0
	log := math.Log(float64(n.visits + 2))
	for i := range n.acts {
		_, v := s.q(&n.acts[i])
		v += explore * (hi - lo + 1e-9) * math.Sqrt(log/float64(n.acts[i].visits+1))
		if v > best {
			best, choice = v, i
		}
	}
	return &n.acts[choice]
}

// explore weighs what is not known.
const explore = 1.5

// Bounds returns the upper bound and the estimate of a state.
func (s *Search) Bounds(state []uint64, left int) (u, v float64, err error) {
	i, err := s.node(state, left)
	if err != nil {
		return 0, 0, err
	}
	return s.nodes[i].u, s.nodes[i].v, nil
}

// sure is how often each action of a state was tried on average where the search knows better than the tables.
const sure = 30

// mostKnown bounds the remembered choices.
const mostKnown = 1 << 20

// Choose returns the action of the policy in a state; false if none is legal. It is that of the search, where it has
// been, and else that of the base.
func (s *Search) Choose(state []uint64, left int) (a uint32, ok bool, err error) {
	if i, found := s.index[string(s.key(state, left))]; found && !s.alone && s.nodes[i].visits >= sure*len(s.nodes[i].acts) && len(s.nodes[i].acts) > 0 {
		n := &s.nodes[i]
		// The action that was tried most, as estimates of the others are rough, if it is better than that of the tables.
		choice, greedy := 0, 0
		for k := range n.acts {
			if n.acts[k].visits > n.acts[choice].visits {
				choice = k
			}
			if n.acts[k].baseV > n.acts[greedy].baseV {
				greedy = k
			}
		}
		if _, v := s.q(&n.acts[greedy]); choice != greedy {
			if _, w := s.q(&n.acts[choice]); w <= v {
				choice = greedy
			}
		}
		return n.acts[choice].id, true, nil
	}
	return s.Base(state, left)
}

// greedy is what the tables say.
func (s *Search) greedy(state []uint64, left int) (a uint32, ok bool, err error) {
	if s.guess == nil {
		return 0, false, nil
	}
	key := string(s.key(state, left))
	if a, ok = s.known[key]; ok {
		return a, true, nil
	}
	acts, err := s.actions(state, left)
	if err != nil || len(acts) == 0 {
		return 0, false, err
	}
	best := 0
	for k := range acts {
		if acts[k].baseV > acts[best].baseV {
			best = k
		}
	}
	if len(s.known) >= mostKnown {
		clear(s.known)
	}
	s.known[key] = acts[best].id
	return acts[best].id, true, nil
}

// Alone has Choose go by the base alone, or not.
func (s *Search) Alone(alone bool) { s.alone = alone }

// Choice is what the policy does in a state where the search knows better than the tables.
type Choice struct {
	State  []uint64
	Left   int // steps
	Action uint32
}

// Choices lists what the search knows, in the order in which it found the states.
func (s *Search) Choices() (list []Choice) {
	for i := range s.nodes {
		n := &s.nodes[i]
		if s.alone || n.acts == nil || n.visits < sure*len(n.acts) {
			continue
		}
		if a, ok, err := s.Choose(n.state, n.left); ok && err == nil {
			list = append(list, Choice{n.state, n.left, a})
		}
	}
	return list
}

// Visited is the number of states, with steps left, that the search has visited, and of their actions.
func (s *Search) Visited() (states int, pairs int64) {
	for i := range s.nodes {
		pairs += int64(len(s.nodes[i].acts))
	}
	return len(s.nodes), pairs
}

// Policy is what is done in a state with some steps left; false where nothing is legal.
type Policy func(state []uint64, left int) (a uint32, ok bool, err error)

// Run follows a policy from a state once, and returns its reward, or 1 for success.
func (s *Search) Run(from []uint64, left int, choose Policy) (float64, error) {
	state := slices.Clone(from)
	sum := 0.0
	for ; ; left-- {
		done, won, err := s.done(state)
		if err != nil {
			return 0, err
		}
		if won {
			return 1, nil
		}
		if done || left == 0 {
			return sum, nil
		}
		a, ok, err := choose(state, left)
		if err != nil {
			return 0, err
		}
		if !ok {
			return sum + s.stuck(left), nil
		}
		r, err := s.step(state, a)
		if err != nil {
			return 0, err
		}
		sum += r
	}
}

// Forget forgets the states that were visited, and keeps the tables.
func (s *Search) Forget() {
	clear(s.nodes) // their actions too
	s.nodes, s.bytes = s.nodes[:0], 0
	clear(s.index)
}
