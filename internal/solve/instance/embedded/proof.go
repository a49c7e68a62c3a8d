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
// in DRAT, of one in OPB or WCNF in a version of VeriPB's format. W is not closed.
//
// A WCNF is the pseudo-Boolean problem that VeriPB of that version makes of it, as
// package certify/veripb describes it.
type Proof struct {
	W      io.Writer
	Format proof.Format
}

// ErrNoProof is wrapped by the error for an instance that proofs cannot be
// about: one in WCNF that was not read from a file, whose clauses have no numbers.
var ErrNoProof = errors.New("no proof can be written")

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
			o.Objective = append([]proof.Term{}, in.Objective...)
		}
	default:
		if err := p.soft(in, &o); err != nil {
			return nil, err
		}
	}
	return proof.New(p.W, o), nil
}

// soft describes the problem that VeriPB makes of a WCNF. The variables that it
// adds to soft clauses are those that run.load makes.
func (p *Proof) soft(in *instance.Instance, o *proof.Options) error {
	o.Constraints, o.Objective = int64(in.Clauses.Len()), []proof.Term{}
	o.FirstSoft = in.NumVars + 1
	added := int32(0)
	for i := range in.Soft {
		s := &in.Soft[i]
		switch {
		case !p.relaxes(s) && s.Weight == 0:
			continue
		case !p.relaxes(s) && len(s.Clause) == 0:
			o.Constant += s.Weight
			continue
		case !p.relaxes(s):
			o.Objective = append(o.Objective, proof.Term{Coef: s.Weight, Lit: -s.Clause[0]})
			continue
		case s.Number == 0:
			return fmt.Errorf("%w about soft clause %d: it has no number", ErrNoProof, i+1)
		case p.Format != proof.VeriPB12:
			o.Soft = append(o.Soft, s.Number)
		}
		o.Constraints++
		if s.Weight > 0 {
			o.Objective = append(o.Objective, proof.Term{Coef: s.Weight, Lit: proof.Lit(o.FirstSoft + added)})
		}
		added++
	}
	return nil
}

// relaxes reports whether VeriPB adds a variable to a soft clause. Version 1.2 is of
// a VeriPB that adds one to each.
func (p *Proof) relaxes(s *instance.Soft) bool {
	return p.Format == proof.VeriPB12 || len(s.Clause) > 1
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
	r.proof, r.prover = o.Proof, optimize.NewProver(log)
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
	case r.in.Optimises && r.format.Concludes():
		what = "the bounds so far"
	}
	return fmt.Sprintf("proof in %v: %s", r.format, what)
}
