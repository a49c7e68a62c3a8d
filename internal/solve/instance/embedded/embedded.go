// Package embedded solves instances with the project's own solver: clauses and
// linear constraints as they are, each soft clause by one literal that is true
// where the clause may be false, and the cost minimised by package optimize.
// A proof of the answer may be written on the way: DRAT of a CNF file, VeriPB of
// an OPB or WCNF file.
//
// It is the general use of the engine that FD-SAT-Plan+ is solved with here.
package embedded

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/solve/optimize"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Options bound a run and choose among ways to search.
type Options struct {
	Solver sat.Options
	Memory int64 // bytes of the solver; 0 means no bound
	// Proof, where it is not nil, takes a proof of the answer. Clauses alone are
	// learned then, without cutting planes.
	Proof *Proof
}

// New returns the solver. Its errors wrap sat.ErrOverflow, where a constraint
// or the objective leaves 64 bits once it is put into normal form, ErrNoProof, or are those of a
// proof's writer.
func New(o Options) instance.Solver {
	return func(ctx context.Context, in *instance.Instance, report func(instance.Progress)) (instance.Result, error) {
		if report == nil {
			report = func(instance.Progress) {}
		}
		r := &run{in: in}
		o := o
		if err := r.prove(&o); err != nil {
			return instance.Result{}, err
		}
		r.s = sat.New(o.Solver)
		if err := r.load(ctx); err != nil {
			return instance.Result{}, err
		}
		var result instance.Result
		var err error
		if in.Optimises {
			result, err = r.minimize(ctx, o.Memory, report)
		} else {
			result, err = r.decide(ctx, o.Memory)
		}
		if err != nil {
			return instance.Result{}, err
		}
		if result.Status != instance.Unsatisfiable && result.Status != instance.Optimal && !(result.Status == instance.Satisfiable && !in.Optimises) {
			result.Reason = "the memory was used up"
			if ctx.Err() != nil {
				result.Reason = context.Cause(ctx).Error()
			}
		}
		c := r.s.Stats()
		result.Notes = []string{fmt.Sprintf("%d conflicts, %d decisions, %d propagations, %d restarts, %d learned clauses, %d learned sums", c.Conflicts, c.Decisions, c.Propagations, c.Restarts, c.Learned, c.LinearLearned)}
		if o.Proof != nil {
			result.Notes = append(result.Notes, r.note(result.Status))
		}
		return result, nil
	}
}

// run is one instance in one solver. Variables keep their numbers.
type run struct {
	in   *instance.Instance
	s    *sat.Solver
	cost []sat.Term
	lost int64 // the cost of empty soft clauses

	proof  *Proof // nil where none is written
	prover *optimize.Prover
	format proof.Format // of the proof
}

// loadBatch is how many constraints are added between looks at the context.
const loadBatch = 1 << 14

// load hands the instance over. It stops early when the context ends, or when
// the constraints are known to have no solution; both show again in what is
// asked next.
func (r *run) load(ctx context.Context) error {
	r.s.Grow(r.in.NumVars)
	var lits []sat.Lit
	convert := func(clause []literal.Lit) []sat.Lit {
		lits = lits[:0]
		for _, l := range clause {
			lits = append(lits, sat.FromDIMACS(l))
		}
		return lits
	}
	for i, clause := range r.in.Clauses.All() {
		if i%loadBatch == 0 && ctx.Err() != nil || !r.s.AddClause(convert(clause)...) {
			return nil
		}
	}
	for i := range r.in.Linear {
		if i%loadBatch == 0 && ctx.Err() != nil {
			return nil
		}
		ok, err := r.linear(&r.in.Linear[i])
		if err != nil {
			return fmt.Errorf("linear constraint %d of %d: %w", i+1, len(r.in.Linear), err)
		}
		if !ok {
			return nil
		}
	}
	for i := range r.in.Soft {
		soft := &r.in.Soft[i]
		switch {
		case i%loadBatch == 0 && ctx.Err() != nil:
			return nil
		case !r.relaxes(soft) && len(soft.Clause) == 0:
			r.lost += soft.Weight
		case !r.relaxes(soft) && len(soft.Clause) == 1:
			r.cost = append(r.cost, sat.Term{Coef: soft.Weight, Lit: sat.FromDIMACS(-soft.Clause[0])})
		case !r.relaxes(soft): // it costs nothing
		default:
			// Where the clause holds, nothing makes the new literal true but its
			// cost makes it false.
			lost := r.s.NewVar()
			r.cost = append(r.cost, sat.Term{Coef: soft.Weight, Lit: lost})
			if !r.s.AddClause(append(convert(soft.Clause), lost)...) {
				return nil
			}
		}
	}
	for _, t := range r.in.Objective {
		r.cost = append(r.cost, sat.Term{Coef: t.Coef, Lit: sat.FromDIMACS(t.Lit)})
	}
	return nil
}

// relaxes reports whether a soft clause gets a literal of its own: where a proof is
// about VeriPB's, and else where one is needed.
func (r *run) relaxes(s *instance.Soft) bool {
	if r.proof != nil {
		return r.proof.relaxes(s)
	}
	return len(s.Clause) > 1 && s.Weight > 0
}

// linear adds a constraint as one or two of the solver's, sum >= k.
func (r *run) linear(l *instance.Linear) (ok bool, err error) {
	terms := make([]sat.Term, len(l.Terms))
	add := func(sign int64) (bool, error) {
		for i, t := range l.Terms {
			terms[i] = sat.Term{Coef: sign * t.Coef, Lit: sat.FromDIMACS(t.Lit)}
		}
		return r.s.AddLinear(terms, sign*l.K)
	}
	if l.Op != instance.LE {
		if ok, err = add(1); !ok || err != nil {
			return ok, err
		}
	}
	if l.Op != instance.GE {
		return add(-1)
	}
	return true, nil
}

// decide looks for an assignment.
func (r *run) decide(ctx context.Context, memory int64) (result instance.Result, err error) {
	answer := sat.Unknown
	if !r.s.Consistent() || ctx.Err() == nil { // else perhaps not all was loaded
		answer = r.s.Solve(ctx, nil, sat.Budget{Memory: memory})
	}
	switch answer {
	case sat.Satisfiable:
		result.Status = instance.Satisfiable
		result.Model = make([]bool, r.in.NumVars+1)
		for v := range r.in.NumVars {
			result.Model[v+1] = r.s.Value(sat.Pos(v + 1))
		}
	case sat.Unsatisfiable:
		result.Status = instance.Unsatisfiable
	}
	if r.prover != nil {
		err = r.prover.ConcludeDecision(r.s, answer)
	}
	return result, err
}

// minimize looks for the least cost.
func (r *run) minimize(ctx context.Context, memory int64, report func(instance.Progress)) (instance.Result, error) {
	if r.s.Consistent() && ctx.Err() != nil { // perhaps not all was loaded
		if r.prover != nil {
			return instance.Result{}, r.prover.ConcludeDecision(r.s, sat.Unknown)
		}
		return instance.Result{}, nil
	}
	m, err := optimize.New(r.s, r.cost, r.lost, func(x optimize.Result) {
		report(instance.Progress{Model: r.model(x), Bound: &x.Bound})
	})
	if err != nil {
		return instance.Result{}, err
	}
	if r.prover != nil {
		m.Attach(r.prover)
	}
	x, err := m.Run(ctx, optimize.Limits{Memory: memory})
	if err == nil && r.prover != nil {
		err = r.prover.Conclude(x)
	}
	if err != nil {
		return instance.Result{}, err
	}
	if x.Status == optimize.Infeasible {
		return instance.Result{Status: instance.Unsatisfiable}, nil
	}
	result := instance.Result{Model: r.model(x), Bound: &x.Bound}
	switch x.Status {
	case optimize.Feasible:
		result.Status = instance.Satisfiable
	case optimize.Optimal:
		result.Status = instance.Optimal
	}
	return result, nil
}

// model is a solution without the variables that load added.
func (r *run) model(x optimize.Result) []bool {
	if x.Model == nil {
		return nil
	}
	return x.Model[:r.in.NumVars+1]
}
