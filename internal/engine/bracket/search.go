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
}

// What Options leave open.
const (
	DefaultLeaves = 1 << 16
	DefaultSteps  = 40
	DefaultMemory = 1 << 28
)

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
	draws   []*Draw
	known   map[string]uint32 // greedy choices
	factors int
	bytes   int64
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
	s := &Search{m: m, o: o, words: m.Words(), rng: rand.New(rand.NewPCG(o.Seed, 29)), index: map[string]int32{}, known: map[string]uint32{}}
	s.b = newBuilder(m, o.Objective)
	s.factors = len(s.b.factors)
	s.b.stop = func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	s.draws = make([]*Draw, s.factors)
	patterns, rest, err := s.b.choose(ctx, o.Leaves)
	if err != nil {
		return nil, err
	}
	s.upper = &tables{b: s.b, horizon: o.Horizon, ends: !m.Plain(), patterns: patterns}
	if o.Objective == policy.Reward {
		for _, t := range rest {
			_, hi := m.TermRange(t)
			s.upper.rest += hi
		}
	}
	return s, s.estimate(ctx, rest)
}

// estimateRounds is how many tables are tried as a guide.
const estimateRounds = 5

// estimate makes the tables that guide the policy: the optimistic ones, or those in which other fields have
// the values of runs of the best policy so far, whichever leads to the best runs.
func (s *Search) estimate(ctx context.Context, rest []int) error {
	for k := range s.upper.patterns {
		s.upper.sweep(k, nil)
	}
	mean, paid, err := s.look(ctx, false, rest)
	if err != nil {
		return err
	}
	if s.o.Objective == policy.Reward {
		s.upper.agree(ctx, s.o.Steps, mean)
	}
	s.guess = &tables{b: s.b, horizon: s.o.Horizon, rest: paid, patterns: s.upper.patterns}
	var best *tables
	most, seen := math.Inf(-1), s.b.seen
	for range estimateRounds {
		clear(s.known)
		if mean, paid, err = s.look(ctx, true, rest); err != nil {
			return err
		}
		if mean > most {
			most, best, seen = mean, s.guess, s.b.seen
		}
		if s.b.seen = seen; len(seen) == 0 {
			break // all runs end where they start
		}
		s.guess = &tables{b: s.b, horizon: s.o.Horizon, rest: paid}
		for _, p := range s.upper.patterns {
			q, err := s.b.averaged(p)
			if err != nil {
				return err
			}
			s.guess.patterns = append(s.guess.patterns, q)
		}
		s.guess.agree(ctx, s.o.Steps/2, most)
		for _, p := range s.guess.patterns {
			p.moves = nil
		}
	}
	clear(s.known)
	s.guess = &tables{b: s.b, horizon: s.o.Horizon, rest: best.rest, patterns: best.patterns}
	if s.o.Objective == policy.Reward {
		s.upper.agree(ctx, s.o.Steps, most)
	}
	return s.calibrate(ctx)
}

// mostFactor bounds how much estimates are corrected.
const mostFactor = 5

// calibrateRuns is the number of runs that estimates are compared with.
const calibrateRuns = 64

// calibrate compares the estimates with what runs of the policy reach from there, and makes up for the
// ratio with each number of steps left: so what was visited compares with what was not.
func (s *Search) calibrate(ctx context.Context) error {
	paid, guessed := make([]float64, s.o.Horizon+1), make([]float64, s.o.Horizon+1)
	state := make([]uint64, s.words)
	for range calibrateRuns {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var guesses, rewards []float64
		s.m.Start(state)
		for left := s.o.Horizon; left > 0; left-- {
			done, won, err := s.done(state)
			if err != nil {
				return err
			}
			if won && len(rewards) > 0 {
				rewards[len(rewards)-1]++
			}
			a, ok := uint32(0), false
			if !done {
				if a, ok, err = s.Choose(state, left); err != nil {
					return err
				}
			}
			if !ok {
				break
			}
			_, v := s.values(state, left)
			guesses = append(guesses, total(v))
			r, err := s.step(state, a)
			if err != nil {
				return err
			}
			rewards = append(rewards, r)
		}
		sum := 0.0
		for i := len(guesses) - 1; i >= 0; i-- {
			sum += rewards[i]
			paid[s.o.Horizon-i] += sum
			guessed[s.o.Horizon-i] += guesses[i]
		}
	}
	for i := range paid {
		if r := paid[i] / guessed[i]; r > 0 {
			paid[i] = min(mostFactor, max(1./mostFactor, r))
		} else {
			paid[i] = 1
		}
	}
	s.guess.factors = paid
	return nil
}

// lookRuns is the number of runs that estimates rest on.
const lookRuns = 32

// look runs a few times, with random or with greedy actions, and remembers states. It returns the mean of the runs, and
// what the terms of rest paid per step.
func (s *Search) look(ctx context.Context, greedy bool, rest []int) (mean, paid float64, err error) {
	s.b.seen = nil
	state := make([]uint64, s.words)
	steps := 0
	for range lookRuns {
		s.m.Start(state)
		for left := s.o.Horizon; left > 0; left-- {
			if ctx.Err() != nil {
				return 0, 0, context.Cause(ctx)
			}
			if done, won, err := s.done(state); err != nil || done {
				if won {
					mean += 1.0 / lookRuns
				}
				if err != nil {
					return 0, 0, err
				}
				break
			}
			s.b.seen = append(s.b.seen, append([]uint64(nil), state...))
			var a uint32
			var ok bool
			if greedy {
				a, ok, err = s.Choose(state, left)
			} else {
				s.legal, err = s.m.Legal(state, s.legal)
				if ok = len(s.legal) > 0; ok {
					a = s.legal[s.rng.IntN(len(s.legal))]
				}
			}
			if err != nil || !ok {
				break
			}
			for _, t := range rest {
				if s.o.Objective == policy.Reward {
					v, err := s.m.Term(t, state, a)
					if err != nil {
						return 0, 0, err
					}
					paid += v
				}
			}
			steps++
			r, err := s.step(state, a)
			if err != nil {
				return 0, 0, err
			}
			mean += r / lookRuns
		}
	}
	s.b.seen = thin(s.b.seen, s.rng)
	return mean, paid / float64(max(1, steps)), err
}

// mostSeen bounds the states that averages are over.
const mostSeen = 64

func thin(list [][]uint64, rng *rand.Rand) [][]uint64 {
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(len(list), mostSeen)]
}

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
	var bits [8]uint64
	out := bits[:0]
	for range s.words {
		out = append(out, 0)
	}
	p = 1
	for f := range s.factors {
		d, err := s.m.Draw(f, state, a)
		if err != nil {
			return 0, err
		}
		k := 0
		if len(d.P) > 1 {
			x := s.rng.Float64()
			for k < len(d.P)-1 && x >= d.P[k] {
				x -= d.P[k]
				k++
			}
		}
		p *= d.P[k]
		for w := range out {
			out[w] |= d.Bits[k*s.words+w]
		}
	}
	copy(next, out)
	return p, nil
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
	if len(n.acts) == 0 && s.o.Objective == policy.Success {
		u, v = 0, 0
	}
	n.u, n.v = min(n.u, u), v
}

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
// been, and else what the tables say.
func (s *Search) Choose(state []uint64, left int) (a uint32, ok bool, err error) {
	key := string(s.key(state, left))
	if s.guess == nil {
		return 0, false, nil
	}
	if i, found := s.index[key]; found && s.nodes[i].visits >= sure*len(s.nodes[i].acts) && len(s.nodes[i].acts) > 0 {
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
		if n.acts == nil || n.visits < sure*len(n.acts) {
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

// Run follows the policy from the start once, and returns its reward, or 1 for success.
func (s *Search) Run() (float64, error) {
	state := make([]uint64, s.words)
	s.m.Start(state)
	sum := 0.0
	for left := s.o.Horizon; ; left-- {
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
		a, ok, err := s.Choose(state, left)
		if err != nil {
			return 0, err
		}
		if !ok {
			if s.o.Objective == policy.Reward {
				return math.Inf(-1), nil
			}
			return 0, nil
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
	s.nodes, s.bytes = s.nodes[:0], 0
	clear(s.index)
}
