package cluster

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

// benchCluster starts a server and a worker whose units sleep, and returns a
// function that does n units and returns the time that this took.
func benchCluster(b *testing.B, slots int, sleep time.Duration) func(n int) time.Duration {
	url := start(b, b.TempDir()).URL()
	work(b, connect(b, url), "w", slots, runnerFunc(func(ctx context.Context, u *Unit, _ string) (*Outcome, error) {
		if sleep > 0 {
			time.Sleep(sleep)
		}
		return &Outcome{Output: u.Seed}, nil
	}))
	s := session(b, connect(b, url))
	next := 0
	return func(n int) time.Duration {
		began := time.Now()
		var all sync.WaitGroup
		queue := make(chan int)
		for range min(n, 4*slots+16) {
			all.Go(func() {
				for i := range queue {
					if _, err := s.Do(b.Context(), unit(i)); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for range n {
			queue <- next
			next++
		}
		close(queue)
		all.Wait()
		return time.Since(began)
	}
}

// BenchmarkEmptyUnits measures units that do nothing, from one session to the
// slots of one worker and back, each stored on the disk.
func BenchmarkEmptyUnits(b *testing.B) {
	const n = 2000
	do := benchCluster(b, 8, 0)
	do(100)
	var took time.Duration
	done := 0
	for b.Loop() {
		took += do(n)
		done += n
	}
	b.ReportMetric(float64(done)/took.Seconds(), "units/s")
}

// BenchmarkOverhead measures what dispatch adds to units of several lengths, on one
// slot per core: in per cent of the time that they take without it.
func BenchmarkOverhead(b *testing.B) {
	for _, d := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		b.Run(d.String(), func(b *testing.B) {
			slots := runtime.NumCPU()
			do := benchCluster(b, slots, d)
			do(slots)
			n := slots * max(4, min(200, int(4*time.Second/d)))
			var took, ideal time.Duration
			for b.Loop() {
				took += do(n)
				// What the same sleeps take by themselves: the system wakes up late, too.
				began := time.Now()
				var all sync.WaitGroup
				for range slots {
					all.Go(func() {
						for range n / slots {
							time.Sleep(d)
						}
					})
				}
				all.Wait()
				ideal += time.Since(began)
			}
			b.ReportMetric(100*(took.Seconds()/ideal.Seconds()-1), "%overhead")
			b.ReportMetric(1000*(took-ideal).Seconds()*float64(slots)/float64(n*b.N), "ms/unit")
		})
	}
}

// BenchmarkSlots measures units that sleep for 100 ms on more and more slots: the
// share of the best speed.
func BenchmarkSlots(b *testing.B) {
	for _, slots := range []int{1, 2, 4, 8, 16, 32, 64} {
		b.Run(fmt.Sprint(slots), func(b *testing.B) {
			const d, each = 100 * time.Millisecond, 10
			do := benchCluster(b, slots, d)
			do(slots)
			var took, ideal time.Duration
			for b.Loop() {
				took += do(slots * each)
				ideal += each * d
			}
			b.ReportMetric(100*ideal.Seconds()/took.Seconds(), "%efficiency")
			b.ReportMetric(float64(slots*each*b.N)/took.Seconds(), "units/s")
		})
	}
}

// BenchmarkRecovery measures the time from the end of a worker that had begun a unit
// to the result of another: the lease, and what comes on top.
func BenchmarkRecovery(b *testing.B) {
	url := start(b, b.TempDir()).URL()
	s := session(b, connect(b, url))
	var took time.Duration
	for n := 0; b.Loop(); n++ {
		began := make(chan struct{})
		gone := connect(b, url)
		stop := work(b, gone, "gone", 1, runnerFunc(func(ctx context.Context, _ *Unit, _ string) (*Outcome, error) {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		done := make(chan error, 1)
		go func() { _, err := s.Do(b.Context(), unit(n)); done <- err }()
		<-began
		gone.nc.Close()
		at := time.Now()
		other := work(b, connect(b, url), "other", 1, runnerFunc(square))
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		took += time.Since(at)
		stop()
		other()
	}
	b.ReportMetric(took.Seconds()/float64(b.N)-testLease.Seconds(), "s-after-lease")
}
