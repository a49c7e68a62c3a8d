package backward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/factored"
)

// Claim is what a proof shows about one horizon.
type Claim struct {
	// Infeasible claims that there is no plan; Trace and Bound are ignored then.
	Infeasible bool
	// Trace is a plan, or nil. Its auxiliary bits are ignored.
	Trace *factored.Trace
	// Bound claims that no plan has a higher scaled reward; nil claims nothing.
	Bound *int64
}

// Options set up a proof.
type Options struct {
	W      io.Writer
	Format proof.Format
	// File is the model whose OPB file the proof is about: that of the problem
	// with or without propagated constants. Nil is the one with.
	File *model.Model
	// Edges bounds the number of steps between states that the proof covers; 0
	// is no bound.
	Edges int64
	// Large is called once, where it is set, with the expected size in bytes of a
	// proof that will have more than LargeSize.
	Large func(bytes int64)
}

// LargeSize is the size of a proof in bytes from which Options.Large is told.
const LargeSize = 100 << 20

// ErrTooLarge is wrapped by the error for a proof that would be about more steps
// than Options.Edges.
var ErrTooLarge = errors.New("the proof would be too large")

// ErrClaim is wrapped by the error for a claim that does not hold.
var ErrClaim = errors.New("the claim does not hold")

// Stats are the sizes of a proof.
type Stats struct {
	States, Edges int64 // that needed to be considered
	Constraints   int64 // that the proof makes
}

// Write writes a proof of the claim about m, which has propagated constants. What
// is written is incomplete if there is an error: the context's, of the writer, or
// one that wraps ErrTooLarge or ErrClaim. Nothing is written before it is known that
// a proof is not too large.
func Write(ctx context.Context, m *model.Model, c Claim, o Options) (Stats, error) {
	return run(ctx, m, c, o, (*writer).bound)
}

// run writes a proof whose bound derive derives.
func run(ctx context.Context, m *model.Model, c Claim, o Options, derive func(*writer) (shown, error)) (Stats, error) {
	if o.File == nil {
		o.File = m
	}
	n, err := format.Inequalities(ctx, o.File)
	if err != nil {
		return Stats{}, err
	}
	w := &writer{ctx: ctx, m: m, file: o.File, most: o.Edges, large: o.Large, vars: model.Lit(o.File.NumVars()), target: dead}
	objective, shift := o.File.Minimised()
	w.shift = shift
	w.log = proof.New(o.W, proof.Options{Format: o.Format, Constraints: n, Objective: objective})
	if err := w.write(c, derive); err != nil {
		return Stats{}, fmt.Errorf("proving backwards: %w", err)
	}
	if err := w.log.Close(); err != nil {
		return Stats{}, err
	}
	w.stats.Constraints = int64(w.log.Last()) - n
	return w.stats, nil
}

// dead is the value of a state from which no plan can be completed.
const dead = math.MaxInt64

// writer is one call of Write.
type writer struct {
	ctx   context.Context
	m     *model.Model
	file  *model.Model // that the proof is about
	log   *proof.Logger
	most  int64
	vars  model.Lit // the last variable
	stats Stats

	target int64 // every plan costs at least this; dead without any plan
	shift  int64 // the file's objective is the cost and this

	amounts *amounts    // of tables and prices
	hidden  []model.Lit // literals of the plan's hidden units
	layers  []*layer    // by step, 0..H+1; 0 is what comes before the first state
	sums    []proof.ID
	counted int // the last step whose costs are counted
	large   func(bytes int64)
	listed  int64 // partial joint actions looked at
	nodes   uint  // for looks at the context
}

// value is what propagation fixes a variable at, 0 for none: one that the proof defines is free.
func (w *writer) value(x model.Lit) int8 {
	if x.Var() > w.m.NumVars() {
		return 0
	}
	return w.m.Value(x)
}

// shown is a constraint that was derived: the objective is at least the target, 0
// where that needs no proof, or a contradiction.
type shown struct {
	id            proof.ID
	contradiction bool
}

// write writes the proof without its end.
func (w *writer) write(c Claim, derive func(*writer) (shown, error)) error {
	var solution []model.Lit
	var cost int64
	switch {
	case c.Infeasible && w.m.Infeasible():
		w.log.ConcludeUnsat(w.log.Contradiction())
		return nil
	case w.m.Infeasible() && c.Trace == nil:
		w.log.ConcludeUnsat(w.log.Contradiction())
		return nil
	case w.m.Infeasible():
		return fmt.Errorf("%w: the model has no plan", ErrClaim)
	}
	w.prepare()
	if !c.Infeasible && c.Trace != nil {
		var err error
		if solution, cost, err = w.complete(c.Trace); err != nil {
			return err
		}
	}
	if !c.Infeasible {
		w.target = 0
		if c.Bound != nil {
			w.target = -*c.Bound - w.m.ObjectiveConstant()
		}
		if solution != nil && w.target > cost {
			return fmt.Errorf("%w: the plan costs %d, the bound is %d", ErrClaim, cost, w.target)
		}
	}
	bound, err := derive(w)
	if err != nil {
		return err
	}
	w.conclude(c, bound, solution, cost)
	return nil
}

// bound derives that what the layers cost is at least the target.
func (w *writer) bound() (shown, error) {
	if w.target <= 0 {
		return shown{}, nil
	}
	if err := w.reach(); err != nil {
		return shown{}, err
	}
	if err := w.values(); err != nil {
		return shown{}, err
	}
	var all, done int64
	for _, l := range w.layers {
		all += int64(len(l.states))
	}
	for t := w.m.Horizon + 1; t >= 0; t-- {
		done += int64(len(w.layers[t].states))
		if err := w.prove(t); err != nil {
			return shown{}, err
		}
		if t <= w.m.Horizon {
			w.retire(w.layers[t+1])
		}
		w.foresee(done, all)
	}
	root := w.layers[0]
	if len(root.lemmas) == 0 {
		// Propagation refutes every initial state.
		return shown{w.log.Contradiction(), true}, nil
	}
	unit := root.lemmas[0]
	if root.states[0].value == dead {
		return shown{unit, true}, nil
	}
	// P(0) comes of the definition of the one literal at step 0.
	w.log.BeginPol(root.only)
	w.log.Add(unit, root.states[0].value)
	for _, id := range w.sums {
		w.log.Add(id, 1)
	}
	bound := w.log.EndPol()
	w.log.DeleteAll(append(w.sums, unit, root.only))
	return shown{bound, false}, nil
}

// foresee estimates the size of the proof when it is about some of all states, and
// tells of a large one.
func (w *writer) foresee(done, all int64) {
	if w.large == nil || 20*done < all {
		return
	}
	if size := float64(w.log.Size()) * float64(all) / float64(done); size > LargeSize {
		w.large(int64(size))
		w.large = nil
	}
}

// conclude ends the proof.
func (w *writer) conclude(c Claim, b shown, solution []model.Lit, cost int64) {
	bound := b.id
	switch {
	case b.contradiction:
		w.log.ConcludeUnsat(bound)
	case solution != nil && cost == w.target:
		id := w.log.Solution(solution)
		if bound == 0 {
			id = w.log.Contradiction()
		} else {
			w.log.BeginPol(bound)
			w.log.Add(id, 1)
			id = w.log.EndPol()
		}
		w.log.ConcludeOptimal(cost+w.shift, id)
	case solution != nil && c.Bound == nil:
		w.log.Show(append(solution, w.hidden...))
		w.log.ConcludeBounds(w.shift, cost+w.shift, true, 0)
	case solution != nil:
		w.log.Show(append(solution, w.hidden...))
		w.log.ConcludeBounds(w.target+w.shift, cost+w.shift, true, bound)
	default:
		w.log.ConcludeBounds(w.target+w.shift, 0, false, bound)
	}
}
