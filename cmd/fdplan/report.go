package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/draw"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/experiment/bench"
	"github.com/fdplan/fdplan/internal/experiment/report"
	"github.com/fdplan/fdplan/internal/source"
)

type reportCmd struct {
	Dir   string `arg:"" help:"Folder with the journal.jsonl that fdplan bench writes; gets the report."`
	Quiet bool   `short:"q" help:"Do not name the files."`
	bounds
}

// Run renders the report of a bench.
func (c *reportCmd) Run(a *environment) error {
	_, cancel := c.context(a)
	defer cancel()
	name := filepath.Join(c.Dir, bench.JournalName)
	f, err := source.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file; expected a folder that fdplan bench has written to", name)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	j, err := report.Read(name, f)
	if err != nil {
		return err
	}
	if j.Warning != "" {
		fmt.Fprintf(a.err, "fdplan: warning: %s\n", j.Warning)
	}
	r, err := report.New(j, func(name string, data []byte) (report.Picture, error) {
		return draw.Picture(load.Ref{}, name, data)
	})
	if err != nil {
		return fmt.Errorf("%w: %w", app.ErrInternal, err)
	}
	for _, f := range r.Files() {
		to := filepath.Join(c.Dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := a.toFile(to, f.Write); err != nil {
			return err
		}
		if !c.Quiet {
			fmt.Fprintln(a.out, to)
		}
	}
	stale, err := r.Stale(os.DirFS(c.Dir))
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(c.Dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("removing a file of an earlier report: %w", err)
		}
	}
	return nil
}
