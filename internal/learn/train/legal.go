package train

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// IsLegal reports whether a state and an action of s, which must be deterministic, are one of
// the rows that Legal lists.
func IsLegal(s *sim.Simulator, state, action []float64) (bool, error) {
	r := s.NewRunner(nil)
	if ok, err := canAct(r, state); err != nil || !ok {
		return false, err
	}
	return canTake(r, state, action)
}

// Step takes an action in a state with a runner of a deterministic problem. It
// gives the state after it, in the order of the simulator's states; legal is
// false where the two are no legal row.
func Step(r *sim.Runner, state, action []float64) (next []float64, legal bool, err error) {
	if ok, err := canAct(r, state); err != nil || !ok {
		return nil, false, err
	}
	if ok, err := canTake(r, state, action); err != nil || !ok {
		return nil, false, err
	}
	return r.State(nil), true, nil
}

// AreLegal reports whether the inputs of e are exactly those of all legal rows (see Legal).
// It also returns false if this is hard to determine: if the problem is stochastic, if the
// network does not read all of the state and action, and if limit does not suffice to list
// the legal rows.
func AreLegal(ctx context.Context, c *translate.Compiled, s *sim.Simulator, e *Examples, limit int) (bool, error) {
	p := c.Problem
	if s.Stochastic() || len(p.Inputs) != len(p.Bits(factored.State))+len(p.Bits(factored.Action)) {
		return false, nil
	}
	all, others, err := coverLegal(ctx, c, s, e, limit)
	return all && others == 0, err
}

// CoverLegal reports whether the inputs of all legal rows (see Legal) are among
// those of e; the network need not read all of the state and action. It is false,
// too, where this is hard to tell: where the problem is stochastic, and where
// limit does not suffice to list the legal rows.
func CoverLegal(ctx context.Context, c *translate.Compiled, s *sim.Simulator, e *Examples, limit int) (bool, error) {
	if s.Stochastic() {
		return false, nil
	}
	all, _, err := coverLegal(ctx, c, s, e, limit)
	return all, err
}

// coverLegal reports whether all legal rows are in e, and counts the other rows
// of e where they are.
func coverLegal(ctx context.Context, c *translate.Compiled, s *sim.Simulator, e *Examples, limit int) (all bool, others int, err error) {
	l, err := newLister(ctx, c, s, limit)
	switch {
	case errors.Is(err, ErrTooMany):
		return false, 0, nil
	case err != nil:
		return false, 0, err
	}
	p := c.Problem
	missing := errors.New("a legal row is missing")
	found := make([]bool, e.Rows())
	left := e.Rows()
	l.row = func() error {
		for i, bit := range p.Inputs {
			l.in[i] = l.val[bit]
		}
		i, ok := e.find(bnn.Pack(l.in))
		if !ok {
			return missing
		}
		if !found[i] {
			found[i] = true
			left--
		}
		return nil
	}
	switch err := l.each(l.states, l.state, 0, l.inState); {
	case errors.Is(err, missing) || errors.Is(err, ErrTooMany):
		return false, 0, nil
	case err != nil:
		return false, 0, err
	}
	return true, left, nil
}

// find returns the row with the given inputs.
func (e *Examples) find(in []uint64) (int, bool) {
	w := bnn.Words(e.Inputs)
	lo, hi := 0, e.Rows()
	for lo < hi {
		mid := (lo + hi) / 2
		if slices.Compare(e.In[mid*w:(mid+1)*w], in) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < e.Rows() && slices.Equal(e.Input(lo), in)
}
