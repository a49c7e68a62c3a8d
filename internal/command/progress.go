package command

import (
	"strings"

	"github.com/fdplan/fdplan/internal/app/events"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/progress"
)

// progressFlags are those of every command that reports progress.
type progressFlags struct {
	Quiet    bool   `help:"No progress on standard error." short:"q"`
	Progress string `help:"Progress on standard error: bar, json (docs/progress.md) or none; default: bar on a terminal, else none." enum:"bar,json,none," default:"" placeholder:"bar|json|none"`
}

// reporter returns the reporter of the command's progress.
func (f *progressFlags) reporter(a *environment) *progress.Reporter {
	mode := progress.Mode(f.Progress)
	switch {
	case f.Quiet:
		mode = progress.None
	case mode == "" && a.terminal:
		mode = progress.Bar
	case mode == "":
		mode = progress.None
	}
	return progress.New(a.err, mode, a.now, a.started)
}

// planning returns the reporter of the progress of planning.
func (f *progressFlags) planning(a *environment, task engine.Task) *events.Planning {
	return events.NewPlanning(f.reporter(a), task)
}

// wantsEvents reports whether a command line asks for progress as JSON and does not
// silence it, whether or not it can be parsed.
func wantsEvents(args []string) bool {
	wants := false
	for i, arg := range args {
		switch {
		case arg == "--":
			return wants
		case arg == "--quiet", arg == "-q":
			return false
		case strings.HasPrefix(arg, "--progress="):
			wants = strings.TrimPrefix(arg, "--progress=") == string(progress.JSON)
		case arg == "--progress" && i+1 < len(args):
			wants = args[i+1] == string(progress.JSON)
		}
	}
	return wants
}

// done reports the end of the command, if its progress is reported as JSON.
func (a *environment) done(status int) {
	if a.events {
		progress.New(a.err, progress.JSON, a.now, a.started).Report(progress.Event{Kind: "done", Exit: &status})
	}
}
