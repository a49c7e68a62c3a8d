package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/spread"
	"github.com/fdplan/fdplan/internal/cluster"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/limit"
)

type workerCmd struct {
	clusterFlags
	Slots  int          `help:"Units to run at a time; 0 for one per core." default:"0" placeholder:"N"`
	Memory bytesFlag    `help:"Bound on the memory of each unit with all its processes; default: what the machine or the control group has, by the number of slots." placeholder:"SIZE"`
	Cache  bytesFlag    `help:"Inputs to keep on the disk for further units." default:"10GiB" placeholder:"SIZE"`
	Dir    string       `help:"Folder for inputs and units in progress; default: a temporary one." placeholder:"DIR"`
	Lease  durationFlag `help:"Time after which a unit whose worker is silent is given to another." default:"15s" placeholder:"TIME"`
	Drain  durationFlag `help:"After SIGTERM, time for units in progress; the others are handed back at once." default:"30s" placeholder:"TIME"`
	Allow  []string     `help:"Outside solvers that units may use, by name such as clasp; default: none. Repeatable." placeholder:"NAME" sep:"none"`
	Quiet  bool         `help:"Do not report units that are handed back." short:"q"`
}

// Run takes units until a signal.
func (c *workerCmd) Run(a *environment) error {
	slots := app.Threads(c.Slots)
	if time.Duration(c.Lease) < time.Second {
		return fmt.Errorf("--lease %v; expected at least 1s", time.Duration(c.Lease))
	}
	a.guard.patient.Store(true)
	ctx := a.guard.ctx
	version, err := resultVersion()
	if err != nil {
		return err
	}
	program, err := thisProgram()
	if err != nil {
		return err
	}
	client, err := c.dial(ctx, a, "worker")
	if err != nil {
		return limited(ctx, err)
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
		memory = limit.Available() / int64(slots)
	}
	runner := &spread.Children{Memory: memory, Beside: spread.Beside(client), Command: func() *exec.Cmd {
		args := []string{"unit", "--memory", fmt.Sprint(memory, "B")}
		for _, name := range c.Allow {
			args = append(args, "--allow", name)
		}
		return exec.Command(program, args...)
	}}
	defer runner.Close()
	name := machineName()
	o := cluster.WorkerConfig{Version: version, Name: name, Slots: slots, Runner: runner, Dir: dir, Cache: int64(c.Cache), Lease: time.Duration(c.Lease), Drain: time.Duration(c.Drain)}
	if !c.Quiet {
		o.Log = a.warn
		fmt.Fprintf(a.err, "fdplan: worker %s with %s of version %s\n", name, counted.Of(slots, "slot"), version)
	}
	return client.Work(ctx, o)
}

// unitCmd is the child process of a worker.
type unitCmd struct {
	Memory bytesFlag `help:"Bound on the memory of this process." placeholder:"SIZE"`
	Allow  []string  `help:"Outside solvers that units may use." placeholder:"NAME" sep:"none"`
}

// Run does units until standard input ends.
func (c *unitCmd) Run(a *environment) error {
	program, err := thisProgram()
	if err != nil {
		return err
	}
	// The worker kills this process where it takes too much memory.
	bound := bounds{Memory: c.Memory}
	ctx, cancel := bound.contextWith(a, nil)
	defer cancel()
	err = spread.Serve(ctx, &spread.Env{Program: program, Solvers: c.Allow, Memory: int64(c.Memory), Now: a.now}, os.Stdin, a.out)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
