package spread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
)

// collectArgs are the arguments of a unit that collects a part of the rows.
type collectArgs struct {
	Problem *problem       `json:"problem"`
	Policy  collect.Policy `json:"policy"`
	Horizon int            `json:"horizon,omitempty"`
	First   int            `json:"first"`
	Rows    int            `json:"rows"`
}

// partFile is the data set of a unit.
const partFile = "rows.parquet"

// doCollect collects the rows of a unit.
func doCollect(ctx context.Context, _ *Env, r *request) (*cluster.Outcome, error) {
	var a collectArgs
	if err := r.read(&a); err != nil {
		return nil, err
	}
	if a.Problem == nil || a.Rows < 1 || a.Rows > collect.PartRows {
		return nil, fmt.Errorf("a unit of %d rows; expected a problem and 1..%d rows", a.Rows, collect.PartRows)
	}
	p, err := a.Problem.load(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	// One thread: a machine has as many slots as it gives to this work.
	o := collect.Options{Rows: a.Rows, First: a.First, Policy: a.Policy, Horizon: a.Horizon, Seed: r.Seed, Threads: 1}
	if err := learn.Collect(ctx, p, filepath.Join(r.Dir, partFile), o); err != nil {
		return nil, err
	}
	return &cluster.Outcome{Output: a.Rows, Files: []string{partFile}}, nil
}

// Collect writes the data set that learn.Collect writes, with rows that the workers
// have collected.
func (c *Coordinator) Collect(ctx context.Context, ref load.Ref, name string, o collect.Options) error {
	p, args, inputs, err := c.pack(ctx, ref)
	if err != nil {
		return err
	}
	if _, err := p.Simulator(); err != nil {
		return err
	}
	parts := collect.Parts(o.Rows)
	do := func(ctx context.Context, i int) (*cluster.Result, error) {
		u, err := unit(c.Version, "collect", collectArgs{Problem: args, Policy: o.Policy, Horizon: o.Horizon, First: i * collect.PartRows, Rows: parts[i]}, o.Seed)
		if err != nil {
			return nil, err
		}
		u.Inputs, u.Memory = inputs, c.Memory
		return c.Session.Do(ctx, u)
	}
	report := func(i int) {
		if o.Progress != nil {
			o.Progress(i*collect.PartRows + parts[i])
		}
	}
	if !dataset.IsManifest(name) {
		return c.joinParts(ctx, p, name, parts, do, report)
	}
	err = inOrder(ctx, len(parts), do, func(i int, r *cluster.Result) error {
		err := c.fetch(ctx, r, partFile, dataset.PartName(name, i))
		if err == nil {
			report(i)
		}
		return err
	})
	if err != nil {
		return err
	}
	return dataset.WriteManifest(name, parts)
}

// joinParts writes the rows of all parts to one data set.
func (c *Coordinator) joinParts(ctx context.Context, p *load.Problem, name string, parts []int, do func(context.Context, int) (*cluster.Result, error), report func(i int)) error {
	schema, err := learn.Columns(p)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "fdplan-collect-")
	if err != nil {
		return fmt.Errorf("making a folder for parts: %w", err)
	}
	defer os.RemoveAll(scratch)
	out, err := dataset.Create(name, schema)
	if err != nil {
		return err
	}
	err = inOrder(ctx, len(parts), do, func(i int, r *cluster.Result) error {
		part := filepath.Join(scratch, partFile)
		if err := c.fetch(ctx, r, partFile, part); err != nil {
			return err
		}
		d, err := dataset.ReadAs(part, schema)
		if err != nil {
			return err
		}
		if d.Rows != parts[i] {
			return fmt.Errorf("part %d has %d rows; expected %d", i, d.Rows, parts[i])
		}
		report(i)
		return out.WriteAll(d)
	})
	if err != nil {
		out.Abort()
		return err
	}
	return out.Close()
}

// fetch brings a file of a result.
func (c *Coordinator) fetch(ctx context.Context, r *cluster.Result, file, to string) error {
	h, ok := r.Files[file]
	if !ok {
		return errors.New("a result lacks its file " + file)
	}
	return atomicfile.Write(to, func(w io.Writer) error { return c.Session.Client().Get(ctx, h, w) })
}
