package learn

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// Grid contains the shapes to try; see train.GridConfig for the fields of the same names.
type Grid struct {
	Widths, Depths []int
	Smallest       train.Smallest
	TargetError    float64
	Progress       func(train.GridProgress)
	Now            func() time.Time // a clock, for the cells' seconds
	Elsewhere      func(ctx context.Context, hidden []int, name string) error
}

// GridTable is the outcome of the cells of a grid.
type GridTable struct {
	Smallest    train.Smallest `json:"smallest"`
	TargetError float64        `json:"target_error"`
	Met         bool           `json:"met"`   // whether the network meets the target
	Cells       []GridLine     `json:"cells"` // in increasing order of size
}

// GridLine is one cell. Unknown values of a cell that was not needed are null.
type GridLine struct {
	Hidden  []int `json:"hidden"`
	Neurons int   `json:"neurons"` // of the shape: hidden and output units
	Weights int   `json:"weights"` // of the shape, including those that are 0
	Edges   *int  `json:"edges"`   // nonzero weights of the trained network
	Epochs  *int  `json:"epochs"`  // that were run
	Wrong   *int  `json:"wrong"`   // distinct rows with a wrong bit, training or held-out
	Rows    *int  `json:"rows"`    // total number of these rows
	// Shares of wrong bits on training and held-out rows, with rows counted as often as they
	// were seen.
	TrainError *float64      `json:"train_error"`
	TestError  *float64      `json:"test_error"`
	Seconds    float64       `json:"seconds"`
	Verdict    train.Verdict `json:"verdict"`
}

// grid trains the cells, sets t's hidden layers to those of the chosen one, and returns its
// result. If ctx ends there may be none.
func grid(ctx context.Context, t *Training, rows, held *train.Examples) (*train.Result, *GridTable, error) {
	g := t.Grid
	c := train.GridConfig{Config: t.Config, Widths: g.Widths, Depths: g.Depths, Smallest: g.Smallest, TargetError: g.TargetError}
	o := train.GridOptions{Test: held, Progress: g.Progress, Now: g.Now, Folder: t.Checkpoint, Resume: t.Resume, Elsewhere: g.Elsewhere}
	out, err := train.Grid(ctx, c, rows, o)
	if out == nil || out.Chosen < 0 {
		return nil, nil, err
	}
	table := &GridTable{Smallest: g.Smallest, TargetError: g.TargetError, Met: out.Met}
	for _, cell := range out.Cells {
		l := GridLine{Hidden: cell.Hidden, Neurons: cell.Neurons, Weights: cell.Weights, Seconds: cell.Seconds, Verdict: cell.Verdict}
		if r := cell.Result; r != nil {
			edges, wrong, all, trained := r.Network.Edges(), r.Train.WrongRows, r.Train.Rows, r.Train.BitError()
			if r.Test != nil {
				tested := r.Test.BitError()
				l.TestError, wrong, all = &tested, wrong+r.Test.WrongRows, all+r.Test.Rows
			}
			l.Edges, l.Epochs, l.Wrong, l.Rows, l.TrainError = &edges, &r.Epochs, &wrong, &all, &trained
		}
		table.Cells = append(table.Cells, l)
	}
	t.Config.Hidden = out.Cells[out.Chosen].Hidden
	return out.Cells[out.Chosen].Result, table, err
}

// Cell trains one cell of a grid: that of the hidden layers, as t would. It leaves
// the file train.CellFile in the folder of the checkpoint.
func Cell(ctx context.Context, p *load.Problem, file string, t Training) error {
	from, err := sources(ctx, p, file, t.Also, false)
	if err != nil {
		return err
	}
	rows, err := split(p, from, t.Split, t.Config.Seed)
	if err != nil {
		return err
	}
	_, _, err = grid(ctx, &t, rows.training, rows.choosing)
	return err
}

// recipe describes on one line what was tried, for the network's file.
func (t *GridTable) recipe() string {
	var shapes []string
	for _, c := range t.Cells {
		shapes = append(shapes, c.shape())
	}
	return fmt.Sprintf("cells=%s smallest=%s target-error=%v met=%v", strings.Join(shapes, ","), t.Smallest, t.TargetError, t.Met)
}

// shape is the cell's name, such as 36x2 for two layers of 36 units.
func (l *GridLine) shape() string { return fmt.Sprintf("%dx%d", l.Hidden[0], len(l.Hidden)) }

// WriteText writes the table as text.
func (t *GridTable) WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "width x depth\tneurons\tweights\tedges\tepochs\twrong rows\ttrain error\ttest error\ttime\tverdict\t\n")
	for i := range t.Cells {
		l := &t.Cells[i]
		fmt.Fprintf(tw, "%s\t%d\t%d\t", l.shape(), l.Neurons, l.Weights)
		if l.Edges == nil {
			fmt.Fprint(tw, "\t\t\t\t\t\t")
		} else {
			test := ""
			if l.TestError != nil {
				test = fmt.Sprintf("%.4f %%", 100**l.TestError)
			}
			fmt.Fprintf(tw, "%d\t%d\t%d of %d\t%.4f %%\t%s\t%.3f s\t", *l.Edges, *l.Epochs, *l.Wrong, *l.Rows, 100**l.TrainError, test, l.Seconds)
		}
		fmt.Fprintf(tw, "%s\t\n", l.Verdict)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if t.Met {
		return nil
	}
	_, err := fmt.Fprintf(w, "No cell meets the target error %v; the network is the one with the least error.\n", t.TargetError)
	return err
}
