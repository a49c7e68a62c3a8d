package bracket

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// base says what a policy does where the search has not been.
type base int

const (
	byTables base = iota
	byLikely      // plans again with the most likely outcomes
	idle          // takes the first joint action, which is to do nothing
)

const (
	// baseRuns is the number of runs in which these are compared.
	baseRuns = 32
	// baseEffort bounds the steps that plans look at in these runs; at least leastRuns are made, and no more where the difference is
	// clear, as it is beyond so many standard errors.
	baseEffort, leastRuns, clearErrors = 3_000_000, 4, 2
	// pairs is the number of pairs of runs for a choice without a time, and pairsEffort bounds the steps that plans look at in them.
	pairs, pairsEffort = 16, 200_000
)

// sample is what runs were worth.
type sample struct{ n, sum, square float64 }

func (x *sample) add(v float64) { x.n, x.sum, x.square = x.n+1, x.sum+v, x.square+v*v }

// mean returns the mean with its squared standard error.
func (x *sample) mean() (mean, square float64) {
	mean = x.sum / x.n
	return mean, max(0, x.square/x.n-mean*mean) / max(1, x.n-1)
}

// compare finds the base: by tables, unless another is better in runs by more than the standard error. Plans, which take long, are left out where there
// is to be an answer at once.
func (s *Search) compare(ctx context.Context) error {
	best, most, error2 := byTables, 0., 0.
	start := make([]uint64, s.words)
	s.m.Start(start)
	for _, s.base = range []base{byTables, byLikely, idle} {
		if s.base == byLikely && s.o.Leaves <= QuickLeaves {
			continue
		}
		var x sample
		s.effort = 0
		// gain is by how many standard errors it is better than the best one before.
		gain := func() float64 {
			mean, e := x.mean()
			return (mean - most) / math.Sqrt(e+error2)
		}
		for x.n < leastRuns || x.n < baseRuns && s.effort < baseEffort && (s.base == byTables || math.Abs(gain()) < clearErrors) {
			v, err := s.RunUntil(ctx, start, s.o.Horizon, s.Base)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return err
			}
			x.add(v)
		}
		if s.base == byTables || gain() > 1 {
			best = s.base
			most, error2 = x.mean()
		}
	}
	s.base, s.effort = best, 0
	return nil
}

// mostEffort is the number of steps that plans look at in about ten seconds.
const mostEffort = 3_000_000

// Tired reports that the plans of the base have taken so long since Rest that further runs are to wait.
func (s *Search) Tired() bool { return s.effort > mostEffort }

// Rest begins to count for Tired.
func (s *Search) Rest() { s.effort = 0 }

// By says what the base does.
func (s *Search) By() string {
	return []string{"goes by tables of values", "plans with the most likely outcomes", "does nothing"}[s.base]
}

// Base is the policy where the search has not been: what the tables say, a plan for the most likely outcomes, or to do nothing,
// whichever had the best runs from the start.
func (s *Search) Base(state []uint64, left int) (a uint32, ok bool, err error) {
	switch s.base {
	case byLikely:
		return s.Likely(state, left)
	case idle:
		if s.legal, err = s.m.Legal(state, s.legal); err != nil || len(s.legal) > 0 && s.legal[0] == 0 {
			return 0, err == nil, err
		}
	}
	return s.greedy(state, left)
}

// Decide returns the action of the search in a state or that of the base, if they differ by runs that take one of them and then follow
// the base (rollout, see Bertsekas, Rollout, Policy Iteration, and Distributed Reinforcement Learning, 2020). Where the base plans for the most likely outcomes
// or does nothing, the search has to be better by more than the standard error; where it goes by the tables, as the search does, the base
// has to be. It is over when stop says so; without it, after a fixed number of runs.
func (s *Search) Decide(state []uint64, left int, stop func() bool) (a uint32, ok bool, err error) {
	a, ok, err = s.Choose(state, left)
	if err != nil || !ok {
		return 0, false, err
	}
	s.halt = stop
	defer func() { s.halt = nil }()
	b, ok, err := s.Base(state, left)
	if errors.Is(err, errHalted) {
		return a, true, nil
	}
	if err != nil || !ok || a == b {
		return a, err == nil, err
	}
	if s.excludes(state, left, a, b) {
		return a, true, nil // which the runs cannot see: they follow the base after it
	}
	if s.effort = 0; stop == nil {
		n := 0 // pairs of runs
		stop = func() bool { n++; return n > pairs || s.effort > pairsEffort }
	}
	var gain sample // of a against b
	for !stop() {
		x, err := s.Run(state, left, first(a, left, s.Base))
		y := 0.
		if err == nil {
			y, err = s.Run(state, left, first(b, left, s.Base))
		}
		if errors.Is(err, errHalted) {
			break
		}
		if err != nil {
			return 0, false, err
		}
		gain.add(x - y)
	}
	mean, e := gain.mean()
	if enough := gain.n >= leastRuns; s.base == byTables && enough && mean < -math.Sqrt(e) || s.base != byTables && !(enough && mean > math.Sqrt(e)) {
		a = b
	}
	return a, true, nil
}

// errHalted says that the time was over before the base had a plan.
var errHalted = errors.New("the time for a decision is over")

// RunUntil is Run, with an error where the context ends before a plan of the base is found.
func (s *Search) RunUntil(ctx context.Context, from []uint64, left int, choose Policy) (float64, error) {
	s.halt = func() bool { return ctx.Err() != nil }
	defer func() { s.halt = nil }()
	return s.Run(from, left, choose)
}

// excludes reports whether the search shows that an action is worth no more than it expects of another.
func (s *Search) excludes(state []uint64, left int, a, b uint32) bool {
	i, found := s.index[string(s.key(state, left))]
	if !found {
		return false
	}
	expected, most := math.Inf(-1), math.Inf(1)
	for k := range s.nodes[i].acts {
		switch x := &s.nodes[i].acts[k]; x.id {
		case a:
			u, v := s.q(x)
			expected = min(u, v)
		case b:
			most, _ = s.q(x)
		}
	}
	return most < expected
}

// first takes an action, and then follows a policy.
func first(a uint32, at int, then Policy) Policy {
	return func(state []uint64, left int) (uint32, bool, error) {
		if left == at {
			return a, true, nil
		}
		return then(state, left)
	}
}

// likelyWidth is the number of states that a plan for the most likely outcomes is chosen from, in each step.
const likelyWidth = 16

// lead is a state of the model in which each draw has its most likely outcome, with the way to it.
type lead struct {
	state  []uint64
	sum    float64 // of the rewards so far; 1 for success
	u, v   float64 // with what the tables say of the rest
	from   int     // its place in the layer before
	action uint32
	over   bool
}

// Likely is the action of the policy that plans again, with the most likely outcome of each draw, wherever the last plan
// does not lead; false if none is legal.
func (s *Search) Likely(state []uint64, left int) (a uint32, ok bool, err error) {
	if a, ok = s.likely[string(s.key(state, left))]; ok {
		return a, true, nil
	}
	layers := [][]lead{{{state: state}}}
	for k := 0; k < left; k++ {
		next, err := s.ahead(layers[k], left-k)
		if err != nil {
			return 0, false, err
		}
		if len(next) == 0 {
			break
		}
		layers = append(layers, next)
	}
	last, at, most := 0, -1, math.Inf(-1)
	for k := 1; k < len(layers); k++ {
		for i := range layers[k] {
			if x := &layers[k][i]; (x.over || k == len(layers)-1) && x.sum > most {
				last, at, most = k, i, x.sum
			}
		}
	}
	if at < 0 {
		return 0, false, nil
	}
	if len(s.likely) >= mostKnown {
		clear(s.likely)
	}
	for k := last; k > 0; k-- {
		x := &layers[k][at]
		a, at = x.action, x.from
		s.likely[string(s.key(layers[k-1][at].state, left-k+1))] = a
	}
	return a, true, nil
}

// ahead takes all legal steps from a layer, and keeps what looks best: half of it by estimates, half by upper bounds.
func (s *Search) ahead(layer []lead, left int) (next []lead, err error) {
	places := map[string]int{}
	for i := range layer {
		if layer[i].over {
			continue
		}
		if s.halt != nil && s.halt() {
			return nil, errHalted
		}
		if s.legal, err = s.m.Legal(layer[i].state, s.legal); err != nil {
			return nil, err
		}
		for _, a := range s.legal {
			s.effort++
			x := lead{from: i, action: a, state: make([]uint64, s.words)}
			if x.sum, err = s.reward(layer[i].state, a); err != nil {
				return nil, err
			}
			x.sum += layer[i].sum
			if err = s.most(layer[i].state, a, x.state); err != nil {
				return nil, err
			}
			key := s.key(x.state, left)
			if j, ok := places[string(key)]; !ok {
				places[string(key)] = len(next)
				next = append(next, x)
			} else if x.sum > next[j].sum {
				next[j] = x
			}
		}
	}
	for i := range next {
		if err := s.rate(&next[i], left-1); err != nil {
			return nil, err
		}
	}
	if len(next) <= likelyWidth {
		return next, nil
	}
	slices.SortStableFunc(next, func(x, y lead) int { return cmp.Compare(y.v, x.v) })
	slices.SortStableFunc(next[likelyWidth/2:], func(x, y lead) int { return cmp.Compare(y.u, x.u) })
	return next[:likelyWidth], nil
}

// rate adds what the tables say of a state.
func (s *Search) rate(x *lead, left int) error {
	done, won, err := s.done(x.state)
	if won {
		x.sum++
	}
	if x.over = done; done || left == 0 {
		x.u, x.v = x.sum, x.sum
		return err
	}
	u, v := s.values(x.state, left)
	x.u, x.v = x.sum+total(u), x.sum+total(v)
	return err
}

// most is the most likely next state.
func (s *Search) most(state []uint64, a uint32, next []uint64) error {
	for f := range s.factors {
		d, err := s.m.Draw(f, state, a)
		if err != nil {
			return err
		}
		best := 0
		for k, p := range d.P {
			if p > d.P[best] {
				best = k
			}
		}
		for w := range next {
			next[w] |= d.Bits[best*s.words+w]
		}
	}
	return nil
}
