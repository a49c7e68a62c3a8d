// Package app contains what the use cases share: the values, plans and faults that their
// documents show as JSON. The use cases themselves are the packages below: load, inspect,
// plan, learn, execute, explain and draw.
package app

import (
	"errors"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/routine"
)

// ErrInternal is wrapped by errors that are bugs: an answer that the checker
// refuses.
var ErrInternal = routine.ErrInternal

// ErrNoHorizon is wrapped by errors of queries without a horizon, about problems
// that have none of their own.
var ErrNoHorizon = errors.New("there is no horizon of the problem's own; one must be given")

// Limits returns l with one thread per processor if l sets none.
func Limits(l engine.Limits) engine.Limits {
	l.Threads = Threads(l.Threads)
	return l
}
