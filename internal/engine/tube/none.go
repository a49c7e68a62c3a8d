package tube

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/certify/robust"
)

// Refutation proves that no plan holds against every error: whatever the actions, one of a few courses of errors breaks
// a rule or misses the goal.
type Refutation struct {
	// Steps is the number of steps of which that is known.
	Steps int
	// Anywhere reports that it is known of the last steps of any plan with at least as many, wherever they begin; else it
	// is known of plans of Steps steps from the start alone or, if Rules is set, of those of more too.
	Anywhere, Rules bool
	Courses         int      // of errors, of which one is enough in each case
	Used            []Course // of these, in all cases
	Follows         bool     // errors of one of them depend on the plan
	Cases           int      // combinations of regions, each refuted with bounds on rounding
	Record          *Record  // what a checker reads; nil if it was not asked for
}

// ErrUndecided is wrapped by the error of None where there is no proof.
var ErrUndecided = errors.New("not proven that there is no plan")

const (
	// window bounds the last steps that are tried.
	window = 12
	// mostCases bounds the combinations of regions of one trial, and mostSum those of all.
	mostCases, mostSum = 8000, 10000
)

// None proves that no plan of the given number of steps holds against every error within the bands. First it looks for the
// least number of last steps whose errors alone are too much, wherever these steps begin, and tries as many from the start; then
// the last steps follow others in which the errors hold every state where it is. With record, the proof is kept, and has
// nothing in it that follows by induction over steps: there may be none then where there is one without.
func (t *Task) None(ctx context.Context, horizon int, record bool) (*Refutation, error) {
	var bounds []trend
	if !record {
		bounds = t.trends()
	}
	for _, added := range []int{0, mostAdded} { // few courses first: most proofs need no more
		for _, of := range []func(k int) []*refuter{t.lastSteps, func(k int) []*refuter { return t.heldBefore(k, horizon) }} {
			spent := 0
			for k := 0; k <= min(horizon, window) && spent <= mostSum; k++ {
				for _, r := range of(k) {
					r.t, r.trends, r.goal, r.most = t, bounds, r.anywhere || r.k == horizon, added
					if record {
						r.record = &Record{t, robust.Refutation{Steps: r.k, Anywhere: r.anywhere, Rules: !r.goal}}
					}
					if p, err := r.refute(ctx); p != nil || err != nil {
						return p, err
					}
					spent += r.cases
				}
			}
		}
	}
	return nil, fmt.Errorf("%w: the errors of up to %d steps were looked at", ErrUndecided, min(horizon, window))
}

// lastSteps refutes the last k steps, from anywhere, and the first k.
func (t *Task) lastSteps(k int) []*refuter {
	if k == 0 {
		return nil
	}
	ends := []Course{t.constant(k, true), t.constant(k, false)}
	return []*refuter{{k: k, anywhere: true, courses: ends}, {k: k, courses: ends}}
}

// heldBefore refutes all steps, of which the errors hold the states but in the last k.
func (t *Task) heldBefore(k, horizon int) []*refuter {
	all := []Course{t.held(horizon-k, t.constant(k, true))}
	if k > 0 {
		all = append(all, t.held(horizon-k, t.constant(k, false)))
	}
	return []*refuter{{k: horizon, courses: all}}
}

// refute returns a proof, nil if it finds none.
func (r *refuter) refute(ctx context.Context) (*Refutation, error) {
	r.ctx = ctx
	first := slices.Clone(r.courses)
	ok := r.run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !ok {
		return nil, nil
	}
	place := make([]int, len(r.choice))
	for i := range r.choice {
		if r.used[i] {
			first = append(first, r.choice[i])
			place[i] = len(first)
		}
	}
	r.record.finish(r.t, first, len(r.courses), place)
	follows := slices.ContainsFunc(first, func(c Course) bool { return c.Follows() })
	return &Refutation{r.k, r.anywhere, !r.goal, len(r.courses) + r.added, first, follows, max(r.cases, r.record.cases()), r.record}, nil
}

// violation is by how much a run in the reals breaks a rule or the goal.
func (t *Task) violation(x []float64, u [][]float64, c *Course, goal bool) (most float64) {
	see := func(atoms []Atom, u []float64) {
		for i := range atoms {
			if a := &atoms[i]; u != nil || !a.Acts() {
				most = max(most, a.real(x, u))
			}
		}
	}
	for s := range u {
		see(t.Rules, u[s])
		next := make([]float64, len(x))
		for i := range t.Next {
			n, q := &t.Next[i], &t.States[i]
			if n.Given != nil {
				next[i] = float64(n.given(s+1) + c.errs[s][i])
			} else {
				next[i] = n.Function.realAt(x, u[s]).real(x, u[s])
				next[i] += t.Err(c, i, s, next[i], next, x)
			}
			next[i] = min(float64(q.Hi), max(float64(q.Lo), next[i]))
		}
		x = next
	}
	if see(t.Rules, nil); goal {
		see(t.Goal, nil)
	}
	return most
}
