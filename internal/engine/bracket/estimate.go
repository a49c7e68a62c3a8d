package bracket

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

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
	start := make([]uint64, s.words)
	s.m.Start(start)
	for range calibrateRuns {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var guesses, rest []float64 // with the horizon left, one step less and so on; rest is the reward from there, but for what was paid before
		sum := 0.0
		reached, err := s.Run(start, s.o.Horizon, func(state []uint64, left int) (uint32, bool, error) {
			a, ok, err := s.Choose(state, left)
			if err != nil || !ok {
				return 0, false, err
			}
			_, v := s.values(state, left)
			guesses, rest = append(guesses, total(v)), append(rest, -sum)
			r, err := s.reward(state, a)
			sum += r
			return a, true, err
		})
		if err != nil {
			return err
		}
		for i := range guesses {
			paid[s.o.Horizon-i] += rest[i] + reached
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
	start, steps := make([]uint64, s.words), 0
	s.m.Start(start)
	step := func(state []uint64, left int) (a uint32, ok bool, err error) {
		s.b.seen = append(s.b.seen, slices.Clone(state))
		if greedy {
			a, ok, err = s.Choose(state, left)
		} else if s.legal, err = s.m.Legal(state, s.legal); len(s.legal) > 0 {
			a, ok = s.legal[s.rng.IntN(len(s.legal))], true
		}
		if err != nil || !ok {
			return 0, false, err
		}
		for _, t := range rest {
			if s.o.Objective == policy.Reward {
				v, err := s.m.Term(t, state, a)
				if err != nil {
					return 0, false, err
				}
				paid += v
			}
		}
		steps++
		return a, true, nil
	}
	for range lookRuns {
		if ctx.Err() != nil {
			return 0, 0, context.Cause(ctx)
		}
		x, err := s.Run(start, s.o.Horizon, step)
		if err != nil {
			return 0, 0, err
		}
		mean += x / lookRuns
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
