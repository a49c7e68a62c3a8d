package bracket

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

// Options are the limits of a search.
type Options struct {
	Objective policy.Objective
	Horizon   int
	Seed      uint64
	Leaves    int   // of the patterns' tables; 0 for DefaultLeaves
	Steps     int   // of the prices; 0 for DefaultSteps
	Memory    int64 // of what is visited, in bytes; 0 for DefaultMemory
	// Proven says that the upper bound is to be proven by its Sums: neither rules nor what a draw needs of what it reads are made use of, which the
	// checker does not know.
	Proven bool
}

// What Options leave open.
const (
	DefaultLeaves = 1 << 16
	DefaultSteps  = 40
	DefaultMemory = 1 << 28
)

// QuickLeaves are those of tables for an answer at once.
const QuickLeaves = 1 << 9

// Search bounds the value of states, and finds actions. It belongs to one goroutine.
type Search struct {
	m     Model
	b     *builder
	o     Options
	upper *tables // upper bounds
	guess *tables // estimates

	words int
	nodes []node
	index map[string]int32
	rng   *rand.Rand

	legal   []uint32
	known   map[string]uint32 // greedy choices
	likely  map[string]uint32 // of plans for the most likely outcomes
	base    base
	alone   bool        // the policy is the base everywhere
	effort  int         // steps that plans looked at
	halt    func() bool // ends plans of the base; nil for none
	factors int
	bytes   int64
	least   float64 // reward of a step, about; what follows a state without a legal action counts as that
}

// node is a state with a number of steps left.
type node struct {
	state  []uint64
	left   int
	closed bool
	u, v   float64 // upper bound and estimate
	hu, hv []float64
	acts   []act // of an expanded node
	visits int
}

// act is a legal action of a node. What the tables say of all outcomes is its base; the outcomes that were
// visited replace their part of it.
type act struct {
	id           uint32
	baseU, baseV float64
	ju, jv       int // the table that the base is of
	kids         []kid
	visits       int
}

type kid struct {
	p      float64
	node   int32
	hu, hv float64
}

// New prepares a search: it makes the tables.
func New(ctx context.Context, m Model, o Options) (*Search, error) {
	o.Leaves, o.Steps, o.Memory = cmp.Or(o.Leaves, DefaultLeaves), cmp.Or(o.Steps, DefaultSteps), cmp.Or(o.Memory, DefaultMemory)
	s := &Search{m: m, o: o, words: m.Words(), rng: rand.New(rand.NewPCG(o.Seed, 29)), index: map[string]int32{}, known: map[string]uint32{}, likely: map[string]uint32{}}
	s.b = newBuilder(m, o.Objective)
	if s.b.proven = o.Proven; o.Proven {
		s.b.rules = nil
	}
	s.factors = len(s.b.factors)
	s.b.stop = func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	patterns, rest, err := s.b.choose(ctx, o.Leaves)
	if err != nil {
		return nil, err
	}
	s.upper = &tables{b: s.b, horizon: o.Horizon, ends: !m.Plain(), patterns: patterns}
	if o.Objective == policy.Reward {
		for t := range s.b.terms {
			lo, _ := m.TermRange(t)
			s.least += max(lo, -mostLoss)
		}
		for _, t := range rest {
			_, hi := m.TermRange(t)
			s.upper.rest += hi
		}
		if s.upper.ends { // a run that is over pays nothing
			s.upper.rest = max(0, s.upper.rest)
		}
	}
	if err := s.estimate(ctx, rest); err != nil {
		return nil, err
	}
	return s, s.compare(ctx)
}

// mostLoss is what a term whose range is not known may cost.
const mostLoss = 1e6

// done reports whether a run ends in a state, and whether it has succeeded.
func (s *Search) done(state []uint64) (done, won bool, err error) {
	if s.m.Plain() {
		return false, false, nil
	}
	k, err := s.m.Kind(state)
	if s.o.Objective == policy.Success {
		won = k&(policy.Goal|policy.Broken) == policy.Goal
	}
	return k&(policy.End|policy.Broken) != 0 || won, won, err
}

// step takes a step at random, and returns its reward; 0 where success is what counts.
func (s *Search) step(state []uint64, a uint32) (reward float64, err error) {
	if reward, err = s.reward(state, a); err != nil {
		return 0, err
	}
	_, err = s.draw(state, a, state)
	return reward, err
}

func (s *Search) reward(state []uint64, a uint32) (sum float64, err error) {
	for t := range s.b.terms {
		v, err := s.m.Term(t, state, a)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}

// draw draws the next state, and returns its probability.
func (s *Search) draw(state []uint64, a uint32, next []uint64) (p float64, err error) {
	return s.b.draw(s.rng, state, a, next)
}

// key makes a map key of a state with steps left.
func (s *Search) key(state []uint64, left int) []byte {
	b := s.b.buf[:0]
	for _, x := range state {
		for i := 0; i < 64; i += 8 {
			b = append(b, byte(x>>i))
		}
	}
	s.b.buf = append(b, byte(left), byte(left>>8))
	return s.b.buf
}

// node returns the number of a node, which may be new.
func (s *Search) node(state []uint64, left int) (int32, error) {
	key := string(s.key(state, left))
	if i, ok := s.index[key]; ok {
		return i, nil
	}
	n := node{state: append([]uint64(nil), state...), left: left}
	done, won, err := s.done(state)
	if err != nil {
		return 0, err
	}
	n.hu, n.hv = s.values(state, left)
	n.u, n.v = total(n.hu), total(n.hv)
	if done || left == 0 {
		n.closed, n.u, n.v = true, 0, 0
		if won {
			n.u, n.v = 1, 1
		}
	}
	i := int32(len(s.nodes))
	s.nodes, s.index[key] = append(s.nodes, n), i
	s.bytes += int64(400 + 16*s.words + 16*len(n.hu))
	return i, nil
}

// values are what the tables say of a state: one sum of a reward, or a probability for each pattern.
func (s *Search) values(state []uint64, left int) (u, v []float64) {
	if s.o.Objective == policy.Reward {
		u, v = []float64{s.upper.rest * float64(left)}, []float64{s.guess.rest * float64(left)}
	}
	for k, p := range s.upper.patterns {
		i := p.index[string(s.b.keyOf(state, p.mask))]
		x, y := p.value[left][i], s.guess.patterns[k].value[left][i]
		if s.o.Objective == policy.Reward {
			u[0] += x
			v[0] += y
		} else {
			u, v = append(u, x), append(v, y)
		}
	}
	if len(u) == 0 {
		u, v = []float64{1}, []float64{1}
	}
	for i := range v {
		v[i] *= s.guess.factor(left)
	}
	return u, v
}

// total is the least of several bounds on a probability, or a sum.
func total(list []float64) float64 { return slices.Min(list) }

// actions lists the legal actions of a state with what the tables say of them.
func (s *Search) actions(state []uint64, left int) ([]act, error) {
	var err error
	if s.legal, err = s.m.Legal(state, s.legal); err != nil {
		return nil, err
	}
	where := make([]uint32, len(s.upper.patterns))
	s.upper.locate(state, where)
	type pair struct {
		u, v  float64
		known bool
	}
	memo := make([][]pair, len(where))
	for k, p := range s.upper.patterns {
		memo[k] = make([]pair, len(p.members))
	}
	list := make([]act, 0, len(s.legal))
	for _, a := range s.legal {
		r, err := s.reward(state, a)
		if err != nil {
			return nil, err
		}
		x := act{id: a}
		if s.o.Objective == policy.Reward {
			x.baseU, x.baseV = r+s.upper.rest*float64(left-1), s.guess.rest*float64(left-1)
		} else {
			x.baseU, x.baseV = math.Inf(1), math.Inf(1)
		}
		for k, p := range s.upper.patterns {
			c := p.class[a]
			y := &memo[k][c]
			if !y.known {
				if y.u, y.v, err = s.expect(p, s.guess.patterns[k], where[k], c, state, a, left-1); err != nil {
					return nil, err
				}
				y.known = true
			}
			switch {
			case s.o.Objective == policy.Reward:
				x.baseU += y.u
				x.baseV += y.v
			default:
				if y.u < x.baseU {
					x.baseU, x.ju = y.u, k
				}
				if y.v < x.baseV {
					x.baseV, x.jv = y.v, k
				}
			}
		}
		if math.IsInf(x.baseU, 1) {
			x.baseU, x.baseV = 1, 1
		}
		x.baseV = r + x.baseV*s.guess.factor(left-1)
		list = append(list, x)
	}
	return list, nil
}

// expect is the expected value of a pattern after an action in a state, by its own draws.
func (s *Search) expect(p, q *pattern, where, class uint32, state []uint64, a uint32, left int) (u, v float64, err error) {
	m := &p.moves[int(where)*len(p.members)+int(class)]
	up, est := p.value[left], q.value[left]
	if len(m.folds) == 0 {
		return up[m.leaves[0]], est[m.leaves[0]], nil
	}
	var block [16]float64
	dist := make([][]float64, len(m.folds))
	for k := range m.folds {
		x := &m.folds[k]
		d, err := s.m.Draw(x.factor, state, a)
		if err != nil {
			return 0, 0, err
		}
		of := block[:0]
		if k > 0 || x.n > len(block) {
			of = make([]float64, 0, x.n)
		}
		of = of[:x.n]
		clear(of)
		for i, w := range d.P {
			of[x.find(d.Bits[i*s.words:(i+1)*s.words], p.mask)] += w
		}
		dist[k] = of
	}
	var sum func(k, first, size int, mass float64)
	sum = func(k, first, size int, mass float64) {
		if k == len(dist) {
			u += mass * up[m.leaves[first]]
			v += mass * est[m.leaves[first]]
			return
		}
		size /= len(dist[k])
		for i, w := range dist[k] {
			if w > 0 {
				sum(k+1, first+i*size, size, mass*w)
			}
		}
	}
	sum(0, 0, len(m.leaves), 1)
	return u, v, nil
}

// stuck is what a state without a legal action counts for: no success, and no reward.
func (s *Search) stuck(left int) float64 {
	if s.o.Objective == policy.Success {
		return 0
	}
	return s.least * float64(left)
}

// q is what is known of an action: what the tables say, but of the outcomes that were visited.
func (s *Search) q(x *act) (u, v float64) {
	u, v = x.baseU, x.baseV
	for i := range x.kids {
		k := &x.kids[i]
		n := &s.nodes[k.node]
		u -= k.p * (k.hu - n.u)
		v -= k.p * (k.hv - n.v)
	}
	return u, v
}

// backup computes the values of an expanded node from those of its actions.
func (s *Search) backup(n *node) {
	u, v := math.Inf(-1), math.Inf(-1)
	for i := range n.acts {
		x, y := s.q(&n.acts[i])
		u, v = max(u, x), max(v, y)
	}
	if len(n.acts) == 0 {
		u = s.stuck(n.left)
		v = u
	}
	n.u, n.v = min(n.u, u), v
}
