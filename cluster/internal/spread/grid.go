package spread

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// cellArgs are the arguments of a unit that trains one cell of a grid.
type cellArgs struct {
	Problem     *problem        `json:"problem"`
	Data        string          `json:"data"` // input
	Also        string          `json:"also,omitempty"`
	Config      train.Config    `json:"config"`
	Split       train.SplitMode `json:"split"`
	Width       int             `json:"width"`
	Depth       int             `json:"depth"`
	Smallest    train.Smallest  `json:"smallest"`
	TargetError float64         `json:"target_error"`
}

// Grid is learn.Train with a grid whose cells the workers train.
func (c *Coordinator) Grid(ctx context.Context, ref load.Ref, data string, t learn.Training) (*learn.Trained, error) {
	p, args, inputs, err := c.pack(ctx, ref)
	if err != nil {
		return nil, err
	}
	a := cellArgs{
		Problem: args, Config: t.Config, Split: t.Split,
		Smallest: t.Grid.Smallest, TargetError: t.Grid.TargetError,
	}
	a.Config.Threads = 1
	for _, f := range []struct {
		to        *string
		name, dir string
	}{{&a.Data, data, "data"}, {&a.Also, t.Also, "also"}} {
		if f.name == "" {
			continue
		}
		if *f.to, err = c.addRows(ctx, inputs, f.dir, f.name); err != nil {
			return nil, err
		}
	}
	if t.Checkpoint == "" {
		if t.Checkpoint, err = os.MkdirTemp("", "fdplan-grid-"); err != nil {
			return nil, fmt.Errorf("making a folder for cells: %w", err)
		}
		defer os.RemoveAll(t.Checkpoint)
	}
	g := *t.Grid
	t.Grid = &g
	g.Elsewhere = func(ctx context.Context, hidden []int, name string) error {
		own := a
		own.Width, own.Depth = hidden[0], len(hidden)
		u, err := unit(c.Version, "cell", own, t.Config.Seed)
		if err != nil {
			return err
		}
		u.Inputs, u.Memory = maps.Clone(inputs), c.Memory
		res, err := c.Session.Do(ctx, u)
		if err != nil {
			return err
		}
		return c.fetch(ctx, res, train.CellFile(hidden), name)
	}
	return learn.Train(ctx, p, data, t)
}

// addRows stores a data set, and returns its name among the inputs.
func (c *Coordinator) addRows(ctx context.Context, inputs map[string]cluster.Hash, dir, name string) (input string, err error) {
	input = dir + "/rows" + strings.ToLower(filepath.Ext(name)) // the name tells the format
	if dataset.IsManifest(name) {
		m, err := dataset.ReadManifest(name)
		if err != nil {
			return "", err
		}
		for _, p := range m.Parts {
			if inputs[dir+"/"+p.File], err = c.Session.Add(ctx, filepath.Join(filepath.Dir(name), p.File)); err != nil {
				return "", err
			}
		}
	}
	inputs[input], err = c.Session.Add(ctx, name)
	return input, err
}

// doCell trains one cell of a grid.
func doCell(ctx context.Context, e *Env, r *request) (*cluster.Outcome, error) {
	var a cellArgs
	if err := r.read(&a); err != nil {
		return nil, err
	}
	if a.Problem == nil || a.Data == "" || a.Width < 1 || a.Depth < 1 || a.Depth > 100 {
		return nil, fmt.Errorf("a cell of width %d and depth %d; expected a problem, rows, a width and a depth", a.Width, a.Depth)
	}
	p, err := a.Problem.load(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	t := learn.Training{Recipe: learn.RecipeDense, Config: a.Config, Split: a.Split, Checkpoint: filepath.Join(r.Dir, "cells")}
	t.Grid = &learn.Grid{Widths: []int{a.Width}, Depths: []int{a.Depth}, Smallest: a.Smallest, TargetError: a.TargetError, Now: e.Now}
	data, err := inside(r.Dir, a.Data)
	if err == nil && a.Also != "" {
		t.Also, err = inside(r.Dir, a.Also)
	}
	if err != nil {
		return nil, err
	}
	if err := learn.Cell(ctx, p, data, t); err != nil {
		return nil, err
	}
	file := train.CellFile(slices.Repeat([]int{a.Width}, a.Depth))
	if err := os.Rename(filepath.Join(t.Checkpoint, file), filepath.Join(r.Dir, file)); err != nil {
		return nil, fmt.Errorf("the cell was not finished: %w", err)
	}
	return &cluster.Outcome{Output: json.RawMessage("{}"), Files: []string{file}}, nil
}

// inside returns the path of an input.
func inside(dir, name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("the input %.100q; expected a file of the unit", name)
	}
	return filepath.Join(dir, filepath.FromSlash(name)), nil
}
