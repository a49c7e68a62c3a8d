package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/counted"
)

type checkCmd struct {
	Domain   string `arg:"" help:"RDDL file with the domain; it may contain instances too." placeholder:"D.rddl"`
	Instance string `arg:"" optional:"" help:"RDDL file with the instance and its non-fluents." placeholder:"I.rddl"`
	// Of a log.
	Contradictions bool `help:"List the rows of a log with the same state and action and different next states: check TASK DATA --contradictions."`
	JSON           bool `name:"json" help:"Print one JSON object."`
	app.Bounds
}

// Run checks the files and prints what is in them.
func (c *checkCmd) Run(a *environment) error {
	ctx, cancel := a.context(c.Bounds)
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
		fmt.Fprintf(&b, "domain %s: %s, %s, %s, %s, %s, %s\n", p.Domain, counted.Of(p.Types, "type"), counted.Of(p.CPFs, "cpf"), counted.Of(p.Preconds, "precondition"),
			counted.Of(p.Invariants, "invariant"), counted.Of(p.Constraints, "state-action constraint"), counted.Of(p.Termination, "termination condition"))
		fmt.Fprintf(&b, "  pvariables: %s\n", counts(p.PVariables))
		if p.Ground == nil {
			continue
		}
		g := p.Ground
		fmt.Fprintf(&b, "instance %s: objects: %s\n", p.Instance, counts(p.Objects))
		fmt.Fprintf(&b, "  grounded: %s, %s, %d intermediate, %s", counted.Of(g.States, "state"), counted.Of(g.Actions, "action"), g.Intermediate, counted.Of(g.Observations, "observation"))
		if g.Deterministic {
			fmt.Fprint(&b, ", deterministic\n")
		} else {
			fmt.Fprint(&b, ", stochastic\n")
		}
		if p.Horizon != nil {
			fmt.Fprintf(&b, "  horizon %d\n", *p.Horizon)
		}
		if p.MaxActions != nil {
			fmt.Fprintf(&b, "  at most %s at once\n", counted.Of(*p.MaxActions, "action"))
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
