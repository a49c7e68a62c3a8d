package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/robust"
	"github.com/fdplan/fdplan/internal/engine"
)

var errWithinLog = errors.New("--within-log is about the actions of --robust; expected that too")

// againstErrors plans against the errors of quantities.
func (c *planCmd) againstErrors(ctx context.Context, a *environment) error {
	p, err := loadProblem(ctx, c.Ref, c.Changes)
	if err != nil {
		return limited(ctx, err)
	}
	d, err := robust.Plan(ctx, p, robust.Request{Against: c.Against, Horizon: c.Horizon, Now: a.now, Started: a.started, Scenario: c.Effort.Seed, Folder: string(c.Certify), Warn: a.warn})
	if err != nil {
		return limited(ctx, err)
	}
	doc := &execute.Document{Document: *d}
	if doc.Status != engine.Unknown {
		return c.tell(a, doc, nil)
	}
	if err := a.answer(c.JSON, c.Out, doc, func(w io.Writer) { writePlan(w, doc) }); err != nil {
		return err
	}
	return exitStatus(exitLimit)
}

// eachStep has a run plan again in each step, against the errors of quantities.
func (c *runCmd) eachStep(ctx context.Context, a *environment, p *load.Problem, r *execute.RunRequest) (func() execute.Chooser, error) {
	if c.Policy.Given || c.Every != 1 || c.Horizon.Min != c.Horizon.Max {
		return nil, errors.New("run --robust plans again in each step, up to one horizon; expected neither --policy nor --replan-every, and -H N")
	}
	f, err := robust.NewFollower(ctx, p, robust.FollowRequest{Against: c.Against, Horizon: c.Horizon.Max, Seed: c.Effort.Seed, Threads: a.limits(c.Effort).Threads, Ends: r.Until != execute.UntilSteps})
	if err != nil {
		return nil, err
	}
	r.Follow = f
	return func() execute.Chooser { return f.Again() }, nil
}

// shownSteps are those of a tube that are printed, beside the last.
var shownSteps = []int{0, 1, 3, 5, 10, 20}

// writeRobust writes what is known for every error.
func writeRobust(b io.Writer, r *plan.Robust) {
	if r == nil {
		return
	}
	for _, s := range r.Says {
		if !strings.HasPrefix(s, "run ") { // a command
			s = strings.ToUpper(s[:1]) + s[1:]
		}
		fmt.Fprintf(b, "%s.\n", s)
	}
	for _, l := range r.Tube {
		last := len(l.Low) - 1
		var parts []string
		for k := range l.Low {
			if slices.Contains(shownSteps, k) || k == last {
				parts = append(parts, fmt.Sprintf("%g..%g after %d", l.Low[k], l.High[k], k))
			}
		}
		fmt.Fprintf(b, "tube of %s: %s\n", l.Name, strings.Join(parts, ", "))
	}
	writeBeyond(b, r.Outside)
}

// writeStated writes the chance of planning again in each step.
func writeStated(w io.Writer, s *plan.Stated) {
	if s == nil {
		return
	}
	writeSentence(w, s.Says)
	fmt.Fprintf(w, "Rules are kept against every error of one step within the bands where an action does so; nothing is proven of whole runs.\n")
	writeBeyond(w, s.Outside)
}

func writeBeyond(w io.Writer, outside []string) {
	if len(outside) > 0 {
		fmt.Fprintf(w, "The actions leave what the log shows, where nothing supports the functions: %s. --within-log forbids that.\n", strings.Join(outside, "; "))
	}
}
