package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Smallest is the measure of the size of a network.
type Smallest string

// The measures of size.
const (
	// SmallestNeurons counts the hidden and output units of the trained shape, as the paper
	// does.
	SmallestNeurons Smallest = "neurons"
	// SmallestEdges counts the nonzero weights of the trained network.
	SmallestEdges Smallest = "edges"
)

// GridConfig contains the shapes that Grid tries and the criterion for choosing one. The zero
// value of a field means its default.
type GridConfig struct {
	Config            // of each cell; Hidden is set by the grid
	Widths   []int    // 36, 96, 128: the paper's
	Depths   []int    // numbers of hidden layers of that width: 1, 2, 3, the paper's
	Smallest Smallest // SmallestNeurons
	// TargetError is the error that a network must reach to be chosen. 0 means exact: no
	// training or held-out row has a wrong bit. Otherwise it is a share of bits: the bit
	// error on the held-out rows, counted with multiplicity, must be less, as in the paper;
	// if no row is held out, the error on the training rows counts. The best epoch of a cell
	// is then the one with the least bit error.
	TargetError float64
}

// DefaultTarget is the target error if none is given: 0 for ternary weights, and the paper's
// 3 % for binary ones.
func DefaultTarget(w Weights) float64 {
	if w == Binary {
		return 0.03
	}
	return 0
}

// Verdict is the outcome of a cell.
type Verdict string

// The verdicts.
const (
	Chosen     Verdict = "chosen"     // the smallest that meets the target
	Meets      Verdict = "meets"      // meets the target, and is not smaller
	Misses     Verdict = "misses"     // all epochs, and the target is not met
	Hopeless   Verdict = "hopeless"   // abandoned: see hopeless
	Larger     Verdict = "larger"     // not needed: a smaller cell meets the target
	Unfinished Verdict = "unfinished" // the run ended before
)

// GridCell is one shape of a grid.
type GridCell struct {
	Hidden  []int
	Neurons int // hidden and output units
	Weights int // of the shape, including those that are 0
	Verdict Verdict
	// Result is nil for larger cells, however far they came, since that depends on the number
	// of threads.
	Result  *Result
	Seconds float64 // of the process that finished the cell; 0 without a clock
}

// GridResult is the outcome of Grid.
type GridResult struct {
	Cells  []GridCell // in increasing order of size
	Chosen int        // index of the cell whose network is the outcome; -1 if there is none
	Met    bool       // whether that cell meets the target; if not, it has the least error
}

// GridProgress reports an epoch of one cell.
type GridProgress struct {
	Hidden      []int
	Epoch       Epoch
	Done, Cells int // cells that are done, and all
}

// GridOptions control Grid apart from training.
type GridOptions struct {
	Test     *Examples          // rows held out
	Progress func(GridProgress) // called after each epoch of each cell, never twice at a time
	Now      func() time.Time   // a clock, for GridCell.Seconds; may be nil
	// Folder stores the state of training: the outcome of each finished cell and a checkpoint
	// of each unfinished one. It is created if it does not exist. With Resume, the finished
	// cells are reused and the others continue; the table, except for seconds, and the
	// network are those of a run without interruption.
	Folder string
	Resume bool
	// Elsewhere trains the cell with the hidden layers on another machine, by a grid of
	// that cell alone with a folder, and writes the cell's file in that folder, of the
	// name CellFile, to the file name. nil trains here.
	Elsewhere func(ctx context.Context, hidden []int, name string) error
}

// CellFile returns the name of the file of a finished cell in the folder of a grid.
func CellFile(hidden []int) string { return cellFile(hidden, resultFile) }

func (c GridConfig) withDefaults() (GridConfig, error) {
	if len(c.Hidden) > 0 {
		return c, errors.New("hidden layers are the grid's to set, expected none")
	}
	if c.Widths == nil {
		c.Widths = []int{36, 96, 128} // the paper's
	}
	if c.Depths == nil {
		c.Depths = []int{1, 2, 3} // likewise
	}
	if c.Smallest == "" {
		c.Smallest = SmallestNeurons
	}
	var err error
	if c.Config, err = c.Config.withDefaults(); err != nil {
		return c, err
	}
	for _, w := range c.Widths {
		if w < 1 || w > maxFanIn {
			return c, fmt.Errorf("width %d, expected 1..%d", w, maxFanIn)
		}
	}
	for _, d := range c.Depths {
		if d < 1 || d > maxDepth {
			return c, fmt.Errorf("depth %d, expected 1..%d", d, maxDepth)
		}
	}
	switch {
	case len(c.Widths) == 0 || len(c.Depths) == 0:
		return c, errors.New("a grid of no cells, expected widths and depths")
	case c.Smallest != SmallestNeurons && c.Smallest != SmallestEdges:
		return c, fmt.Errorf("no size %q, expected %s or %s", c.Smallest, SmallestNeurons, SmallestEdges)
	case !(c.TargetError >= 0 && c.TargetError < 1):
		return c, fmt.Errorf("target error %v, expected 0 or more and less than 1", c.TargetError)
	}
	return c, nil
}

// maxDepth bounds the hidden layers of a cell.
const maxDepth = 100

// cells lists the shapes in increasing order of their size; of shapes of one
// size, the one with fewer of the other size comes first, then the shallower.
func (c GridConfig) cells(e *Examples) []GridCell {
	var cells []GridCell
	for _, w := range slices.Compact(slices.Sorted(slices.Values(c.Widths))) {
		for _, d := range slices.Compact(slices.Sorted(slices.Values(c.Depths))) {
			cells = append(cells, GridCell{
				Hidden: slices.Repeat([]int{w}, d), Neurons: w*d + e.Outputs,
				Weights: e.Inputs*w + (d-1)*w*w + w*e.Outputs,
			})
		}
	}
	slices.SortStableFunc(cells, func(x, y GridCell) int {
		neurons, weights := cmp.Compare(x.Neurons, y.Neurons), cmp.Compare(x.Weights, y.Weights)
		if c.Smallest == SmallestEdges {
			neurons, weights = weights, neurons
		}
		return cmp.Or(neurons, weights, cmp.Compare(len(x.Hidden), len(y.Hidden)))
	})
	return cells
}

// ordered reports whether the first cell in order that meets the target is the one to choose,
// whatever the outcome of the later ones. This is false for edges if weights may be 0: a
// large shape may end sparser than a small one.
func (c GridConfig) ordered() bool {
	return c.Smallest == SmallestNeurons || c.Config.Weights == Binary
}

// meets reports whether r reaches the target.
func (c GridConfig) meets(r *Result) bool {
	if c.TargetError == 0 {
		return r.Exact()
	}
	return r.bitError() < c.TargetError
}

// hopeless is the rule by which a cell is abandoned. The error is the one that the target
// refers to, the least so far: of the bits or, for an exact network, the number of wrong
// rows. Progress is its decrease over the last window. A cell is hopeless
// if half of its epochs are over, twice that progress would not reach the target in the rest,
// and more rows are wrong than the discrete search may start from. The rule considers the
// cell's own epochs only, so that it is the same on any number of threads. polish is the
// number of wrong rows at which the discrete search starts; held reports whether rows are
// held out.
func (c GridConfig) hopeless(history []Record, polish int, held bool) bool {
	e, window := len(history), max(10, c.Epochs/4)
	if e <= max(window, c.Epochs/2) || e >= c.Epochs || history[e-1].Train.Wrong <= polish {
		return false
	}
	target := c.TargetError
	if target == 0 {
		target = float64(polish)
	}
	least := func(h []Record) float64 {
		best := c.recorded(h[0], held)
		for _, r := range h[1:] {
			best = min(best, c.recorded(r, held))
		}
		return best
	}
	now := least(history)
	fall := least(history[:e-window]) - now
	return now-2*fall*float64(c.Epochs-e)/float64(window) > target
}

// recorded returns the error of an epoch that the target refers to.
func (c GridConfig) recorded(r Record, held bool) float64 {
	switch {
	case c.TargetError == 0:
		return float64(r.Train.Wrong + r.Test.Wrong)
	case held:
		return r.Test.BitError
	}
	return r.Train.BitError
}

// choose sets the verdicts that need all cells, and selects the cell.
func (c GridConfig) choose(cells []GridCell) *GridResult {
	out := &GridResult{Cells: cells, Chosen: -1}
	for i := range cells {
		r := cells[i].Result
		if r == nil {
			continue
		}
		if c.meets(r) && (out.Chosen < 0 || !c.ordered() && r.Network.Edges() < cells[out.Chosen].Result.Network.Edges()) {
			out.Chosen, out.Met = i, true
		}
	}
	if out.Met {
		cells[out.Chosen].Verdict = Chosen
		for i := out.Chosen + 1; i < len(cells) && c.ordered(); i++ {
			cells[i].Verdict, cells[i].Result, cells[i].Seconds = Larger, nil, 0
		}
		return out
	}
	least := 0.0
	for i := range cells {
		if r := cells[i].Result; r != nil {
			err := r.bitError()
			if c.TargetError == 0 {
				err = float64(r.wrongRows())
			}
			if out.Chosen < 0 || err < least {
				out.Chosen, least = i, err
			}
		}
	}
	return out
}
