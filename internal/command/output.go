package command

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/progress"
	"github.com/fdplan/fdplan/internal/source"
)

// toFile writes a file so that it is never left incomplete. With an empty name or "-" it
// writes to standard output.
func (a *environment) toFile(name string, write func(io.Writer) error) error {
	if name != "" && name != "-" {
		return atomicfile.Write(name, write)
	}
	w := bufio.NewWriterSize(a.out, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// warn writes a warning.
func (a *environment) warn(text string) {
	if a.events {
		progress.New(a.err, progress.JSON, a.now, a.started).Report(progress.Event{Kind: "warning", Text: text})
		return
	}
	fmt.Fprintf(a.err, "fdplan: warning: %s\n", text)
}

// note writes what is about to be done, before it takes long.
func (a *environment) note(text string) {
	if a.events {
		progress.New(a.err, progress.JSON, a.now, a.started).Report(progress.Event{Kind: "phase", Phase: "note", Text: text})
		return
	}
	fmt.Fprintf(a.err, "fdplan: %s\n", text)
}

// answer prints v as JSON or by text, to a file or to standard output. A file whose name ends
// in .json has JSON.
func (a *environment) answer(asJSON bool, file string, v any, text func(io.Writer)) error {
	asJSON = asJSON || strings.EqualFold(filepath.Ext(file), ".json")
	return a.toFile(file, func(w io.Writer) error {
		if asJSON {
			return app.WriteJSON(w, v)
		}
		text(w) // what cannot be written is an error of the buffer
		return nil
	})
}

// tell is answer for a document that writes its text itself.
func (a *environment) tell(asJSON bool, file string, v interface{ WriteText(io.Writer) error }) error {
	return a.answer(asJSON, file, v, func(w io.Writer) { _ = v.WriteText(w) })
}

// readPlan reads the file of a plan, if it names one.
func readPlan(p *bind.Plan) (err error) {
	switch {
	case p.File == "" || p.Text != nil:
	case p.File == "-":
		p.Text, err = source.ReadUpTo("standard input", os.Stdin, source.MaxText)
	default:
		p.Text, err = source.ReadFile(p.File)
	}
	return err
}
