package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// Command returns a command that leads a process group of its own. When ctx ends the group is
// asked to end, and the command is killed if it has not ended after grace; so long is also waited
// for what it has left behind and holds its outputs open.
func Command(ctx context.Context, grace time.Duration, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	SetGroup(cmd)
	cmd.Cancel = func() error { return EndGroup(cmd) }
	cmd.WaitDelay = grace
	return cmd
}

// Wait waits for a started command, and kills what it has left running.
func Wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	_ = KillGroup(cmd)
	return err
}

// Child is a program in a process group of its own that is written to and read from while it
// runs. It is waited for meanwhile: what it has started may hold its output open after its end.
type Child struct {
	Cmd   *exec.Cmd
	In    *os.File
	Out   *os.File
	Said  *Tail         // of its standard error
	Ended chan struct{} // closed when it has ended
	Err   error         // how; set before Ended is closed
}

// StartChild starts a command that has no inputs and outputs yet. The last bytes of its standard
// error are kept, so many.
func StartChild(cmd *exec.Cmd, grace time.Duration, tail int) (*Child, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer stdout.Close()
	c := &Child{Cmd: cmd, In: in, Out: out, Said: &Tail{Limit: tail}, Ended: make(chan struct{})}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdin, stdout, c.Said, grace
	SetGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		c.Err = cmd.Wait()
		close(c.Ended)
	}()
	return c, nil
}
