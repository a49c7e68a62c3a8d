package embedded

import (
	"errors"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/solve/optimize"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// Proof tells where to write a proof of the answer. Of an instance in CNF it is
// in DRAT, of one in OPB in a version of VeriPB's format, VeriPB12 or VeriPB20.
// W is not closed.
type Proof struct {
	W      io.Writer
	Format proof.Format
}

// ErrNoProof is wrapped by the error for an instance that proofs cannot be
// about: one in WCNF, whose soft clauses no checker reads.
var ErrNoProof = errors.New("there are no proofs for WCNF; expected a .cnf or .opb file")

// logger starts the proof of an instance.
func (p *Proof) logger(in *instance.Instance) (*proof.Logger, error) {
	o := proof.Options{Format: p.Format}
	switch in.Format {
	case instance.CNF:
		o.Format = proof.DRAT
	case instance.OPB:
		for i := range in.Linear {
			o.Constraints++
			if in.Linear[i].Op == instance.EQ {
				o.Constraints++
			}
		}
		if in.Optimises {
			o.Objective = make([]proof.Term, len(in.Objective))
			for i, t := range in.Objective {
				o.Objective[i] = proof.Term{Coef: t.Coef, Lit: t.Lit}
			}
		}
	default:
		return nil, ErrNoProof
	}
	return proof.New(p.W, o), nil
}

// prove begins a proof where one is asked for.
func (r *run) prove(o *Options) error {
	if o.Proof == nil {
		return nil
	}
	log, err := o.Proof.logger(r.in)
	if err != nil {
		return err
	}
	r.prover = optimize.NewProver(log)
	r.format = log.Format()
	o.Solver.Trace = r.prover
	return nil
}

// note says what the proof file holds.
func (r *run) note(s instance.Status) string {
	what := "what was learned, no conclusion"
	switch {
	case s == instance.Unsatisfiable:
		what = "no solution exists"
	case s == instance.Optimal:
		what = "no solution costs less"
	case s == instance.Satisfiable && !r.in.Optimises && r.format == proof.DRAT:
		what = "what was learned; the assignment needs no proof"
	case s == instance.Satisfiable && !r.in.Optimises:
		what = "the assignment"
	case r.in.Optimises && r.format == proof.VeriPB20:
		what = "the bounds so far"
	}
	return fmt.Sprintf("proof in %v: %s", r.format, what)
}
