package train

import "sync"

// pool runs loops on a fixed number of goroutines. The result must not depend on which of
// them processes an index.
type pool struct {
	threads int
	work    []chan span
	wg      sync.WaitGroup // of the loop in progress
	workers sync.WaitGroup
}

type span struct {
	from, to, thread int
	body             func(from, to, thread int)
}

func newPool(threads int) *pool {
	p := &pool{threads: threads, work: make([]chan span, threads)}
	for i := range p.work {
		if i == 0 {
			continue // the caller is the first
		}
		ch := make(chan span)
		p.work[i] = ch
		p.workers.Go(func() {
			for s := range ch {
				s.body(s.from, s.to, s.thread)
				p.wg.Done()
			}
		})
	}
	return p
}

// run calls body for parts of 0..n, where thread identifies the goroutine, and returns when
// all are done.
func (p *pool) run(n int, body func(from, to, thread int)) {
	threads := min(p.threads, n)
	if threads <= 1 {
		body(0, n, 0)
		return
	}
	p.wg.Add(threads - 1)
	for i := 1; i < threads; i++ {
		p.work[i] <- span{n * i / threads, n * (i + 1) / threads, i, body}
	}
	body(0, n/threads, 0)
	p.wg.Wait()
}

func (p *pool) close() {
	for _, ch := range p.work[1:] {
		close(ch)
	}
	p.workers.Wait()
}
