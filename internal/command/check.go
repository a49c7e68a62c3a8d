package command

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
)

type checkCmd struct {
	Domain   string `arg:"" help:"RDDL file with the domain, which may have instances too, or any problem, as plan takes it." placeholder:"D.rddl"`
	Instance string `arg:"" optional:"" help:"RDDL file with the instance and its non-fluents." placeholder:"I.rddl"`
	// Of a log.
	Contradictions bool `help:"List the rows of a log with the same state and action and different next states: check TASK DATA --contradictions."`
	JSON           bool `name:"json" help:"Print one JSON object."`
	load.Question
	load.Edits
	app.Bounds
	progressFlags
}

// Run checks the files and prints what is in them.
func (c *checkCmd) Run(ctx context.Context, a *environment) error {
	if c.Contradictions {
		return c.contradictions(ctx, a)
	}
	changes := load.Changes{Edits: c.Edits}
	if c.Instance == "" && (!strings.EqualFold(filepath.Ext(c.Domain), ".rddl") || c.Goal != "" || len(c.Range) > 0 || !changes.None()) {
		return c.problem(ctx, a, changes)
	}
	names := []string{c.Domain}
	if c.Instance != "" {
		names = append(names, c.Instance)
	}
	found, err := inspect.CheckRDDL(ctx, names)
	if err != nil {
		return err
	}
	for _, w := range found.Warnings {
		a.warn(w)
	}
	return a.answer(c.JSON, "", found, func(w io.Writer) { writeChecked(w, found) })
}

// problem checks a problem of any form, with what is asked of it.
func (c *checkCmd) problem(ctx context.Context, a *environment, changes load.Changes) error {
	r := load.Ref{Name: c.Domain, Source: load.Source{Question: c.Question}, Chance: true}
	if err := r.Resolve(); err != nil {
		return err
	}
	r.Untrained = !load.HasNetwork(r)
	p, err := loadProblem(ctx, r, changes)
	if err != nil {
		return limited(ctx, err)
	}
	s := inspect.Show(p)
	return a.answer(c.JSON, "", s, func(w io.Writer) {
		fmt.Fprintf(w, "%s: nothing is wrong; %s, %s, %s of the goal\n", s.Problem, counted.Of(s.Bits["state"], "state bit"), counted.Of(s.Bits["action"], "action bit"),
			counted.Of(len(s.Goal), "condition"))
	})
}

func writeChecked(b io.Writer, found *inspect.Checked) {
	for i, p := range found.Programs {
		if i > 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "domain %s: %s, %s, %s, %s, %s, %s\n", p.Domain, counted.Of(p.Types, "type"), counted.Of(p.CPFs, "cpf"), counted.Of(p.Preconds, "precondition"),
			counted.Of(p.Invariants, "invariant"), counted.Of(p.Constraints, "state-action constraint"), counted.Of(p.Termination, "termination condition"))
		fmt.Fprintf(b, "  pvariables: %s\n", counts(p.PVariables))
		if p.Ground == nil {
			continue
		}
		g := p.Ground
		fmt.Fprintf(b, "instance %s: objects: %s\n", p.Instance, counts(p.Objects))
		fmt.Fprintf(b, "  grounded: %s, %s, %d intermediate, %s", counted.Of(g.States, "state"), counted.Of(g.Actions, "action"), g.Intermediate, counted.Of(g.Observations, "observation"))
		if g.Deterministic {
			fmt.Fprint(b, ", deterministic\n")
		} else {
			fmt.Fprint(b, ", stochastic\n")
		}
		if p.Horizon != nil {
			fmt.Fprintf(b, "  horizon %d\n", *p.Horizon)
		}
		if p.MaxActions != nil {
			fmt.Fprintf(b, "  at most %s at once\n", counted.Of(*p.MaxActions, "action"))
		}
	}
}

// counts lists a map of counts by name.
func counts(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d %s", m[k], k))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
