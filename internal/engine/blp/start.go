package blp

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// solution returns the variables that are true in the solution that a plan stands for: its bits,
// hidden units, flow, and auxiliary variables, with the best reward where these pay, unless ctx
// ends.
func (b *builder) solution(ctx context.Context, trace *factored.Trace) map[int32]bool {
	isTrue := map[int32]bool{}
	b.path(trace, isTrue)
	if whole, err := b.step.Complete(ctx, trace); err == nil { // else the solver completes what it gets
		trace = whole
	}
	bits, hidden := b.m.Literals(trace)
	for _, l := range slices.Concat(bits, hidden) {
		isTrue[l.Var()] = l > 0
	}
	b.indicators(isTrue)
	return isTrue
}
