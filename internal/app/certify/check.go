package certify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/verify"
	"github.com/fdplan/fdplan/internal/execution/incremental"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/validate"
)

// Report is what checking a certificate found.
type Report struct {
	Schema   int     `json:"schema"`
	Accepted bool    `json:"accepted"` // every claim is
	Answer   string  `json:"answer"`   // the file with the answer; empty without one
	Refused  string  `json:"refused,omitempty"`
	Claims   []Claim `json:"claims"`
	// Trusted lists what nothing here has checked.
	Trusted []string `json:"trusted"`
	// Unchecked are the fields of the answer that nothing here has derived anew.
	Unchecked []string `json:"not_checked"`
	// Replayed is how many excluded plans were seen to fail in the RDDL.
	Replayed int `json:"replayed,omitempty"`

	// Learned is what was checked of the conclusions from observed steps; absent for other certificates.
	Learned *Learned `json:"learned,omitempty"`

	Shown Shown `json:"-"`

	without []engine.Landmark // plans that the claims are not about
}

// Learned describes clauses that follow from observed steps for all functions of at most K variables.
type Learned struct {
	File    string `json:"file"`
	Rows    int    `json:"rows"`
	Clauses int    `json:"clauses"`
	K       int    `json:"k"`
	All     bool   `json:"all"` // there are no more variables
}

// Shown is what the files of a certificate show besides their claims.
type Shown struct {
	Task      *engine.Task // with the network as Algorithm 1 corrected it; nil where it did not
	Corrected int          // transitions that the network had wrong
	Excluded  int          // plans that the answer is not about
	// Bound is the reward that no plan exceeds, over all horizons; nil where there is no plan,
	// and where nothing is shown of a horizon.
	Bound *float64
	// Unseen is the same for the case that next values that are not supported are free. It is
	// nil without proofs about it, whereas NoneUnseen tells that there is no plan even then.
	Unseen     *float64
	NoneUnseen bool
}

// Files name what is to be checked: a folder, or a problem file and a proof, with an
// answer or without, or a WCNF and a proof, or a CNF and a proof that it has no solution.
type Files struct {
	Folder             string
	OPB, Proof, Answer string
	WCNF               string // in place of OPB
	CNF                string // in place of OPB; Proof is in DRAT then
	Safe               bool   // the problem has supported steps only; an answer says so itself
	// Restate derives the answer anew, when its claims are accepted. Nil compares nothing
	// but the claims. An Expected that is nil is that of an answer that the report refuses.
	Restate func(ctx context.Context, r *Report, name string, data []byte) (*Expected, error)
}

// Against is the problem that files are compared with.
type Against struct {
	Task engine.Task
	// Safe is the task with supported steps only, and Free that in which next values that
	// are not supported are free, for answers of plan --safe.
	Safe, Free func() (engine.Task, error)
	// Confirm replays the plans that Algorithm 1 excluded in the RDDL: its error wraps
	// incremental.ErrHolds if one does not fail. It is nil where there is no RDDL to ask.
	Confirm func(s *incremental.State, horizon int) error
}

// answer is what is read of an answer file.
type answer struct {
	Schema   *int          `json:"schema"`
	Horizon  *int          `json:"horizon"`
	Status   engine.Status `json:"status"`
	Reward   *float64      `json:"reward"`
	Bound    *float64      `json:"bound"`
	Plan     []any         `json:"plan"`
	Property string        `json:"property"`    // of an answer of verify
	Steps    verify.Steps  `json:"next_states"` // that the property is about
	Loop     *struct {
		Simulator string `json:"simulator"`
		Corrected int    `json:"corrected"` // transitions that the network had wrong
	} `json:"incremental"` // of Algorithm 1
	Safe     *bracket `json:"safe"`
	Horizons []struct {
		Horizon int           `json:"horizon"`
		Status  engine.Status `json:"status"`
		Reward  *float64      `json:"reward"`
	} `json:"horizons"`

	data []byte // all of it
}

// Check reads a certificate again: with this program's checker, with the checkers of
// others that are installed and, where p is not nil, against the problem itself. Errors
// are about files that cannot be read; what is refused is in the report.
func Check(ctx context.Context, f Files, p *Against) (*Report, error) {
	r := &Report{Schema: app.Schema, Accepted: true, Claims: []Claim{}, Unchecked: []string{}}
	switch {
	case f.CNF != "":
		return r, r.clauses(ctx, f.CNF, f.Proof)
	case f.WCNF != "":
		return r, r.soft(ctx, f.WCNF, f.Proof)
	}
	var a *answer
	var t *engine.Task
	if f.Folder != "" {
		f.Answer = filepath.Join(f.Folder, AnswerFile)
	}
	if f.Answer != "" {
		data, err := os.ReadFile(f.Answer)
		if err != nil {
			return nil, err
		}
		r.Answer = f.Answer
		if a, err = readAnswer(f.Answer, data); err != nil {
			return r, r.ambiguous(err)
		}
	}
	if p != nil {
		var err error
		if t, err = taskOf(p, &f, a); err != nil {
			return nil, err
		}
	}
	if a != nil {
		if a.Loop != nil {
			if err := r.exclude(f.Folder, a, t, p); err != nil {
				return nil, err
			}
		}
		if err := r.replay(f.Answer, a, t); err != nil {
			return nil, err
		}
	}
	if f.Folder == "" {
		if err := r.pair(ctx, f, a, t); err != nil {
			return nil, err
		}
	} else {
		if err := r.folder(ctx, f.Folder, a, t); err != nil {
			return nil, err
		}
		if err := r.bracket(ctx, f.Folder, a, p); err != nil {
			return nil, err
		}
	}
	r.trust(t)
	return r, r.restate(ctx, &f, a)
}

// restate compares the answer with what is derived anew, unless a claim is refused.
func (r *Report) restate(ctx context.Context, f *Files, a *answer) error {
	if a == nil || f.Restate == nil || !r.Accepted {
		return nil
	}
	e, err := f.Restate(ctx, r, f.Answer, a.data)
	if err != nil || e == nil {
		return r.ambiguous(err)
	}
	if r.Unchecked, err = e.Compare(a.data); err != nil {
		r.refuse("%v", err)
	}
	return nil
}

// taskOf is the task that files are about: a problem's own, that with supported steps only,
// or that of a property's counterexamples.
func taskOf(p *Against, f *Files, a *answer) (*engine.Task, error) {
	t := p.Task
	if f.Safe || a != nil && a.Safe != nil {
		if p.Safe == nil {
			return nil, source.Errorf(f.Answer, 1, 0, `expected no "safe" in the answer about a change`)
		}
		var err error
		if t, err = p.Safe(); err != nil {
			return nil, err
		}
	}
	if a == nil || a.Property == "" {
		return &t, nil
	}
	t, err := Property(t, a.Property, a.Steps)
	if err != nil {
		return nil, source.Errorf(f.Answer, 1, 0, "%v", err)
	}
	return &t, nil
}

func readAnswer(name string, data []byte) (*answer, error) {
	a := answer{data: data}
	if err := app.ReadExact(name, data, &a, "an answer as fdplan plan --json prints it"); err != nil {
		return nil, err
	}
	if a.Schema == nil || *a.Schema != app.Schema || a.Status == "" {
		return nil, source.Errorf(name, 1, 0, `expected an answer with "schema":%d and a status`, app.Schema)
	}
	if a.Property != "" {
		// The counterexamples are the plans of one step.
		if a.Status != Holds {
			return nil, source.Errorf(name, 1, 0, "the property fails; expected one that holds, or a plan")
		}
		horizon := 1
		a.Horizon, a.Status = &horizon, engine.Infeasible
	}
	return &a, nil
}

// ambiguous refuses an answer that readers of JSON could take for different ones. Other errors
// are returned.
func (r *Report) ambiguous(err error) error {
	var at *source.Error
	if errors.As(err, new(*app.NamesError)) && errors.As(err, &at) {
		r.refuse("%s", at.Msg)
		return nil
	}
	return err
}

// refuse notes why the answer as a whole is refused.
func (r *Report) refuse(format string, args ...any) {
	if r.Refused == "" {
		r.Refused = fmt.Sprintf(format, args...)
	}
	r.Accepted = false
}

// replay has the plan of the answer replayed in the problem.
func (r *Report) replay(name string, a *answer, t *engine.Task) error {
	if t == nil || len(a.Plan) == 0 {
		return nil
	}
	plan, err := app.ReadPlan(t.Problem, name, a.data)
	if err != nil {
		r.refuse("%v", err)
		return nil
	}
	report, err := validate.Check(t.Problem, t.Network, plan)
	switch {
	case err != nil:
		return err
	case !report.Valid:
		r.refuse("the plan fails: %v", report.Failure)
	case a.Reward == nil || *app.RewardOf(t.Problem, report.Reward) != *a.Reward:
		r.refuse("the plan's reward is %v, not what the answer says", *app.RewardOf(t.Problem, report.Reward))
	}
	return nil
}

// rddlName is the name of the problem's own RDDL among simulators.
const rddlName = "rddl"

// exclude reads the plans that Algorithm 1 excluded, and has them replayed. Where it corrected
// the network, that of the task becomes the corrected one.
func (r *Report) exclude(dir string, a *answer, t *engine.Task, p *Against) error {
	trust := func(n string) {
		r.Trusted = append(r.Trusted, fmt.Sprintf("that %s plans of %s fail in the simulator %s", n, ExcludedFile, a.Loop.Simulator))
	}
	if t == nil || dir == "" || a.Horizon == nil {
		trust("the excluded")
		return nil
	}
	name := filepath.Join(dir, ExcludedFile)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if a.Loop.Corrected > 0 {
			r.refuse("the network was corrected, and there is no %s to tell how", name)
		}
		return nil // no plan failed; the rows of the file say so too
	}
	if err != nil {
		return err
	}
	s, _, err := incremental.Read(name, data, t.Problem, *a.Horizon)
	if err != nil {
		r.refuse("%v", err)
		return nil
	}
	for _, x := range s.Failures {
		r.without = append(r.without, x.Landmark)
	}
	r.Shown.Excluded = len(s.Failures)
	if !r.correct(name, a.Loop.Corrected, s, t) {
		return nil
	}
	if a.Loop.Simulator != rddlName || p.Confirm == nil {
		trust(fmt.Sprintf("the %d", len(s.Failures)))
		return nil
	}
	switch err := p.Confirm(s, *a.Horizon); {
	case errors.Is(err, incremental.ErrHolds):
		r.refuse("%v", err)
	case err != nil:
		return err
	default:
		r.Replayed = len(s.Failures)
	}
	return nil
}

// correct corrects the network of t to the transitions of s, as many as the answer says.
func (r *Report) correct(name string, wrong int, s *incremental.State, t *engine.Task) bool {
	if wrong == 0 {
		return true // it is about the network as it is
	}
	if t.Network == nil {
		r.refuse("the answer is about a corrected network, and the problem has none")
		return false
	}
	net, n, err := s.Corrected(t.Problem, t.Network)
	switch {
	case err != nil:
		r.refuse("%s: %v", name, err)
		return false
	case n != wrong:
		r.refuse("the answer has %d transitions corrected, %s has %d that the network has wrong", wrong, name, n)
		return false
	}
	t.Network = net
	r.Shown.Task, r.Shown.Corrected = t, n
	r.Trusted = append(r.Trusted, fmt.Sprintf("that the transitions of %s, to %d of which the network is corrected, were observed", ExcludedFile, n))
	return true
}

// check adds a claim.
func (r *Report) check(ctx context.Context, opb, proof string, s *said, t *engine.Task) error {
	c, err := checkFiles(ctx, opb, proof, t, r.without)
	if err != nil {
		return err
	}
	if s != nil {
		c.compare(*s)
	}
	if err := c.askOthers(ctx, nil); err != nil {
		return err
	}
	r.Claims = append(r.Claims, *c)
	r.Accepted = r.Accepted && c.Accepted
	return nil
}

// pair checks one proof and, with an answer, that it shows what that says.
func (r *Report) pair(ctx context.Context, f Files, a *answer, t *engine.Task) error {
	if a == nil {
		return r.check(ctx, f.OPB, f.Proof, nil, t)
	}
	if len(a.Horizons) > 0 || a.Horizon == nil {
		return source.Errorf(f.Answer, 1, 0, "expected an answer about one horizon; a range has a proof for each, in a folder")
	}
	if err := r.check(ctx, f.OPB, f.Proof, &said{a.Status, a.Reward, a.Bound}, t); err != nil {
		return err
	}
	if c := &r.Claims[0]; c.Horizon != *a.Horizon {
		c.refuse("the answer is about horizon %d, the file about %d", *a.Horizon, c.Horizon)
		r.Accepted = false
	}
	r.Shown.Bound = r.Claims[0].Bound
	return nil
}

// horizon checks what a folder has about a horizon.
func (r *Report) horizon(ctx context.Context, dir string, horizon int, s said, t *engine.Task) error {
	err := r.check(ctx, problemFile(dir, horizon), proofFile(dir, horizon), &s, t)
	if errors.Is(err, fs.ErrNotExist) {
		r.refuse("the answer is about horizon %d, and %s has no proof of what it says", horizon, dir)
		return nil
	}
	if err == nil {
		if c := &r.Claims[len(r.Claims)-1]; c.Horizon != horizon {
			c.refuse("the file is about horizon %d", c.Horizon)
			r.Accepted = false
		}
	}
	return err
}

// folder checks each horizon that the answer is about.
func (r *Report) folder(ctx context.Context, dir string, a *answer, t *engine.Task) error {
	one := func(horizon int, s said) error { return r.horizon(ctx, dir, horizon, s, t) }
	if len(a.Horizons) == 0 {
		if a.Horizon == nil {
			return source.Errorf(r.Answer, 1, 0, "expected an answer with a horizon")
		}
		err := one(*a.Horizon, said{a.Status, a.Reward, a.Bound})
		r.Shown.Bound = highest(r.Claims, 1)
		return err
	}
	var best *float64
	settled, at := true, 0
	for _, h := range a.Horizons {
		switch h.Status {
		case engine.Optimal, engine.Infeasible:
			if h.Status == engine.Optimal && h.Reward == nil {
				r.refuse("horizon %d is optimal and has no reward", h.Horizon)
			}
			if err := one(h.Horizon, said{h.Status, h.Reward, h.Reward}); err != nil {
				return err
			}
			if h.Status == engine.Optimal && h.Reward != nil && (best == nil || *h.Reward > *best) {
				best, at = h.Reward, h.Horizon
			}
		default:
			settled = false
			if a.Bound == nil {
				continue // nothing is said of it
			}
			s := said{status: h.Status, bound: a.Bound}
			if a.Horizon != nil && *a.Horizon == h.Horizon {
				s.reward = a.Reward
			}
			if err := one(h.Horizon, s); err != nil {
				return err
			}
		}
	}
	switch {
	case a.Status == engine.Infeasible && (!settled || best != nil):
		r.refuse("the answer is infeasible, its horizons are not")
	case a.Status == engine.Optimal && (!settled || best == nil || a.Reward == nil || *a.Reward != *best || a.Horizon == nil || *a.Horizon != at):
		r.refuse("the answer is not the best of its horizons")
	case a.Bound != nil && best != nil && *best > *a.Bound:
		r.refuse("a horizon has a plan of a higher reward than the answer's bound")
	}
	r.Shown.Bound = highest(r.Claims, len(a.Horizons))
	return nil
}

// highest is the highest bound of the claims about so many horizons; nil where there is no plan
// of any, and where one has no bound.
func highest(claims []Claim, horizons int) (most *float64) {
	if len(claims) < horizons {
		return nil
	}
	for i := range claims {
		switch c := &claims[i]; {
		case c.kind == veripb.Unsat:
		case c.Bound == nil:
			return nil
		case most == nil || *c.Bound > *most:
			most = c.Bound
		}
	}
	return most
}

// trust lists what nothing here has checked.
func (r *Report) trust(t *engine.Task) {
	if t == nil {
		r.Trusted = append(r.Trusted, "that the problem files say what the problem means; with --problem they are compared with it")
	} else {
		r.Trusted = append(r.Trusted, "that the problem as it was read, from network and RDDL or translation files, is the one that is meant")
	}
	r.Trusted = append(r.Trusted, "the checkers themselves")
}

// Refuted checks the files of a folder that say that a task has no plan of a horizon, and adds the claim.
func (r *Report) Refuted(ctx context.Context, dir string, horizon int, t *engine.Task) error {
	return r.horizon(ctx, dir, horizon, said{status: engine.Infeasible}, t)
}
