package fromlog

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// Contradiction is a state and action that several next states followed. It suggests that a
// column is missing, or that bins are too wide.
type Contradiction struct {
	State string    `json:"state"` // with the action, as NAME=VALUE
	Next  []Outcome `json:"next"`
}

// Outcome is one next state: the fluents in which the outcomes differ.
type Outcome struct {
	Values string  `json:"values"`
	Rows   int     `json:"rows"`
	Lines  []int32 `json:"lines"` // the first of them
}

// maxLines bounds the lines that are listed of an outcome, maxGroups the contradictions.
const (
	maxLines  = 5
	maxGroups = 10
)

// contradictions groups the rows of a log by states and actions, in the order of the log.
func contradictions(s *dataset.Schema, read *rawlog.Read) []Contradiction {
	data := s.Quantise(read.Data)
	width := len(s.Columns)
	known := width - s.NumStates()
	type group struct{ rows []int }
	byKey := map[string]*group{}
	var order []*group
	for i := range data.Rows {
		key := fmt.Sprint(data.Row(i)[:known])
		g := byKey[key]
		if g == nil {
			g = &group{}
			byKey[key] = g
			order = append(order, g)
		}
		g.rows = append(g.rows, i)
	}
	var out []Contradiction
	for _, g := range order {
		first := data.Row(g.rows[0])
		differing := make([]bool, width)
		some := false
		for _, i := range g.rows {
			for k := known; k < width; k++ {
				if data.Row(i)[k] != first[k] {
					differing[k], some = true, true
				}
			}
		}
		if !some {
			continue
		}
		c := Contradiction{State: describe(s, first, func(k int) bool { return k < known })}
		for _, i := range g.rows {
			values := describe(s, data.Row(i), func(k int) bool { return differing[k] })
			at := slices.IndexFunc(c.Next, func(o Outcome) bool { return o.Values == values })
			if at < 0 {
				at = len(c.Next)
				c.Next = append(c.Next, Outcome{Values: values})
			}
			o := &c.Next[at]
			if o.Rows++; len(o.Lines) < maxLines {
				o.Lines = append(o.Lines, read.Lines[i])
			}
		}
		out = append(out, c)
	}
	return out
}

// describe lists values of a row.
func describe(s *dataset.Schema, row []float64, which func(int) bool) string {
	var parts []string
	for k := range s.Columns {
		if which(k) {
			parts = append(parts, s.Columns[k].Name+"="+s.Columns[k].Text(row[k]))
		}
	}
	return strings.Join(parts, ", ")
}

func writeContradictions(b *strings.Builder, groups []Contradiction) {
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(b, "%d states and actions have more than one next state; a column may be missing, or a bin too wide:\n", len(groups))
	for _, g := range groups[:min(len(groups), maxGroups)] {
		fmt.Fprintf(b, "  %s\n", g.State)
		for _, o := range g.Next {
			more := ""
			if o.Rows > len(o.Lines) {
				more = ", …"
			}
			fmt.Fprintf(b, "    %s: %d rows, lines %s%s\n", o.Values, o.Rows, strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Lines), " ", ", "), "[]"), more)
		}
	}
	if more := len(groups) - maxGroups; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

// Contradictions is the outcome of `fdplan check TASK DATA --contradictions`.
type Contradictions struct {
	Schema int             `json:"schema"`
	Rows   int             `json:"rows"`
	Groups []Contradiction `json:"contradictions"`
}

// Check lists the contradictions in a log or data set for a task that declares its fluents.
func Check(p *load.Problem, name string) (*Contradictions, error) {
	read, s, err := p.ReadLog(name)
	if err != nil {
		return nil, err
	}
	groups := contradictions(s, read)
	if groups == nil {
		groups = []Contradiction{}
	}
	return &Contradictions{Schema: app.Schema, Rows: read.Data.Rows, Groups: groups}, nil
}

// WriteText writes them as text.
func (c *Contradictions) WriteText(w io.Writer) error {
	var b strings.Builder
	if len(c.Groups) == 0 {
		fmt.Fprintf(&b, "no contradictions in %d transitions\n", c.Rows)
	}
	writeContradictions(&b, c.Groups)
	_, err := io.WriteString(w, b.String())
	return err
}
