package blp

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// solution returns the variables that are not 0 in the solution that a plan stands for: its bits,
// hidden units, flow, and auxiliary variables, with the best reward where these pay, unless ctx
// ends.
func (b *builder) solution(ctx context.Context, trace *factored.Trace) map[int32]int64 {
	values := map[int32]int64{}
	b.path(trace, values)
	if b.groups != nil && !b.groups.Mark(trace, values) {
		return nil
	}
	if whole, err := b.step.Complete(ctx, trace); err == nil { // else the solver completes what it gets
		trace = whole
	}
	bits, hidden := b.m.Literals(trace)
	for _, l := range slices.Concat(bits, hidden) {
		if l > 0 {
			values[l.Var()] = 1
		}
	}
	return values
}
