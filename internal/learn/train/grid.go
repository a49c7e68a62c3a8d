package train

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Smallest says what the size of a network is.
type Smallest string

// The sizes.
const (
	// SmallestNeurons counts the hidden and output units of the shape that is
	// trained, as the paper does.
	SmallestNeurons Smallest = "neurons"
	// SmallestEdges counts the weights of the trained network that are not 0.
	SmallestEdges Smallest = "edges"
)

// GridConfig says which shapes Grid tries, and which it chooses. The zero value of
// a field stands for its default.
type GridConfig struct {
	Config            // of each cell; Hidden is the grid's to set
	Widths   []int    // 36, 96, 128: the paper's
	Depths   []int    // numbers of hidden layers of that width: 1, 2, 3, the paper's
	Smallest Smallest // SmallestNeurons
	// TargetError is what a network must reach to be chosen. 0 is exact: no row of
	// those learned and of those held out has a wrong bit. Else it is a share of
	// bits, and the bit error on the rows held out, counted as often as they were
	// seen, must be less, as in the paper; where no row is held out, that on the
	// rows learned. A cell's best epoch is then the one of the least bit error.
	TargetError float64
	// Patience is the window, in epochs, over which the pace of a cell is taken: a
	// quarter of the epochs and at least 10 when 0; negative to train every cell to
	// the end. A cell is given up when half of its epochs are over, twice the pace
	// would not take it to the target in the rest, and more rows are wrong than the
	// discrete search may start from.
	Patience int
}

// PaperWidths has the widths of the hidden layers of the paper's grid.
func PaperWidths() []int { return []int{36, 96, 128} }

// PaperDepths has the numbers of hidden layers of the paper's grid.
func PaperDepths() []int { return []int{1, 2, 3} }

// DefaultTarget is the error to reach when none is named: 0 for ternary weights,
// and the paper's 3 % for binary ones.
func DefaultTarget(w Weights) float64 {
	if w == Binary {
		return 0.03
	}
	return 0
}

// Verdict is what became of a cell.
type Verdict string

// The verdicts.
const (
	Chosen     Verdict = "chosen"     // the smallest that meets the target
	Meets      Verdict = "meets"      // meets the target, and is not smaller
	Misses     Verdict = "misses"     // all epochs, and the target is not met
	Hopeless   Verdict = "hopeless"   // given up: see GridConfig.Patience
	Larger     Verdict = "larger"     // not needed: a smaller cell meets the target
	Unfinished Verdict = "unfinished" // the run ended before
)

// GridCell is one shape of a grid.
type GridCell struct {
	Hidden  []int
	Neurons int // hidden and output units
	Weights int // of the shape, those that are 0 too
	Verdict Verdict
	// Result is nil for larger cells, however far they came, which depends on the
	// number of threads.
	Result  *Result
	Seconds float64 // of the process that ended the cell; 0 without a clock
}

// GridResult is the outcome of Grid.
type GridResult struct {
	Cells  []GridCell // in increasing order of size
	Chosen int        // index of the cell whose network is the outcome; -1 where there is none
	Met    bool       // whether that cell meets the target; else it has the least error
}

// GridProgress tells of an epoch of one cell.
type GridProgress struct {
	Hidden      []int
	Epoch       Epoch
	Done, Cells int // cells that are done, and all
}

// GridOptions say what Grid does besides training.
type GridOptions struct {
	Test     *Examples          // rows held out
	Progress func(GridProgress) // called after each epoch of each cell, never twice at a time
	Now      func() time.Time   // a clock, for GridCell.Seconds; may be nil
	// Folder keeps the state of training: for each cell that is done its outcome,
	// for each that is not a checkpoint. It is made where it does not exist. With
	// Resume what is done there is taken over and the rest goes on; the table,
	// seconds apart, and the network are those of a run without interruption.
	Folder string
	Resume bool
}

func (c GridConfig) withDefaults() (GridConfig, error) {
	if len(c.Hidden) > 0 {
		return c, errors.New("hidden layers are the grid's to set, expected none")
	}
	if c.Widths == nil {
		c.Widths = PaperWidths()
	}
	if c.Depths == nil {
		c.Depths = PaperDepths()
	}
	if c.Smallest == "" {
		c.Smallest = SmallestNeurons
	}
	var err error
	if c.Config, err = c.Config.withDefaults(); err != nil {
		return c, err
	}
	if c.Patience == 0 {
		c.Patience = max(10, c.Epochs/4)
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
	slices.SortFunc(cells, func(x, y GridCell) int {
		neurons, weights := cmp.Compare(x.Neurons, y.Neurons), cmp.Compare(x.Weights, y.Weights)
		if c.Smallest == SmallestEdges {
			neurons, weights = weights, neurons
		}
		return cmp.Or(neurons, weights, cmp.Compare(len(x.Hidden), len(y.Hidden)))
	})
	return cells
}

// ordered says whether the first cell in order that meets the target is the one to
// choose, whatever becomes of those after it. By edges it is not where weights may
// come out as 0: a large shape may end sparser than a small one.
func (c GridConfig) ordered() bool {
	return c.Smallest == SmallestNeurons || c.Config.Weights == Binary
}

// meets says whether r reaches the target.
func (c GridConfig) meets(r *Result) bool {
	if c.TargetError == 0 {
		return r.Exact()
	}
	return r.bitError() < c.TargetError
}

// hopeless is the rule by which a cell is given up. The error is the one that the
// target is about, the least so far: of the bits, or for an exact network the
// number of wrong rows. Its fall over the last window of patience epochs is taken
// for the pace. A cell is hopeless when half of its epochs are over, twice that
// pace would not take it to its target in the rest, and more rows are wrong than
// the discrete search may start from. The rule looks at the cell's own epochs only, so that it
// is the same on any number of threads. polish is the number of wrong rows that
// the discrete search starts from; held says whether rows are held out.
func (c GridConfig) hopeless(history []Record, polish int, held bool) bool {
	e := len(history)
	if c.Patience < 0 || e <= max(c.Patience, c.Epochs/2) || e >= c.Epochs || history[e-1].Train.Wrong <= polish {
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
	fall := least(history[:e-c.Patience]) - now
	return now-2*fall*float64(c.Epochs-e)/float64(c.Patience) > target
}

// recorded is the error of an epoch that the target is about.
func (c GridConfig) recorded(r Record, held bool) float64 {
	switch {
	case c.TargetError == 0:
		return float64(r.Train.Wrong + r.Test.Wrong)
	case held:
		return r.Test.BitError
	}
	return r.Train.BitError
}

// choose gives the verdicts that need all cells, and the cell to take.
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
