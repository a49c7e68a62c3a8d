package decision

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/fdplan/fdplan/internal/engine/bracket"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrNotFactored is wrapped by errors of processes that cannot be made of independent draws.
var ErrNotFactored = bracket.ErrNotFactored

// Visit is bracket.Visit.
type Visit = bracket.Visit

// BoundOptions are the limits of Bound.
type BoundOptions struct {
	Objective  policy.Objective
	Horizon    int
	Seed       uint64
	Memory     int64
	Confidence float64                    // of the lower bound
	Sums       bool                       // keep what the upper bound rests on
	Now        func() time.Time           // against the deadline of the context
	Report     func(lower, upper float64) // may be nil
}

// Bounds are an interval that has the value of the best policy.
type Bounds struct {
	Lower, Upper float64 // infinite where there is none
	// Runs of the policy are what the lower bound rests on.
	Runs        int
	Mean, Error float64 // of the runs; the standard error
	Leaves      int     // of the tables
	Search      *bracket.Search
	Tight       *bracket.Search // of the upper bound; nil unless Sums
	Alone       bool            // the policy is the base of the search alone
	Stopped     bool            // the time was over
}

// phase is one search: of tables with so many leaves, with so many trials and runs at most.
type phase struct{ leaves, trials, runs int }

// phases are one after another. The first gives an answer at once; the last two take minutes, and are for limits of time alone.
var phases = []phase{{bracket.QuickLeaves, 200, 100}, {1 << 13, 2_000, 1_000}, {1 << 15, 20_000, 10_000}, {1 << 17, 200_000, 100_000}, {1 << 19, 2_000_000, 1_000_000}}

const (
	// patient is the number of phases without a limit of time.
	patient = 3
	// leastRuns are taken even when the time is over, if there is no policy yet.
	leastRuns = 50
)

// Split is a decision process whose steps are made of independent draws, each of which depends on few variables.
// It belongs to one goroutine.
type Split interface {
	bracket.Model
	policy.Process
	Pack(val factored.Valuation) ([]uint64, error)
	Unpack(val factored.Valuation, state []uint64) error
	Variable(field int) *factored.Variable
	First() []uint64                                // the state in which runs begin
	Action(val factored.Valuation, id uint32) error // by its place among all
}

// bounder looks for bounds.
type bounder struct {
	f Split
	o BoundOptions
	*Bounds
}

// Bound finds an interval for the value of the best policy, until the context ends; without a deadline for a fixed number of trials. The error
// is that of the context if it ends before there is an interval.
func Bound(ctx context.Context, f Split, o BoundOptions) (*Bounds, error) {
	b := &bounder{f, o, &Bounds{Lower: math.Inf(-1), Upper: math.Inf(1)}}
	list, all := phases[:patient], ctx
	if end, ok := ctx.Deadline(); ok {
		left := end.Sub(o.Now())
		inner, cancel := context.WithTimeout(ctx, left-min(time.Second, left/10))
		defer cancel()
		list, ctx = phases, inner
	}
	for i, ph := range list {
		within := ctx
		if i == 0 {
			within = all // there is to be an answer, if time is short too
		}
		if err := b.phase(within, ph); err != nil && (b.Search == nil || ctx.Err() == nil) {
			return nil, errors.Join(err, context.Cause(ctx))
		}
		if ctx.Err() != nil || b.Upper-b.Mean <= 1e-4*math.Abs(b.Upper) && b.Runs >= 10_000 {
			break
		}
	}
	b.Stopped = ctx.Err() != nil
	if b.Upper += margin * max(1, math.Abs(b.Upper)); o.Objective == policy.Success {
		b.Upper = min(1, b.Upper)
	}
	return b.Bounds, nil
}

// LowerMean is bracket.LowerMean.
func LowerMean(runs []float64, floor, odds float64) float64 {
	return bracket.LowerMean(runs, floor, odds)
}

// margin is what rounding can do to an upper bound, relatively.
const margin = 1e-9

// phase makes tables, searches with them, and follows the policy that comes of it.
func (b *bounder) phase(ctx context.Context, ph phase) error {
	s, err := bracket.New(ctx, b.f, bracket.Options{Objective: b.o.Objective, Horizon: b.o.Horizon, Seed: b.o.Seed, Leaves: ph.leaves, Memory: b.o.Memory, Proven: b.o.Sums})
	if err != nil {
		return err
	}
	start := make([]uint64, b.f.Words())
	b.f.Start(start)
	share := b.share(ctx)
	for i := range ph.trials {
		if i%64 == 0 && (ctx.Err() != nil || share()) {
			break
		}
		if err := s.Trial(start, b.o.Horizon, i%2 == 0); err != nil {
			return err
		}
		if i%1024 == 0 {
			if err := b.tighten(s, start); err != nil {
				return err
			}
		}
	}
	if err := b.tighten(s, start); err != nil {
		return err
	}
	return b.follow(ctx, s, ph)
}

// tighten takes the upper bound of a search, if it is the least so far.
func (b *bounder) tighten(s *bracket.Search, start []uint64) error {
	upper, _, err := s.Bounds(start, b.o.Horizon)
	if b.o.Sums && (upper <= b.Upper || b.Tight == nil) {
		b.Tight = s
	}
	if b.Upper = min(b.Upper, upper); b.o.Report != nil {
		b.o.Report(b.Lower, b.Upper)
	}
	return err
}

// share returns a function that reports that a third of the time which is left now has passed.
func (b *bounder) share(ctx context.Context) func() bool {
	end, ok := ctx.Deadline()
	if !ok {
		return func() bool { return false }
	}
	now := b.o.Now()
	until := now.Add(end.Sub(now) / 3)
	return func() bool { return b.o.Now().After(until) }
}

// follow follows the policy of a search in fresh runs, and that of its base alone, and takes either if its runs support a greater value than those
// of the policy before. Each has its part of what the confidence leaves open.
func (b *bounder) follow(ctx context.Context, s *bracket.Search, ph phase) error {
	for _, alone := range []bool{true, false} {
		s.Alone(alone)
		runs, err := b.runs(ctx, s, ph)
		if err != nil {
			return err
		}
		if b.support(runs, s, ph) {
			b.Alone = alone
		}
	}
	b.Search.Alone(b.Alone)
	b.Search.Rest()
	if b.o.Report != nil {
		b.o.Report(b.Lower, b.Upper)
	}
	return nil
}

// runs follows the policy of a search.
func (b *bounder) runs(ctx context.Context, s *bracket.Search, ph phase) (runs []float64, err error) {
	share := b.share(ctx)
	start := make([]uint64, b.f.Words())
	b.f.Start(start)
	_, timed := ctx.Deadline()
	s.Rest()
	least := 0
	if b.Search == nil {
		least = leastRuns
	}
	for i := range ph.runs {
		if i >= least && (ctx.Err() != nil || share() || !timed && s.Tired()) {
			break
		}
		x, err := s.RunUntil(ctx, start, b.o.Horizon, s.Choose)
		if ctx.Err() != nil && i >= least {
			break
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, x)
	}
	return runs, nil
}

// support takes the policy of a search if its runs support a greater value than those of the policy before.
func (b *bounder) support(runs []float64, s *bracket.Search, ph phase) bool {
	odds := (1 - b.o.Confidence) / float64(2*len(phases))
	n, sum, square := float64(len(runs)), 0.0, 0.0
	for _, x := range runs {
		sum += x
	}
	for _, x := range runs {
		square += (x - sum/n) * (x - sum/n)
	}
	lower := 0.0
	if b.o.Objective == policy.Success {
		lower, _ = coverage.Interval(len(runs), int(sum), 1-2*odds)
	} else {
		floor := 0.0
		for i := range b.f.Terms() {
			least, _ := b.f.TermRange(i)
			floor += least
		}
		lower = bracket.LowerMean(runs, floor*float64(b.o.Horizon), odds)
	}
	if b.Search != nil && (n == 0 || lower <= b.Lower) {
		return false
	}
	b.Lower, b.Search, b.Leaves = lower, s, ph.leaves
	b.Runs, b.Mean, b.Error = len(runs), sum/n, math.Sqrt(square/(n*max(1, n-1)))
	return true
}
