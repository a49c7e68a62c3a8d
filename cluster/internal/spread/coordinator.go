package spread

import (
	"context"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/routine"
)

// Coordinator sends work to a cluster.
type Coordinator struct {
	Session *cluster.Session
	Version string // see ResultVersion
	Memory  int64  // bytes of each unit; 0 for the worker's own bound
}

// window is the number of units that are wanted at a time. It bounds the memory of
// a coordinator, and what it has to ask the server for when it is not told.
const window = 1024

// inOrder does units 0..n-1, many at a time, and calls join with their results in
// order. The first error ends all.
func inOrder(ctx context.Context, n int, do func(ctx context.Context, i int) (*cluster.Result, error), join func(i int, r *cluster.Result) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		r   *cluster.Result
		err error
	}
	queue := make(chan chan outcome, window)
	var all routine.Group
	all.Go(func() {
		defer close(queue)
		for i := range n {
			ch := make(chan outcome, 1)
			select {
			case queue <- ch:
			case <-ctx.Done():
				return
			}
			all.Go(func() {
				r, err := routine.Get(func() (*cluster.Result, error) { return do(ctx, i) })
				ch <- outcome{r, err}
			})
		}
	})
	defer all.Wait()
	defer cancel()
	i := 0
	for ch := range queue {
		o := <-ch
		if o.err != nil {
			return o.err
		}
		if err := join(i, o.r); err != nil {
			return err
		}
		i++
	}
	return ctx.Err()
}
