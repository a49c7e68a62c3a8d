package instance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Result is a solver's answer.
type Result struct {
	Status Status
	// Model is the best assignment, with Satisfiable and Optimal: Model[v] is
	// the value of variable v, Model[0] is not used.
	Model []bool
	// Bound is proven: no assignment has a lower cost. nil when nothing is known
	// or nothing is optimised. With Optimal it may be nil.
	Bound *int64
	// Reason says which limit ended the run, "" when it ended by itself.
	Reason string
	// Notes are the solver's own counts, one per line, for people.
	Notes []string
}

// Progress is a report on the way: a new incumbent, a new bound, or both.
type Progress struct {
	Model []bool // as in Result; the receiver keeps no reference to it; nil for none
	Bound *int64 // as in Result
}

// Solver solves an instance. When the context ends it returns what it knows,
// without an error. report may be nil and is called from one goroutine at a time.
type Solver func(ctx context.Context, in *Instance, report func(Progress)) (Result, error)

// ErrWrongAnswer is wrapped by the error for an answer that the instance
// refutes: a bug in the solver.
var ErrWrongAnswer = errors.New("the solver's answer is wrong")

// incumbents checks, prints and keeps the improving assignments of a run.
type incumbents struct {
	in      *Instance
	printer *Printer
	model   []bool // the best so far; nil for none
	cost    int64  // its cost
	bound   *int64 // the highest proven
	err     error
}

// offer takes an assignment that a solver claims to satisfy the instance.
func (b *incumbents) offer(model []bool) {
	if b.err != nil {
		return
	}
	cost, err := b.in.Evaluate(model)
	if err != nil {
		b.err = fmt.Errorf("%w: %w", ErrWrongAnswer, err)
		return
	}
	if b.model != nil && cost >= b.cost {
		return
	}
	b.model, b.cost = slices.Clone(model), cost
	if b.in.Optimises {
		b.err = b.printer.Cost(cost)
	}
}

// raise takes a bound.
func (b *incumbents) raise(bound *int64) {
	if bound != nil && (b.bound == nil || *bound > *b.bound) {
		value := *bound
		b.bound = &value
	}
}

// SolveFile reads a file, as ReadFile does, says how large it is, and does what
// Solve does. If ctx ends during reading the answer is UNKNOWN. Nothing is
// printed before the whole file is read.
func SolveFile(ctx context.Context, name string, l Limits, solver Solver, w io.Writer) (Status, error) {
	in, err := ReadFile(ctx, name, l)
	if err != nil {
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return Unknown, err
		}
		p := NewPrinter(w, CNF) // all formats have the same c and s lines
		p.Comment("stopped while reading: %v", context.Cause(ctx))
		return Unknown, p.Answer(Unknown, nil)
	}
	p := NewPrinter(w, in.Format)
	p.Comment("%s", in.size())
	return solve(ctx, in, solver, p)
}

// size is a line about the instance for people.
func (in *Instance) size() string {
	text := fmt.Sprintf("%v: %d variables", in.Format, in.NumVars)
	if in.Format == OPB {
		return text + fmt.Sprintf(", %d linear constraints, %d terms in the objective", len(in.Linear), len(in.Objective))
	}
	text += fmt.Sprintf(", %d clauses with %d literals", in.Clauses.Len(), in.Clauses.Literals())
	if in.Format != CNF {
		text += fmt.Sprintf(", %d soft clauses", len(in.Soft))
	}
	return text
}

// solve runs a solver and prints, in the competitions' lines, every improving
// assignment as it is found and the answer at the end. Every assignment is
// evaluated first: what the instance refutes is never printed, and is an error
// that wraps ErrWrongAnswer. If the run was cut short, the answer is the best
// that was reported, and comments say why, and the bound and the gap as far as
// they are known.
func solve(ctx context.Context, in *Instance, solver Solver, p *Printer) (Status, error) {
	best := &incumbents{in: in, printer: p}
	r, err := solver(ctx, in, func(p Progress) {
		best.raise(p.Bound)
		if p.Model != nil {
			best.offer(p.Model)
		}
	})
	if err != nil {
		return Unknown, err
	}
	best.raise(r.Bound)
	status, err := best.conclude(&r)
	if err != nil {
		return Unknown, err
	}
	// A comment that could not be written shows in Answer's error.
	for _, note := range r.Notes {
		p.Comment("%s", note)
	}
	if r.Reason != "" {
		p.Comment("stopped: %s", r.Reason)
	}
	if in.Optimises && status != Optimal && status != Unsatisfiable && best.bound != nil {
		gap := ""
		if best.model != nil {
			gap = fmt.Sprintf(", gap %.4g", (float64(best.cost)-float64(*best.bound))/max(1, math.Abs(float64(best.cost))))
		}
		p.Comment("lower bound %d%s", *best.bound, gap)
	}
	return status, p.Answer(status, best.model)
}

// conclude takes the final answer and compares it with all that was said
// before.
func (b *incumbents) conclude(r *Result) (Status, error) {
	switch r.Status {
	case Satisfiable, Optimal:
		if r.Model == nil {
			return 0, fmt.Errorf("%w: %v without an assignment", ErrWrongAnswer, r.Status)
		}
		b.offer(r.Model)
	}
	if b.err != nil {
		return 0, b.err
	}
	status := r.Status
	switch {
	case status == Unsatisfiable && b.model != nil:
		return 0, fmt.Errorf("%w: UNSATISFIABLE after an assignment was found", ErrWrongAnswer)
	case status == Optimal && !b.in.Optimises:
		return 0, fmt.Errorf("%w: OPTIMUM FOUND where nothing is optimised", ErrWrongAnswer)
	case b.model != nil && b.bound != nil && b.cost < *b.bound:
		return 0, fmt.Errorf("%w: cost %d below the bound %d", ErrWrongAnswer, b.cost, *b.bound)
	case status == Optimal:
		// A better incumbent than the optimum is a lie of one of them.
		if cost, err := b.in.Evaluate(r.Model); err != nil || cost != b.cost {
			return 0, fmt.Errorf("%w: the optimum %d after cost %d", ErrWrongAnswer, cost, b.cost)
		}
	case status == Unknown && b.model != nil:
		status = Satisfiable
	}
	return status, nil
}
