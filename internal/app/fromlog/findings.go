package fromlog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// Unreadable are the cells of a column that have a value which its fluent cannot have. They count
// as cells without a value.
type Unreadable struct {
	Column   string   `json:"column"`
	Cells    int      `json:"cells"`
	Expected string   `json:"expected"`
	Values   []string `json:"values"` // the first of them
	Lines    []int    `json:"lines"`
}

// outside notes a cell.
func (x *Result) outside(o dataset.Outside) {
	i := slices.IndexFunc(x.Unreadable, func(u Unreadable) bool { return u.Column == o.Column && u.Expected == o.Expected })
	if i < 0 {
		i = len(x.Unreadable)
		x.Unreadable = append(x.Unreadable, Unreadable{Column: o.Column, Expected: o.Expected})
	}
	u := &x.Unreadable[i]
	if u.Cells++; len(u.Lines) < maxLines {
		u.Values, u.Lines = append(u.Values, o.Value), append(u.Lines, o.Line)
	}
}

// String describes the cells in a sentence.
func (u *Unreadable) String() string {
	var examples []string
	for i, v := range u.Values {
		examples = append(examples, fmt.Sprintf("%q in line %d", v, u.Lines[i]))
	}
	is, counts := "is", "It counts"
	if u.Cells > 1 {
		is, counts = "are", "They count"
	}
	if u.Cells > len(examples) {
		examples = append(examples, "…")
	}
	return fmt.Sprintf("column %s has %s that %s not %s: %s. %s as missing", u.Column, counted.Of(u.Cells, "cell"), is, u.Expected, strings.Join(examples, ", "), counts)
}

// warn looks for what is doubtful about the log.
func (x *Result) warn(ctx context.Context, l *looked) error {
	for _, pair := range l.shape.Doubtful {
		x.Warnings = append(x.Warnings, fmt.Sprintf("column %s is named like the next state of %s, and the next row does not begin with it: it was taken for a state of its own", pair[1], pair[0]))
	}
	e, err := rawlog.Entities(ctx, l.t, l.fluents, l.reading)
	if err != nil {
		return err
	}
	if e != nil {
		flag := "--entity " + shellWord(e.Column)
		x.Warnings = append(x.Warnings, fmt.Sprintf("column %s (%s) seems to name %d entities whose rows stand between each other: %s. Give %s, or the model learns how one becomes the other", e.Column, someEntities(l.t, e), e.Entities, interleaved(e), flag))
	}
	for i := range l.fluents {
		f := &l.fluents[i]
		name := f.Column
		switch {
		case f.Use != rawlog.AsState:
		case slices.Contains(l.decided, name):
			x.Warnings = append(x.Warnings, fmt.Sprintf("column %s has the same value wherever the actions of its row are the same: it is what an action costs or leads to, and no state before it. Give --ignore %s, and state it in the task's reward if it counts", name, shellWord(name)))
		case l.outcome(name) != nil && l.outcome(name).Sure:
			ends := ""
			if f.Kind == rawlog.Bool {
				ends = fmt.Sprintf(". If it ends an episode, give --rename %s=done", shellWord(name))
			}
			x.Warnings = append(x.Warnings, fmt.Sprintf("column %s follows from the action of its own row, and not from the row before: it is what a step costs or yields, and no state before it. "+
				"Give --reward %s if it counts, with a minus if it is a cost, or --ignore %s%s", name, shellWord(name), shellWord(name), ends))
		}
	}
	x.Warnings = append(x.Warnings, rawlog.Shifts(ctx, l.t, l.fluents)...)
	return ctx.Err()
}

// someEntities lists the first entities of a column.
func someEntities(t *rawlog.Table, e *rawlog.Interleaved) string {
	ids := strings.Join(t.EntityValues(e.Column, 4), ", ")
	if e.Entities > 4 {
		ids += ", …"
	}
	return ids
}

// interleaved says why a column seems to name entities.
func interleaved(e *rawlog.Interleaved) string {
	if e.Clock != "" {
		return fmt.Sprintf("%s counts the rows of each %s, and several have the same", e.Clock, e.Column)
	}
	why := fmt.Sprintf("rows with the same %s differ %.2g times as much from one to the next as the rows of the file do", e.Column, e.Ratio)
	if e.Stamps {
		why += ", and several have the same time"
	}
	return why
}

// shellWord quotes a name with signs that a shell takes for its own.
func shellWord(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
