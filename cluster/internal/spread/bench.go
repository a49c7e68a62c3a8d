package spread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/paper/bench"
	"github.com/fdplan/fdplan/paper/experiment"
)

// benchArgs are the arguments of a unit that makes one run of a bench.
type benchArgs struct {
	ID         string        `json:"id"`
	Engine     string        `json:"engine,omitempty"`
	Solver     string        `json:"solver,omitempty"`
	Instead    bool          `json:"instead,omitempty"`
	Published  bool          `json:"published,omitempty"` // the inputs have the published files
	TimeLimit  time.Duration `json:"time_limit"`
	ReachLimit time.Duration `json:"reach_limit"`
	TrainLimit time.Duration `json:"train_limit"`
	Memory     int64         `json:"memory"`
	Threads    int           `json:"threads"`
	Repeats    int           `json:"repeats"`
}

// publishedDir is the folder of the published files among the inputs of a unit.
const publishedDir = "published"

// besides is the memory that a unit may take besides that of the program whose run
// it measures, in bytes.
const besides = 1 << 30

// Bench is experiment.Bench with runs that the workers make.
func (c *Coordinator) Bench(ctx context.Context, b bench.Config) (*bench.Summary, error) {
	b = experiment.Complete(ctx, b)
	if b.Parallel <= 1 {
		b.Parallel = window
	}
	published, err := c.addFolder(ctx, b.Files)
	if err != nil {
		return nil, err
	}
	b.Elsewhere = func(ctx context.Context, e *bench.Elsewhere) (*journal.Record, error) {
		return c.run(ctx, &b, e, published)
	}
	return bench.Run(ctx, b)
}

// addFolder stores the files of the FD-SAT-Plan layout below dir; nil for no dir.
func (c *Coordinator) addFolder(ctx context.Context, dir string) (map[string]cluster.Hash, error) {
	if dir == "" {
		return nil, nil
	}
	out := map[string]cluster.Hash{}
	for _, part := range []string{"bnn", "normalization", "translation"} {
		err := fs.WalkDir(os.DirFS(dir), part, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			h, err := c.Session.Add(ctx, filepath.Join(dir, filepath.FromSlash(path)))
			out[publishedDir+"/"+path] = h
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("storing the published files: %w", err)
		}
	}
	return out, nil
}

// run has a worker make one run.
func (c *Coordinator) run(ctx context.Context, b *bench.Config, e *bench.Elsewhere, published map[string]cluster.Hash) (*journal.Record, error) {
	u, err := unit(c.Version, "bench", benchArgs{
		ID: e.ID, Engine: e.Engine, Solver: e.Solver, Instead: e.Instead, Published: b.Files != "",
		TimeLimit: b.TimeLimit, ReachLimit: b.ReachLimit, TrainLimit: b.TrainLimit, Memory: b.Memory, Threads: b.Threads, Repeats: b.Repeats,
	}, b.Seed)
	if err != nil {
		return nil, err
	}
	u.Memory = e.Memory + besides
	u.Inputs = map[string]cluster.Hash{}
	for name, h := range published {
		u.Inputs[name] = h
	}
	for _, name := range e.Inputs {
		if u.Inputs[name], err = c.Session.Add(ctx, filepath.Join(b.Dir, filepath.FromSlash(name))); err != nil {
			return nil, err
		}
	}
	res, err := c.Session.Do(ctx, u)
	if aside := new(cluster.AsideError); errors.As(err, &aside) {
		return nil, &bench.FailedError{Reason: aside.Error()}
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(res.Files))
	for name := range res.Files {
		names = append(names, name)
	}
	// The network is last: if it exists, everything does.
	slices.SortFunc(names, func(x, y string) int { return strings.Compare(filepath.Ext(y), filepath.Ext(x)) })
	for _, name := range names {
		to := filepath.Join(b.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return nil, fmt.Errorf("keeping the files of a run: %w", err)
		}
		if err := c.fetch(ctx, res, name, to); err != nil {
			return nil, err
		}
	}
	return decodeRecord(res)
}

// decodeRecord reads the line of a run.
func decodeRecord(res *cluster.Result) (*journal.Record, error) {
	r := &journal.Record{}
	if err := json.Unmarshal(res.Output, r); err != nil {
		return nil, fmt.Errorf("the result of a run is not a line of a journal: %w", err)
	}
	r.Worker = res.Worker
	return r, nil
}

// doBench makes one run of a bench.
func doBench(ctx context.Context, e *Env, r *request) (*cluster.Outcome, error) {
	var a benchArgs
	if err := r.read(&a); err != nil {
		return nil, err
	}
	if a.Solver != "" && !slices.Contains(e.Solvers, a.Solver) {
		return nil, fmt.Errorf("the unit uses the outside solver %.100q; the worker allows %s", a.Solver, allowed(e.Solvers))
	}
	var missing []string
	c := bench.Config{
		Dir: r.Dir, Program: e.Program, TimeLimit: a.TimeLimit, ReachLimit: a.ReachLimit, Memory: a.Memory, Threads: a.Threads,
		Seed: r.Seed, Repeats: a.Repeats, Now: e.Now, Warn: func(text string) { missing = append(missing, text) },
	}
	if a.Engine != "" {
		c.Engines = []string{a.Engine}
	}
	if a.Solver != "" {
		c.Solvers = []bench.ExternalSolver{{Engine: a.Engine, Name: a.Solver}}
	}
	if a.Published {
		c.Files = filepath.Join(r.Dir, publishedDir)
	}
	c = experiment.Complete(ctx, c)
	c.TrainLimit = a.TrainLimit
	if a.Instead {
		c.Instead[a.Engine] = a.Solver
	}
	record, files, err := bench.One(ctx, c, a.ID)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, strings.Join(append([]string{""}, missing...), "; "))
	}
	return &cluster.Outcome{Output: record, Files: files}, nil
}

// allowed lists names, for errors.
func allowed(names []string) string {
	if len(names) == 0 {
		return "none (--allow NAME)"
	}
	return strings.Join(names, ", ")
}
