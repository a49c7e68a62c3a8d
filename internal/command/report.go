package command

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/experiment"
)

type reportCmd struct {
	app.Bounds
	Dir    string `arg:"" help:"Folder with the journal.jsonl that fdplan bench writes, or with journal.jsonl.gz; gets the report."`
	Readme string `help:"Put the main table into this Markdown file too, between its lines <!-- fdplan report: begin --> and <!-- fdplan report: end -->." placeholder:"FILE"`
	Quiet  bool   `short:"q" help:"Do not name the files."`
}

// Run renders the report of a bench.
func (c *reportCmd) Run(a *environment) error {
	ctx, cancel := a.context(c.Bounds)
	defer cancel()
	return experiment.Report(ctx, c.Dir, experiment.Output{
		Write: a.toFile,
		Wrote: func(name string) {
			if !c.Quiet {
				fmt.Fprintln(a.out, name)
			}
		},
		Warn:   a.warn,
		Readme: c.Readme,
	})
}
