package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/inspect"
)

type checkCmd struct {
	Domain   string `arg:"" help:"RDDL file with the domain; it may contain instances too." placeholder:"D.rddl"`
	Instance string `arg:"" optional:"" help:"RDDL file with the instance and its non-fluents." placeholder:"I.rddl"`
	// Of a log.
	Contradictions bool `help:"List the rows of a log with the same state and action and different next states: check TASK DATA --contradictions."`
	JSON           bool `name:"json" help:"Print one JSON object."`
	bounds
}

// Run checks the files and prints what is in them.
func (c *checkCmd) Run(a *environment) error {
	ctx, cancel := c.context(a)
	defer cancel()
	if c.Contradictions {
		return c.contradictions(ctx, a)
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
	return a.answer(c.JSON, "", found, func(w io.Writer) error { return writeChecked(w, found) })
}

func writeChecked(w io.Writer, found *inspect.Checked) error {
	var b strings.Builder
	for i, p := range found.Programs {
		if i > 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "domain %s: %d types, %d cpfs, %d preconditions, %d invariants, %d state-action constraints, %d termination conditions\n",
			p.Domain, p.Types, p.CPFs, p.Preconds, p.Invariants, p.Constraints, p.Termination)
		fmt.Fprintf(&b, "  pvariables: %s\n", counts(p.PVariables))
		if p.Ground == nil {
			continue
		}
		g := p.Ground
		fmt.Fprintf(&b, "instance %s: objects: %s\n", p.Instance, counts(p.Objects))
		fmt.Fprintf(&b, "  grounded: %d states, %d actions, %d intermediate, %d observations", g.States, g.Actions, g.Intermediate, g.Observations)
		if g.Deterministic {
			fmt.Fprint(&b, ", deterministic\n")
		} else {
			fmt.Fprint(&b, ", stochastic\n")
		}
		if p.Horizon != nil {
			fmt.Fprintf(&b, "  horizon %d\n", *p.Horizon)
		}
		if p.MaxActions != nil {
			fmt.Fprintf(&b, "  at most %d actions at once\n", *p.MaxActions)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
