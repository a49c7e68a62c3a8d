package divide

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
)

// Executor has units of problems done.
type Executor interface {
	// Open makes a problem known to workers, to be solved over a horizon.
	Open(ctx context.Context, t engine.Task, horizon int) (Workers, error)
}

// Workers do the units of one problem over one horizon. The Board is theirs.
type Workers interface {
	Board
	// Slots is how many units are to be handed in at a time; it may change.
	Slots() int
	// Start hands in a unit. It does not wait for its outcome.
	Start(ctx context.Context, u Unit) error
	// Outcomes delivers what became of units. An outcome may come more than once, and of a
	// unit that was handed in twice there may be two that differ.
	Outcomes() <-chan *Outcome
	// Close ends what is still being done, and waits for it.
	Close() error
}
