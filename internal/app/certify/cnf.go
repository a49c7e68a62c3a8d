package certify

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fdplan/fdplan/certify/drat"
	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/source"
)

// clauses checks a DRAT proof that a CNF has no solution: with this program's checker
// and, where it is installed, with drat-trim.
func (r *Report) clauses(ctx context.Context, cnf, proof string) error {
	c := &Claim{File: cnf, Proof: proof, Accepted: true, Shows: "unsatisfiable"}
	formula, err := open(ctx, cnf)
	if err != nil {
		return err
	}
	defer formula.Close()
	steps, err := open(ctx, proof)
	if err != nil {
		return err
	}
	defer steps.Close()
	var fault *source.Error
	switch err := drat.Check(formula, steps); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &fault):
		c.refuseFault(fault)
	case err != nil:
		return err
	}
	if err := c.askTrim(ctx); err != nil {
		return err
	}
	r.alone(c)
	return nil
}

// alone adds a claim about a file that stands for itself.
func (r *Report) alone(c *Claim) {
	r.Claims = append(r.Claims, *c)
	r.Accepted = r.Accepted && c.Accepted
	r.Trusted = append(r.Trusted, "that the file says what is meant", "the checkers themselves")
}

// soft checks a VeriPB proof about a WCNF.
func (r *Report) soft(ctx context.Context, wcnf, proof string) error {
	c := &Claim{File: wcnf, Proof: proof, Accepted: true}
	if _, err := c.read(ctx, veripb.CheckWCNF); err != nil {
		return err
	}
	if err := c.askOthers(ctx, wcnfDialect); err != nil {
		return err
	}
	r.alone(c)
	return nil
}

// askTrim has drat-trim read the proof too, if it is installed. Its refusal refuses the
// claim.
func (c *Claim) askTrim(ctx context.Context) error {
	tool, err := exec.LookPath("drat-trim")
	if err != nil || !c.Accepted {
		return nil
	}
	dir, err := os.MkdirTemp("", "fdplan-certify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	formula, err := plain(ctx, c.File, filepath.Join(dir, "a.cnf"))
	if err != nil {
		return err
	}
	steps, err := plain(ctx, c.Proof, filepath.Join(dir, "a.drat"))
	if err != nil {
		return err
	}
	out, _ := run(ctx, tool, formula, steps) // its exit status differs between versions
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.hear("drat-trim", out, strings.Contains(out, "s VERIFIED"))
	return nil
}
