// Package domain implements the use case of learning lifted action models from trajectories: a PDDL domain of what every precondition of a class
// allows that no row contradicts, and one of what some precondition allows.
package domain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/learn/actions"
	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/internal/source"
)

// Options says which preconditions are thought possible.
type Options = actions.Options

// Document is the answer of training a domain.
type Document struct {
	Schema  int               `json:"schema"`
	Domain  string            `json:"domain"`
	Files   int               `json:"files"`
	Rows    int               `json:"rows"` // transitions, failures apart
	Failed  int               `json:"failed"`
	Actions []*actions.Action `json:"actions"`
	// Class is the class of preconditions that the domain is safe for.
	Class string `json:"class"`
	// Files that were written.
	Safe       string `json:"safe"`
	Optimistic string `json:"optimistic"`

	model *actions.Model
}

// Train learns the actions of a domain from a trajectory, a table, or a folder of these. Without a domain file, that of a table follows from its columns.
// A file of relevant functions is a JSON object of actions, each with a list.
func Train(ctx context.Context, domain, data, relevant string, o actions.Options) (*Document, error) {
	d, runs, files, err := read(domain, data)
	if err != nil {
		return nil, err
	}
	if relevant != "" {
		text, err := load.ReadFile(relevant)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &o.Relevant); err != nil {
			return nil, source.Errorf(relevant, 0, 0, "%v; expected an object such as {\"load\": [\"(weight ?crate)\"]}", err)
		}
	}
	m, err := actions.Learn(ctx, d, runs, o)
	if errors.Is(err, actions.ErrRelevant) {
		return nil, source.Errorf(relevant, 0, 0, "%v", err)
	}
	if err != nil {
		return nil, err
	}
	out := &Document{Schema: app.Schema, Domain: d.Name, Files: files, Actions: m.Actions, Class: class(o, d, m.Actions), model: m}
	for _, a := range m.Actions {
		out.Rows, out.Failed = out.Rows+a.Rows, out.Failed+a.Failed
	}
	return out, out.replay(ctx, runs)
}

// class names a class of preconditions.
func class(o actions.Options, d *pddl.Domain, learned []*actions.Action) string {
	text := "conjunctions of literals"
	if o.Clauses > 1 {
		text = fmt.Sprintf("conjunctions of clauses of at most %d literals", o.Clauses)
	}
	switch {
	case len(d.Functions) == 0:
	case o.Terms == 0:
		text += ", which read no numbers"
	default:
		text += fmt.Sprintf(", linear equations, and linear inequalities of at most %s", counted.Of(o.Terms, "function"))
		if o.Relevant != nil {
			text += ", of those that are named as relevant"
		}
		var plain []string
		for _, a := range learned {
			if a.Plain {
				plain = append(plain, a.Name)
			}
		}
		if plain != nil {
			text += fmt.Sprintf(", with factors 1 and -1 alone for %s, where the numbers in others are too large", strings.Join(plain, ", "))
		}
	}
	return text
}

// replay takes every row in the safe domain, by the validator of plans: what was learned must allow it, and lead to the state after it.
func (t *Document) replay(ctx context.Context, runs []*pddl.Trajectory) error {
	of := map[string]*actions.Action{}
	for _, a := range t.Actions {
		of[a.Name] = a
	}
	for _, run := range runs {
		for i := range run.Transitions {
			x := &run.Transitions[i]
			a := of[x.Name]
			if x.After == nil || a.Idle > 0 && x.Idle() || a.Unknown != "" || a.LeftOut > 0 && twice(x.Args) {
				continue
			}
			if err := t.model.Safe.Replay(run, x); err != nil {
				return fmt.Errorf("%w: the learned domain refuses %s, line %s: %w", app.ErrInternal, x.Step, x.Place(), err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// twice reports whether an object is named twice.
func twice(args []string) bool {
	sorted := slices.Sorted(slices.Values(args))
	return len(slices.Compact(sorted)) < len(args)
}

// OptimisticFile is the name of the file with the optimistic side, beside that of the safe side.
func OptimisticFile(safe string) string {
	return strings.TrimSuffix(safe, ".pddl") + ".optimistic.pddl"
}

// WriteSafe writes the safe side.
func (t *Document) WriteSafe(w io.Writer) error {
	_, err := io.WriteString(w, t.model.Safe.Text("Learned from "+counted.Of(t.Rows, "row")+": each action is possible where every precondition allows it that no row",
		"contradicts, of the class: "+t.Class+".", "Effects are the shortest that no row contradicts."))
	return err
}

// WriteOptimistic writes the optimistic side.
func (t *Document) WriteOptimistic(w io.Writer) error {
	_, err := io.WriteString(w, t.model.Optimistic.Text("Learned from "+counted.Of(t.Rows, "row")+" and "+counted.Of(t.Failed, "failure")+": each action is possible where some precondition allows it that no",
		"row contradicts, of the class: "+t.Class+".", "Effects are the shortest that no row contradicts, also where no row shows them."))
	return err
}

// WriteText writes the answer as text.
func (t *Document) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s from %s, %s", t.Domain, counted.Of(len(t.model.Safe.Actions), "action"), counted.Of(t.Files, "file"), counted.Of(t.Rows, "row"))
	if t.Failed > 0 {
		fmt.Fprintf(w, ", %s", counted.Of(t.Failed, "failure"))
	}
	fmt.Fprintln(w)
	for _, a := range t.Actions {
		fmt.Fprintf(w, "  %s\n", line(a))
	}
	fmt.Fprintf(w, "Every row was replayed in %s. Its actions are possible where all preconditions of this class allow them that no row contradicts: %s.\n", t.Safe, t.Class)
	fmt.Fprintln(w, "Its plans can be executed if the true preconditions are of this class, and the effects the shortest that no row contradicts.")
	fmt.Fprintf(w, "In %s they are possible where some precondition of the class allows them.\n", t.Optimistic)
	return nil
}

// line is what was learned of an action, in a line.
func line(a *actions.Action) string {
	if a.Unknown != "" {
		return fmt.Sprintf("%s: not in the domain: %s", a.Name, a.Unknown)
	}
	needs := []string{counted.Of(a.Literals, "literal")}
	for _, x := range []struct {
		n    int
		what string
	}{{a.Clauses, "clause"}, {a.Equations, "linear equation"}, {a.Inequalities, "linear bound"}} {
		if x.n > 0 {
			needs = append(needs, counted.Of(x.n, x.what))
		}
	}
	text := fmt.Sprintf("%s: %s; needs at most %s; %s", a.Name, counted.Of(a.Rows, "row"), strings.Join(needs, ", "), counted.Of(a.Effects, "effect"))
	if a.Conditional > 0 {
		text += fmt.Sprintf(", %d with a condition", a.Conditional)
	}
	if a.Rivals > 0 {
		text += fmt.Sprintf(" (%s as short: possible only where all agree)", counted.Of(a.Rivals, "other condition"))
	}
	if a.Failed > 0 {
		text += fmt.Sprintf("; %s, %s not shown to be needed", counted.Of(a.Failed, "failure"), counted.Of(a.Open, "literal"))
	}
	if a.Unused > 0 {
		text += fmt.Sprintf("; %s may have other reasons than a literal", counted.Of(a.Unused, "failure"))
	}
	if a.Idle > 0 {
		text += fmt.Sprintf("; %s that change nothing taken as failures", counted.Of(a.Idle, "row"))
	}
	if a.LeftOut > 0 {
		text += fmt.Sprintf("; %s that name an object twice left out", counted.Of(a.LeftOut, "row"))
	}
	if a.Products > 0 {
		text += fmt.Sprintf("; bounds read %s that effects are about", counted.Of(a.Products, "product"))
	}
	return text
}

// read reads a domain and all runs of a file or a folder.
func read(domain, data string) (d *pddl.Domain, runs []*pddl.Trajectory, files int, err error) {
	if domain != "" {
		text, err := load.ReadFile(domain)
		if err != nil {
			return nil, nil, 0, err
		}
		if d, err = pddl.ReadDomain(domain, text); err != nil {
			return nil, nil, 0, err
		}
		if len(d.Derived) > 0 {
			return nil, nil, 0, source.Errorf(domain, 0, 0, "derived predicates are not learned; expected a domain without :derived")
		}
	}
	names, err := trajectories(data)
	if err != nil {
		return nil, nil, 0, err
	}
	for _, name := range names {
		text, err := load.ReadFile(name)
		if err != nil {
			return nil, nil, 0, err
		}
		if strings.HasSuffix(name, ".csv") {
			more, of, err := readTable(name, text, d)
			if err != nil {
				return nil, nil, 0, err
			}
			if d == nil && len(names) > 1 {
				return nil, nil, 0, source.Errorf(name, 0, 0, "one of several tables; expected --pddl DOMAIN.pddl, which says what is in all of them")
			}
			d, runs = of, append(runs, more...)
			continue
		}
		if d == nil {
			return nil, nil, 0, source.Errorf(name, 0, 0, "a trajectory has no types and predicates; expected --pddl DOMAIN.pddl")
		}
		run, err := d.ReadTrajectory(name, text)
		if err != nil {
			return nil, nil, 0, err
		}
		runs = append(runs, run)
	}
	return d, runs, len(names), nil
}

// trajectories lists the files with runs: the one named, or those of a folder whose names end like those of trajectories and tables.
func trajectories(data string) (names []string, err error) {
	info, err := os.Stat(data)
	if err != nil {
		return nil, source.Errorf(data, 0, 0, "cannot be opened: %v", source.Cause(err))
	}
	if !info.IsDir() {
		return []string{data}, nil
	}
	all, err := os.ReadDir(data)
	if err != nil {
		return nil, source.Errorf(data, 0, 0, "cannot be read: %v", source.Cause(err))
	}
	for _, f := range all {
		name := f.Name()
		if slices.Contains([]string{".trajectory", ".csv"}, filepath.Ext(name)) || strings.HasSuffix(name, "_traj") {
			names = append(names, filepath.Join(data, name))
		}
	}
	if len(names) == 0 {
		return nil, source.Errorf(data, 0, 0, "no trajectories are in this folder; expected files NAME.trajectory, NAME_traj or NAME.csv")
	}
	return names, nil
}
