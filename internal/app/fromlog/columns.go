package fromlog

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// Description is what `fdplan show LOG` prints of a log.
type Description struct {
	Schema   int      `json:"schema"`
	Format   string   `json:"format"`
	Rows     int      `json:"rows"`
	Columns  []Column `json:"columns"`
	Warnings []string `json:"warnings"` // as those of Result
}

// Column is a column of a log with its values.
type Column struct {
	FluentLine
	Unit     string `json:"unit,omitempty"`
	Rows     int    `json:"rows"`
	Missing  int    `json:"missing"`  // cells without a value
	Distinct int    `json:"distinct"` // values, counted up to maxDistinct
	// Min, Max and Mean are of the cells that are numbers; null without any.
	Min       *float64    `json:"min"`
	Max       *float64    `json:"max"`
	Mean      *float64    `json:"mean"`
	Histogram *Histogram  `json:"histogram"` // of the numbers; null without any
	Frequent  []Frequency `json:"frequent"`  // the most frequent values, at most maxFrequent
	// Course are the means of the numbers in stretches of the log of the same number of rows, in its order, null for one
	// without any; null for a column without numbers.
	Course []*float64 `json:"course"`
}

// Histogram counts numbers in intervals, which contain their lower edge and the last one its
// upper edge too.
type Histogram struct {
	Edges  []float64 `json:"edges"` // one more than Counts
	Counts []int     `json:"counts"`
}

// Frequency is a value with the number of its cells.
type Frequency struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

const (
	maxDistinct = 10_000
	maxFrequent = 20
	stretches   = 200 // of a course, at most
	intervals   = 24  // of a histogram
)

// Describe reads a log. A delimiter of 0 is inferred.
func Describe(ctx context.Context, name string, delimiter rune) (*Description, error) {
	t, err := rawlog.Open(ctx, name, rawlog.Options{Delimiter: delimiter})
	if err != nil {
		return nil, err
	}
	spec := rawlog.Spec{Inactive: true, Complete: true}
	spec.Actions = t.NamedActions(spec)
	shape := t.Shape(spec)
	fluents, err := rawlog.Infer(ctx, t, spec, shape)
	if err != nil {
		return nil, err
	}
	d := &Description{Schema: app.Schema, Format: t.Format, Rows: t.Rows(), Warnings: rawlog.Shifts(ctx, t, fluents)}
	if d.Warnings == nil {
		d.Warnings = []string{}
	}
	reading := readingOf(fluents, Request{}, shape)
	if err := guessEntity(ctx, t, fluents, reading); err != nil {
		return nil, err
	}
	if err := rawlog.Quantify(ctx, t, fluents, reading, &spec); err != nil {
		d.Warnings = append(d.Warnings, err.Error()) // bins have to be given
	}
	for i := range fluents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &fluents[i]
		if f.Use == rawlog.AsAction {
			f.Why = strings.TrimSuffix("an action by its name; "+f.Why, "; ")
		}
		c := Column{FluentLine: line(f), Unit: f.Unit, Rows: t.Rows()}
		c.measure(&t.Columns[t.Column(f.Column)])
		d.Columns = append(d.Columns, c)
	}
	return d, nil
}

// guessEntity takes the column for the entity that seems to name some, and what each of them has one value of for inputs.
func guessEntity(ctx context.Context, t *rawlog.Table, fluents []rawlog.Fluent, reading rawlog.Reading) error {
	e, err := rawlog.Entities(ctx, t, fluents, reading)
	if e == nil || err != nil {
		return err
	}
	for i := range fluents {
		if f := &fluents[i]; f.Column == e.Column {
			f.Use, f.Why = rawlog.AsEntity, fmt.Sprintf("it seems to name %d entities (%s): %s", e.Entities, someEntities(t, e), interleaved(e))
		}
	}
	parameters(t, fluents, e.Column)
	return nil
}

// measure counts the values of a column, and follows its numbers through the log.
func (c *Column) measure(column *rawlog.Column) {
	counts := map[string]int{}
	lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	whole := true
	for i := range c.Rows {
		if column.Missing(i) {
			c.Missing++
			continue
		}
		if text := column.Text(i); counts[text] > 0 || len(counts) < maxDistinct {
			counts[text]++
		}
		if x, ok := column.Number(i); ok && !math.IsInf(x, 0) && !math.IsNaN(x) {
			lo, hi, sum, n = min(lo, x), max(hi, x), sum+x, n+1
			whole = whole && x == math.Trunc(x)
		}
	}
	c.Distinct = len(counts)
	c.Frequent = []Frequency{}
	for value, count := range counts {
		c.Frequent = append(c.Frequent, Frequency{value, count})
	}
	slices.SortStableFunc(c.Frequent, func(a, b Frequency) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	c.Frequent = c.Frequent[:min(len(c.Frequent), maxFrequent)]
	if n == 0 || math.IsInf(hi-lo, 0) {
		return
	}
	mean := sum / float64(n)
	c.Min, c.Max, c.Mean = &lo, &hi, &mean
	c.Histogram = newHistogram(lo, hi, whole)
	c.Course = make([]*float64, min(c.Rows, stretches))
	in := make([]int, len(c.Course))
	for i := range c.Rows {
		if x, ok := column.Number(i); ok && !column.Missing(i) && x >= lo && x <= hi {
			c.Histogram.count(x)
			k := i * len(in) / c.Rows
			if in[k]++; in[k] == 1 {
				c.Course[k] = new(float64)
			}
			*c.Course[k] += (x - *c.Course[k]) / float64(in[k])
		}
	}
}

// newHistogram returns an empty histogram of numbers from lo to hi. Each of few integers has
// an interval of its own.
func newHistogram(lo, hi float64, whole bool) *Histogram {
	n, width := intervals, (hi-lo)/intervals
	switch {
	case whole && hi-lo < 2*intervals:
		n, width = int(hi-lo)+1, 1
	case lo == hi:
		n, width = 1, 1
	}
	h := &Histogram{Counts: make([]int, n)}
	for i := range n + 1 {
		h.Edges = append(h.Edges, lo+float64(i)*width)
	}
	return h
}

// count adds a number.
func (h *Histogram) count(x float64) {
	i, found := slices.BinarySearch(h.Edges, x)
	if !found {
		i--
	}
	h.Counts[min(max(i, 0), len(h.Counts)-1)]++
}

// WriteText writes a line for each column.
func (d *Description) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n", counted.Of(d.Rows, "row"), d.Format)
	for _, warning := range d.Warnings {
		fmt.Fprintf(&b, "WARNING: %s\n", warning)
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		fmt.Fprintf(&b, "  %-8s %s", c.Use, c.Column)
		if c.Type != "" {
			fmt.Fprintf(&b, ", %s", c.Type)
		}
		if c.Min != nil {
			fmt.Fprintf(&b, ", %v to %v", *c.Min, *c.Max)
		}
		fmt.Fprintf(&b, ", %s", counted.Of(c.Distinct, "value"))
		if c.Missing > 0 {
			fmt.Fprintf(&b, ", %d missing", c.Missing)
		}
		if c.Note != "" {
			fmt.Fprintf(&b, " (%s)", c.Note)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
