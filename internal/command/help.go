package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/fdplan/fdplan/internal/app/inspect"
)

// printHelp prints kong's help followed by the examples of the command.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
		return err
	}
	node := ctx.Selected()
	if node == nil {
		return nil
	}
	var b strings.Builder
	for i, e := range examples[node.Name] {
		if i == 0 {
			b.WriteString("\nExamples:\n")
		}
		fmt.Fprintf(&b, "  # %s\n  $ fdplan %s\n", e.does, e.line)
	}
	_, err := io.WriteString(ctx.Stdout, b.String())
	return err
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command to describe; default: a short description of all commands."`
}

// Run prints the same as --help.
func (c *helpCmd) Run(a *environment) error {
	if status := run(a, append(c.Command, "--help")); status != exitDone {
		return exitStatus(status)
	}
	return nil
}

type manCmd struct {
	Out string `short:"o" help:"File to write; default: standard output." placeholder:"FILE"`
}

// Run writes the manual page.
func (c *manCmd) Run(a *environment, ctx *kong.Context) error {
	return a.toFile(c.Out, func(w io.Writer) error {
		_, err := io.WriteString(w, manual(ctx.Model))
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
		for _, e := range examples[node.Name] {
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
func (c *completionCmd) Run(a *environment, ctx *kong.Context) error {
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
		_, err := io.WriteString(w, write(ctx.Model, problems))
		return err
	})
}
