package learn

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// String returns the line as text, without details.
func (l *ErrorLine) String() string { return l.Measure.String() }

// WriteText writes the outcome as text: a line for each set of rows and, if rows are wrong, a
// table of the fluents, one of the output bits, each as the values that have it, and the confusion of the worst
// fluent.
func (t *Tested) WriteText(w io.Writer) error {
	var b strings.Builder
	type part struct {
		name string
		line *ErrorLine
	}
	parts := []part{{"data", t.ErrorLine}, {"all legal rows", t.Legal}, {"legal rows drawn at random", t.Drawn}}
	for _, p := range parts {
		if p.line != nil {
			if text := p.line.NoBetter(p.name); text != "" {
				fmt.Fprintln(&b, text)
			}
		}
	}
	fmt.Fprintf(&b, "%s: %s\n", t.Problem, t.Network)
	if k := t.Trained; k != nil {
		of := ""
		if k.AllLegal {
			of = ", all that are legal"
		}
		fmt.Fprintf(&b, "trained on %d distinct states and actions%s\n", k.Rows, of)
	}
	if t.Dropped > 0 {
		fmt.Fprintf(&b, "dropped: %d rows of the log, %s\n", t.Dropped, t.DroppedWhy)
	}
	exact := t.Trained != nil && t.Trained.Exact
	for _, p := range parts {
		if p.line != nil {
			p.line.write(&b, p.name, exact)
		}
	}
	for i := range t.Quantities {
		fmt.Fprintln(&b, &t.Quantities[i])
	}
	if t.Chance != nil && len(t.Quantities) == 0 {
		fmt.Fprintf(&b, "chance: log-likelihood %.3f bits a row; %s\n", t.Chance.Bits, t.Chance.Said())
	}
	if t.Unlisted != "" {
		fmt.Fprintf(&b, "all legal rows: %s\n", t.Unlisted)
	}
	if slices.ContainsFunc(parts, func(p part) bool { return p.line != nil && p.line.Wrong > 0 }) {
		b.WriteString(measure.Legend)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const (
	maxCells = 30 // confusions written as text
	maxLines = 5  // values outside written as text
)

func (l *ErrorLine) write(b *strings.Builder, name string, exact bool) {
	fmt.Fprintf(b, "%s: %v\n", name, l)
	l.writeOutside(b)
	if l.Unseen != nil && *l.Unseen > 0 {
		least := map[bool]string{false: "at least "}[exact]
		fmt.Fprintf(b, "  %s%d of %d rows have a state and an action that no training row has\n", least, *l.Unseen, l.Rows)
	}
	if s := l.Supported; s != nil {
		fmt.Fprintf(b, "  supported by the training rows: %d of %d rows, %d of these wrong (%s)\n", s.Rows, l.Rows, s.Wrong, s.Class)
	}
	l.WriteFluents(b)
	if l.Worst == nil {
		return
	}
	fmt.Fprintf(b, "  %10s %10s  output\n", "wrong", "error")
	for _, o := range l.Outputs {
		fmt.Fprintf(b, "  %10d %10s  %s\n", o.Wrong, measure.Percent(o.Wrong, l.Rows), o.Values)
	}
	f := l.Worst
	fmt.Fprintf(b, "  worst fluent %s: %d wrong, %s\n", f.Fluent, f.Wrong, measure.Percent(f.Wrong, l.Rows))
	fmt.Fprintf(b, "  %10s %10s %10s\n", "truth", "predicted", "rows")
	for i, c := range f.Confusion {
		if i == maxCells {
			fmt.Fprintf(b, "  and %d more\n", len(f.Confusion)-i)
			break
		}
		fmt.Fprintf(b, "  %10v %10v %10d\n", c.Truth, c.Predicted, c.Rows)
	}
}

// writeOutside lists the values that their fluents do not have.
func (l *ErrorLine) writeOutside(b *strings.Builder) {
	if l.Incomplete > 0 {
		fmt.Fprintf(b, "  rows without a value that is needed, which are not counted: %d\n", l.Incomplete)
	}
	if l.OutOfRange == 0 && len(l.Outside) == 0 {
		return
	}
	fmt.Fprintf(b, "  rows with values out of range: %d; a quantity counts in the nearest bin\n", l.OutOfRange)
	for i, x := range l.Outside {
		if i == maxLines {
			fmt.Fprintf(b, "    …\n")
			break
		}
		fmt.Fprintf(b, "    line %d, column %s: %s, expected %s\n", x.Line, x.Column, x.Value, x.Expected)
	}
}

// NoBetter says that the network is no better than the prediction that nothing changes; empty if it is.
func (t *Errors) NoBetter() string {
	if t.HeldOut != nil {
		return t.HeldOut.NoBetter("the rows held out")
	}
	return t.Train.NoBetter("the training rows")
}

// WriteErrors writes the errors on the rows held out, and then those on the training rows.
func (t *Errors) WriteErrors(w io.Writer) {
	on := ""
	if t.HeldOut != nil {
		which := map[train.SplitMode]string{
			train.SplitTime: "the last %d", train.SplitRandom: "%d that were drawn", train.SplitDistinct: "%d of distinct ones that were drawn",
		}[t.HeldOutBy]
		how := "not learned from"
		if t.Refitted {
			how, on = "of a network learned without them", " (all; the network was learned again from them)"
		}
		fmt.Fprintf(w, "held-out rows (%s, %s): %v\n", fmt.Sprintf(which, t.HeldOut.Rows), how, t.HeldOut)
	} else {
		fmt.Fprintf(w, "held-out rows: none, since %s\n", t.HeldOutWhy)
	}
	fmt.Fprintf(w, "training rows%s: %v\n", on, t.Train)
}
