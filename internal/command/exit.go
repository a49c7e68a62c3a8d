package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/execution/simulator"
)

// The exit statuses, one table for the program, the docs and the tests.
const (
	exitDone     = 0 // done: a plan was found, the plan is valid, the property holds, the file was written
	exitInternal = 1 // a bug, here or in an external solver whose claim was refuted
	exitUsage    = 2 // bad usage or bad input, or a required program is not installed
	exitLimit    = 3 // a limit was reached before there was an answer
	exitNo       = 4 // the answer is no: no plan exists, the plan is invalid, the property fails
)

// exitStatus is an error that only determines the exit status: the answer has been printed.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// errLimit is wrapped by errors of runs that ended before there was an answer.
var errLimit = errors.New("no answer yet")

// limited marks an error that is about a limit. That a context has ended tells
// nothing: the cause is named instead.
func limited(ctx context.Context, err error) error {
	switch {
	case err != nil && ctx.Err() != nil && isEnded(err):
		return fmt.Errorf("%w: %w", errLimit, context.Cause(ctx))
	case err != nil && ctx.Err() != nil || errors.Is(err, simulator.ErrBudget):
		return fmt.Errorf("%w: %w", errLimit, err)
	}
	return err
}

// isEnded reports whether err is that of a context that has ended.
func isEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
