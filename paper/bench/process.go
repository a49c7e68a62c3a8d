package bench

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/internal/routine"
)

const (
	// defaultSlack is the time that a program has after its time limit to end by itself: it
	// knows the limit, and must then check and print its plan.
	defaultSlack = 5 * time.Second
	// defaultGrace is the time between asking a program to stop and killing it.
	defaultGrace = 3 * time.Second
	// maxOutput bounds the part of a program's output that is kept, in bytes.
	maxOutput = 64 << 20
	// lastWords is the size of the part of standard error that is kept.
	lastWords = 2 << 10
)

// limits bound a subprocess.
type limits struct {
	time   time.Duration
	memory int64 // bytes, of all its processes together
}

// outcome is the outcome of a subprocess.
type outcome struct {
	stdout  []byte
	stderr  string // its end
	exit    int    // -1 for a signal
	state   string // "exit status 2", "signal: killed"
	killed  string // the limit for which it was killed, empty for none
	flooded bool   // it printed more than maxOutput
	seconds float64
	cpu     float64
	peak    int64
}

// run runs the program with args in dir. An error means that the program could not be
// started, or is the context's: a program that crashes is an outcome.
func (b *bench) run(ctx context.Context, l limits, dir string, args ...string) (*outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	// The subprocess must end when this program does; the system arranges that through the
	// thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(b.c.Program, b.places(args)...)
	cmd.Dir, cmd.Env = dir, b.c.Env
	stdout := process.Head{Limit: maxOutput}
	stderr := process.Tail{Limit: lastWords}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = b.grace // for outputs that remaining child processes hold open
	process.SetGroup(cmd)
	endWithUs(cmd)
	began := b.c.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", b.c.Program, err)
	}
	out := &outcome{}
	ended := make(chan struct{})
	watched := routine.Start(func() (struct{}, error) {
		b.watch(ctx, out, cmd, l, ended)
		return struct{}{}, nil
	})
	err := cmd.Wait()
	out.seconds = b.c.Now().Sub(began).Seconds()
	close(ended)
	if o := <-watched; o.Err != nil {
		return nil, o.Err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return nil, fmt.Errorf("waiting for %s: %w", b.c.Program, err)
	}
	out.stdout, out.stderr, out.flooded = stdout.Bytes(), strings.ToValidUTF8(stderr.String(), "?"), stdout.Over
	out.exit, out.state = cmd.ProcessState.ExitCode(), cmd.ProcessState.String()
	out.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	out.peak = max(out.peak, usedMemory(cmd.ProcessState, out.peak))
	return out, nil
}

// places replaces the variables in arguments by the folders that they stand for.
func (b *bench) places(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		for _, v := range [][2]string{{filesVariable, b.files}, {outVariable, b.dir}} {
			if rest, ok := strings.CutPrefix(a, v[0]); ok && (rest == "" || rest[0] == '/') {
				a = v[1] + rest
			}
		}
		out[i] = a
	}
	return out
}

// watch ends the processes at their limits, or if ctx ends, and measures their memory.
func (b *bench) watch(ctx context.Context, o *outcome, cmd *exec.Cmd, l limits, ended <-chan struct{}) {
	late := time.NewTimer(l.time + b.slack)
	defer late.Stop()
	// Short runs are sampled often, long ones rarely, so as not to disturb them.
	pause := 2 * time.Millisecond
	look := time.NewTimer(0)
	defer look.Stop()
	var kill <-chan time.Time
	cancelled := ctx.Done()
	stop := func() {
		terminate(cmd)
		kill = time.After(b.grace)
	}
	for {
		select {
		case <-ended:
			return
		case <-cancelled:
			cancelled = nil
			stop()
		case <-late.C:
			o.killed = "time limit"
			stop()
		case <-kill:
			killTree(cmd)
		case <-look.C:
			used, peak := memoryOf(cmd.Process.Pid)
			o.peak = max(o.peak, peak)
			if l.memory > 0 && used > l.memory && o.killed == "" {
				o.killed = "memory limit"
				killTree(cmd) // asking would leave it time to take more
			}
			pause = min(2*pause, 500*time.Millisecond)
			look.Reset(pause)
		}
	}
}
