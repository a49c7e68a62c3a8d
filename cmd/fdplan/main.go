// Command fdplan plans with learned, discrete models of the world. See
// README.md for a tour and docs/ for everything else.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
)

// cli is the table of commands. Every command has a Run method that is given the app.
type cli struct {
	Check    checkCmd    `cmd:"" help:"Parse, type-check and ground RDDL files."`
	List     listCmd     `cmd:"" help:"List the bundled problems."`
	Show     showCmd     `cmd:"" help:"Show a problem (variables, constraints, goal, reward, network, sizes), or draw a plan."`
	Plan     planCmd     `cmd:"" help:"Find an optimal plan, prove it, and check it."`
	Compile  compileCmd  `cmd:"" help:"Write a problem as CNF, WCNF, OPB, LP or MPS for other solvers."`
	Simulate simulateCmd `cmd:"" help:"Run a plan or a policy in a problem's RDDL."`
	Collect  collectCmd  `cmd:"" help:"Collect transitions to learn from, by a policy or from a log."`
	Train    trainCmd    `cmd:"" help:"Learn a network from transitions."`
	Convert  convertCmd  `cmd:"" help:"Fold a network trained elsewhere (NPZ, or the published layout) into a network file."`
	Test     testCmd     `cmd:"" help:"Measure a network on a data set and on all legal rows."`
	Validate validateCmd `cmd:"" help:"Replay a plan in the model and say where it fails."`
	Verify   verifyCmd   `cmd:"" help:"Decide whether a property holds in every legal step."`
	Explain  explainCmd  `cmd:"" help:"Say why there is no plan, or what forces a plan."`
	Solve    solveCmd    `cmd:"" help:"Solve a .cnf, .wcnf or .opb file."`
	Run      runCmd      `cmd:"" help:"Plan, act in a simulator or the real system, observe, plan again."`
	Bench    benchCmd    `cmd:"" help:"Run the paper's experiments, each run in a process of its own."`
	Report   reportCmd   `cmd:"" help:"Render the results of a bench as a page, with the paper's figures beside them."`

	Help       helpCmd       `cmd:"" help:"Describe the commands, or one with its flags and examples."`
	Man        manCmd        `cmd:"" help:"Write the manual page."`
	Completion completionCmd `cmd:"" help:"Write the completions of commands and flags for a shell."`

	Version kong.VersionFlag `help:"Print the version, the commit and the Go version."`
}

// environment is the part of the system that a command may use.
type environment struct {
	out, err io.Writer
	now      func() time.Time
	started  time.Time
	terminal bool // err is a terminal
}

func main() {
	started := time.Now()
	a := &environment{out: os.Stdout, err: os.Stderr, now: time.Now, started: started, terminal: isTerminal(os.Stderr)}
	os.Exit(run(a, os.Args[1:]))
}

// run parses args, runs the command, and turns its error into an exit status
// and one line.
func run(a *environment, args []string) (status int) {
	var c cli
	exited := -1 // set when kong wants to exit, as after --help
	parser, err := kong.New(&c,
		kong.Name("fdplan"),
		kong.Description("Planning with learned, discrete models of the world."),
		kong.Writers(a.out, a.err),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(printHelp),
		kong.Vars{"version": buildVersion()},
		kong.Bind(a),
		engineVars(),
	)
	if err != nil {
		return a.fail(fmt.Errorf("%w: %w", app.ErrInternal, err))
	}
	ctx, err := parser.Parse(args)
	if exited >= 0 {
		return exited
	}
	if err != nil {
		return a.fail(err)
	}
	if err := ctx.Run(); err != nil {
		return a.fail(err)
	}
	return exitDone
}

// fail prints an error in the required form and returns its exit status.
func (a *environment) fail(err error) int {
	var s exitStatus
	if errors.As(err, &s) {
		return int(s) // everything has been printed
	}
	fmt.Fprintf(a.err, "fdplan: %v%s\n", err, hint(err))
	switch {
	case errors.Is(err, app.ErrInternal):
		fmt.Fprintln(a.err, "This is a bug. Please report the command, the files it read and this message.")
		return exitInternal
	case errors.Is(err, errLimit):
		return exitLimit
	}
	return exitUsage
}

// hint names the flag that mends an error; "" for none.
func hint(err error) string {
	switch {
	case errors.Is(err, app.ErrNoHorizon):
		return ", with -H"
	case errors.Is(err, load.ErrNoNetwork):
		return ", with --model rddl"
	}
	return ""
}

// limits are the flags of every command that may take long.
type limits struct {
	progressFlags
	Threads   int          `help:"Threads to use; 0 for one per core." default:"0"`
	Seed      uint64       `help:"Seed of whatever draws random numbers." default:"0"`
	TimeLimit durationFlag `help:"Stop after this time, counted from the start of the process." placeholder:"60s"`
	Memory    bytesFlag    `help:"Bound on memory." default:"4GiB"`
}

// context returns a context that ends on SIGINT, SIGTERM and at the time limit; its cause
// identifies which.
func (l *limits) context(a *environment) (context.Context, context.CancelFunc) {
	debug.SetMemoryLimit(int64(l.Memory))
	return a.context(l.TimeLimit)
}

func (a *environment) context(limit durationFlag) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(fmt.Errorf("%v was received", s))
		case <-ctx.Done():
		}
		signal.Stop(signals)
	}()
	if limit == 0 {
		return ctx, func() { cancel(nil) }
	}
	d := time.Duration(limit)
	timed, stop := context.WithDeadlineCause(ctx, a.started.Add(d), fmt.Errorf("the time limit of %v was reached", d))
	return timed, func() { stop(); cancel(nil) }
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
