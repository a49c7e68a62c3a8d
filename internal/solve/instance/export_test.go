package instance

import (
	"context"
	"io"
)

// Solve runs a solver and prints what it says to w.
func Solve(ctx context.Context, in *Instance, solver Solver, w io.Writer) (Status, error) {
	return solve(ctx, in, solver, NewPrinter(w, in.Format))
}
