package divide

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// The joined proof. A new variable g is defined by g <=> (objective >= b), with b what is to
// be shown. Each part ends in "with the cube, objective >= b' " for a b' >= b, or "not the
// cube"; with the definition of g its clause is: g, or not the cube. The clauses of two cubes
// that differ in the bit that their parent was split at give the parent's clause by
// propagation, and that of a cube that propagation refutes follows by itself. So the clauses
// go up the tree, and the root's is g alone. Nothing has to be said of which joint actions
// there are: the two values of a bit are all.

// ErrMissing is wrapped by the error for a joint proof that lacks the proof of a cube.
var ErrMissing = errors.New("a cube has no proof")

// joint joins the proofs of one run.
type joint struct {
	r         *run
	file      *model.Model // that the proof is about
	objective []proof.Term
	shift     int64 // the file's objective is the cost plus shift
	log       *proof.Logger
	cost      int64     // that no plan is below; what the proof shows
	used      int32     // variables
	g         proof.Lit // 0 where there is nothing to bound
	only      proof.ID
	when      proof.ID
}

// join writes the proof of what is known: of the best plan and of the bound that the proofs
// of the units show, which it returns; nil where there is no plan at all.
func (r *run) join(ctx context.Context, w io.Writer, f proof.Format) (*int64, error) {
	j := &joint{r: r}
	var err error
	j.file, err = model.New(r.task.Problem, r.task.Network, r.horizon, model.Options{Propagate: !r.Literal, Context: ctx})
	if err != nil {
		return nil, err
	}
	n, err := format.Inequalities(ctx, j.file)
	if err != nil {
		return nil, err
	}
	j.objective, j.shift = j.file.Minimised()
	j.used = j.file.NumVars()
	j.log = proof.New(w, proof.Options{Format: f, Constraints: n, Objective: j.objective})
	return j.write(ctx)
}

// write writes all of it.
func (j *joint) write(ctx context.Context) (*int64, error) {
	bound, none := j.r.root.bound(j.r.most, true)
	if j.r.trace != nil {
		bound = max(bound, j.r.reward)
	}
	if !none {
		if j.cost = j.r.most - bound; j.cost > 0 {
			j.used++
			j.g = proof.Lit(j.used)
			j.only, j.when = j.log.Reify(j.g, j.objective, j.cost+j.shift)
		}
	}
	var whole proof.ID
	if none || j.g != 0 {
		var err error
		if whole, err = j.node(ctx, j.r.root); err != nil {
			return nil, err
		}
	}
	if none {
		j.log.ConcludeUnsat(whole)
		return nil, j.log.Close()
	}
	if j.g != 0 {
		j.log.BeginPol(j.only)
		j.log.Add(whole, j.cost)
		whole = j.log.EndPol()
	}
	if err := j.conclude(ctx, whole); err != nil {
		return nil, err
	}
	return &bound, j.log.Close()
}

// clause adds that g holds or a cube does not.
func (j *joint) clause(n *node) proof.ID {
	var lits []proof.Lit
	if j.g != 0 {
		lits = append(lits, j.g)
	}
	for _, g := range n.cube {
		lits = append(lits, j.file.Var(g.Step, g.Bit).If(!g.Value))
	}
	return j.log.Learn(lits)
}

// node derives the clause of a node from its own proof, if that shows enough, or from its
// children's.
func (j *joint) node(ctx context.Context, n *node) (proof.ID, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if n.refuted {
		return j.clause(n), nil
	}
	if o := n.told(true); o != nil && (o.Infeasible || j.g != 0 && o.Bound != nil && j.r.most-*o.Bound >= j.cost) {
		return j.part(n, o)
	}
	if len(n.children) == 0 {
		return 0, fmt.Errorf("%w: cube %q", ErrMissing, n.id)
	}
	var clauses []proof.ID
	for _, c := range n.children {
		id, err := j.node(ctx, c)
		if err != nil {
			return 0, err
		}
		clauses = append(clauses, id)
	}
	id := j.clause(n)
	j.log.DeleteAll(clauses)
	return id, nil
}

// part appends the proof of a unit and derives its clause.
func (j *joint) part(n *node, o *Outcome) (proof.ID, error) {
	z, err := gzip.NewReader(bytes.NewReader(o.Proof))
	if err != nil {
		return 0, fmt.Errorf("the proof of cube %q: %w", n.id, err)
	}
	part, err := j.log.Append(z, j.file.NumVars(), j.used)
	if err != nil {
		return 0, fmt.Errorf("the proof of cube %q: %w", n.id, err)
	}
	j.used = part.Variables
	done := part.Live
	if !o.Infeasible {
		j.log.BeginPol(part.Result)
		j.log.Add(j.when, 1)
		done = append(done, j.log.EndPol())
	}
	id := j.clause(n)
	j.log.DeleteAll(done)
	return id, nil
}

// conclude shows the best plan and ends the proof; lower is the constraint that bounds the
// objective, 0 for none.
func (j *joint) conclude(ctx context.Context, lower proof.ID) error {
	least := j.cost + j.shift
	if j.r.trace == nil {
		j.log.ConcludeBounds(least, 0, false, lower)
		return nil
	}
	lits, err := j.solution(ctx)
	if err != nil {
		return err
	}
	improving := j.log.Solution(lits)
	value := j.r.most - j.r.reward
	if value > j.cost {
		j.log.ConcludeBounds(least, value+j.shift, true, lower)
		return nil
	}
	if lower != 0 {
		j.log.BeginPol(improving)
		j.log.Add(lower, 1)
		j.log.EndPol()
	}
	j.log.ConcludeOptimal(value+j.shift, j.log.Contradiction())
	return nil
}

// solution returns the best plan as literals of all bits, auxiliary ones of the least cost
// among them. Hidden units follow by propagation.
func (j *joint) solution(ctx context.Context) ([]proof.Lit, error) {
	one, err := step.New(j.r.task)
	if err != nil {
		return nil, err
	}
	trace, err := one.Complete(ctx, j.r.trace)
	if err != nil {
		return nil, err
	}
	bits, _ := j.file.Literals(trace)
	return bits, nil
}
