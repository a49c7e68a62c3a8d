package stdio

import "sync"

// backlog holds the jobs that wait, so that the reader never does: it must see a request to
// cancel at once.
type backlog struct {
	mu     sync.Mutex
	more   *sync.Cond
	jobs   []*job
	closed bool
}

func newBacklog() *backlog {
	b := &backlog{}
	b.more = sync.NewCond(&b.mu)
	return b
}

// add appends a job.
func (b *backlog) add(j *job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = append(b.jobs, j)
	b.more.Signal()
}

// close lets next return nil after the jobs that were added.
func (b *backlog) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.more.Broadcast()
}

// next waits for the next job; nil after the last.
func (b *backlog) next() *job {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.jobs) == 0 && !b.closed {
		b.more.Wait()
	}
	if len(b.jobs) == 0 {
		return nil
	}
	j := b.jobs[0]
	b.jobs = b.jobs[1:]
	return j
}
