package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Epoch reports one epoch.
type Epoch struct {
	Epoch int     // from 1
	Loss  float64 // mean over rows and outputs, as the batches saw it
	Train *Measure
	Test  *Measure // nil without test rows
	Edges int      // of the folded network
	Best  bool     // better, before the search, than all earlier epochs
	// Polished is set if the discrete search followed: the wrong rows that it left, of
	// training and test rows together; otherwise -1.
	Polished int
}

// Options control Run apart from training.
type Options struct {
	Test     *Examples   // held-out rows; the best epoch is the best on them
	Progress func(Epoch) // called after each epoch
	// Pruning is called with the number of completed rounds of pruning and of remaining
	// weights.
	Pruning func(rounds, edges int)
	// Init is the network that training starts from, which counts as that of epoch 0; nil
	// means random weights. Its shape must be that of the settings.
	Init *bnn.Network
	// Checkpoint names a file with the state of training. It is written every CheckpointEvery
	// epochs (1 if 0), at the end, and when ctx ends. With Resume, training continues from
	// that state if the file exists, and ends with the same result as without the
	// interruption.
	Checkpoint      string
	CheckpointEvery int
	Resume          bool

	// Additions for a grid: stop is called before the first epoch and after each, and its
	// error ends training; with byBits the best epoch is that of the least bit error; mark is
	// anything else that the course of training depends on.
	stop   func(history []Record, best *Result) error
	byBits bool
	mark   string
}

// Result is the result of training.
type Result struct {
	Network  *bnn.Network
	Epoch    int // that the network comes from
	Epochs   int // that were run
	Polished int // number of changes that the discrete search made to it
	Train    *Measure
	Test     *Measure // nil without test rows
	// History contains every epoch, including those before an interruption.
	History []Record

	float  *Float       // before folding
	folded *bnn.Network // and before the discrete search
}

// Exact reports whether no row is wrong.
func (r *Result) Exact() bool {
	return r.Train.WrongRows == 0 && (r.Test == nil || r.Test.WrongRows == 0)
}

// Run trains until no row is wrong or the epochs are over, and returns the network of the
// best epoch: the one with the fewest wrong rows, then the fewest wrong bits, on the held-out
// rows, or on all rows if none are held out. If few rows are wrong, a discrete search over
// weights and thresholds tries to correct them. If the context ends, Run returns the best
// network so far together with the context's error.
func Run(ctx context.Context, c Config, e *Examples, o Options) (*Result, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	if t := o.Test; t != nil {
		if err := t.Check(); errors.Is(err, ErrEmpty) {
			o.Test = nil
		} else if err != nil {
			return nil, err
		} else if t.Inputs != e.Inputs || t.Outputs != e.Outputs {
			return nil, fmt.Errorf("test rows of %d and %d bits, expected %d and %d as for training", t.Inputs, t.Outputs, e.Inputs, e.Outputs)
		}
	}
	if max(e.Inputs, e.Outputs) > maxFanIn {
		return nil, fmt.Errorf("rows of %d and %d bits, expected at most %d", e.Inputs, e.Outputs, maxFanIn)
	}
	if o.Init != nil {
		if err := checkInit(o.Init, c, e); err != nil {
			return nil, err
		}
	}
	r := newRun(c, e, o)
	if o.Checkpoint != "" {
		r.sum = r.rowsSum()
	}
	if o.Resume && o.Checkpoint != "" {
		if err := r.resume(); err != nil {
			return nil, err
		}
	}
	if o.Init != nil && r.best == nil {
		if err := r.begin(o.Init); err != nil {
			return nil, err
		}
	}
	res, err := r.train(ctx)
	if res != nil {
		res.History = r.history
	}
	return res, err
}

// run is training in progress.
type run struct {
	c       Config
	e       *Examples
	o       Options
	s       *stepper
	batches int
	best    *Result
	raw     *Result // the best before the discrete search
	epoch   int     // epochs done
	history []Record
	sum     uint32 // of the rows, if a checkpoint is used
}

func newRun(c Config, e *Examples, o Options) *run {
	rng := rand.New(rand.NewPCG(c.Seed, streamInit))
	var ps []*params
	inputs := e.Inputs
	for _, n := range append(append([]int(nil), c.Hidden...), e.Outputs) {
		ps = append(ps, newParams(inputs, n, rng))
		inputs = n
	}
	r := &run{c: c, e: e, o: o}
	if c.Repeated {
		e = e.Repeated()
	}
	// Batches of nearly the same size, since each normalises by its own rows.
	r.batches = max(1, (e.Rows()+c.Batch/2)/c.Batch)
	r.s = newStepper(c, ps, e, (e.Rows()+r.batches-1)/r.batches)
	return r
}

func (r *run) train(ctx context.Context) (*Result, error) {
	for {
		if r.o.stop != nil {
			if err := r.o.stop(r.history, r.best); err != nil {
				if r.best == nil {
					return nil, err
				}
				if err := r.checkFold(); err != nil {
					return nil, err
				}
				r.best.Epochs = r.epoch
				return r.best, err
			}
		}
		if r.epoch >= r.c.Epochs || r.best != nil && r.best.Exact() {
			break
		}
		loss, err := r.pass(ctx)
		if err != nil {
			return r.best, err
		}
		// The rest of the epoch is completed even if ctx ends, so that the state is always
		// that after a whole epoch.
		r.epoch++
		if err := r.judge(loss); err != nil {
			return r.best, err
		}
		if f := r.o.Checkpoint; f != "" && (ctx.Err() != nil || r.epoch%max(1, r.o.CheckpointEvery) == 0 || r.epoch == r.c.Epochs || r.best.Exact()) {
			if err := r.save(f); err != nil {
				return r.best, err
			}
		}
		if err := ctx.Err(); err != nil {
			r.best.Epochs = r.epoch
			return r.best, err
		}
	}
	return r.finish(ctx)
}

// lastSideways bounds the changes without gain of the last discrete search.
const lastSideways = 200

// finish checks the fold, and searches and prunes if requested.
func (r *run) finish(ctx context.Context) (*Result, error) {
	r.best.Epochs = r.epoch
	if err := r.checkFold(); err != nil {
		return nil, err
	}
	if _, err := r.polish(ctx, r.best, lastSideways); err != nil {
		return r.best, err
	}
	r.best.Epochs = r.epoch
	if !r.c.Prune || !r.best.Exact() {
		return r.best, nil
	}
	net, err := prune(ctx, r.best.Network, r.e, r.c.Seed, r.c.PruneRounds, r.o.Pruning)
	if err != nil {
		return r.best, err
	}
	now := *r.best
	now.Network, now.Train = net, measure(net, r.e, r.c.Threads)
	if r.o.Test != nil {
		now.Test = measure(net, r.o.Test, r.c.Threads)
	}
	if now.Exact() { // held-out rows may need what no training row does
		r.best = &now
	}
	return r.best, nil
}

// checkFold checks the fold of the best network on all rows.
func (r *run) checkFold() error {
	for _, e := range []*Examples{r.e, r.o.Test} {
		if e == nil {
			continue
		}
		if err := CheckFold(r.best.float, r.best.folded, e, r.c.Threads); err != nil {
			return err
		}
	}
	return nil
}

// pass performs the steps of one epoch.
func (r *run) pass(ctx context.Context) (loss float64, err error) {
	rng := rand.New(rand.NewPCG(r.c.Seed, uint64(streamEpoch+r.epoch)))
	order := integer.Below[int32](r.s.ex.Rows())
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	steps := float64(r.c.Epochs * r.batches)
	for k := range r.batches {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		done := float64(r.epoch*r.batches+k) / steps
		rate := r.c.LearningRate * (1 + math.Cos(math.Pi*done)) / 2
		loss += r.s.step(order[len(order)*k/r.batches:len(order)*(k+1)/r.batches], rate)
	}
	return loss / float64(len(order)), nil
}

// judge folds and measures after an epoch.
func (r *run) judge(loss float64) error {
	net := r.s.calibrate()
	now := &Result{Network: net, Epoch: r.epoch, Train: measure(net, r.e, r.c.Threads)}
	if r.o.Test != nil {
		now.Test = measure(net, r.o.Test, r.c.Threads)
	}
	ep := Epoch{Epoch: r.epoch, Loss: loss, Train: now.Train, Test: now.Test, Edges: net.Edges(), Polished: -1}
	now.float, now.folded = r.s.float(), net
	if r.raw == nil || r.better(now, r.raw) {
		r.raw, ep.Best = now, true
		if r.best == nil || r.better(now, r.best) {
			r.best = now
		}
		polished, err := r.polish(context.Background(), now, 0)
		if err != nil {
			return err
		}
		if polished != nil {
			ep.Polished = polished.wrongRows()
		}
	}
	if r.epoch > 0 {
		r.history = append(r.history, ep.record())
	}
	if r.o.Progress != nil && r.epoch > 0 {
		r.o.Progress(ep)
	}
	return nil
}

// polish runs the discrete search on a network if few enough rows are wrong, and keeps the
// result if it is better than the best so far. It returns the result of the search, or nil if
// there was none.
func (r *run) polish(ctx context.Context, from *Result, sideways int) (*Result, error) {
	most := r.c.polishRows(r.e.Rows())
	if from.Train.WrongRows == 0 || from.Train.WrongRows > most {
		return nil, nil
	}
	p := newPolisher(from.Network, r.e)
	rng := rand.New(rand.NewPCG(r.c.Seed, streamPolish))
	changes, err := p.repair(ctx, rng, r.c.Weights == Binary, sideways)
	now := *from
	now.Network, now.Polished, now.Train = p.net, from.Polished+changes, measure(p.net, r.e, r.c.Threads)
	if r.o.Test != nil {
		now.Test = measure(p.net, r.o.Test, r.c.Threads)
	}
	if r.better(&now, r.best) {
		r.best = &now
	}
	return &now, err
}

func (r *Result) wrongRows() int {
	n := r.Train.WrongRows
	if r.Test != nil {
		n += r.Test.WrongRows
	}
	return n
}

// bitError returns the error that a grid's target refers to: that of the held-out rows, or
// else of the training rows.
func (r *Result) bitError() float64 {
	if r.Test != nil {
		return r.Test.BitError()
	}
	return r.Train.BitError()
}

// better compares by wrong rows, then wrong bits, of test rows first; if requested, by the
// bit error before everything else.
func (r *run) better(now, than *Result) bool {
	if a, b := now.bitError(), than.bitError(); r.o.byBits && a != b {
		return a < b
	}
	for _, m := range [][2]*Measure{{now.Test, than.Test}, {now.Train, than.Train}} {
		if m[0] == nil {
			continue
		}
		if a, b := m[0].WrongRows, m[1].WrongRows; a != b {
			return a < b
		}
		if a, b := m[0].bitsWrong(), m[1].bitsWrong(); a != b {
			return a < b
		}
	}
	return false
}
