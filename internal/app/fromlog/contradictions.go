package fromlog

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// Contradiction is a state and action that several next states followed. It suggests that a
// column is missing, or that bins are too wide.
type Contradiction struct {
	State string    `json:"state"` // with the action, as NAME=VALUE
	Next  []Outcome `json:"next"`

	differ []string // the columns in which the next states differ
}

// Outcome is one next state: the fluents in which the outcomes differ.
type Outcome struct {
	Values string  `json:"values"`
	Rows   int     `json:"rows"`
	Lines  []int32 `json:"lines"` // the first of them
}

// maxLines bounds the lines that are listed of an outcome. In texts, maxGroups bounds the
// contradictions, and maxOutcomes the next states of each.
const (
	maxLines    = 5
	maxGroups   = 10
	maxOutcomes = 5
)

// lookEvery is the number of rows after which a context is looked at.
const lookEvery = 1 << 8

// contradictions describes the states and actions of a log that several next states follow.
func contradictions(s *dataset.Schema, groups []*group) (out []Contradiction) {
	for _, g := range groups {
		out = append(out, g.contradiction(s, len(s.Columns)-s.NumStates()))
	}
	return out
}

// contradicting groups the rows of a log by states and actions, in the order of the log, where several next states follow.
// Rows with a value that is not known are left out. With told, the entities of rows are, and states and actions of several entities are grouped
// whatever follows.
func contradicting(ctx context.Context, s *dataset.Schema, read *rawlog.Read, told bool) []*group {
	data := s.Quantise(read.Data)
	width := len(s.Columns)
	known := width - s.NumStates()
	end := width - s.NumInputs() // what inputs are next is no part of the next state
	suspects := suspicious(ctx, data, known, end, told)
	groups := map[string]*group{}
	var order []*group
	var key []byte
	_ = data.Each(func(i int, row []float64) error { // the caller looks at ctx
		if i%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(suspects) == 0 || !suspects[hashRow(row[:known])] || slices.ContainsFunc(row, math.IsNaN) {
			return nil
		}
		key = keyOf(key[:0], row[:known])
		g := groups[string(key)]
		if g == nil {
			g = &group{first: slices.Clone(row), differ: make([]bool, width), next: map[string]*next{}}
			groups[string(key)] = g
			order = append(order, g)
		}
		key = keyOf(key[:0], row[known:end])
		n := g.next[string(key)]
		if n == nil {
			n = &next{row: slices.Clone(row)}
			g.next[string(key)] = n
			g.order = append(g.order, n)
			for k := known; k < end; k++ {
				g.differ[k] = g.differ[k] || row[k] != g.first[k]
			}
		}
		if n.rows++; len(n.lines) < maxLines {
			n.lines = append(n.lines, int32(read.Data.Line(i)))
		}
		if told {
			if n.of == nil {
				n.of = map[string]int{}
			}
			n.of[data.Entity(i)]++
		}
		return nil
	})
	if told {
		return order
	}
	return contradictory(order)
}

// contradictory removes the groups with one next state.
func contradictory(groups []*group) []*group {
	return slices.DeleteFunc(groups, func(g *group) bool { return len(g.order) == 1 })
}

// group are the rows with the same state and action.
type group struct {
	first  []float64 // row
	differ []bool    // by column
	next   map[string]*next
	order  []*next
}

// contradiction describes the next states of a group; known columns are states and actions.
func (g *group) contradiction(s *dataset.Schema, known int) Contradiction {
	c := Contradiction{State: describe(s, g.first, func(k int) bool { return k < known })}
	for _, n := range g.order {
		c.Next = append(c.Next, Outcome{describe(s, n.row, func(k int) bool { return g.differ[k] }), n.rows, n.lines})
	}
	for k := range s.Columns {
		if g.differ[k] {
			c.differ = append(c.differ, s.Columns[k].Name)
		}
	}
	return c
}

// next is a next state of some states and actions, with the rows and the lines that have it.
type next struct {
	row   []float64
	rows  int
	lines []int32
	of    map[string]int // the rows of each entity; nil where entities are not told
}

// suspicious finds the states and actions that seem to have several next states, or with told several entities, by their
// hashes: it takes little memory however many there are.
func suspicious(ctx context.Context, data *dataset.Data, known, end int, told bool) map[uint64]bool {
	first, of := map[uint64]uint64{}, map[uint64]string{}
	out := map[uint64]bool{}
	_ = data.Each(func(i int, row []float64) error { // the caller looks at ctx
		if i%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if slices.ContainsFunc(row, math.IsNaN) {
			return nil
		}
		now, then := hashRow(row[:known]), hashRow(row[known:end])
		if h, ok := first[now]; !ok {
			if first[now] = then; told {
				of[now] = data.Entity(i)
			}
		} else if h != then || told && of[now] != data.Entity(i) {
			out[now] = true
		}
		return nil
	})
	return out
}

// hashRow mixes values, whole numbers or not, into a number.
func hashRow(values []float64) uint64 {
	h := uint64(len(values))
	for _, x := range values {
		h = (h ^ math.Float64bits(x)) * 0x9e37_79b9_7f4a_7c15
		h ^= h >> 32
	}
	return h
}

// keyOf appends values.
func keyOf(key []byte, values []float64) []byte {
	for _, x := range values {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
	}
	return key
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
	fmt.Fprintf(b, "%s with more than one next state; a column may be missing, a bin too wide, or a column chance (--ignore):\n", counted.Of(len(groups), "state-action pair"))
	writeDiffering(b, groups)
	for _, g := range groups[:min(len(groups), maxGroups)] {
		fmt.Fprintf(b, "  %s\n", g.State)
		for _, o := range g.Next[:min(len(g.Next), maxOutcomes)] {
			more, lines := "", "lines"
			if o.Rows == 1 {
				lines = "line"
			}
			if o.Rows > len(o.Lines) {
				more = ", …"
			}
			fmt.Fprintf(b, "    %s: %s, %s %s%s\n", o.Values, counted.Of(o.Rows, "row"), lines, strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Lines), " ", ", "), "[]"), more)
		}
		if more := len(g.Next) - maxOutcomes; more > 0 {
			fmt.Fprintf(b, "    and %s\n", counted.Of(more, "more next state"))
		}
	}
	if more := len(groups) - maxGroups; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

// writeDiffering counts the contradictions by the columns in which next states differ.
func writeDiffering(b *strings.Builder, groups []Contradiction) {
	counts := map[string]int{}
	for _, g := range groups {
		for _, name := range g.differ {
			counts[name]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int { return cmp.Or(counts[y]-counts[x], strings.Compare(x, y)) })
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s in %d", name, counts[name]))
	}
	fmt.Fprintf(b, "  they differ in: %s\n", strings.Join(parts, ", "))
}

// Contradictions is the outcome of `fdplan check TASK DATA --contradictions`.
type Contradictions struct {
	Schema int             `json:"schema"`
	Rows   int             `json:"rows"`
	Groups []Contradiction `json:"contradictions"`
}

// Check lists the contradictions in a data set, or in a log for a task that declares its
// fluents.
func Check(ctx context.Context, p *load.Problem, name string) (*Contradictions, error) {
	read, s, err := p.ReadLog(ctx, name)
	if err != nil {
		return nil, err
	}
	groups := contradictions(s, contradicting(ctx, s, read, false))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if groups == nil {
		groups = []Contradiction{}
	}
	return &Contradictions{Schema: app.Schema, Rows: read.Data.Rows, Groups: groups}, nil
}

// WriteText writes them as text.
func (c *Contradictions) WriteText(w io.Writer) error {
	var b strings.Builder
	if len(c.Groups) == 0 {
		fmt.Fprintf(&b, "no contradictions in %s\n", counted.Of(c.Rows, "transition"))
	}
	writeContradictions(&b, c.Groups)
	_, err := io.WriteString(w, b.String())
	return err
}
