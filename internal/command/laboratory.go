package command

import (
	"context"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/request"
	"github.com/fdplan/fdplan/internal/progress"
)

// Laboratory does the paper's experiments. The program fdplan-paper has it.
type Laboratory interface {
	// Bench makes the runs that are missing from a journal, here or, unless on is nil, on the
	// workers of a cluster. A run has so many bytes of memory. The answer is a value to be written
	// as JSON, or as text; it may have a method No that tells that the exit status is 4.
	Bench(ctx context.Context, h *Host, r *request.Bench, memory int64, on Coordinator, p *progress.Reporter) (answer any, text func(io.Writer) error, err error)
	// Report renders the report of a journal.
	Report(ctx context.Context, h *Host, c *Report) error
}

// Bench are the flags of the command bench.
type Bench struct {
	request.Bench
	progressFlags
	Connect
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run makes the runs that are missing from the journal.
func (c *Bench) Run(_ context.Context, a *environment) error {
	// The time limit is that of each run.
	own := app.Bounds{Memory: c.Memory}
	ctx, cancel := a.context(own, nil)
	defer cancel()
	if c.Parallel < 1 || c.Threads < 1 || c.Repeat < 0 {
		return fmt.Errorf("--parallel %d, --threads %d, --repeat %d; expected at least 1 of each", c.Parallel, c.Threads, c.Repeat)
	}
	var on Coordinator
	if c.URL != "" {
		to, end, err := c.coordinator(ctx, a, "bench", 0)
		if err != nil {
			return limited(ctx, err)
		}
		defer end()
		on = to
	}
	progress := c.reporter(a)
	answer, text, err := a.parts.Laboratory.Bench(ctx, a.host(), &c.Bench, memoryOf(own), on, progress)
	progress.Clear()
	if err != nil {
		return err
	}
	if err := a.answer(c.JSON, "", answer, func(w io.Writer) { _ = text(w) }); err != nil {
		return err
	}
	if no, ok := answer.(interface{ No() bool }); ok && no.No() {
		return exitStatus(exitNo)
	}
	if ctx.Err() != nil {
		return exitStatus(exitLimit)
	}
	return nil
}

// Report are the flags of the command report.
type Report struct {
	app.Bounds
	Dir    string `arg:"" help:"Folder with the journal.jsonl that fdplan bench writes, or with journal.jsonl.gz; gets the report."`
	Readme string `help:"Put the main table into this Markdown file too, between its lines <!-- fdplan report: begin --> and <!-- fdplan report: end -->." placeholder:"FILE"`
	Quiet  bool   `short:"q" help:"Do not name the files."`
}

// Run renders the report of a bench.
func (c *Report) Run(ctx context.Context, a *environment) error {
	return a.parts.Laboratory.Report(ctx, a.host(), c)
}
