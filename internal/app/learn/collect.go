package learn

import (
	"context"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
)

// Collect writes a data set of simulated transitions. If name is that of a manifest, the
// rows are in parts of collect.PartRows.
func Collect(ctx context.Context, p *load.Problem, name string, o collect.Options) error {
	s, err := p.Simulator()
	if err != nil {
		return err
	}
	o.Bins = p.Truth.Task.Bins
	if !dataset.IsManifest(name) {
		return collect.ToFile(ctx, name, s, o)
	}
	parts := collect.Parts(o.Rows)
	for i, rows := range parts {
		part, before := o, i*collect.PartRows
		part.First, part.Rows = before, rows
		if o.Progress != nil {
			part.Progress = func(rows int) { o.Progress(before + rows) }
		}
		if err := collect.ToFile(ctx, dataset.PartName(name, i), s, part); err != nil {
			return err
		}
	}
	return dataset.WriteManifest(name, parts)
}

// ConvertLog reads a log, matches its columns with the problem's fluents, and
// writes it as a data set.
func ConvertLog(p *load.Problem, log, name string) (rows int, err error) {
	if _, err := p.Simulator(); err != nil {
		return 0, err
	}
	schema, err := Columns(p)
	if err != nil {
		return 0, err
	}
	data, err := dataset.ReadAs(log, schema.Stored())
	if err != nil {
		return 0, err
	}
	return data.Rows, dataset.Write(name, data)
}
