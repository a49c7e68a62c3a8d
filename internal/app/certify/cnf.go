package certify

import (
	"context"
	"io"
	"os/exec"
	"strings"

	"github.com/fdplan/fdplan/certify/drat"
	"github.com/fdplan/fdplan/certify/veripb"
)

// clauses checks a DRAT proof that a CNF has no solution: with this program's checker
// and, where it is installed, with drat-trim.
func (r *Report) clauses(ctx context.Context, cnf, proof string) error {
	c := &Claim{File: cnf, Proof: proof, Accepted: true}
	_, err := c.read(ctx, func(problem, proof io.Reader) (veripb.Verdict, error) {
		return veripb.Verdict{Kind: veripb.Unsat}, drat.Check(problem, proof)
	})
	if err != nil {
		return err
	}
	c.Shows, c.Horizon = veripb.Unsat.String(), 0
	if _, err := exec.LookPath(dratTrim); err == nil && c.Accepted {
		// Its exit status differs between versions.
		if err := c.ask(ctx, dratTrim, func(out string, _ error) bool { return strings.Contains(out, "s VERIFIED") }); err != nil {
			return err
		}
	}
	r.alone(c)
	return nil
}

const dratTrim = "drat-trim"

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
