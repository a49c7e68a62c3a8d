// Package fromlog implements the use case of starting from a log: it writes a task file, a
// data set and a report, and lists rows that contradict each other.
package fromlog

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Result is the outcome of `fdplan init`.
type Result struct {
	Schema        int          `json:"schema"`
	Log           string       `json:"log"`
	Format        string       `json:"format"`
	Rows          int          `json:"rows"`
	Transitions   int          `json:"transitions"`
	Dropped       int          `json:"dropped_rows"`
	Fluents       []FluentLine `json:"columns"`
	Contradictory int          `json:"contradictory"` // states and actions with several next states
	Files         []string     `json:"files"`
	Kept          string       `json:"kept,omitempty"` // the name that a former task file has now
	// Warnings say what is doubtful about the log, such as a sudden change of level.
	Warnings []string `json:"warnings,omitempty"`
	// Notes say what was found about the rows, such as their units and the ends of episodes.
	Notes []string `json:"notes,omitempty"`
	// Unreadable are the cells that have no value of their column's fluent.
	Unreadable []Unreadable `json:"unreadable,omitempty"`

	reasons []reason
	groups  []Contradiction
}

// FluentLine is a column and what became of it.
type FluentLine struct {
	Column string    `json:"column"`
	Name   string    `json:"name"`
	Use    string    `json:"use"`
	Type   string    `json:"type,omitempty"`
	Edges  []float64 `json:"edges,omitempty"`
	Values []string  `json:"values,omitempty"` // of an enumeration
	Range  []float64 `json:"range,omitempty"`  // of an integer, or a quantity without bins: the lowest and the highest value
	Step   float64   `json:"step,omitempty"`   // of a quantity without bins
	// Of an action: the value that plans omit, or that they list every one.
	Default string `json:"default,omitempty"`
	Listed  bool   `json:"listed,omitempty"`
	Note    string `json:"note,omitempty"`
}

// reason counts dropped rows.
type reason struct {
	why   string
	count int
}

// The names of the files in the folder.
const (
	taskFile    = "task.toml"
	dataFile    = "data.parquet"
	openFile    = "data.csv" // in its place if values are not known, or for very many columns
	reportFile  = "report.txt"
	droppedFile = "dropped.csv"
)

// maxParquet is the most columns that a Parquet file holds here.
const maxParquet = math.MaxInt16

// dataFileOf is the name of the data set, which has a column for each state, action, next state and
// the reward.
func dataFileOf(missing rawlog.Missing, fluents []rawlog.Fluent) string {
	n := 1
	for i := range fluents {
		if n++; !fluents[i].IsFluent() {
			n--
		} else if fluents[i].Use != rawlog.AsAction {
			n++
		}
	}
	if missing == rawlog.MissingKeep || n > maxParquet {
		return openFile
	}
	return dataFile
}

// The steps that take long, for Request.Progress.
const (
	stepInfer = "looking at the columns"
	stepBins  = "finding bins"
	stepWrite = "writing the folder"
)

// Init reads a log and writes the folder.
func Init(ctx context.Context, r Request) (*Result, error) {
	if r.Progress == nil {
		r.Progress = func(string, float64) {}
	}
	if name, ok := strings.CutSuffix(r.Out, ".toml"); ok {
		return nil, fmt.Errorf("-o %s: the task and a data set go into a folder; expected -o %s, whose task is then %s", r.Out, name, filepath.Join(name, taskFile))
	}
	r.Initial, r.Default = apart(r.Initial), apart(r.Default)
	return start(ctx, r, nil)
}

// start is Init with what was found before.
func start(ctx context.Context, r Request, notes []string) (*Result, error) {
	asked := r
	x, err := look(ctx, &r)
	if err != nil {
		return nil, err
	}
	p, err := x.problem(&r)
	if err != nil {
		return nil, err
	}
	s, err := dataset.OfProblem(p)
	if err != nil {
		return nil, err
	}
	out := &Result{Schema: app.Schema, Log: r.Log, Format: x.t.Format, Rows: x.t.Rows(), Notes: slices.Concat(x.t.Notes, notes, x.end.notes)}
	if r.Missing != rawlog.MissingError {
		x.reading.Outside, x.reading.Refuse = out.outside, true
	}
	read, err := rawlog.Transitions(ctx, x.t, s.Stored(), x.reading)
	if err != nil {
		return nil, err
	}
	if read.Data.Rows == 0 {
		return nil, noTransition(&r, read)
	}
	out.Transitions, out.Dropped, out.reasons = read.Data.Rows, len(read.Drops), count(read)
	if read.Sorted {
		out.Notes = append(out.Notes, fmt.Sprintf("the rows stand in no order of %s: they were sorted by it", x.reading.Time))
	}
	rules, err := x.rules(ctx, &r, s, read.Data)
	if err != nil {
		return nil, err
	}
	out.Notes = append(out.Notes, rules...)
	told := x.told(&r)
	groups := contradicting(ctx, s, read, told)
	again, note, err := x.ageing(ctx, p, read, asked)
	if err == nil && note == "" {
		again, note, err = x.places(ctx, s, read, asked)
	}
	if told && err == nil && note == "" {
		again, note, err = x.machines(ctx, p, s, read, groups, asked)
	}
	if err != nil || note != "" {
		if err != nil {
			return nil, err
		}
		return start(ctx, again, append(slices.Clone(notes), note))
	}
	out.groups = contradictions(s, contradictory(groups))
	out.Contradictory = len(out.groups)
	if err := out.warn(ctx, x); err != nil {
		return nil, err
	}
	for i := range x.fluents {
		out.Fluents = append(out.Fluents, line(&x.fluents[i]))
	}
	r.Progress(stepWrite, 0)
	return out, out.write(r.Out, x.text, read, dataFileOf(r.Missing, x.fluents))
}

// noTransition is the error for a log all of whose rows were dropped.
func noTransition(r *Request, read *rawlog.Read) error {
	why, hint := read.Why(read.Drops[0]), ""
	if r.Missing != rawlog.MissingPrevious && strings.Contains(why, " is missing") {
		hint = "; --missing previous fills an empty cell with the value of the row before, and --ignore leaves a column out"
	}
	return source.Errorf(r.Log, 0, 0, "no row gives a transition; %s dropped, the first since %s%s", counted.Of(len(read.Drops), "row"), why, hint)
}

// needState returns an error if no column is a state.
func (x *looked) needState(log string) error {
	if slices.ContainsFunc(x.fluents, func(f rawlog.Fluent) bool { return f.Use == rawlog.AsState }) {
		return nil
	}
	return source.Errorf(log, 0, 0, "no column is a state that actions change; expected one with what a row finds before its action, such as a stage (fdplan show %s tells what each column is taken for)", log)
}

// rules notes what rows say of the actions that are possible.
func (x *looked) rules(ctx context.Context, r *Request, s *dataset.Schema, d *dataset.Data) (notes []string, err error) {
	for _, look := range []func(context.Context, *Request, *dataset.Schema, *dataset.Data) (string, error){x.possible, x.untaken, x.limited} {
		note, err := look(ctx, r, s, d)
		if err != nil {
			return nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// looked is what was found about a log, and the task that was made of it.
type looked struct {
	t       *rawlog.Table
	shape   rawlog.Shape
	fluents []rawlog.Fluent
	reading rawlog.Reading
	end     ending
	text    string
	// Columns of what a step costs or yields: decided by the actions alone, or by states too; and those that the reward counts, with weights.
	decided  []string
	outcomes []rawlog.Outcome
	weights  map[string]float64
	unused   []rawlog.Unused
}

// mostlyWeeks is the number of days of a log that can show what days and weeks repeat.
const mostlyWeeks = 14

// look reads a log and decides what its columns are.
func look(ctx context.Context, r *Request) (*looked, error) {
	delimiter, err := Delimiter(r.Delimiter)
	if err != nil {
		return nil, err
	}
	spec, err := r.spec()
	if err != nil {
		return nil, err
	}
	t, err := rawlog.Open(rawlog.Telling(ctx, func(done float64) { r.Progress(rawlog.StepRead, done) }), r.Log, rawlog.Options{Delimiter: delimiter})
	if err != nil {
		return nil, err
	}
	if err := t.Derive(r.Derive); err != nil {
		return nil, fmt.Errorf("--derive: %w", err)
	}
	if len(r.Derive) == 0 && t.Days() >= mostlyWeeks {
		t.Notes = append(t.Notes, "--derive hour,weekday makes inputs of the stamps, for what goes by the time of the day or the week")
	}
	r.Progress(stepInfer, 0)
	spec.Actions, spec.Inputs, spec.Ignore = t.Elements(spec.Actions), t.Elements(spec.Inputs), t.Elements(spec.Ignore)
	if len(spec.Actions) == 0 {
		if spec.Actions = t.NamedActions(spec); len(spec.Actions) > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s taken for the action by its name; --actions names others", strings.Join(spec.Actions, ", ")))
		}
	}
	x := &looked{t: t}
	x.setUnused(spec.Actions)
	x.shape = t.Shape(spec)
	if x.fluents, err = rawlog.Infer(ctx, t, spec, x.shape); err != nil {
		return nil, err
	}
	parameters(t, x.fluents, r.Entity)
	x.reading = readingOf(x.fluents, *r, x.shape)
	if gap := rawlog.Gap(t, x.reading); gap > 0 && gap <= math.MaxFloat64 {
		r.Gap, x.reading.Gap = gap, gap
	}
	if err := x.takeReward(ctx, r); err != nil {
		return nil, err
	}
	x.close()
	x.advance(r.Derive)
	x.reading = readingOf(x.fluents, *r, x.shape)
	r.Progress(stepBins, 0)
	if err := chooseBins(ctx, t, x.fluents, x.reading, spec); err != nil {
		return nil, err
	}
	if err := chooseDefaults(x.fluents, r.Default); err != nil {
		return nil, err
	}
	if err := x.needState(r.Log); err != nil {
		return nil, err
	}
	x.ruleUnused(r)
	x.end = endingOf(t, x.fluents, x.shape, x.reading)
	x.text, err = document(x, *r)
	return x, err
}

// problem returns the problem of the task.
func (x *looked) problem(r *Request) (*factored.Problem, error) {
	k, err := task.Parse(filepath.Join(r.Out, taskFile), []byte(x.text))
	if err != nil {
		return nil, fmt.Errorf("the task that was made of %s: %w", r.Log, err)
	}
	return k.Factored(filepath.Base(r.Out))
}

// readingOf says how rows become transitions.
func readingOf(fluents []rawlog.Fluent, from Request, shape rawlog.Shape) rawlog.Reading {
	r := rawlog.Reading{Column: map[string]string{}, Entity: from.Entity, Missing: from.Missing, Gap: from.Gap, Next: map[string]string{}, Ends: shape.Ends()}
	for base, next := range shape.Next {
		if next != base+"'" {
			r.Next[base] = next
		}
	}
	for i := range fluents {
		f := &fluents[i]
		switch {
		case f.Use == rawlog.AsEntity:
			r.Entity = f.Column
		case f.Use == rawlog.AsEpisode:
			r.Episode = f.Column
		case f.Use == rawlog.AsTime:
			r.Time = f.Column
		case f.IsFluent():
			r.Column[f.Name] = f.Column
		}
	}
	return r
}

// write writes the files of the folder.
func (x *Result) write(folder, text string, read *rawlog.Read, data string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{taskFile, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }},
		{droppedFile, func(w io.Writer) error { return writeDrops(w, read) }},
		{reportFile, x.WriteText},
	} {
		name := filepath.Join(folder, f.name)
		if f.name == taskFile {
			if err := x.keepOld(name, text); err != nil {
				return err
			}
		}
		if err := writeFile(name, f.write); err != nil {
			return err
		}
		x.Files = append(x.Files, name)
	}
	name := filepath.Join(folder, data)
	x.Files = append(x.Files, name)
	return dataset.Write(name, read.Data)
}

// keepOld renames the task file of another text that is there already, since it may have been
// edited.
func (x *Result) keepOld(name, text string) error {
	old, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(old) == text {
		return nil
	}
	if err != nil {
		return err
	}
	x.Kept = name + ".old"
	return os.Rename(name, x.Kept)
}

// writeDrops lists the rows that gave no transition.
func writeDrops(w io.Writer, read *rawlog.Read) error {
	b := csv.NewWriter(w)
	_ = b.Write([]string{"line", "reason"}) // Error returns what fails
	for _, d := range read.Drops {
		_ = b.Write([]string{strconv.Itoa(int(d.Line)), read.Why(d)})
	}
	b.Flush()
	return b.Error()
}

func count(read *rawlog.Read) []reason {
	counts := map[string]int{}
	for _, d := range read.Drops {
		counts[read.Why(d)]++
	}
	var out []reason
	for why, n := range counts {
		out = append(out, reason{why, n})
	}
	slices.SortStableFunc(out, func(a, b reason) int { return cmp.Or(b.count-a.count, strings.Compare(a.why, b.why)) })
	return out
}

func line(f *rawlog.Fluent) FluentLine {
	l := FluentLine{Column: f.Column, Name: f.Name, Use: string(f.Use), Type: string(f.Kind), Edges: f.Edges, Note: f.Why}
	switch {
	case !f.IsFluent():
		l.Type = ""
	case f.Fixed():
		l.Range, l.Step = []float64{f.Lo, f.Hi}, f.Step.Float()
		l.Note = strings.TrimSuffix(f.How+"; "+f.Why, "; ")
	case f.Kind == rawlog.Real:
		l.Note = strings.TrimSuffix("bins: "+f.How+"; "+f.Why, "; ")
	case f.Kind == rawlog.Enum:
		l.Values = f.Values
	case f.Kind == rawlog.Int:
		l.Range = []float64{f.Lo, f.Hi}
	}
	if f.Use == rawlog.AsAction {
		l.Default, l.Listed = f.Default, f.Listed || f.Kind != rawlog.Bool && f.Default == ""
		l.Note = strings.TrimPrefix(l.Note+"; "+nothing(f), "; ")
	}
	return l
}

// mostLines bounds the columns that the report lists, and the reasons.
const mostLines = 200

// isFluent reports whether the column is a state, an input or an action.
func (l *FluentLine) isFluent() bool {
	return (&rawlog.Fluent{Use: rawlog.Use(l.Use)}).IsFluent()
}

// WriteText writes the report.
func (x *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s), %s, %s dropped\n", x.Log, counted.Of(x.Rows, "row"), x.Format, counted.Of(x.Transitions, "transition"), counted.Of(x.Dropped, "row"))
	for _, warning := range x.Warnings {
		fmt.Fprintf(&b, "WARNING: %s\n", warning)
	}
	for _, note := range x.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	for i := range x.Unreadable {
		fmt.Fprintf(&b, "WARNING: %s\n", x.Unreadable[i].String())
	}
	for _, f := range x.Fluents[:min(len(x.Fluents), mostLines)] {
		name := f.Column
		if f.Name != f.Column && f.isFluent() {
			name += " as " + f.Name
		}
		fmt.Fprintf(&b, "  %-8s %s", f.Use, name)
		if f.Type != "" {
			fmt.Fprintf(&b, ", %s", f.Type)
		}
		if f.Values != nil {
			fmt.Fprintf(&b, ": %s", strings.Join(f.Values, ", "))
		}
		if f.Range != nil {
			fmt.Fprintf(&b, " %.12g..%.12g", f.Range[0], f.Range[1])
			if f.Step > 0 {
				fmt.Fprintf(&b, " by %v", f.Step)
			}
		}
		if f.Edges != nil && len(f.Edges) <= 20 {
			fmt.Fprintf(&b, " %v", f.Edges)
		} else if f.Edges != nil {
			fmt.Fprintf(&b, " [%v %v … %v]", f.Edges[0], f.Edges[1], f.Edges[len(f.Edges)-1])
		}
		if f.Note != "" {
			fmt.Fprintf(&b, " (%s)", f.Note)
		}
		b.WriteByte('\n')
	}
	if more := len(x.Fluents) - mostLines; more > 0 {
		fmt.Fprintf(&b, "  and %s\n", counted.Of(more, "more column"))
	}
	if x.Dropped > 0 {
		fmt.Fprintf(&b, "dropped rows, listed in %s:\n", droppedFile)
	}
	for _, r := range x.reasons[:min(len(x.reasons), mostLines)] {
		fmt.Fprintf(&b, "  %d: %s\n", r.count, r.why)
	}
	writeContradictions(&b, x.groups)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := atomicfile.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(write(w), w.Flush()); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}
