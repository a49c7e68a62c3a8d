// Package command is the program fdplan: its commands, their flags and what they print.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/experiment"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/limit"
	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/internal/source"
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
	Init     initCmd     `cmd:"" help:"Make a task and a data set from a log."`
	Train    trainCmd    `cmd:"" help:"Learn a network from transitions."`
	Lift     liftCmd     `cmd:"" help:"Build a problem's network from the lifted functions of a smaller one's."`
	Convert  convertCmd  `cmd:"" help:"Fold a network trained elsewhere (NPZ, or the published layout) into a network file."`
	Test     testCmd     `cmd:"" help:"Measure a network on a data set and on all legal rows."`
	Validate validateCmd `cmd:"" help:"Replay a plan in the model and say where it fails."`
	Certify  certifyCmd  `cmd:"" help:"Check the certificate of an answer: problem files, proofs, plan."`
	Verify   verifyCmd   `cmd:"" help:"Decide whether a property holds in every legal step."`
	Explain  explainCmd  `cmd:"" help:"Say why there is no plan, or what forces a plan."`
	Solve    solveCmd    `cmd:"" help:"Solve a .cnf, .wcnf or .opb file."`
	Run      runCmd      `cmd:"" help:"Plan, act in a simulator or the real system, observe, plan again."`
	Bench    benchCmd    `cmd:"" help:"Run the paper's experiments, each run in a process of its own."`
	Serve    serveCmd    `cmd:"" help:"Serve a page and an HTTP interface to plan, explain, learn and run."`
	Report   reportCmd   `cmd:"" help:"Render the results of a bench as a page, with the paper's figures beside them."`

	Broker  Broker `cmd:"" help:"Run the server of a cluster: the queue, the results and the files of units."`
	Worker  Worker `cmd:"" help:"Do the work that others send to a server with --connect."`
	Cluster Status `cmd:"" help:"Show the workers, the queue and the results of a server."`
	Unit    Unit   `cmd:"" help:"Do units of work, for a worker." hidden:""`

	Help       helpCmd       `cmd:"" help:"Describe the commands, or one with its flags and examples."`
	Man        manCmd        `cmd:"" help:"Write the manual page."`
	Completion completionCmd `cmd:"" help:"Write the completions of commands and flags for a shell."`

	Version kong.VersionFlag `help:"Print the version, the commit and the Go version."`
}

// grammar returns a pointer to the part of cli that a command line needs: the
// command that it begins with, and the global flags. Building all commands with
// their flags takes longer than planning in a small problem. A command line that
// names no command, or one that describes the others, gets all.
func grammar(args []string) any {
	if len(args) == 0 {
		return new(cli)
	}
	all := reflect.TypeFor[cli]()
	var fields []reflect.StructField
	named := false
	for i := range all.NumField() {
		f := all.Field(i)
		_, command := f.Tag.Lookup("cmd")
		if command && strings.ToLower(f.Name) != args[0] {
			continue
		}
		named = named || command
		fields = append(fields, f)
	}
	if !named || slices.Contains([]string{"help", "man", "completion"}, args[0]) {
		return new(cli)
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// environment is the part of the system that a command may use.
type environment struct {
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
	started  time.Time
	terminal bool   // err is a terminal
	json     bool   // an error is printed as a JSON object
	events   bool   // warnings and the end are events, as progress is
	kill     func() // kills what the command has started; nil for nothing to kill
	parts    Parts
	// replace runs another program in place of this one, and returns its exit status; nil where
	// this process is not the command's alone.
	replace func(program string, args []string) (status int, err error)

	guard *guard // ends the command
}

// Main runs a program with its arguments and returns its exit status.
func Main(args []string, in io.Reader, out, err io.Writer, parts Parts) int {
	f, file := err.(*os.File)
	a := &environment{in: in, out: out, err: err, now: time.Now, started: time.Now(), terminal: file && isTerminal(f), parts: parts, replace: replace}
	a.kill = func() { process.KillDescendants(os.Getpid()) }
	return run(a, args)
}

// run parses args, runs the command, and turns its error into an exit status
// and one line.
func run(a *environment, args []string) (status int) {
	stdout, stderr := &gate{w: a.out}, &gate{w: a.err}
	a.out, a.err = stdout, stderr
	a.guard = newGuard()
	defer a.guard.end()
	a.events = wantsEvents(args)
	a.json = wantsJSON(args) || a.events
	defer func() { a.done(status) }()
	exited := -1 // set when kong wants to exit, as after --help
	parser, err := kong.New(grammar(args),
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
	if part := a.lacking(ctx); part != "" {
		if status, err = a.delegate(part, args); err != nil {
			return a.fail(err)
		}
		return status
	}
	err = a.guard.run(func() error { return ctx.Run() })
	if late := new(abandoned); errors.As(err, &late) {
		a.leave(stdout, stderr)
		a.err = stderr.w // of which we now have the only use
	}
	if err != nil {
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
	if isEnded(err) {
		if cause := context.Cause(a.guard.ctx); cause != nil && !errors.Is(err, errLimit) {
			err = fmt.Errorf("%w: %w", errLimit, cause)
		}
	}
	a.complain(err)
	return statusOf(err)
}

// statusOf is the exit status of a command that fails with err.
func statusOf(err error) int {
	switch {
	case errors.Is(err, app.ErrInternal):
		return exitInternal
	case errors.Is(err, errLimit):
		return exitLimit
	case errors.As(err, new(*plan.ContradictionError)), errors.Is(err, experiment.ErrContradiction):
		return exitInternal
	}
	return exitUsage
}

// wantsJSON reports whether a command line asks for JSON, whether or not it can be parsed.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json":
			return true
		case "--":
			return false
		}
	}
	return false
}

// complain prints an error, as one JSON object if the command was to print JSON.
func (a *environment) complain(err error) {
	if a.json && app.WriteJSON(a.err, app.ComplaintOf(err, hint(err))) == nil {
		return
	}
	fmt.Fprintln(a.err, source.PrintableLines(fmt.Sprintf("fdplan: %v%s", err, hint(err)), source.MaxLine))
	if errors.Is(err, app.ErrInternal) {
		fmt.Fprintln(a.err, "This is a bug. Please report the command, the files it read and this message.")
	}
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

// bounds are the flags of every command.
type bounds struct {
	TimeLimit durationFlag `help:"Stop after this time, such as 60s or 5m, counted from the start of the process; default: none." placeholder:"TIME"`
	Memory    bytesFlag    `help:"Bound on memory, such as 512MiB; default: half of what the machine or the control group has, at most 4GiB." placeholder:"SIZE"`
}

// limits are the flags of every command that may take long.
type limits struct {
	bounds
	progressFlags
	Threads int    `help:"Threads to use; 0 for one per core." default:"0"`
	Seed    uint64 `help:"Seed of whatever draws random numbers." default:"0"`
}

// memory is the bound on memory in bytes, given or not.
func (b *bounds) memory() int64 {
	if b.Memory > 0 {
		return int64(b.Memory)
	}
	return limit.DefaultMemory()
}

// context ends on SIGINT, SIGTERM, at the time limit, and where more memory is
// held than was allowed, by the command or by the programs that it starts; its cause
// says which. The collector is told of the bound on memory too.
func (b *bounds) context(a *environment) (context.Context, context.CancelFunc) {
	return b.contextWith(a, a.kill)
}

// contextWith is context for a command that bounds the programs which it starts itself
// if kill, which ends them, is nil.
func (b *bounds) contextWith(a *environment, kill func()) (context.Context, context.CancelFunc) {
	memory := b.memory()
	before := debug.SetMemoryLimit(memory)
	ctx, lift := a.guard.bound(a.started, time.Duration(b.TimeLimit), memory, kill)
	return ctx, func() {
		lift()
		debug.SetMemoryLimit(before)
	}
}

// isTerminal reports whether f is a character device other than the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
