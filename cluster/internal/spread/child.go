package spread

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/internal/routine"
)

// Times of child processes.
const (
	grace    = 5 * time.Second        // after the time limit of a unit, which it observes itself
	lookTime = 100 * time.Millisecond // between two looks at the memory of a child
	gapTime  = 3 * time.Second        // between asking a child to end and killing it
)

// outputTail is how much of what a child prints is kept, in bytes.
const outputTail = 16 << 10

// maxReply bounds a child's answer, in bytes.
const maxReply = 4 << 20

// Children runs each unit in a child process, one of which belongs to each slot.
// It implements cluster.Runner.
type Children struct {
	Command func() *exec.Cmd // makes the command that calls Serve
	Memory  int64            // bytes of each child with its processes, if a unit states no less; 0 for any
	// Beside, where it is set, runs beside each unit until its context ends: it exchanges
	// with the server what the unit has in files of its folder.
	Beside func(ctx context.Context, u *cluster.Unit, dir string)

	mu   sync.Mutex
	kids map[int]*child
}

// child is a child process.
type child struct {
	*process.Child
	out *bufio.Reader
}

// Run does a unit in the slot's child.
func (k *Children) Run(ctx context.Context, slot int, u *cluster.Unit, dir string) (*cluster.Outcome, error) {
	id, err := u.ID()
	if err != nil {
		return nil, err
	}
	c, err := k.child(slot)
	if err != nil {
		return nil, err
	}
	if k.Beside != nil {
		var wait routine.Group
		beside, stop := context.WithCancel(ctx)
		wait.Go(func() { k.Beside(beside, u, dir) })
		defer wait.Wait()
		defer stop()
	}
	answers := routine.Start(func() (*reply, error) {
		return c.ask(&request{ID: id, Kind: u.Kind, Args: u.Args, Seed: u.Seed, Time: u.Time, Memory: u.Memory, Dir: dir})
	})
	killed := ""
	var late <-chan time.Time
	if u.Time > 0 {
		t := time.NewTimer(u.Time + grace)
		defer t.Stop()
		late = t.C
	}
	memory := k.Memory
	if u.Memory > 0 && (memory == 0 || u.Memory < memory) {
		memory = u.Memory
	}
	look := time.NewTicker(lookTime)
	defer look.Stop()
	for {
		select {
		case a := <-answers:
			if a.Err != nil {
				return nil, k.dead(slot, c, killed)
			}
			return a.Value.outcome()
		case <-ctx.Done():
			k.end(slot, c)
			return nil, context.Cause(ctx)
		case <-late:
			killed = fmt.Sprintf("its time limit of %v", u.Time)
			c.kill()
		case <-look.C:
			if memory > 0 && killed == "" && process.ResidentOfTree(c.Cmd.Process.Pid) > memory {
				killed = fmt.Sprintf("its memory limit of %d MiB", memory>>20)
				c.kill()
			}
		}
	}
}

// child returns the slot's process, which it starts if necessary.
func (k *Children) child(slot int) (*child, error) {
	k.mu.Lock()
	c := k.kids[slot]
	k.mu.Unlock()
	if c != nil {
		select {
		case <-c.Ended: // between two units; killed by somebody
			k.drop(slot)
		default:
			return c, nil
		}
	}
	started, err := process.StartChild(k.Command(), gapTime, outputTail)
	if err != nil {
		return nil, fmt.Errorf("starting a child process: %w", err)
	}
	c = &child{started, bufio.NewReaderSize(started.Out, 1<<16)}
	k.mu.Lock()
	if k.kids == nil {
		k.kids = map[int]*child{}
	}
	k.kids[slot] = c
	k.mu.Unlock()
	return c, nil
}

// ask sends a request and reads the answer.
func (c *child) ask(r *request) (*reply, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := c.In.Write(append(text, '\n')); err != nil {
		return nil, err
	}
	var line []byte
	for {
		part, err := c.out.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) || len(line) > maxReply {
			c.kill()
			return nil, err
		}
	}
	var a struct {
		reply
		Output json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(line, &a); err != nil {
		c.kill()
		return nil, err
	}
	a.reply.Output = a.Output
	return &a.reply, nil
}

// dead returns why a child has ended.
func (k *Children) dead(slot int, c *child, killed string) error {
	c.kill()
	<-c.Ended
	k.drop(slot)
	reason := "its end"
	switch {
	case killed != "":
		reason = killed
	case c.Cmd.ProcessState != nil:
		reason = c.Cmd.ProcessState.String()
	}
	return &cluster.DeathError{Reason: reason, Output: c.Said.String()}
}

// end asks a child to end, and kills it if it does not.
func (k *Children) end(slot int, c *child) {
	c.In.Close()
	select {
	case <-c.Ended:
	case <-time.After(gapTime):
		c.kill()
		<-c.Ended
	}
	k.drop(slot)
}

// drop forgets the slot's process.
func (k *Children) drop(slot int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kids, slot)
}

// Close ends the processes of all slots.
func (k *Children) Close() {
	k.mu.Lock()
	kids := k.kids
	k.kids = nil
	k.mu.Unlock()
	for slot, c := range kids {
		k.end(slot, c)
	}
}

// kill kills a child and everything that it has started.
func (c *child) kill() {
	select {
	case <-c.Ended:
		return
	default:
	}
	process.KillDescendants(c.Cmd.Process.Pid)
	process.KillGroup(c.Cmd)
}
