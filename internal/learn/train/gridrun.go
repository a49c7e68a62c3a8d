package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/routine"
)

// Grid trains networks of several shapes and chooses the smallest that meets the target, as
// the paper does; if none does, the one with the least error. Cells are started in increasing
// order of size, Config.Threads at a time, each on one thread. As soon as a cell meets the
// target, larger ones are abandoned, and it is itself trained to the end. If size is measured
// in edges and weights may be 0, sizes are known only after training, so no cell is abandoned
// for its size.
//
// The chosen network and the table are the same on any number of threads: the table has no
// results for cells larger than the chosen one. If the context ends, Grid returns the result
// so far together with the context's error.
func Grid(ctx context.Context, c GridConfig, e *Examples, o GridOptions) (*GridResult, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	if o.Test != nil && o.Test.Rows() == 0 {
		o.Test = nil
	}
	g := &grid{c: c, e: e, o: o, cells: c.cells(e)}
	if o.Folder != "" {
		if err := g.open(); err != nil {
			return nil, err
		}
	}
	g.met = len(g.cells)
	g.cancel = make([]context.CancelCauseFunc, len(g.cells))
	if err := g.run(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return c.choose(g.cells), ctx.Err()
}

// grid is a grid in progress.
type grid struct {
	c    GridConfig
	e    *Examples
	o    GridOptions
	sum  uint32 // of the rows, if a folder is used
	mark string

	mu     sync.Mutex // protects all fields below
	cells  []GridCell
	next   int // cell to start
	met    int // first cell that is known to meet the target
	done   int
	cancel []context.CancelCauseFunc
	failed []error
}

// Why a cell ends early.
var (
	errHopeless = errors.New("the target is out of reach")
	errLarger   = errors.New("a smaller network meets the target")
)

// run processes cells until none is left. It returns the first error that does not concern
// one cell alone.
func (g *grid) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var workers routine.Group
	g.failed = make([]error, len(g.cells))
	threads := g.c.Threads
	if g.o.Elsewhere != nil {
		threads = len(g.cells) // here they only wait
	}
	for range min(threads, len(g.cells)) {
		workers.Go(func() {
			for {
				i, own, end := g.begin(ctx)
				if i < 0 {
					return
				}
				err := routine.Catch(func() error { return g.cell(own, i) })
				end()
				if err != nil {
					g.failed[i] = err
					stop()
				}
			}
		})
	}
	workers.Wait()
	for _, err := range g.failed {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// begin returns the next cell, or -1 if there is none to process, with a context of its own.
func (g *grid) begin(ctx context.Context) (i int, own context.Context, end func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i = g.next; i >= len(g.cells) || i > g.met || ctx.Err() != nil {
		return -1, nil, nil
	}
	g.next++
	own, cancel := context.WithCancelCause(ctx)
	g.cancel[i] = cancel
	return i, own, func() { cancel(nil) }
}

// meet records that cell i meets the target, and stops larger cells.
func (g *grid) meet(i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.c.ordered() || i >= g.met {
		return
	}
	g.met = i
	for _, cancel := range g.cancel[i+1:] {
		if cancel != nil {
			cancel(errLarger)
		}
	}
}

// options are those of training cell i with c.
func (g *grid) options(i int, c *Config) Options {
	polish, held := c.polishRows(g.e.Rows()), g.o.Test != nil
	o := Options{Test: g.o.Test, byBits: g.c.TargetError > 0, mark: g.mark}
	o.stop = func(history []Record, best *Result) error {
		switch {
		case best != nil && g.c.meets(best):
			g.meet(i)
		case g.c.hopeless(history, polish, held):
			return errHopeless
		}
		return nil
	}
	if g.o.Progress != nil {
		o.Progress = func(ep Epoch) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.o.Progress(GridProgress{Hidden: g.cells[i].Hidden, Epoch: ep, Done: g.done, Cells: len(g.cells)})
		}
	}
	if g.o.Folder != "" {
		o.Checkpoint, o.CheckpointEvery, o.Resume = g.file(i, stateFile), max(10, c.Epochs/50), true
	}
	return o
}

// cell trains one cell, or takes it from the folder.
func (g *grid) cell(ctx context.Context, i int) error {
	var began time.Time
	if g.o.Now != nil {
		began = g.o.Now()
	}
	at := &g.cells[i]
	if found, err := g.load(i); err != nil || found {
		return err
	}
	if g.o.Elsewhere != nil {
		return g.cellElsewhere(ctx, i)
	}
	c := g.c.Config
	c.Hidden, c.Threads = at.Hidden, 1
	res, err := Run(ctx, c, g.e, g.options(i, &c))
	verdict := Misses
	switch {
	case errors.Is(err, errHopeless):
		verdict = Hopeless
	case err != nil && context.Cause(ctx) == errLarger:
		return nil
	case err != nil && ctx.Err() != nil:
		verdict = Unfinished
	case err != nil:
		return fmt.Errorf("hidden layers %v: %w", at.Hidden, err)
	case g.c.meets(res):
		verdict = Meets
	}
	if res != nil {
		// A copy without the data that only training needs.
		kept := *res
		kept.float, kept.folded = nil, nil
		res = &kept
	}
	at.Verdict, at.Result = verdict, res
	if g.o.Now != nil {
		at.Seconds = g.o.Now().Sub(began).Seconds()
	}
	if verdict == Unfinished {
		return nil
	}
	return g.finish(i)
}

// cellElsewhere has one cell trained on another machine.
func (g *grid) cellElsewhere(ctx context.Context, i int) error {
	err := g.o.Elsewhere(ctx, g.cells[i].Hidden, g.file(i, resultFile))
	switch {
	case err != nil && context.Cause(ctx) == errLarger:
		return nil
	case err != nil && ctx.Err() != nil:
		g.cells[i].Verdict = Unfinished
		return nil
	case err != nil:
		return fmt.Errorf("hidden layers %v: %w", g.cells[i].Hidden, err)
	}
	found, err := g.load(i)
	if err == nil && !found {
		err = errNotWhole(g.file(i, resultFile))
	}
	if err == nil && g.o.Progress != nil {
		r := g.cells[i].Result
		g.mu.Lock()
		defer g.mu.Unlock()
		g.o.Progress(GridProgress{Hidden: g.cells[i].Hidden, Epoch: Epoch{Epoch: r.Epochs, Train: r.Train, Test: r.Test, Edges: r.Network.Edges()}, Done: g.done, Cells: len(g.cells)})
	}
	return err
}

// finish records that cell i is done.
func (g *grid) finish(i int) error {
	if g.cells[i].Verdict == Meets {
		g.meet(i)
	}
	g.mu.Lock()
	g.done++
	g.mu.Unlock()
	return g.save(i)
}

// Files of a cell in the folder.
const (
	stateFile  = "state"  // while it is trained
	resultFile = "result" // when it is done
)

// cellHead begins the file of a finished cell.
const cellHead = "fdplan-grid-cell 2\n"

// doneCell is a finished cell in its stored form.
type doneCell struct {
	Settings string
	Rows     uint32
	Cell     GridCell
}

// file returns the name of a file of cell i.
func (g *grid) file(i int, kind string) string {
	return filepath.Join(g.o.Folder, cellFile(g.cells[i].Hidden, kind))
}

// cellFile names a file of the cell with the hidden layers.
func cellFile(hidden []int, kind string) string {
	return strings.Join(shapeOf(hidden), "x") + "." + kind
}

func shapeOf(hidden []int) []string {
	var parts []string
	for _, n := range hidden {
		parts = append(parts, strconv.Itoa(n))
	}
	return parts
}

// open prepares the folder. It creates the folder and, without Resume, removes the files of
// this grid's cells; it always removes incomplete files of killed processes.
func (g *grid) open() error {
	if err := os.MkdirAll(g.o.Folder, 0o777); err != nil {
		return err
	}
	g.sum = (&run{e: g.e, o: Options{Test: g.o.Test}}).rowsSum()
	g.mark = fmt.Sprintf(" target-error=%v", g.c.TargetError)
	for i := range g.cells {
		for _, kind := range []string{stateFile, resultFile} {
			name := g.file(i, kind)
			err := atomicfile.RemoveStale(name)
			if err == nil && !g.o.Resume {
				err = removeState(name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// settings formats what determines the outcome of a cell.
func (g *grid) settings(i int) (string, error) {
	c := g.c.Config
	c.Hidden = g.cells[i].Hidden
	return (&run{c: c, o: Options{mark: g.mark}}).settings()
}

// load reads cell i from the folder, if it is done.
func (g *grid) load(i int) (found bool, err error) {
	if g.o.Folder == "" {
		return false, nil
	}
	name := g.file(i, resultFile)
	var d doneCell
	if found, err := readState(name, cellHead, &d); err != nil || !found {
		return false, err
	}
	settings, err := g.settings(i)
	if err != nil {
		return false, err
	}
	if err := fitsState(name, d.Settings, settings, d.Rows, g.sum); err != nil {
		return false, err
	}
	if d.Cell.Result == nil || d.Cell.Result.Network == nil || !slices.Equal(d.Cell.Hidden, g.cells[i].Hidden) {
		return false, errNotWhole(name)
	}
	if err := d.Cell.Result.Network.Check(); err != nil {
		return false, err
	}
	g.cells[i] = d.Cell
	if d.Cell.Verdict == Meets {
		g.meet(i)
	}
	g.mu.Lock()
	g.done++
	g.mu.Unlock()
	return true, nil
}

// save writes the finished cell i to the folder; its checkpoint is no longer needed.
func (g *grid) save(i int) error {
	if g.o.Folder == "" {
		return nil
	}
	settings, err := g.settings(i)
	if err != nil {
		return err
	}
	if err := writeState(g.file(i, resultFile), cellHead, &doneCell{settings, g.sum, g.cells[i]}); err != nil {
		return err
	}
	return removeState(g.file(i, stateFile))
}
