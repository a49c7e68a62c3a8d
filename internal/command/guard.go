package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/limit"
	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/internal/routine"
)

// When the context of a command ends, the command is to answer within half a
// second. An engine that has not returned after two thirds of its time is left
// where it is, and what it has reported is the answer. A command that has not
// returned when its time is over is left where it is too: its answer is that a
// limit was reached. The time is short where much memory is held, which the
// system then has to take back: that too is before the end of the process.
const (
	mostTime  = 300 * time.Millisecond
	leastTime = 120 * time.Millisecond
	takenBack = 80 * time.Millisecond // what a GiB takes to be taken back
)

// timeLeft is what a command has to answer after its context has ended.
func timeLeft(resident int64) time.Duration {
	return max(leastTime, mostTime-time.Duration(float64(resident)/(1<<30)*float64(takenBack)))
}

// guard ends a command at a signal or a limit, whatever it is doing then.
type guard struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	late   chan struct{} // closed when the answer is due
	over   chan struct{} // closed when the command has had its time
	// patient is true for commands that end when they have finished what they do for
	// others, which is not for the guard to bound.
	patient atomic.Bool
	once    sync.Once
}

// newGuard begins to listen for signals. The second one ends the process at once. One
// that comes while the answer is due does not: timeout, for one, sends a signal to the
// program and to its group.
func newGuard() *guard {
	g := &guard{late: make(chan struct{}), over: make(chan struct{})}
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			g.cancel(fmt.Errorf("%v was received", s))
			select {
			case <-time.After(mostTime):
			case <-g.over:
			}
		case <-g.ctx.Done():
			select {
			case <-signals:
			case <-g.over:
			}
		}
	}()
	go g.countdown()
	return g
}

// countdown gives the command its time after the context has ended.
func (g *guard) countdown() {
	<-g.ctx.Done()
	if g.patient.Load() {
		return
	}
	left := timeLeft(limit.Resident())
	late, over := time.NewTimer(left*2/3), time.NewTimer(left)
	defer late.Stop()
	defer over.Stop()
	select {
	case <-late.C:
		close(g.late)
	case <-g.over:
		return
	}
	select {
	case <-over.C:
		g.end()
	case <-g.over:
	}
}

// end lets go of the guard's goroutines too.
func (g *guard) end() {
	g.cancel(nil)
	g.once.Do(func() { close(g.over) })
}

// bound puts a time limit, counted from started, and one on memory to the run;
// 0 is none of either. The memory of the programs that the command starts counts if
// kill, which ends them, is given. The context it returns ends with the guard's; the
// function lifts both.
func (g *guard) bound(started time.Time, limitOnTime time.Duration, memory int64, kill func()) (context.Context, func()) {
	ctx, lift := g.ctx, []func(){}
	if limitOnTime > 0 {
		timed, stop := context.WithDeadlineCause(ctx, started.Add(limitOnTime), fmt.Errorf("the time limit of %v was reached", limitOnTime))
		ended := func() { g.cancel(context.Cause(timed)) }
		unhook := context.AfterFunc(timed, ended)
		ctx = timed
		lift = append(lift, func() {
			if timed.Err() != nil {
				ended() // which may not have had its turn yet
			}
			unhook()
			stop()
		})
	}
	if memory > 0 {
		ticker := time.NewTicker(limit.Shortest)
		watch := &limit.Memory{Bound: memory, Resident: limit.Resident, Tick: ticker.C, Every: ticker.Reset, Grown: limit.HugePages}
		if kill != nil {
			watch.KillOthers = kill
			watch.Others = func() int64 { return process.ResidentOfDescendants(os.Getpid()) }
		}
		// It goes on after the context has ended, until the command has.
		watched, stop := context.WithCancel(context.WithoutCancel(ctx))
		go watch.Run(watched, func(err error) { g.cancel(err) }, func(error) { g.end() })
		lift = append(lift, stop, ticker.Stop)
	}
	return ctx, func() {
		for _, f := range lift {
			f()
		}
	}
}

// run calls the command and waits for its end, or until it is over.
func (g *guard) run(command func() error) error {
	done := routine.Start(func() (struct{}, error) { return struct{}{}, command() })
	select {
	case o := <-done:
		return o.Err
	case <-g.over:
	}
	select {
	case o := <-done:
		return o.Err
	default:
		return &abandoned{context.Cause(g.ctx)}
	}
}

// abandoned is the error of a command that was left where it was.
type abandoned struct{ cause error }

func (e *abandoned) Error() string   { return fmt.Sprintf("%v: %v", errLimit, e.cause) }
func (e *abandoned) Unwrap() []error { return []error{errLimit, e.cause} }

// leave cleans up after a command that was abandoned and may still be at work:
// nothing that it prints is seen from now on, what it was writing is removed,
// and the programs that it has started are killed.
func (a *environment) leave(stdout, stderr *gate) {
	stdout.shut()
	stderr.shut()
	atomicfile.AbortAll()
	if a.kill != nil {
		a.kill()
	}
}

// gate passes on what is written to it until it is shut.
type gate struct {
	w      io.Writer
	mu     sync.Mutex
	closed atomic.Bool
}

// Write writes, or takes no note when the gate is shut.
func (g *gate) Write(text []byte) (int, error) {
	if g.closed.Load() {
		return len(text), nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed.Load() {
		return len(text), nil
	}
	return g.w.Write(text)
}

// shut waits a moment for a write that is under way: a reader that does not read
// holds it for ever.
func (g *gate) shut() {
	g.closed.Store(true)
	for range 10 {
		if g.mu.TryLock() {
			g.mu.Unlock()
			return
		}
		time.Sleep(time.Millisecond)
	}
}
