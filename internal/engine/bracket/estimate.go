package bracket

import (
	"context"
	"math"
	"math/rand/v2"

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
