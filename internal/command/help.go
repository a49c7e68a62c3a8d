package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/inspect"
)

// common are the flags that short help shows, in its order.
var common = []string{
	"horizon", "goal", "require", "reward", "range", "set-initial", "property", "task", "simulator", "steps", "engine", "policy", "certify", "model", "data",
	"time-limit", "json", "out",
}

// particular are the flags of single commands that their short help shows before these.
var particular = map[string][]string{
	"init": {"actions", "initial", "bins", "decimals", "entity"}, "train": {"recipe", "hidden", "lags", "noise", "learn-reward", "lift"}, "test": {"prove", "samples"},
	"collect": {"rows"}, "check": {"contradictions"}, "learn": {"resets"},
	"explain": {"bound"}, "bench": {"quick", "tables", "engines", "resume"},
}

// group is a group of flags.
type group struct {
	title string
	flags []string
}

// groups are the flags of full help by what they are about; the others come first.
var groups = []group{
	{"The problem", []string{"files", "pddl", "domain", "instance", "decimals", "quantiles", "model", "determinize", "ignore-discount", "entity", "levels"}},
	{"What is asked of it", []string{"horizon", "goal", "range", "reward", "initial", "set-initial", "require", "given", "property"}},
	{"Simulators", []string{"simulator", "simulator-timeout", "max-simulations", "truth", "record", "incremental", "landmarks", "resume", "recheck", "corrected", "restart", "optimistic"}},
	{"Chance and errors", []string{"policy", "failures", "blind", "maximize", "robust", "within-log", "safe"}},
	{"Engines", []string{"engine", "encoding", "solver", "blp-help", "confirm"}},
	{"Proofs", []string{"proof", "certify", "proof-format"}},
	{"A cluster", []string{"connect", "token-file", "nkey", "ca", "client-cert", "client-key", "workers-only"}},
	{"Limits", []string{"time-limit", "memory", "threads", "seed"}},
	{"Output", []string{"quiet", "progress", "json", "out", "help", "version"}},
}

// themes are the commands in the groups of the help.
var themes = []struct{ title, commands string }{
	{"Problems and plans", "list show check plan explain validate verify certify run simulate compile solve"},
	{"Learn from logs and systems", "init train test learn collect convert lift"},
	{"Serve and share work", "serve broker worker cluster"},
	{"The paper, and help", "bench report help completion man"},
}

// visible are the commands that the help describes.
func visible() []entry {
	return slices.DeleteFunc(slices.Clone(commands), func(e entry) bool { return e.hidden })
}

// overview describes the program.
func overview() string {
	var b strings.Builder
	b.WriteString("Usage: fdplan <command> [flags]\n")
	for _, theme := range themes {
		fmt.Fprintf(&b, "\n%s:\n", theme.title)
		for _, name := range strings.Fields(theme.commands) {
			fmt.Fprintf(&b, "  %-12s  %s\n", name, entryOf(name).help)
		}
	}
	b.WriteString("\nfdplan <command> --help describes one.\n")
	return b.String()
}

// few is the number of flags that short help shows all of.
const few = 12

// help describes a command: its common flags, or all of them in groups.
func (a *environment) help(e entry) string {
	var b strings.Builder
	flags := e.flags()
	fmt.Fprintf(&b, "Usage: fdplan %s %s\n\n%s\n", e.name, e.usage(), e.help)
	for i, o := range e.arguments() {
		if i == 0 {
			b.WriteString("\nArguments:\n")
		}
		writeOption(&b, summary(o), o.Help, len(flags) > few && !a.allFlags)
	}
	shown := examplesOf(e.name)
	if hidden := a.writeFlags(&b, e.name, flags); hidden > 0 {
		fmt.Fprintf(&b, "\n%d more flags: fdplan %s --help=all\n", hidden, e.name)
		shown = shown[:min(len(shown), 2)]
	}
	for i, e := range shown {
		if i == 0 {
			b.WriteString("\nExamples:\n")
		}
		fmt.Fprintf(&b, "  # %s\n  $ fdplan %s\n", e.does, e.line)
	}
	return b.String()
}

// writeFlags writes the flags of a command that are to be shown, and returns the number of the others.
func (a *environment) writeFlags(b *strings.Builder, command string, flags []*bind.Option) (hidden int) {
	shown := slices.Concat(particular[command], common)
	title := func(text string) { fmt.Fprintf(b, "\n%s:\n", text) }
	if len(flags) > few && !a.allFlags {
		title("Flags")
		for _, f := range flags {
			if f.Required && !slices.Contains(shown, f.Flag) {
				writeOption(b, flagNames(f), f.Help, true)
				hidden--
			}
		}
		for _, name := range shown {
			if i := slices.IndexFunc(flags, func(f *bind.Option) bool { return f.Flag == name }); i >= 0 {
				writeOption(b, flagNames(flags[i]), flags[i].Help, true)
				hidden--
			}
		}
		return hidden + len(flags)
	}
	of := func(f *bind.Option) int {
		return slices.IndexFunc(groups, func(g group) bool { return slices.Contains(g.flags, f.Flag) })
	}
	for g := -1; g < len(groups); g++ {
		first := true
		for _, f := range flags {
			if len(flags) > few && of(f) != g || len(flags) <= few && g >= 0 {
				continue
			}
			if first {
				if first = false; g < 0 {
					title("Flags")
				} else {
					title(groups[g].title)
				}
			}
			writeOption(b, flagNames(f), f.Help, false)
		}
	}
	return 0
}

// writeOption writes an option and what it is for, in short what it is for in a clause.
func writeOption(b io.Writer, name, help string, short bool) {
	const left, width = 26, 80
	if short {
		for _, end := range []string{". ", "; ", " (docs/", ", - for standard", ", in place of the problem", ", counted from", ", the shortest on a tie", ", a server of"} {
			help, _, _ = strings.Cut(help, end)
		}
		help = strings.TrimSuffix(help, ".")
	}
	line := fmt.Sprintf("  %-*s", left-2, name)
	if len(line) > left || strings.HasSuffix(line, name) {
		io.WriteString(b, strings.TrimRight(line, " ")+"\n")
		line = strings.Repeat(" ", left)
	}
	for i, word := range strings.Fields(help) {
		if len(line)+1+len(word) > width && i > 0 {
			io.WriteString(b, strings.TrimRight(line, " ")+"\n")
			line = strings.Repeat(" ", left)
		}
		line += word + " "
	}
	io.WriteString(b, strings.TrimRight(line, " ")+"\n")
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command to describe; default: a short description of all commands."`
}

// Run prints the same as --help.
func (c *helpCmd) Run(ctx context.Context, a *environment) error {
	if status := run(a, append(c.Command, "--help")); status != exitDone {
		return exitStatus(status)
	}
	return nil
}

type manCmd struct {
	Out string `short:"o" help:"File to write; default: standard output." placeholder:"FILE"`
}

// Run writes the manual page.
func (c *manCmd) Run(_ context.Context, a *environment) error {
	return a.toFile(c.Out, func(w io.Writer) error {
		_, err := io.WriteString(w, manual())
		return err
	})
}

// roff escapes text so that it is not read as requests and escapes.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// manual is the manual page of section 1, from the same table as --help.
func manual() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH FDPLAN 1 "" "fdplan" "User Commands"`)
	line(".SH NAME\nfdplan \\- Planning with learned, discrete models of the world")
	line(".SH SYNOPSIS")
	for _, e := range visible() {
		line(".B fdplan %s\n%s\n.br", roff(e.name), roff(e.synopsis()))
	}
	line(".SH DESCRIPTION\nResults go to standard output; progress and warnings to standard error.")
	line(".SH COMMANDS")
	for _, e := range visible() {
		line(".SS %s", roff(e.name+" "+e.synopsis()))
		line("%s", roff(e.help))
		for _, o := range e.arguments() {
			line(".TP\n.I %s\n%s", roff(summary(o)), roff(o.Help))
		}
		for _, o := range e.own() {
			line(".TP\n.B %s\n%s", roff(flagNames(o)), roff(o.Help))
		}
		line(".PP\nExamples:")
		for _, e := range examplesOf(e.name) {
			line(".PP\n%s:\n.nf\n.RS\n%s\n.RE\n.fi", roff(e.does), roff("fdplan "+e.line))
		}
	}
	line(".SH EXIT STATUS")
	for _, s := range statuses {
		line(".TP\n.B %d\n%s", s.code, roff(s.means))
	}
	return b.String()
}

// synopsis lists the arguments of a command.
func (e entry) synopsis() string {
	var parts []string
	for _, o := range e.arguments() {
		parts = append(parts, summary(o))
	}
	return strings.Join(append(parts, "[flags]"), " ")
}

// usage is the synopsis with the flags that are required.
func (e entry) usage() string {
	var parts []string
	for _, o := range e.flags() {
		if o.Required {
			parts = append(parts, summary(o))
		}
	}
	return strings.Join(append(parts, e.synopsis()), " ")
}

// flagNames is a flag with its short form and its value.
func flagNames(o *bind.Option) string {
	name := "--" + o.Flag
	if o.Negatable {
		name = "--[no-]" + o.Flag
	}
	if !isBool(o) {
		name += "=" + placeholder(o)
	}
	if o.Short != "" {
		name = "-" + o.Short + ", " + name
	}
	return name
}

// statuses describes the exit statuses.
var statuses = []struct {
	code  int
	means string
}{
	{exitDone, "Done: a plan was found, the plan is valid, the property holds, the file was written."},
	{exitInternal, "Internal error, which is a bug."},
	{exitUsage, "Bad usage or bad input, or something it needs is not installed."},
	{exitLimit, "A limit was reached before there was any answer."},
	{exitNo, "The answer is no: no plan of that horizon exists, the plan is invalid, the property fails."},
	{10, "Of solve: satisfiable."},
	{20, "Of solve: unsatisfiable."},
	{30, "Of solve: optimum found. Without an answer solve exits with 0."},
}

type completionCmd struct {
	Shell string `arg:"" help:"Shell: ${enum}." enum:"bash,zsh,fish"`
	Out   string `short:"o" help:"File to write; default: standard output." placeholder:"FILE"`
}

// Run writes the completions for a shell.
func (c *completionCmd) Run(_ context.Context, a *environment) error {
	all, err := inspect.List(context.Background())
	if err != nil {
		return err
	}
	var problems []string
	for _, l := range all {
		problems = append(problems, l.Problem)
	}
	write := map[string]func([]string) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	return a.toFile(c.Out, func(w io.Writer) error {
		_, err := io.WriteString(w, write(problems))
		return err
	})
}
