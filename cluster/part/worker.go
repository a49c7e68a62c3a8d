package part

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/cluster/internal/spread"
	"github.com/fdplan/fdplan/internal/command"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/limit"
)

// Worker takes units until ctx ends.
func (Part) Worker(ctx context.Context, h *command.Host, c *command.Worker) error {
	version, err := resultVersion(h.Program)
	if err != nil {
		return err
	}
	client, err := dial(ctx, h, &c.Connect, "worker")
	if err != nil {
		return err
	}
	defer client.Close()
	dir := c.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "fdplan-worker-"); err != nil {
			return fmt.Errorf("making a folder for units: %w", err)
		}
		defer os.RemoveAll(dir)
	}
	memory := int64(c.Memory)
	if memory == 0 {
		memory = limit.Available() / int64(c.Slots)
	}
	runner := &spread.Children{Memory: memory, Beside: spread.Beside(client), Command: func() *exec.Cmd {
		args := []string{"unit", "--memory", fmt.Sprint(memory, "B")}
		for _, name := range c.Allow {
			args = append(args, "--allow", name)
		}
		return exec.Command(h.Program, args...)
	}}
	defer runner.Close()
	name := machineName()
	o := cluster.WorkerConfig{Version: version, Name: name, Slots: c.Slots, Runner: runner, Dir: dir, Cache: int64(c.Cache), Lease: time.Duration(c.Lease), Drain: time.Duration(c.Drain)}
	if !c.Quiet {
		o.Log = h.Warn
		fmt.Fprintf(h.Err, "fdplan: worker %s with %s of version %s\n", name, counted.Of(c.Slots, "slot"), version)
	}
	return client.Work(ctx, o)
}

// Unit does units until standard input ends.
func (Part) Unit(ctx context.Context, h *command.Host, c *command.Unit) error {
	err := spread.Serve(ctx, &spread.Env{Program: h.Program, Solvers: c.Allow, Memory: int64(c.Memory), Now: h.Now}, h.In, h.Out)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
