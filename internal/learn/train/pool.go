package train

import (
	"sync"

	"github.com/fdplan/fdplan/internal/routine"
)

// pool runs loops on a fixed number of goroutines. The result must not depend on which of
// them processes an index.
type pool struct {
	threads int
	work    []chan span
	loop    sync.WaitGroup // the loop in progress
	failed  []error        // by thread: its panic in the loop in progress
	workers routine.Group
}

type span struct {
	from, to, thread int
	body             func(from, to, thread int)
}

func newPool(threads int) *pool {
	p := &pool{threads: threads, work: make([]chan span, threads), failed: make([]error, threads)}
	for i := range p.work {
		if i == 0 {
			continue // the caller is the first
		}
		ch := make(chan span)
		p.work[i] = ch
		p.workers.Go(func() {
			for s := range ch {
				p.failed[i] = routine.Catch(func() error { s.body(s.from, s.to, s.thread); return nil })
				p.loop.Done()
			}
		})
	}
	return p
}

// run calls body for parts of 0..n, where thread identifies the goroutine, and returns when
// all are done. A panic of one is raised again here.
func (p *pool) run(n int, body func(from, to, thread int)) {
	threads := min(p.threads, n)
	if threads <= 1 {
		body(0, n, 0)
		return
	}
	p.loop.Add(threads - 1)
	for i := 1; i < threads; i++ {
		p.work[i] <- span{n * i / threads, n * (i + 1) / threads, i, body}
	}
	p.own(body, n/threads)
	for _, err := range p.failed[1:threads] {
		if err != nil {
			panic(err)
		}
	}
}

// own does the caller's part, and waits for the others even if it panics.
func (p *pool) own(body func(from, to, thread int), to int) {
	defer p.loop.Wait()
	body(0, to, 0)
}

func (p *pool) close() {
	for _, ch := range p.work[1:] {
		close(ch)
	}
	p.workers.Wait()
}
