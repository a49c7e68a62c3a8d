package learn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// leastHeldOut is the number of rows of which some are held out.
const leastHeldOut = 10

// holding says which rows are held out: the network that is measured on them was learned without them.
type holding struct {
	by   train.SplitMode
	held func(*train.Row) bool // asked of all rows in turn
	// alike says that it may be asked once for rows that are alike.
	alike bool
	why   string // nothing is held out: the reason
}

// byTime holds out the last tenth of each data set: of whole episodes where the data have some that end there. Rows
// with a weight are kept. The data sets are cut there.
func byTime(from []train.Source) *holding {
	some := false
	for i := range from {
		s := &from[i]
		if s.Weight == 0 && s.Data.Rows >= leastHeldOut {
			s.Cut, some = cutOf(s.Data), true
		}
	}
	if !some {
		return &holding{why: fmt.Sprintf("there are fewer than %d rows", leastHeldOut)}
	}
	return &holding{by: train.SplitTime, alike: true, held: func(r *train.Row) bool {
		cut := from[r.Source].Cut
		return cut > 0 && r.Index >= cut
	}}
}

// cutOf returns the first of the rows that are held out: the beginning of an episode, if one is near enough.
func cutOf(d *dataset.Data) int {
	cut := d.Rows - d.Rows/10
	best, off := cut, d.Rows
	for _, b := range d.Begins {
		// Between half and twice as many rows as wanted may be held out.
		n, away := d.Rows-int(b), max(int(b)-cut, cut-int(b))
		if 20*n >= d.Rows && 5*n <= d.Rows && away < off {
			best, off = int(b), away
		}
	}
	return best
}

// parts are the rows of the dense recipe.
type parts struct {
	all      *train.Examples
	training *train.Examples
	choosing *train.Examples // decide which epoch is the best, and are searched for changes too
	*holding                 // what is held out of both
}

// split divides the rows for the dense recipe. By time, the last rows are held out and a tenth of the others choose;
// otherwise a tenth is drawn, one half of which chooses and one half is held out.
func split(p *load.Problem, from *sourced, mode train.SplitMode, seed uint64) (x *parts, err error) {
	x = &parts{}
	if x.all, err = train.FromSources(p.Problem, from.data...); err != nil {
		return nil, err
	}
	if mode == "" || mode == train.SplitAuto {
		// Rows of a data set that is no log count as drawn independently.
		if mode = train.SplitRandom; from.log {
			mode = train.SplitTime
		}
	}
	if mode != train.SplitTime {
		var testing *train.Examples
		if x.training, testing, err = train.Split(x.all, mode, seed); err != nil {
			return nil, err
		}
		var held *train.Examples
		x.choosing, held = testing.Halve(mode, seed)
		x.holding = &holding{by: mode, held: x.all.Held(held, seed)}
		if held.Rows() == 0 {
			x.holding = &holding{why: "there are too few rows"}
		}
		return x, nil
	}
	x.holding = byTime(from.data)
	b := train.NewBuilder(x.all.Inputs, x.all.Outputs)
	err = train.EachAlike(p.Problem, func(r *train.Row) {
		if r.InKnown == nil && (x.held == nil || !x.held(r)) {
			b.AddRow(r)
		}
	}, from.data...)
	if err != nil {
		return nil, err
	}
	rest := b.Examples()
	if err := rest.Check(); err != nil {
		return nil, err
	}
	x.training, x.choosing, err = train.Split(rest, train.SplitRandom, seed)
	return x, err
}

// heldOutShare is the part of the time that is left which learning without the rows held out may take.
const heldOutShare = 0.4

// Errors are those of a network on the rows that it was learned from, and on rows that it, or one like it, was not learned from.
type Errors struct {
	// HeldOut is the error on rows that were not learned from, of a network that was learned without
	// them; null if none were.
	HeldOut *ErrorLine `json:"held_out"`
	// HeldOutBy tells which rows these are: the last ones by "time", or a "random" tenth of the rows or
	// of the "distinct" ones. HeldOutWhy is the reason why there are none.
	HeldOutBy  train.SplitMode `json:"held_out_by,omitempty"`
	HeldOutWhy string          `json:"held_out_why,omitempty"`
	// Refitted reports that the network was then learned again, from all rows.
	Refitted bool       `json:"refitted"`
	Train    *ErrorLine `json:"train"` // on the rows that the network was learned from
	Exact    bool       `json:"exact"` // no row is wrong, held out or not
}

// On notes the error on the rows that were learned from.
func (e *Errors) On(train *ErrorLine) {
	e.Train, e.Exact = train, train.Wrong == 0 && (e.HeldOut == nil || e.HeldOut.Wrong == 0)
}

// HoldOut measures a way of learning on the last rows, and expects it to learn from all of them then. learn learns from the rows for which keep holds, and returns its
// prediction.
func HoldOut(ctx context.Context, p *load.Problem, from []train.Source, learn func(ctx context.Context, keep func(*train.Row) bool) (measure.Predict, error)) (Errors, error) {
	h, line, err := holdOutBy(ctx, p, from, learn)
	if err != nil {
		return Errors{}, err
	}
	return Errors{HeldOut: line, HeldOutBy: h.by, HeldOutWhy: h.why, Refitted: line != nil}, nil
}

func holdOutBy(ctx context.Context, p *load.Problem, from []train.Source, learn func(context.Context, func(*train.Row) bool) (measure.Predict, error)) (*holding, *ErrorLine, error) {
	h := byTime(from)
	if h.held == nil {
		return h, nil, nil
	}
	limited, cancel := ctx, func() {}
	if end, ok := ctx.Deadline(); ok {
		limited, cancel = context.WithTimeout(ctx, time.Duration(heldOutShare*float64(time.Until(end))))
	}
	defer cancel()
	predict, err := learn(limited, func(r *train.Row) bool { return !h.held(r) })
	switch {
	case errors.Is(err, structure.ErrEmpty):
		return &holding{why: "the other rows have no transition"}, nil, nil
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		return &holding{why: "the time did not suffice to learn without some rows"}, nil, nil
	case err != nil:
		return nil, nil, err
	}
	c, _, err := countErrors(p, predict, h.held, from)
	if err != nil {
		return nil, nil, err
	}
	return h, lineOf(p, c), nil
}

// holdOut learns the functions without the last rows, and measures them there. They are not made a network, which would
// have the same values.
func holdOut(ctx context.Context, p *load.Problem, from []train.Source, share float64, o structure.Options) (h *holding, held *ErrorLine, predict measure.Predict, err error) {
	if o.Complete {
		return &holding{why: "the rows are all the legal ones"}, nil, nil, nil
	}
	o.Learned = nil
	h, held, err = holdOutBy(ctx, p, from, func(ctx context.Context, keep func(*train.Row) bool) (measure.Predict, error) {
		table, _, err := tableOf(p, from, share, keep)
		if err != nil {
			return nil, err
		}
		st, err := structure.Learn(ctx, table, o)
		if err != nil {
			return nil, err
		}
		predict = st.Predict
		return predict, nil
	})
	return h, held, predict, err
}
