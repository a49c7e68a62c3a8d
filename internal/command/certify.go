package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/act"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/app/proofs"
	"github.com/fdplan/fdplan/internal/app/robust"
	"github.com/fdplan/fdplan/internal/counted"
)

type certifyCmd struct {
	load.Changes
	app.Effort
	progressFlags
	Dir     string `arg:"" optional:"" help:"Folder that plan, verify or explain --certify wrote." placeholder:"DIR"`
	OPB     string `name:"opb" help:"Problem file, with --proof instead of a folder; may be compressed, by gzip or Zstandard." placeholder:"FILE"`
	WCNF    string `name:"wcnf" help:"WCNF that solve was given, with --proof; either may be compressed." placeholder:"FILE"`
	CNF     string `name:"cnf" help:"CNF that solve was given, with --proof: a DRAT proof that it has no solution." placeholder:"FILE"`
	Proof   string `help:"VeriPB proof about the problem file; may be compressed, by gzip or Zstandard." placeholder:"FILE"`
	Plan    string `help:"Answer of plan --json that the proof is to show." placeholder:"FILE"`
	Problem string `help:"Compare the problem files with this problem, replay the plan in it, and derive the answer anew." placeholder:"PROBLEM"`
	load.Source
	Safe bool   `help:"The problem file has the constraints of plan --safe; not needed with DIR or --plan."`
	JSON bool   `name:"json" help:"Print one JSON object."`
	Out  string `short:"o" help:"Write the report to a file." placeholder:"FILE"`
}

// Run checks a certificate; exit status 4 if anything is refused.
func (c *certifyCmd) Run(ctx context.Context, a *environment) error {
	files := certify.Files{Folder: c.Dir, OPB: c.OPB, WCNF: c.WCNF, CNF: c.CNF, Proof: c.Proof, Answer: c.Plan, Safe: c.Safe}
	clauses := c.CNF != "" || c.WCNF != ""
	switch {
	case clauses && (c.Proof == "" || c.Dir != "" || c.OPB != "" || c.Plan != "" || c.Problem != "" || c.Domain != "" || c.CNF != "" && c.WCNF != ""):
		return errors.New("--cnf FILE and --wcnf FILE each go with --proof FILE alone")
	case c.Dir == "" && !clauses && (c.OPB == "" || c.Proof == ""):
		return errors.New("nothing to check is named; expected DIR, or --opb FILE and --proof FILE")
	case c.Dir != "" && (c.OPB != "" || c.Proof != "" || c.Plan != ""):
		return errors.New("DIR has its own files; expected no --opb, --proof or --plan with it")
	case c.Problem == "" && c.Domain == "" && c.Safe:
		return errors.New("--safe is about the problem that the file is compared with; expected --problem or --domain too")
	case c.Problem == "" && c.Domain == "" && c.Files != "":
		return errors.New("--files goes with --problem; expected the problem's name")
	}
	if certify.Has(c.Dir, policy.CeilingFile) || certify.Has(c.Dir, policy.ScenariosFile) {
		return c.report(ctx, a, func() (*certify.Report, error) { return c.policy(ctx) })
	}
	if certify.Has(c.Dir, robust.ProofFile) {
		return c.report(ctx, a, func() (*certify.Report, error) { return c.robust(ctx) })
	}
	if c.Dir != "" {
		if err := act.Uncertified(c.Dir); err != nil {
			return err
		}
	}
	if certify.Has(c.Dir, act.LearnedFile) {
		return c.checkLearned(ctx, a)
	}
	var problem *load.Problem
	if c.Problem != "" || c.Domain != "" {
		var err error
		if problem, err = loadProblem(ctx, load.Ref{Name: c.Problem, Source: c.Source}, c.Changes); err != nil {
			return err
		}
	}
	return c.report(ctx, a, func() (*certify.Report, error) { return proofs.Check(ctx, files, problem) })
}

// report prints what a check says.
func (c *certifyCmd) report(ctx context.Context, a *environment, check func() (*certify.Report, error)) error {
	report, err := check()
	if err != nil {
		return limited(ctx, err)
	}
	err = a.answer(c.JSON, c.Out, report, func(w io.Writer) { writeReport(w, report) })
	if err == nil && !report.Accepted {
		return exitStatus(exitNo)
	}
	return err
}

// policy checks the certificate of a policy.
func (c *certifyCmd) policy(ctx context.Context) (*certify.Report, error) {
	if c.Problem == "" && c.Domain == "" {
		return nil, errors.New("the certificate of a policy is about a problem; expected --problem or --domain")
	}
	p, err := loadProblem(ctx, load.Ref{Name: c.Problem, Source: c.Source, Chance: true}, c.Changes)
	if err != nil {
		return nil, err
	}
	return policy.Certify(ctx, c.Dir, p)
}

// robust checks the certificate that no plan holds against every error.
func (c *certifyCmd) robust(ctx context.Context) (*certify.Report, error) {
	if c.Problem == "" && c.Domain == "" {
		return nil, errors.New("the certificate of plan --robust is about a problem; expected --problem or --domain")
	}
	p, err := loadProblem(ctx, load.Ref{Name: c.Problem, Source: c.Source}, c.Changes)
	if err != nil {
		return nil, err
	}
	return robust.Certify(ctx, c.Dir, p)
}

// writeReport writes the report as text.
func writeReport(w io.Writer, r *certify.Report) {
	for i := range r.Claims {
		writeClaim(w, &r.Claims[i])
	}
	if r.Answer != "" {
		if r.Refused != "" {
			fmt.Fprintf(w, "%s: REFUSED: %s\n", r.Answer, r.Refused)
		} else if r.Accepted {
			fmt.Fprintf(w, "%s: accepted\n", r.Answer)
		}
	}
	if l := r.Learned; l != nil {
		of := fmt.Sprintf("of at most %d variables", l.K)
		if l.All {
			of = "of the variables"
		}
		fmt.Fprintf(w, "%s: %s, each of which follows from %s for every function %s\n", l.File, counted.Of(l.Clauses, "clause"), counted.Of(l.Rows, "observed step"), of)
	}
	if r.Replayed > 0 {
		fmt.Fprintf(w, "%s replayed in the RDDL: each fails\n", counted.Of(r.Replayed, "excluded plan"))
	}
	if len(r.Unchecked) > 0 {
		fmt.Fprintf(w, "Not checked: %s\n", strings.Join(r.Unchecked, ", "))
	}
	if len(r.Trusted) > 0 {
		fmt.Fprintf(w, "What remains trusted:\n")
	}
	for _, t := range r.Trusted {
		fmt.Fprintf(w, "  %s\n", t)
	}
}

func writeClaim(w io.Writer, c *certify.Claim) {
	if !c.Accepted {
		fmt.Fprintf(w, "%s: REFUSED: %s\n", c.Proof, c.Refused)
	} else {
		fmt.Fprintf(w, "%s: accepted for %s", c.Proof, c.File)
		if c.Horizon > 0 {
			fmt.Fprintf(w, ", horizon %d", c.Horizon)
		}
		fmt.Fprintf(w, ": %s", c.Shows)
		switch {
		case c.Reward != nil && c.Bound != nil && *c.Reward == *c.Bound:
			fmt.Fprintf(w, ", the best reward is %v", *c.Reward)
		default:
			if c.Reward != nil {
				fmt.Fprintf(w, ", a plan has reward %v", *c.Reward)
			}
			if c.Bound != nil {
				fmt.Fprintf(w, ", none has more than %v", *c.Bound)
			}
		}
		fmt.Fprintln(w)
	}
	if c.Translation != nil && *c.Translation {
		fmt.Fprintf(w, "%s: the problem, row by row\n", c.File)
	}
	for _, o := range c.Others {
		switch {
		case o.Accepted == nil:
			fmt.Fprintf(w, "%s: not read by %s: %s\n", c.Proof, o.Checker, o.Says)
		case *o.Accepted:
			fmt.Fprintf(w, "%s: accepted by %s too\n", c.Proof, o.Checker)
		}
	}
}
