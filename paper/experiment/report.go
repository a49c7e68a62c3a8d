package experiment

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/draw"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/paper/report"
)

// Output takes what a report consists of.
type Output struct {
	Write func(name string, write func(io.Writer) error) error // makes a file whole or not at all
	Wrote func(name string)                                    // called after each file; may be nil
	Warn  func(text string)                                    // may be nil
	// Readme is a Markdown file whose main table is replaced; empty for none. See
	// report.Report.Paste.
	Readme string
}

// Report renders the journal in a folder, beside it, and removes the files of an
// earlier report that this one lacks. If runs contradict each other about an optimum,
// the report is written, and the error wraps journal.ErrContradiction.
func Report(ctx context.Context, dir string, out Output) error {
	j, err := readJournal(dir)
	if err != nil {
		return err
	}
	if j.Warning != "" && out.Warn != nil {
		out.Warn(j.Warning)
	}
	r, err := report.New(j, func(name string, data []byte) (report.Picture, error) {
		return draw.Picture(ctx, load.Ref{}, name, data, nil)
	})
	if err != nil {
		return fmt.Errorf("%w: %w", app.ErrInternal, err)
	}
	for _, f := range r.Files() {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := out.Write(to, f.Write); err != nil {
			return err
		}
		if out.Wrote != nil {
			out.Wrote(to)
		}
	}
	stale, err := r.Stale(os.DirFS(dir))
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("removing a file of an earlier report: %w", err)
		}
	}
	if r.Disputed > 0 {
		return fmt.Errorf("%w about %s; see Contradictions in %s", journal.ErrContradiction, r.DisputedText(), filepath.Join(dir, journal.PageName))
	}
	if out.Readme == "" {
		return nil
	}
	text, err := source.ReadFile(out.Readme)
	if err != nil {
		return err
	}
	if text, err = r.Paste(out.Readme, text); err != nil {
		return err
	}
	err = out.Write(out.Readme, func(w io.Writer) error { _, err := w.Write(text); return err })
	if err == nil && out.Wrote != nil {
		out.Wrote(out.Readme)
	}
	return err
}

// compressed is what the name of a compressed journal ends in.
const compressed = ".gz"

// readJournal reads the journal of a folder, compressed or not; one that is not comes first.
func readJournal(dir string) (*report.Journal, error) {
	name := filepath.Join(dir, journal.Name)
	f, err := source.Open(name)
	if err == nil {
		defer f.Close()
		return report.Read(name, f)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	packed, err := source.Open(name + compressed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file; expected a folder that fdplan bench has written to", name)
	}
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, source.Errorf(name+compressed, 0, 0, "cannot be read: %v", err)
	}
	data, err := io.ReadAll(io.LimitReader(z, source.MaxText+1))
	switch {
	case err != nil:
		return nil, source.Errorf(name+compressed, 0, 0, "cannot be read: %v", err)
	case len(data) > source.MaxText:
		return nil, source.Errorf(name+compressed, 0, 0, "it has more than %d bytes; expected at most that", source.MaxText)
	}
	return report.Read(name+compressed, bytes.NewReader(data))
}
