package tube

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Refutation proves that no plan holds against every error: whatever the actions, one of a few courses of errors breaks
// a rule or misses the goal.
type Refutation struct {
	// Steps is the number of steps of which that is known.
	Steps int
	// Anywhere reports that it is known of the last steps of any plan with at least as many, wherever they begin; else it
	// is known of plans of Steps steps from the start alone or, if Rules is set, of those of more too.
	Anywhere, Rules bool
	Courses         int // of errors
	Cases           int // combinations of regions, each refuted with bounds on rounding
}

// ErrUndecided is wrapped by the error of None where there is no proof.
var ErrUndecided = errors.New("not proven that there is no plan")

const (
	// window bounds the last steps that are tried.
	window = 12
	// mostCases bounds the combinations of regions of one trial, and mostSum those of all.
	mostCases, mostSum = 8000, 10000
)

// None proves that no plan of the given number of steps holds against every error within the bands. First it looks for
// the least number of last steps whose errors alone are too much, wherever these steps begin; then it tries all steps
// from the start.
func (t *Task) None(ctx context.Context, horizon int) (*Refutation, error) {
	bounds, spent := t.trends(), 0
	for _, added := range []int{0, mostAdded} { // few courses first: most proofs need no more
		spent = 0
		for k := 1; k <= min(horizon, window) && spent <= mostSum; k++ {
			for _, anywhere := range []bool{true, false} {
				p, cases, err := t.refute(ctx, k, anywhere, k == horizon, bounds, added)
				if p != nil || err != nil {
					return p, err
				}
				spent += cases
			}
		}
	}
	return nil, fmt.Errorf("%w: the errors of up to %d steps were looked at", ErrUndecided, min(horizon, window))
}

// refute tries k steps, from anywhere to the end or from the start.
func (t *Task) refute(ctx context.Context, k int, anywhere, all bool, bounds []trend, added int) (*Refutation, int, error) {
	courses := t.courses(k)
	r := &refuter{t: t, ctx: ctx, k: k, anywhere: anywhere, goal: anywhere || all, courses: courses, trends: bounds, most: added}
	ok := r.run()
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	if !ok {
		return nil, r.cases, nil
	}
	return &Refutation{Steps: k, Anywhere: anywhere, Rules: !r.goal, Courses: len(courses) + r.added, Cases: r.cases}, r.cases, nil
}

// courses returns courses of errors of k steps: all greatest ones, and all least ones.
func (t *Task) courses(k int) (all [][][]int64) {
	for _, high := range []bool{true, false} {
		var errs []int64
		for i := range t.Next {
			if n := &t.Next[i]; high {
				errs = append(errs, n.High)
			} else {
				errs = append(errs, n.Low)
			}
		}
		all = append(all, slices.Repeat([][]int64{errs}, k))
	}
	return all
}

// violation is by how much a run in the reals breaks a rule or the goal.
func (t *Task) violation(x []float64, u [][]float64, errs [][]int64, goal bool) (most float64) {
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
				next[i] = float64(n.given(s + 1))
			} else {
				next[i] = n.Function.realAt(x, u[s]).real(x, u[s])
			}
			next[i] = min(float64(q.Hi), max(float64(q.Lo), next[i]+float64(errs[s][i])))
		}
		x = next
	}
	if see(t.Rules, nil); goal {
		see(t.Goal, nil)
	}
	return most
}
