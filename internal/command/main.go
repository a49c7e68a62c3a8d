// Package command is the program fdplan: its commands, their flags and what they print.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/limit"
	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/process"
	"github.com/fdplan/fdplan/internal/source"
)

// entry describes a command.
type entry struct {
	name, help string
	make       func() command
	hidden     bool
}

// command is the struct of a command's flags.
type command interface {
	Run(ctx context.Context, a *environment) error
}

//go:generate go test . -run "TestPython.*Generated" -update

// commands are all of them, in the order of the help.
var commands = []entry{
	{"check", "Check RDDL files or any problem, and say what is in it.", func() command { return new(checkCmd) }, false},
	{"list", "List the bundled problems.", func() command { return new(listCmd) }, false},
	{"show", "Show a problem, a log or a network, or draw a plan.", func() command { return new(showCmd) }, false},
	{"plan", "Find an optimal plan, prove it, and check it.", func() command { return new(planCmd) }, false},
	{"compile", "Write a problem as CNF, WCNF, OPB, LP or MPS for other solvers.", func() command { return new(compileCmd) }, false},
	{"simulate", "Run a plan or a policy in a problem's RDDL.", func() command { return new(simulateCmd) }, false},
	{"collect", "Collect transitions to learn from, by a policy or from a log.", func() command { return new(collectCmd) }, false},
	{"init", "Make a task and a data set from a log.", func() command { return new(initCmd) }, false},
	{"train", "Learn a network from transitions.", func() command { return new(trainCmd) }, false},
	{"lift", "Build a network from the lifted functions of a smaller one.", func() command { return new(liftCmd) }, false},
	{"convert", "Make a network file of a network trained elsewhere.", func() command { return new(convertCmd) }, false},
	{"test", "Measure a network on a data set and on all legal rows.", func() command { return new(testCmd) }, false},
	{"validate", "Replay a plan in the model and say where it fails.", func() command { return new(validateCmd) }, false},
	{"certify", "Check the certificate of an answer: problem files, proofs, plan.", func() command { return new(certifyCmd) }, false},
	{"verify", "Decide whether a property holds in every legal step.", func() command { return new(verifyCmd) }, false},
	{"explain", "Say why there is no plan, or what forces a plan.", func() command { return new(explainCmd) }, false},
	{"solve", "Solve a .cnf, .wcnf or .opb file.", func() command { return new(solveCmd) }, false},
	{"learn", "Learn a system by acting in it, until a plan is proven optimal.", func() command { return new(learnCmd) }, false},
	{"run", "Plan, act in a simulator or the real system, plan again.", func() command { return new(runCmd) }, false},
	{"bench", "Run the paper's experiments, each run in a process of its own.", func() command { return new(Bench) }, false},
	{"serve", "Serve a page and an HTTP interface for all of it.", func() command { return new(serveCmd) }, false},
	{"report", "Render the results of a bench as a page.", func() command { return new(Report) }, false},
	{"broker", "Run the server of a cluster.", func() command { return new(Broker) }, false},
	{"worker", "Do the work that others send to a server with --connect.", func() command { return new(Worker) }, false},
	{"cluster", "Show the workers, the queue and the results of a server.", func() command { return new(Status) }, false},
	{"unit", "Do units of work, for a worker.", func() command { return new(Unit) }, true},
	{"help", "Describe the commands, or one with its flags and examples.", func() command { return new(helpCmd) }, false},
	{"man", "Write the manual page.", func() command { return new(manCmd) }, false},
	{"completion", "Write the completions of commands and flags for a shell.", func() command { return new(completionCmd) }, false},
}

// entryOf is the command of a name; nil for none.
func entryOf(name string) *entry {
	if i := slices.IndexFunc(commands, func(e entry) bool { return e.name == name }); i >= 0 {
		return &commands[i]
	}
	return nil
}

// environment is the part of the system that a command may use.
type environment struct {
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
	started  time.Time
	terminal bool   // err is a terminal
	asked    asked  // what a document has asked for
	json     bool   // an error is printed as a JSON object
	events   bool   // warnings and the end are events, as progress is
	kill     func() // kills what the command has started; nil for nothing to kill
	parts    Parts
	// replace runs another program in place of this one, and returns its exit status; nil where
	// this process is not the command's alone.
	replace func(program string, args []string) (status int, err error)

	guard    *guard   // ends the command
	allFlags bool     // help has all flags
	args     []string // the words of the command line
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
	asked := len(args) > 0 && args[0] == documentCommand
	a.events = wantsEvents(args) || asked
	a.json = wantsJSON(args) || a.events
	defer func() { a.done(status) }()
	work, part, err := a.prepare(args)
	if err != nil {
		return a.fail(err)
	}
	if part != "" {
		if status, err = a.delegate(part, args); err != nil {
			return a.fail(err)
		}
		return status
	}
	err = a.guard.run(work)
	if late := new(abandoned); errors.As(err, &late) {
		a.leave(stdout, stderr)
		a.err = stderr.w // of which we now have the only use
	}
	if err != nil {
		return a.fail(err)
	}
	return exitDone
}

// prepare returns what the arguments ask for, with their values checked, and the part that it
// needs and this program lacks, "" for none.
func (a *environment) prepare(args []string) (work func() error, part string, err error) {
	write := func(text string) func() error {
		return func() error { _, err := io.WriteString(a.out, text); return err }
	}
	if len(args) > 0 && args[0] == documentCommand {
		work, err = a.document()
		return work, "", err
	}
	if len(args) == 0 {
		return write(beginning), "", nil
	}
	if args, err = habits(args); err != nil {
		return nil, "", err
	}
	a.args = slices.Clone(args)
	if i := slices.Index(args, "--help=all"); i >= 0 {
		args[i], a.allFlags = "--help", true
	}
	e := entryOf(args[0])
	switch {
	case args[0] == "--help" || args[0] == "-h":
		return write(overview()), "", nil
	case args[0] == "--version":
		return write(buildVersion() + "\n"), "", nil
	case e == nil:
		return nil, "", noCommand(args[0])
	}
	command := e.make()
	asked, given, err := e.parse(command, args[1:])
	switch {
	case err != nil:
		return nil, "", err
	case asked.Help:
		return write(a.help(*e)), "", nil
	case asked.Version:
		return write(buildVersion() + "\n"), "", nil
	}
	err = app.Binder().Check(command, bind.Flags)
	if s, ok := command.(settler); ok && err == nil {
		err = s.settle(given)
	}
	part = a.lacking(command)
	if err != nil || part != "" {
		return nil, part, err
	}
	end, err := a.standardInput(command)
	if r, ok := command.(interface{ Resolve() error }); ok && err == nil {
		err = r.Resolve()
	}
	return func() error { defer end(); return a.run(command) }, "", err
}

// noCommand refuses the name of a command.
func noCommand(name string) error {
	if strings.HasPrefix(name, "-") {
		return fmt.Errorf("expected a command before %s; see fdplan --help", name)
	}
	return fmt.Errorf("there is no command %.40q%s", name, nearest.Hint(name, commandNames()))
}

// run runs a command within its bounds.
func (a *environment) run(c command) error {
	ctx := a.guard.ctx
	if b, ok := c.(interface{ Own() app.Bounds }); ok {
		bounded, cancel := a.context(b.Own(), a.kill)
		defer cancel()
		ctx = bounded
	}
	return c.Run(ctx, a)
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
	case errors.As(err, new(*plan.ContradictionError)), errors.Is(err, journal.ErrContradiction):
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
	if a.json && app.WriteJSON(a.err, a.asked.inItsWords(app.ComplaintOf(err, hint(err)))) == nil {
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

// memoryOf is the bound on memory in bytes, given or not.
func memoryOf(b app.Bounds) int64 {
	if b.Memory > 0 {
		return int64(b.Memory)
	}
	return limit.DefaultMemory()
}

// context ends on SIGINT, SIGTERM, at the time limit, and where more memory is
// held than was allowed, by the command or by the programs that it starts; its cause
// says which. The collector is told of the bound on memory too. A command that bounds the
// programs which it starts itself has no kill, which ends them.
func (a *environment) context(b app.Bounds, kill func()) (context.Context, context.CancelFunc) {
	memory := memoryOf(b)
	before := debug.SetMemoryLimit(memory)
	ctx, lift := a.guard.bound(a.started, time.Duration(b.TimeLimit), memory, kill)
	return ctx, func() {
		lift()
		debug.SetMemoryLimit(before)
	}
}

// sparing has the collector run more often, as long as a command holds a log: that is large, and has hardly any pointers to
// follow. It returns what ends that.
func sparing() func() {
	const percent = 25
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
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
