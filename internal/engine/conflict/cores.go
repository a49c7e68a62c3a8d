package conflict

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/solve/optimize"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// The search for cores has firstCores before costs are counted, and later on one part in coreShare of what the search for plans takes, in units of
// sat.Stats. It ends for good when the bound has not risen for coreWork and corePatience times the work before: each core takes more than
// the one before, and where cores prove an optimum they do it fast.
const (
	firstCores   = 8_000_000 // about a tenth of a second
	coreShare    = 2
	coreWork     = 1_000_000
	corePatience = 2
)

// coreSlice is how many conflicts are between two looks at the work.
const coreSlice = 50

// coreSearch takes cores of the costs apart in a solver of its own. Cores say nothing of single steps, and what is learned of
// them is in the way of the search for plans, which goes step by step.
type coreSearch struct {
	s    *sat.Solver // nil where there is no search for cores, or none any more
	min  *optimize.Minimizer
	rose int64     // work done when the bound last rose
	last sat.Stats // of a search that has ended
}

// end frees the solver.
func (y *coreSearch) end() { *y = coreSearch{last: y.stats()} }

func (y *coreSearch) stats() sat.Stats {
	if y.s == nil {
		return y.last
	}
	return y.s.Stats()
}

func (y *coreSearch) bytes() int64 {
	if y.s == nil {
		return 0
	}
	return y.s.Bytes()
}

// openCores loads the model for the search for cores. There is none for a proof, whose bounds are those of counters, nor
// where plans are excluded, which the model does not say.
func (x *Session) openCores(ctx context.Context, l engine.Limits) error {
	if x.below.s != nil || !x.has(Cores) || x.p != nil || x.excluding || x.stated != nil || l.Memory > 0 && x.s.Bytes()+nativeBytes(x.m) > l.Memory/2 {
		return nil
	}
	s := sat.New(x.options())
	if err := load(ctx, s, x.m); err != nil {
		return err
	}
	x.guide(s)
	blocks, _, paid := costs(s, x.m)
	min, err := optimize.New(s, slices.Concat(blocks...), paid, func(r optimize.Result) {
		if r.Model != nil && r.Cost < x.cost {
			x.keep(s)
		}
		x.lower = max(x.lower, r.Bound)
		x.reportProgress()
	})
	if errors.Is(err, sat.ErrOverflow) { // counters may do with them
		return nil
	}
	x.below = coreSearch{s: s, min: min}
	return err
}

// cores raises the lower bound by cores of the costs until they have taken so much work, and keeps better plans that come up.
func (x *Session) cores(ctx context.Context, l engine.Limits, work int64) error {
	y := &x.below
	for y.s != nil && x.lower < x.cost && y.s.Stats().Work < work && ctx.Err() == nil {
		lower := x.lower
		bound, err := y.min.FromBelow(ctx, x.lower, x.cost, sat.Budget{Memory: l.Memory, Conflicts: coreSlice, Pause: x.reportProgress})
		if err != nil {
			return err
		}
		if x.lower = max(x.lower, bound); x.lower > lower {
			y.rose = y.s.Stats().Work
		}
		if y.s.Stats().Work > coreWork+corePatience*y.rose {
			y.end()
		}
		x.exchange(l.Shared)
	}
	return nil
}
