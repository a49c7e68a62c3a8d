package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/validate"
)

// CeilingFile is the name of the table in the folder of a certificate, beside certify.AnswerFile.
const CeilingFile = "bounds.json"

// Write writes the answer and its proof into a folder. An answer without proof is not written.
func (d *Document) Write(dir string) error {
	switch {
	case d.write != nil:
		return d.write(dir)
	case d.proof == nil:
		return nil
	}
	d.Proof.Certificate = dir
	return certify.WriteFiles(dir, map[string]any{CeilingFile: d.proof, certify.AnswerFile: d})
}

// Certify checks the certificate of a policy: the evaluator follows the policy, and the table is to show that none is worth
// more. What is refused is in the report; errors are about files that cannot be read, and the end of ctx.
func Certify(ctx context.Context, dir string, p *load.Problem) (*certify.Report, error) {
	name := filepath.Join(dir, certify.AnswerFile)
	r := &certify.Report{Schema: app.Schema, Accepted: true, Answer: name, Claims: []certify.Claim{}, Unchecked: []string{}}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d := &Document{}
	if err := app.ReadExact(name, data, d, "an answer as plan --policy --json prints it"); errors.As(err, new(*app.NamesError)) {
		return refuse(r, err), nil
	} else if err != nil {
		return nil, err
	}
	if d.Value != nil {
		if d, err = Read(p, name, data); err != nil {
			return nil, err
		}
	}
	again, unchecked, err := d.readAgain(ctx, p, dir, r)
	if err != nil {
		return r, ifRefused(r, err)
	}
	e := certify.Expected{Answer: again, Unchecked: unchecked}
	if r.Unchecked, err = e.Compare(data); err != nil {
		refuse(r, err)
	}
	r.Trusted = []string{"that the problem as it was read, with its probabilities, is the one that is meant", "the checkers themselves"}
	return r, nil
}

// aside are the fields of an answer about which nothing is derived.
var aside = []string{"engine", "seconds", "stopped", "policy", "states", "pairs", "updates", "scenarios", "unseen", "disputed", "agree", "supported", "divided.policies", "divided.whole", "proof.certificate"}

func refuse(r *certify.Report, err error) *certify.Report {
	r.Accepted, r.Refused = false, strings.TrimPrefix(err.Error(), errRefused.Error()+": ")
	return r
}

// errRefused is wrapped by the error about a claim that is refused.
var errRefused = errors.New("refused")

func ifRefused(r *certify.Report, err error) error {
	if errors.Is(err, errRefused) {
		refuse(r, err)
		return nil
	}
	return err
}

// differs says in what the question of a table is not that of an answer to a problem that has a goal or none; it is empty
// where it is.
func (c *Question) differs(d *Document, goal bool, most *int) string {
	disturbances := func(n *int) string {
		if n == nil {
			return "values on average"
		}
		return fmt.Sprintf("runs with at most %d disturbances", *n)
	}
	switch {
	case c.Goal && !goal:
		return "its bounds are for reaching a goal, and the problem has none as it is asked about; expected --goal as it was when they were made"
	case goal && !c.Goal:
		return "its bounds are for no goal, and the problem has one as it is asked about; expected it without --goal"
	case c.Objective != d.Objective:
		return fmt.Sprintf("its objective is %s, and that of %s is %s", c.Objective, certify.AnswerFile, d.Objective)
	case c.Horizon != d.Horizon:
		return fmt.Sprintf("its horizon is %d, and that of %s is %d", c.Horizon, certify.AnswerFile, d.Horizon)
	case disturbances(most) != disturbances(d.Disturbances):
		return fmt.Sprintf("its bounds are for %s, and %s is for %s", disturbances(most), certify.AnswerFile, disturbances(d.Disturbances))
	}
	return ""
}

// anew is a copy of an answer with what the model tells of itself.
func (d *Document) anew(m *model) Document {
	out := *d
	out.Schema, out.Problem, out.Learned = app.Schema, m.p.Problem.Name, m.learned()
	out.Altered, out.Assumed = m.p.Altered, m.p.Assumed()
	return out
}

// again derives the answer anew, from the policy and the table.
func (d *Document) again(ctx context.Context, m *model, name string, data []byte) (*Document, error) {
	table, c, err := readCeiling(m.p, name, data)
	if err != nil {
		return nil, err
	}
	out := d.anew(m)
	out.Status = engine.Infeasible
	out.Reached, out.Steps, out.Rule, out.Sampled = 0, 0, nil, nil
	out.Goal = hasGoal(m.p) && (d.Disturbances == nil || d.Objective == policy.Success)
	if differs := c.differs(d, out.Goal, c.Disturbances); differs != "" {
		return nil, fmt.Errorf("%w: %s: %s", errRefused, name, differs)
	}
	if d.Value != nil {
		if err := out.followed(m); err != nil {
			return nil, err
		}
	}
	found, err := table.Check(ctx, m.of, nil, m.chance)
	if err != nil {
		return nil, err
	}
	if found.Refused != "" {
		return nil, fmt.Errorf("%w: %s: %s", errRefused, name, found.Refused)
	}
	if out.Disturbances == nil {
		out.Excess = nil
	}
	if d.Value != nil {
		out.Table.Ranges = rangesOf(m.p.Problem)
	}
	if out.Blind {
		out.Table.Rows = [][]int{}
	} else {
		out.Plan = nil
	}
	if !d.Blind || d.Value == nil { // of a plan, the bound is what is to be shown
		out.Bound = nil
	}
	if err := out.shown(ctx, m, found); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errRefused, name, err)
	}
	if d.Proof != nil {
		out.Proof.Certificate = d.Proof.Certificate
	}
	if out.Value != nil {
		if out.Status = engine.Feasible; *out.Bound-*out.Value <= tolerance*math.Max(1, math.Abs(*out.Value)) {
			out.Status = engine.Optimal
		}
	}
	return &out, nil
}

// followed has the evaluator follow what an answer says, which then has its verdict.
func (d *Document) followed(m *model) error {
	failure, walk, err := d.value(m)
	if err == nil && failure != nil {
		err = fmt.Errorf("%w: %s", errRefused, app.CheckerFault(m.p.Problem, failure).Text)
	}
	if err != nil {
		return err
	}
	if same, err := d.Table.tells(m, walk); err != nil || !same {
		return cmp.Or(err, fmt.Errorf("%w: the answer's outcomes are not those of the problem", errRefused))
	}
	return nil
}

// value has the evaluator say what the policy is worth, or how it fails, and returns the states that it saw.
func (d *Document) value(m *model) (*validate.Failure, *validate.Walk, error) {
	if d.Disturbances != nil {
		w, err := d.worstCase(m)
		if err != nil {
			return nil, nil, err
		}
		return w.Failure, w.Walk, nil
	}
	odds, err := d.evaluate(m)
	if err != nil {
		return nil, nil, err
	}
	if odds.Failure == nil {
		d.worth(m, odds)
	}
	return odds.Failure, odds.Walk, nil
}

// shows says what a table shows.
func (d *Document) shows() string {
	if d.Value == nil && d.Bound == nil {
		return d.Says()
	}
	if d.Sampled != nil {
		return fmt.Sprintf("no policy is worth more than %v", *d.Bound)
	}
	if d.Blind {
		return fmt.Sprintf("the plan is worth %.12g, and none that sees nothing is worth more than %v", *d.Value, *d.Bound)
	}
	return fmt.Sprintf("the policy is worth %.12g, and none is worth more than %v", *d.Value, *d.Bound)
}
