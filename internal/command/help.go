package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

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

// printCommands describes the program.
func printCommands(w io.Writer, app *kong.Application) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s <command> [flags]\n", app.Name)
	for _, theme := range themes {
		fmt.Fprintf(&b, "\n%s:\n", theme.title)
		for _, name := range strings.Fields(theme.commands) {
			for _, node := range app.Leaves(true) {
				if node.Name == name {
					fmt.Fprintf(&b, "  %-12s  %s\n", name, node.Help)
				}
			}
		}
	}
	fmt.Fprintf(&b, "\n%s <command> --help describes one.\n", app.Name)
	_, err := io.WriteString(w, b.String())
	return err
}

// few is the number of flags that short help shows all of.
const few = 12

// printHelp describes a command: its common flags, or all of them in groups.
func (a *environment) printHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	node := ctx.Selected()
	if node == nil {
		return printCommands(ctx.Stdout, ctx.Model)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s %s\n\n%s\n", ctx.Model.Name, node.Summary(), node.Help)
	var flags []*kong.Flag
	for _, group := range node.AllFlags(true) {
		flags = append(flags, group...)
	}
	for i, p := range node.Positional {
		if i == 0 {
			b.WriteString("\nArguments:\n")
		}
		writeOption(&b, p.Summary(), p.Help, len(flags) > few && !a.allFlags)
	}
	shown := examplesOf(node.Name)
	if hidden := a.writeFlags(&b, node.Name, flags); hidden > 0 {
		fmt.Fprintf(&b, "\n%d more flags: %s %s --help=all\n", hidden, ctx.Model.Name, node.Name)
		shown = shown[:min(len(shown), 2)]
	}
	for i, e := range shown {
		if i == 0 {
			b.WriteString("\nExamples:\n")
		}
		fmt.Fprintf(&b, "  # %s\n  $ fdplan %s\n", e.does, e.line)
	}
	_, err := io.WriteString(ctx.Stdout, b.String())
	return err
}

// writeFlags writes the flags of a command that are to be shown, and returns the number of the others.
func (a *environment) writeFlags(b *strings.Builder, command string, flags []*kong.Flag) (hidden int) {
	shown := slices.Concat(particular[command], common)
	flags = slices.DeleteFunc(flags, func(f *kong.Flag) bool { return f.Hidden })
	title := func(text string) { fmt.Fprintf(b, "\n%s:\n", text) }
	if len(flags) > few && !a.allFlags {
		title("Flags")
		for _, f := range flags {
			if f.Required && !slices.Contains(shown, f.Name) {
				writeOption(b, flagNames(f), f.Help, true)
				hidden--
			}
		}
		for _, name := range shown {
			if i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name }); i >= 0 {
				writeOption(b, flagNames(flags[i]), flags[i].Help, true)
				hidden--
			}
		}
		return hidden + len(flags)
	}
	of := func(f *kong.Flag) int {
		return slices.IndexFunc(groups, func(g group) bool { return slices.Contains(g.flags, f.Name) })
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
		_, err := io.WriteString(w, manual(a.model))
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

// manual writes the manual page of section 1, from the same table as --help.
func manual(app *kong.Application) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH %s 1 "" "%s" "User Commands"`, strings.ToUpper(app.Name), app.Name)
	line(".SH NAME\n%s \\- %s", app.Name, roff(strings.TrimSuffix(app.Help, ".")))
	line(".SH SYNOPSIS")
	for _, node := range app.Leaves(true) {
		line(".B %s %s\n%s\n.br", app.Name, roff(node.Name), roff(synopsis(node)))
	}
	line(".SH DESCRIPTION\nResults go to standard output; progress and warnings to standard error.")
	line(".SH COMMANDS")
	for _, node := range app.Leaves(true) {
		line(".SS %s", roff(node.Name+" "+synopsis(node)))
		line("%s", roff(node.Help))
		for _, p := range node.Positional {
			line(".TP\n.I %s\n%s", roff(p.Summary()), roff(p.Help))
		}
		for _, f := range node.Flags {
			if f.Hidden || f.Name == "help" {
				continue
			}
			line(".TP\n.B %s\n%s", roff(flagNames(f)), roff(f.Help))
		}
		line(".PP\nExamples:")
		for _, e := range examplesOf(node.Name) {
			line(".PP\n%s:\n.nf\n.RS\n%s\n.RE\n.fi", roff(e.does), roff(app.Name+" "+e.line))
		}
	}
	line(".SH EXIT STATUS")
	for _, s := range statuses {
		line(".TP\n.B %d\n%s", s.code, roff(s.means))
	}
	return b.String()
}

// synopsis lists the arguments of a command.
func synopsis(node *kong.Node) string {
	var parts []string
	for _, p := range node.Positional {
		parts = append(parts, p.Summary())
	}
	return strings.Join(append(parts, "[flags]"), " ")
}

// flagNames is a flag with its short form and its value.
func flagNames(f *kong.Flag) string {
	name := "--" + f.Name
	if f.Negated || f.Tag.Negatable != "" {
		name = "--[no-]" + f.Name
	}
	if !f.IsBool() {
		name += "=" + f.FormatPlaceHolder()
	}
	if f.Short != 0 {
		name = "-" + string(f.Short) + ", " + name
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
	write := map[string]func(*kong.Application, []string) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	return a.toFile(c.Out, func(w io.Writer) error {
		_, err := io.WriteString(w, write(a.model, problems))
		return err
	})
}
